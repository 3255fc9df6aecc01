// Some of the observations of a model, spread evenly over its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/model/linear_model.hpp"

namespace giga {

/// Rows of the likelihood, ascending, and how many of their observations were drawn.
struct CheckedObservations {
  std::vector<Index> rows;
  std::vector<double> counts;
  Index count = 0;  ///< Sum of the counts.
  double all = 0;   ///< Sum of the multiplicities of all rows.
};

/// A row of multiplicity m stands for m observations. They are numbered along the rows, cut into `most` runs
/// of the same length (within 1), and one is drawn of each: none twice, and all of them where there are at
/// most `most`.
[[nodiscard]] CheckedObservations draw_observations(const LinearModel& model, Index most, std::uint64_t seed,
                                                    const Executor& executor);

}  // namespace giga
