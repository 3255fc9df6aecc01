// What a coreset must keep of the rows it stands for, so that it can be merged with those of other shards
// when the rows are no longer at hand (merge_coresets.hpp).
//
// Notation: L_s the log-likelihood of all rows of shard s, L_s(w) that of its coreset, m the mode of its
// posterior, C C' the covariance of the Laplace approximation there, D parameters. The two differ by
//
//   L_s(w, theta) - L_s(theta) = q(theta) + R(theta),
//
// q the quadratic function nearest to it: its gradient and Hessian are those of the difference, averaged over
// the posterior (smoothed_derivatives.hpp). So the gradient of R is 0 on average, and what shards have of it
// does not add up. The file of a coreset keeps q. Errors are in posterior standard deviations per parameter
// of the shard, and estimated by the random features of the held-out error:
//
//   error   sqrt(E |C' grad(q + R)|^2 / D), of the coreset as it is
//   rest    sqrt(E |C' grad R|^2 / D), of the coreset once q is taken off
#pragma once

#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// How far a coreset was from what it stands for, when that could be measured: of a shard when it was built,
/// or of a reduction when coresets were merged.
struct ErrorPart {
  double weight = 0;  ///< Sum of the weights of the rows that it stands for.
  double error = 0;  ///< NaN: not known, since the coreset was built in a norm without the posterior's units.
  double rest = 0;
  bool corrected = false;  ///< Whether q has been taken off since: by a merge that reduced.

  /// Its share in the error of the coreset that it is a part of.
  [[nodiscard]] double share() const { return corrected ? rest : error; }
};

/// A table that was built from; of a merged coreset there are several.
struct ShardPart : ErrorPart {
  std::string name = {};    ///< Of its coreset, as people know it; empty until it is merged.
  std::string digest = {};  ///< Of its data (same_data.hpp).
  Index num_rows = 0;
};

/// Population mean and standard deviation of some columns over all rows; 0 for a constant column.
struct ColumnMoments {
  std::vector<double> mean, sd;
};

struct ShardSums {
  std::vector<double> point;  ///< theta where the sums were taken: the mode.
  Derivatives at_point;       ///< Of the log-likelihood of all rows.
  Derivatives excess;         ///< q about the point: what the coreset is known to have too much.
  double excess_error = 0;    ///< How much of an error that is, in the units above.
  double weight = 0;          ///< Sum of the weights of all rows.
  Index num_zero_rows = 0;    ///< Whose vector is zero.

  /// Of raw columns, those of group effects left out. Empty where neither scale nor prior depends on them.
  ColumnMoments columns = {};
  /// Of what the coefficients of groups are multiplied by, one for each group effect that has such a column.
  ColumnMoments slopes = {};
  /// Of the response less its offset, where priors may be in units of it (identity link); else 0.
  double response_mean = 0, response_sd = 0;

  std::vector<ShardPart> shards;      ///< In the order of their digests.
  std::vector<ErrorPart> reductions;  ///< Made on the way, in ascending order of weight and error.
};

/// Of a problem that was made from a table, and its coreset. A pass over the rows where there are less than
/// 100,000, or remainder scores are not known, and another where the mode of all of them is not known. The
/// name and the digest of the shard are left empty.
[[nodiscard]] ShardSums shard_sums(const Problem& problem, const CoresetResult& result,
                                   const Executor& executor, const Observer& observer = {});

/// sqrt((|C' g|^2 + |C' H C|_F^2) / D) with g and H the gradient and the Hessian: the error that a quadratic
/// function about the mode is, in the units above.
[[nodiscard]] double second_order_error(const Derivatives& of, const Normal& posterior);

/// The errors of a build, in the units above; NaN in other norms. `excess` is q, about `point`.
[[nodiscard]] ErrorPart error_part(const CoresetResult& result, const Likelihood& rows, double weight,
                                   const std::vector<double>& point, const Derivatives& excess,
                                   const Executor& executor);

/// Takes the gradient and the Hessian of a difference over those at the mode, unless a predictor that is far
/// out made them infinite.
void take_smoothed(const Derivatives& smoothed, Derivatives& excess);

/// What the errors of all parts amount to, in posterior standard deviations per parameter; NaN where one is
/// not known. With W the weight of all rows and W_i that of part i:
struct MergedError {
  double bound = 0;  ///< The sum of share(): it holds whatever the parts are. At least `usual`.
  /// sqrt(excess_error^2 + sum of rest^2 W_i / W): q is known, and the rest of the parts is independent. For
  /// rows that are alike in all shards.
  double usual = 0;
};
/// The bound has the same bits however the parts were merged, as long as they are the same.
[[nodiscard]] MergedError merged_error(const ShardSums& sums);

}  // namespace giga
