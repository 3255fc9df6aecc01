// What priors are in units of, and the priors that come of it: from all the data (a problem), or from the
// moments of shards (merged_design.hpp).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/design/group_effect.hpp"
#include "giga/pipeline/prior_options.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/pipeline/shard_sums.hpp"

namespace giga {

/// Population moments of what priors may be in units of, besides the columns.
struct UnitMoments {
  ColumnMoments slopes = {};                  ///< As in ShardSums,
  double response_mean = 0, response_sd = 0;  ///< as are these.
};

/// Where the noise is learnt, priors of coefficients that were not chosen are in units of the response, as
/// the prior of the noise is: N(0, (prior_scale sd(y))^2), about mean(y) for the intercept.
[[nodiscard]] bool is_in_units(const ModelOptions& options);

/// The group effects of a problem that was made from a table.
[[nodiscard]] GroupEffects groups_of(const Problem& problem);

[[nodiscard]] UnitMoments unit_moments(const Problem& problem, const Executor& executor);
[[nodiscard]] UnitMoments unit_moments(const Problem& problem, const GroupEffects& groups,
                                       const Executor& executor);

/// Mean and scale of columns as a model takes them: about 0 where it has no intercept.
[[nodiscard]] Standardisation column_scale(std::span<const std::shared_ptr<const Term>> terms,
                                           const Dataset& data, const DistinctRows& rows, bool intercept,
                                           const Executor& executor);

/// The first `count` columns of a standardisation, with sd 0 for those that are constant.
[[nodiscard]] ColumnMoments moments_of(const Standardisation& scale, Index count);

/// `columns` are those that are taken as they are, where scales are in units of them; else empty.
[[nodiscard]] PriorUnits prior_units(const UnitMoments& moments, const ColumnMoments& columns,
                                     const GroupEffects& groups);

/// Of every parameter: what was chosen, in these units.
[[nodiscard]] std::vector<ScalarPrior> priors_in_units(const ModelOptions& options, const Design& design,
                                                       const PriorUnits& units);

/// Whether ModelOptions tell the priors without their being listed.
[[nodiscard]] bool tells_priors(const ModelOptions& options, const GroupEffects& groups);

}  // namespace giga
