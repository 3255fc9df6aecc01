// The posterior of a weighted regression, packed for speed: a LogDensity.
#pragma once

#include <vector>

#include "giga/base/executor.hpp"
#include "giga/model/linear_model.hpp"
#include "giga/model/prior.hpp"

namespace giga {

/// log p(theta) + sum_n multiplicity(n) L_n(theta). Holds a copy of the rows in tiles, so that a gradient is
/// one pass over them; a few hundred rows stay in the cache, and nothing is allocated up to 64 parameters.
class RegressionPosterior {
 public:
  /// With an executor (which must outlive this object) blocks of rows are evaluated side by side; without
  /// one, by the thread that calls. The bits are the same. Do not share an executor with the chains that
  /// call.
  RegressionPosterior(const LinearModel& regression, Prior prior, const Executor* executor = nullptr);

  [[nodiscard]] Index dim() const { return all_; }
  double log_density(const double* theta, double* gradient) const;

  /// The log-likelihood alone.
  double log_likelihood(const double* theta, double* gradient) const;
  [[nodiscard]] const Prior& prior() const { return prior_; }

 private:
  [[nodiscard]] Index plain_dim() const { return has_constant_ ? dim_ - 1 : dim_; }
  [[nodiscard]] double* tile_at(Index tile);
  [[nodiscard]] const double* tile_at(Index tile) const;
  double block(Index index, const double* theta, double* sums) const;
  double plain_tiles(Index first, Index end, double label, const double* theta, double* sums) const;
  double add_prior(const double* theta, double* gradient) const;

  FamilyParameters family_;
  Prior prior_;
  const Executor* executor_;
  Index dim_, all_;            // columns; and with the extra parameters of the family
  bool isotropic_;             // whether the prior is N(0, I / precision_),
  double precision_ = 0;       // which is what this is; then
  double log_normaliser_ = 0;  // log det of the prior's covariance + D log 2 pi
  Index num_tiles_ = 0;
  // Of logistic rows that count once, tiles of one label come first, as rows y z without the column of ones,
  // in strips.
  bool has_constant_ = false;                        // the last column is all ones
  Index num_ups_ = 0;                                // tiles of label +1; then those of label -1
  Index num_plain_ = 0;                              // both together
  std::vector<double> z_, y_, weights_, constants_;  // by tile
  std::vector<double> offset_;                       // by tile; empty: none
};

}  // namespace giga
