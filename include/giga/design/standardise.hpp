// The scale of the raw columns, taken from all the data once. It travels with a coreset: taking it again from
// the coreset's rows would change the posterior.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/design/term.hpp"

namespace giga {

/// z = (r - mean) / scale for every raw column r.
struct Standardisation {
  std::vector<double> mean;
  std::vector<double> scale;    ///< Never 0.
  std::vector<Index> constant;  ///< Columns with one value only; their mean is that value, their scale 1.

  /// mean 0, scale 1: z = x.
  [[nodiscard]] static Standardisation identity(Index num_features);
};

/// Mean and population standard deviation of each column of Design::all_features, weighted by the
/// multiplicities. The same bits for any number of threads; rows counted twice give the same bits as every
/// multiplicity doubled.
[[nodiscard]] Standardisation standardise(const Dataset& data, const DistinctRows& rows,
                                          const Executor& executor);

/// The same for the raw columns of terms; features that a NumericTerm takes as they are have the same bits.
[[nodiscard]] Standardisation standardise(std::span<const std::shared_ptr<const Term>> terms,
                                          const Dataset& data, const DistinctRows& rows,
                                          const Executor& executor);

}  // namespace giga
