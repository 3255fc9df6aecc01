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
  std::vector<Index> constant;  ///< Columns that say nothing, as z is 0 in every row; their scale is 1.
  /// Columns that are 0 in every row, each for the standard deviation of a group effect (group_effect.hpp):
  /// theta has its logarithm. The columns after each, up to the next or the last, are those of its groups.
  std::vector<Index> group_sds = {};

  /// mean 0, scale 1: z = x.
  [[nodiscard]] static Standardisation identity(Index num_features);
};

/// The columns of a group effect: theta_sd is the logarithm of the standard deviation that the coefficients
/// of columns first .. first + count - 1 share.
struct GroupColumns {
  Index sd = 0, first = 0, count = 0;
};
[[nodiscard]] std::vector<GroupColumns> group_columns(const Standardisation& scale);

/// Mean and population standard deviation of each column of Design::all_features, weighted by the
/// multiplicities. The same bits for any number of threads; rows counted twice give the same bits as every
/// multiplicity doubled.
[[nodiscard]] Standardisation standardise(const Dataset& data, const DistinctRows& rows,
                                          const Executor& executor);

/// The same for the raw columns of terms; features that a NumericTerm takes as they are have the same bits.
[[nodiscard]] Standardisation standardise(std::span<const std::shared_ptr<const Term>> terms,
                                          const Dataset& data, const DistinctRows& rows,
                                          const Executor& executor);

/// The same columns about 0: mean 0, and the root mean square for a scale. That is how a model without an
/// intercept takes them: z of a column that is moved by its mean has a constant term, which such a model is
/// not to have. A column with one value only is +-1, unless it is 0.
[[nodiscard]] Standardisation about_zero(Standardisation scale);

}  // namespace giga
