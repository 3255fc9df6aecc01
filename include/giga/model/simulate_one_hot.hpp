// Simulated tables of categories, for trials where the posterior is not normal: a dozen categorical variables
// (factors), each coded by all of its levels, so that a row has exactly one 1 per factor and the rest are 0.
// With an intercept the design has rank dim - (number of factors) + 1, less than its number of columns.
//
//   levels     level l = 1, ..., k of a factor has probability proportional to l^-power
//   effects    b_l ~ N(0, effect^2), centred so that sum_l P(l) b_l = 0 in each factor
//   response   y = -1 or 1, P(y = 1) = 1 / (1 + exp(-s)), s = intercept + the effects of the row's levels
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "giga/base/types.hpp"
#include "giga/model/simulated_table.hpp"

namespace giga {

struct SimulateOneHotOptions {
  Index rows = 50000;
  Index dim = 123;          ///< Columns, over all factors; dim >= 2.
  double power = 2.5;       ///< power >= 0; 0 makes all levels equally frequent.
  double effect = 1;        ///< Standard deviation of the effects, effect >= 0.
  double intercept = -1.5;  ///< With the other defaults about a quarter of the labels are 1.
  std::uint64_t seed = 1;
};

/// The number of levels of each factor, ascending, each at least 2; their sum is `dim`. There are dim / 3
/// factors, at least 1 and at most 12. Beyond two levels each, a factor has 1.5 times as many as the one
/// before it, rounded:
///
///     one_hot_levels(123)    2, 3, 3, 3, 4, 5, 6, 9, 12, 17, 24, 35
///
/// Throws std::invalid_argument for dim < 2.
[[nodiscard]] std::vector<Index> one_hot_levels(Index dim);

class SimulatedOneHot final : public SimulatedTable {
 public:
  /// Throws std::invalid_argument for options outside the ranges above, or not finite.
  explicit SimulatedOneHot(const SimulateOneHotOptions& options);

  [[nodiscard]] Index num_rows() const override { return options_.rows; }
  [[nodiscard]] Index num_features() const override { return options_.dim; }
  /// By factor and level: a1, a2, b1, b2, c1, c2, c3, ...
  [[nodiscard]] std::vector<std::string> feature_names() const override;
  /// Features are 0 or 1, labels -1 and 1.
  void read(Index first, Index count, double* out) const override;

  /// The number of levels of each factor, as one_hot_levels gives them.
  [[nodiscard]] const std::vector<Index>& levels() const { return levels_; }
  /// The effect of every column, then the intercept.
  [[nodiscard]] const std::vector<double>& theta() const { return theta_; }

 private:
  void add_factor(Index factor);

  SimulateOneHotOptions options_;
  std::vector<Index> levels_;
  std::vector<double> cumulative_;  // of every column: the probability of its level or one before it
  std::vector<double> theta_;
};

}  // namespace giga
