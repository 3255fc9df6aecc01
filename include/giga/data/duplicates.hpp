// Rows that are equal in all features and the response are one row with a multiplicity: the sum of their
// observation weights. Rows of weight 0 count for nothing and are left out.
#pragma once

#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"

namespace giga {

struct DistinctRows {
  std::vector<Index> rows;  ///< The first of each set of equal rows, ascending. Empty: all rows are distinct.
  std::vector<double> multiplicity;  ///< Of each distinct row. Empty: all are 1.
  Index num_rows = 0;                ///< Distinct rows.
  Index num_repeats = 0;             ///< Rows that equal an earlier one.

  [[nodiscard]] Index row(Index k) const { return rows.empty() ? k : rows[static_cast<std::size_t>(k)]; }
  [[nodiscard]] double weight(Index k) const {
    return multiplicity.empty() ? 1.0 : multiplicity[static_cast<std::size_t>(k)];
  }
};

/// Equality is of values: 0 equals -0.
[[nodiscard]] DistinctRows distinct_rows(const Dataset& data, const Executor& executor);

}  // namespace giga
