// What a fit will take, said before the work: how many points, how long, and how long chains on all rows
// would take instead.
#pragma once

#include "giga/base/executor.hpp"
#include "giga/base/types.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

struct FitPlan {
  Index points = 0;           ///< Of the coreset, as other data of as many parameters took.
  Index most_points = 0;      ///< That it may have.
  Index num_rows = 0;         ///< Distinct ones.
  StageSeconds seconds = {};  ///< From the mode to the certificate.
  double full_seconds = 0;    ///< As many chains on all distinct rows, 1000 + 1000 transitions each.

  [[nodiscard]] double total() const;
  /// Whether the coreset is the shorter way, and large enough to be certified.
  [[nodiscard]] bool pays() const { return total() < full_seconds && points <= most_points; }
};

/// Gradients are timed, here and now, on as many rows as the coreset will have and on 50,000 rows at most,
/// and so is the reading of some blocks of rows from where they are, which may be a disk; the rest is counted
/// in operations of the same kind. Chains are taken to need 15 gradients per transition, as they do where the
/// posterior is nearly normal; harder posteriors take longer either way. Right within a factor of two or so;
/// nothing that is computed depends on it.
[[nodiscard]] FitPlan plan_fit(const Problem& problem, const FitOptions& options, const Executor& executor);

/// The points that a coreset of a model with D parameters is likely to have: about 2.2 J^(3/4), J = D(D+3)/2.
[[nodiscard]] Index likely_points(Index num_parameters);

}  // namespace giga
