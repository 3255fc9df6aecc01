// A coreset of vectors as they are, without a model.
#pragma once

#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/base/row_source.hpp"
#include "giga/pipeline/build_coreset.hpp"

namespace giga {

/// Of the options only method, selector, size, max_steps, tolerance (on the relative error) and seed are
/// used; size 0: 100, or 1000 with a tolerance. The result has no held-out error (NaN) and no pihat. The
/// observer is told of Stage::Prepare and Construct.
[[nodiscard]] CoresetResult build_from_vectors(const RowSource& rows, const CoresetOptions& options,
                                               const Executor& executor, const Observer& observer = {});

}  // namespace giga
