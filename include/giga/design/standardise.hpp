// The scale of the raw columns, taken from all the data once. It travels with a coreset: taking it again from
// the coreset's rows would change the posterior.
#pragma once

#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/design/term.hpp"

namespace giga {

/// z = (r - mean) / scale for every raw column.
struct Standardisation {
  std::vector<double> mean;
  std::vector<double> scale;    ///< Never 0.
  std::vector<Index> constant;  ///< Columns with one value only; their mean is that value, their scale 1.

  /// mean 0, scale 1: z = r.
  [[nodiscard]] static Standardisation identity(Index num_columns);
};

/// Mean and population standard deviation of each raw column of the terms, weighted by the multiplicities.
/// The same bits for any number of threads; rows counted twice give the same bits as every multiplicity
/// doubled.
[[nodiscard]] Standardisation standardise(const Dataset& data, const Terms& terms, const DistinctRows& rows,
                                          const Executor& executor);
/// Of the columns of Design::all_features.
[[nodiscard]] Standardisation standardise(const Dataset& data, const DistinctRows& rows,
                                          const Executor& executor);

}  // namespace giga
