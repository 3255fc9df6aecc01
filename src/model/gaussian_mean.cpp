// y_n ~ N(theta, I): L_n = -(|y_n - theta|^2 + D log 2 pi) / 2, gradient y_n - theta, Hessian -I. A normal
// prior is conjugate, so the posterior of any weights is known exactly (section 4.1 of the paper).
#include "giga/model/gaussian_mean.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

namespace giga {

GaussianMean::GaussianMean(std::vector<double> observations, Index dim)
    : observations_(std::move(observations)), dim_(dim) {
  if (dim < 1 || observations_.empty() || std::ssize(observations_) % dim != 0) {
    throw std::invalid_argument(std::to_string(observations_.size()) +
                                " values are no observations of dimension " + std::to_string(dim));
  }
}

double GaussianMean::log_likelihood(Index n, const double* theta) const {
  const double* y = observation(n);
  double squares = 0;
  for (Index d = 0; d < dim_; ++d) squares += (y[d] - theta[d]) * (y[d] - theta[d]);
  return -0.5 * (squares + static_cast<double>(dim_) * std::log(2 * std::numbers::pi));
}

void GaussianMean::gradient(Index n, const double* theta, double* out) const {
  const double* y = observation(n);
  for (Index d = 0; d < dim_; ++d) out[d] = y[d] - theta[d];
}

void GaussianMean::hessian(Index /*n*/, const double* /*theta*/, double* out) const {
  std::fill(out, out + dim_ * dim_, 0.0);
  for (Index d = 0; d < dim_; ++d) out[d * dim_ + d] = -1;
}

Normal GaussianMean::posterior(const Normal& prior, const std::vector<double>& weights) const {
  if (prior.dim() != dim_)
    throw std::invalid_argument("the prior has another dimension than the observations");
  if (!weights.empty() && std::ssize(weights) != num_rows())
    throw std::invalid_argument("there must be a weight for every observation, or none");
  // With the prior N(m, P^-1) and W = sum of w_n, the posterior has the precision P + W I and the mean
  // (P + W I)^-1 (P m + sum of w_n y_n).
  const auto size = static_cast<std::size_t>(dim_);
  std::vector<double> precision = prior.precision(), information(size, 0.0);
  for (std::size_t d = 0; d < size; ++d) {
    for (std::size_t e = 0; e < size; ++e) information[d] += precision[d * size + e] * prior.mean()[e];
  }
  double total = 0;
  for (Index n = 0; n < num_rows(); ++n) {
    const double w = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(n)];
    total += w;
    for (std::size_t d = 0; d < size; ++d) information[d] += w * observation(n)[d];
  }
  for (std::size_t d = 0; d < size; ++d) precision[d * size + d] += total;
  // The mean solves (P + W I) mean = information.
  const std::vector<double> covariance =
      Normal::with_precision(std::vector<double>(size, 0.0), precision).covariance();
  std::vector<double> mean(size, 0.0);
  for (std::size_t d = 0; d < size; ++d) {
    for (std::size_t e = 0; e < size; ++e) mean[d] += covariance[d * size + e] * information[e];
  }
  return Normal::with_precision(std::move(mean), std::move(precision));
}

}  // namespace giga
