// Responses and offsets of a table whose rows ranks share: each rank makes those of the rows that it sums
// over.
#pragma once

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/model/family.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// By rows of the likelihood, as Regression takes them.
struct OwnTerms {
  RowArray<double> response;  ///< Empty: those of the data, as they are.
  RowArray<double> offset;    ///< Empty: none.
};

/// Called by all ranks together. Throws DataError, on all of them, for trials that do not fit.
[[nodiscard]] OwnTerms own_terms(const Dataset& data, const DistinctRows& distinct, const Response& response,
                                 const ModelOptions& options, const Executor& executor);

}  // namespace giga
