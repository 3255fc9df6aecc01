// The posterior of any likelihood: through packed rows where there is a linear predictor, otherwise through
// the gradients of the likelihood itself.
#include "giga/infer/posterior.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "giga/base/threads.hpp"

namespace giga {
Posterior::Posterior(const Likelihood& likelihood, Prior prior, const Executor* executor)
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
  std::copy(rows.gradient.begin(), rows.gradient.end(), gradient);
  return rows.value + prior_.add_gradient(theta, gradient);
}

}  // namespace giga
