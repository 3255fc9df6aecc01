// Observations y_n ~ N(theta, I) in R^D: the model of the paper's first experiment, whose coreset vectors are
// known in closed form.
#pragma once

#include <vector>

#include "giga/base/types.hpp"
#include "giga/model/normal.hpp"

namespace giga {

/// A RowModel.
class GaussianMean {
 public:
  /// Row-major observations.
  GaussianMean(std::vector<double> observations, Index dim);

  [[nodiscard]] Index num_rows() const { return static_cast<Index>(observations_.size()) / dim_; }
  [[nodiscard]] Index num_parameters() const { return dim_; }
  [[nodiscard]] const double* observation(Index n) const { return observations_.data() + n * dim_; }

  [[nodiscard]] double log_likelihood(Index n, const double* theta) const;
  void gradient(Index n, const double* theta, double* out) const;
  void hessian(Index n, const double* theta, double* out) const;

  /// The posterior under a normal prior, observation n counted weights[n] times (all once if empty).
  [[nodiscard]] Normal posterior(const Normal& prior, const std::vector<double>& weights = {}) const;

 private:
  std::vector<double> observations_;
  Index dim_;
};

}  // namespace giga
