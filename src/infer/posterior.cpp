// The posterior of any likelihood: through packed rows where there is a linear predictor, otherwise through
// the gradients of the likelihood itself.
#include "giga/infer/posterior.hpp"

#include <stdexcept>
#include <utility>

#include "giga/base/threads.hpp"

namespace giga {
Posterior::Posterior(const Likelihood& likelihood, Normal prior, const Executor* executor)
    : likelihood_(&likelihood), prior_(std::move(prior)), executor_(executor) {
  if (prior_.dim() != likelihood.num_parameters())
    throw std::invalid_argument("the prior has another dimension than the model");
  if (const LinearModel* linear = likelihood.linear_model())
    packed_ = std::make_unique<RegressionPosterior>(*linear, prior_, executor);
}

double Posterior::log_density(const double* theta, double* gradient) const {
  if (packed_) return packed_->log_density(theta, gradient);
  const std::span<const double> point(theta, static_cast<std::size_t>(dim()));
  const Serial serial;
  const Executor& executor = executor_ != nullptr ? *executor_ : static_cast<const Executor&>(serial);
  const Derivatives rows = likelihood_->evaluate(point, Order::Gradient, executor);
  const Derivatives prior = prior_.log_density(point, Order::Gradient);
  for (std::size_t d = 0; d < point.size(); ++d) gradient[d] = rows.gradient[d] + prior.gradient[d];
  return rows.value + prior.value;
}

}  // namespace giga
