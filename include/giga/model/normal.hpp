// The multivariate normal distribution: the prior, and the approximations of the posterior that projections
// draw from.
#pragma once

#include <span>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/types.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

/// Matrices are D x D, row-major.
class Normal {
 public:
  /// N(0, scale^2 I); scale > 0.
  [[nodiscard]] static Normal isotropic(Index dim, double scale = 1);
  /// N(means, diag(scales^2)); all scales > 0. Means are 0 where none are given.
  [[nodiscard]] static Normal independent(std::span<const double> scales, std::vector<double> means = {});
  /// Throws std::invalid_argument unless the matrix is symmetric positive definite and all is finite.
  [[nodiscard]] static Normal with_precision(std::vector<double> mean, std::vector<double> precision);
  [[nodiscard]] static Normal with_covariance(std::vector<double> mean,
                                              const std::vector<double>& covariance);

  [[nodiscard]] Index dim() const { return static_cast<Index>(mean_.size()); }
  [[nodiscard]] const std::vector<double>& mean() const { return mean_; }
  [[nodiscard]] const std::vector<double>& precision() const { return precision_; }
  /// C, with C C' the covariance: a draw is mean + C e with e standard normal.
  [[nodiscard]] const std::vector<double>& factor() const { return factor_; }
  [[nodiscard]] std::vector<double> covariance() const;
  [[nodiscard]] std::vector<double> standard_deviations() const;
  /// log det of the covariance.
  [[nodiscard]] double log_determinant() const { return log_determinant_; }

  /// The log density, normalised, and its derivatives.
  [[nodiscard]] Derivatives log_density(std::span<const double> theta, Order order) const;

  void draw(Stream& random, double* theta) const;

 private:
  Normal() = default;

  std::vector<double> mean_, precision_, factor_;
  bool diagonal_ = false;  // components were given as independent
  double log_determinant_ = 0;
};

/// Kullback-Leibler divergence KL(p || q); both of the same dimension.
[[nodiscard]] double kl_divergence(const Normal& p, const Normal& q);

}  // namespace giga
