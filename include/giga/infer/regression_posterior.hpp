// The posterior of a weighted regression, packed for speed: a LogDensity.
#pragma once

#include <vector>

#include "giga/base/thread_pool.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/regression.hpp"

namespace giga {

/// log p(theta) + sum_n multiplicity(n) L_n(theta). Holds a copy of the rows in tiles, so that a gradient is
/// one pass over them; a few hundred rows stay in the cache, and nothing is allocated up to 64 parameters.
class RegressionPosterior {
 public:
  /// With a pool (which must outlive this object) blocks of rows are evaluated side by side; without one, by
  /// the thread that calls. The bits are the same. Do not share a pool with the chains that call.
  RegressionPosterior(const Regression& regression, Normal prior, const ThreadPool* pool = nullptr);

  [[nodiscard]] Index dim() const { return dim_; }
  double log_density(const double* theta, double* gradient) const;

  /// The log-likelihood alone.
  double log_likelihood(const double* theta, double* gradient) const;
  [[nodiscard]] const Normal& prior() const { return prior_; }

 private:
  double block(Index index, const double* theta, double* sums) const;
  double add_prior(const double* theta, double* gradient) const;

  FamilyParameters family_;
  Normal prior_;
  const ThreadPool* pool_;
  Index dim_;
  bool isotropic_;         // whether the prior's precision is a multiple of I and its mean 0
  double log_normaliser_;  // log det of the prior's covariance + D log 2 pi
  Index num_tiles_ = 0;
  Index num_plain_ = 0;                                   // tiles whose rows all count once; they come first
  std::vector<double> z_, y_, weights_, log_factorials_;  // by tile; plain logistic tiles hold y z
};

}  // namespace giga
