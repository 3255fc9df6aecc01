// Building from some of the rows for the sum of all: which rows a coreset may choose from, and what it needs
// to know of the others.
//
// The target of a construction is the sum of the vectors of all rows. Which rows may be chosen is another
// matter: tens of thousands of candidates hold as good a coreset as millions, as long as those that no other
// can stand in for are among them. One pass over all rows finds how long their vectors are and how much they
// bend the posterior; the rest of a build costs the same whatever the number of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/project/random_projection.hpp"

namespace giga {

/// What one pass over all rows tells of each. A rank has it of its own rows; functions with an executor are
/// called by all ranks together.
struct RowSurvey {
  RowArray<float> norms;  ///< Of its vector: exact for curvature, by 32 features for random projections.
  /// What the curvature has of the square of its curvature vector; empty where there is no linear predictor.
  RowArray<float> shares;
  std::shared_ptr<const RowArray<float>> scores;  ///< remainder_scores().
  bool bent_are_rare = false;                     ///< Whether few rows are nearly all curvature.
  double norm_sum = 0;                            ///< sigma
  double mean_bent = 0;                           ///< The average of bent().
  Index num_zero_rows = 0;
  Index passes = 0;  ///< That it took over all rows.

  /// The length of the curvature in the vector of row n, where `norms` are those of curvature vectors.
  [[nodiscard]] double bent(Index n) const;
  /// Sums over the rows: norm_sum, mean_bent and num_zero_rows.
  void add_up(const Executor& executor);

  /// Whether the norm of a row, or the curvature in it, is at least a thousandth of the average. The others
  /// are idle: what they say at the mode is so little that a coreset could use them only with weights above
  /// that of all rows together; and where that is so little because their predictor is far out, they would
  /// say far more elsewhere. With heavy-tailed features such weights were seen to reach 1e109. A row that
  /// fits almost exactly has a short vector too, but all its curvature.
  [[nodiscard]] bool is_busy(Index n) const;
  [[nodiscard]] Index num_busy(const Executor& executor) const;
  /// Those of some rows, which ascend.
  [[nodiscard]] std::vector<Index> busy_of(const std::vector<Index>& rows, const Executor& executor) const;
};
[[nodiscard]] RowSurvey survey_rows(const Likelihood& likelihood, const Normal& pihat,
                                    const CoresetOptions& options, const Executor& executor);

/// Half of them drawn with equal probabilities, half in proportion to the square of the norm; ascending. The
/// union may be smaller than `count`. Squares, because the sum of the squares of whitened norms is about D
/// whatever N is: rows longer than sqrt(2 D / count), which few others can stand in for, are then there for
/// certain. The sum of the norms themselves grows like sqrt(N), and a sample by them would miss such rows.
///
/// Where rows that are nearly all curvature are rare, a fifth of them are drawn in proportion to
/// survey.shares instead: rows that fit almost exactly have hardly any gradient and are few, but they match
/// the Hessian and nothing else.
[[nodiscard]] std::vector<Index> draw_candidates(const RowSurvey& survey, Index count, std::uint64_t seed,
                                                 const Executor& executor);

/// The sum of the held-out features over all rows, estimated; nothing where most rows would be needed.
struct HeldoutSum {
  ExtendedVector sum;
  double noise = 0;  ///< Root mean square of the error of `sum`, in its norm.
  Index num_rows = 0;
};
[[nodiscard]] std::optional<HeldoutSum> estimated_heldout(const RandomProjection& heldout,
                                                          const Likelihood& full, const Normal& pihat,
                                                          const Derivatives& at_mean, const RowSurvey& survey,
                                                          const CoresetOptions& options,
                                                          const Executor& executor);

}  // namespace giga
