#include "pipeline/corrected_likelihood.hpp"

namespace giga {

Derivatives CorrectedLikelihood::evaluate(std::span<const double> theta, Order order,
                                          const Executor& executor) const {
  Derivatives out = rows_.evaluate(theta, order, executor);
  out.value -= static_cast<double>(excess_.value(theta));
  if (order == Order::Value) return out;
  ExtendedVector gradient(theta.size(), 0);
  excess_.add_gradient(theta, gradient.data());
  for (std::size_t d = 0; d < gradient.size(); ++d) out.gradient[d] -= static_cast<double>(gradient[d]);
  if (order == Order::Gradient) return out;
  for (std::size_t k = 0; k < out.hessian.size(); ++k) out.hessian[k] -= excess_.at_centre.hessian[k];
  return out;
}

Quadratic recentred(const Quadratic& function, std::span<const double> centre) {
  Quadratic out{{centre.begin(), centre.end()}, function.at_centre};
  out.at_centre.value = static_cast<double>(function.value(centre));
  ExtendedVector gradient(centre.size(), 0);
  function.add_gradient(centre, gradient.data());
  for (std::size_t d = 0; d < gradient.size(); ++d)
    out.at_centre.gradient[d] = static_cast<double>(gradient[d]);
  return out;
}

void add_to(Derivatives& sum, const Derivatives& other) {
  sum.value += other.value;
  sum.gradient.resize(other.gradient.size(), 0);
  sum.hessian.resize(other.hessian.size(), 0);
  for (std::size_t d = 0; d < other.gradient.size(); ++d) sum.gradient[d] += other.gradient[d];
  for (std::size_t k = 0; k < other.hessian.size(); ++k) sum.hessian[k] += other.hessian[k];
}

}  // namespace giga
