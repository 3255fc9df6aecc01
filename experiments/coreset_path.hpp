// The coresets that a method passes through on its way to the largest size, with the time it took to each.
#pragma once

#include <vector>

#include "experiments/regression_sets.hpp"
#include "giga/construct/build.hpp"

namespace giga::experiments {

/// A coreset after the iterations asked for; of `corrective`, with that many points, or as many as it got in
/// the iterations that the others have for their largest.
struct Stop {
  Index asked = 0;
  Index steps = 0;             ///< iterations made; fewer where a build ended before
  double relative_error = 0;   ///< of the projected vectors
  std::vector<Index> rows;     ///< distinct rows
  std::vector<double> counts;  ///< how many observations each of them stands for
  double seconds = 0;          ///< of construction, up to here

  [[nodiscard]] Index num_points() const { return static_cast<Index>(rows.size()); }
};

/// One build, recorded at each of `sizes`, which ascend.
[[nodiscard]] std::vector<Stop> greedy_path(const RegressionSet& set, const VectorTable& table, Method method,
                                            const std::vector<Index>& sizes);

/// The paper's RND: rows of the data, equal ones counted apart, drawn uniformly with replacement, each for
/// N / M observations. A larger M keeps the draws of a smaller one.
[[nodiscard]] std::vector<Stop> random_path(const RegressionSet& set, const VectorTable& table,
                                            const std::vector<Index>& sizes, std::uint64_t seed);

}  // namespace giga::experiments
