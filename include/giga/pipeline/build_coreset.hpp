// From a problem to its coreset: pihat, projection, construction, held-out error.
//
//   const Threads threads;
//   const Dataset data = read_dataset("flights.csv", {}, threads);
//   const Problem problem(data, {.family = {Family::BernoulliLogit}}, threads);
//   const CoresetResult result = build_coreset(problem, {.size = 100}, threads);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/names.hpp"
#include "giga/base/observer.hpp"
#include "giga/base/row_count.hpp"
#include "giga/construct/build.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/project/curvature_projection.hpp"
#include "giga/project/random_projection.hpp"

namespace giga {

struct Quadratic;  // giga/infer/row_estimate.hpp

/// The distribution the norm is taken under.
enum class PihatKind {
  Laplace,    ///< The Laplace approximation of the posterior of all rows.
  Subsample,  ///< The same of some rows, each counted N/n times.
  Prior,
};
constexpr auto name_table(PihatKind) {
  using enum PihatKind;
  return names_are<PihatKind>({{Laplace, "laplace"}, {Subsample, "subsample"}, {Prior, "prior"}});
}

enum class ProjectionKind {
  Random,     ///< random_projection.hpp: the paper's.
  Curvature,  ///< curvature_projection.hpp, in the whitened norm.
  Auto,       ///< As with_projection says.
};
constexpr auto name_table(ProjectionKind) {
  using enum ProjectionKind;
  return names_are<ProjectionKind>({{Random, "random", "J random features"},
                                    {Curvature, "curvature",
                                     "gradient and curvature of each row, no randomness:\n"
                                     "D(D+3)/2 numbers, in the whitened norm"},
                                    {Auto, "auto", "curvature to D = 200, else random"}});
}

/// The first J that projection_dim = 0 tries.
inline constexpr Index kFirstAutoDim = 500;

/// Beyond so many parameters a coreset does not keep the sums that merging needs (shard_sums.hpp): the
/// Hessian alone would take megabytes.
inline constexpr Index kMostSummedParameters = 500;

struct CoresetOptions {
  PihatKind pihat = PihatKind::Laplace;
  Index subsample_rows = 0;  ///< For PihatKind::Subsample; 0: max(1000, 20 D), at most N.

  ProjectionKind projection = ProjectionKind::Random;
  Norm norm = Norm::Fisher;    ///< Of random projections; Curvature is always whitened.
  Index projection_dim = 500;  ///< J; 0: doubled from 500 until heldout_error <= 1.5 relative_error.
  Expansion expansion = Expansion::Taylor;  ///< Of Curvature alone.
  Index remainder_dim = 0;                  ///< Of Curvature alone.
  /// Of Curvature alone: where gradient and curvature leave the held-out error above the tolerance, the build
  /// is made anew with the Hermite expansion and 500 features of the remainder.
  bool add_remainder = false;
  Index heldout_dim = 500;  ///< Features of the held-out projection; >= 2.

  Method method = Method::Corrective;
  SelectorKind selector = SelectorKind::Auto;
  /// Rows that points may be chosen from; the target is the sum of all rows whatever they are. Auto: all
  /// where that costs little, and for the methods of the paper; else 20,000 to 50,000, and more where these
  /// do not reach the tolerance.
  RowCount candidates = {};
  /// Most points. 0: default_size(), or where a tolerance is given tolerance_size(); never more than there
  /// are rows.
  Index size = 0;
  Index max_steps = 0;   ///< As in GreedyOptions.
  double tolerance = 0;  ///< Ends when heldout_error <= tolerance.
  /// Ends when heldout_error |V| / sqrt(D) <= tolerance instead: the gradient is off by that many posterior
  /// standard deviations per parameter, whatever the prior adds to |V|. In the whitened norm only.
  bool posterior_units = false;
  std::uint64_t seed = 1;
};

/// D(D+3)/2, from 20 to 1000: enough points to match gradient and curvature.
[[nodiscard]] Index default_size(const Problem& problem);

/// Where a tolerance ends the build: D(D+3)/2, from 1000 to 5000.
[[nodiscard]] Index tolerance_size(const Problem& problem);

/// The options with Auto replaced: Curvature while its D(D+3)/2 numbers per row are at most 20,300 (D = 200)
/// and all parameters enter by a linear predictor, else Random in the whitened norm with projection_dim = 0.
[[nodiscard]] CoresetOptions with_projection(CoresetOptions options, const Problem& problem);

/// The same with the size replaced as well.
[[nodiscard]] CoresetOptions resolved(CoresetOptions options, const Problem& problem);

/// How many rows a coreset chooses from, of N rows with J numbers each. Auto: all where N J <= 2^23, and for
/// the paper's methods; else 2^24 / J, from 20,000 to 50,000.
[[nodiscard]] Index num_candidates(const CoresetOptions& options, Index num_rows, Index dim);

/// By stage; those that a job does not have are 0.
struct StageSeconds {
  double load = 0, laplace = 0, project = 0, prepare = 0, construct = 0, sample = 0, certify = 0, report = 0;
};

/// How often every row was read, by stage; those that read some rows only are not counted.
struct StagePasses {
  Index laplace = 0, project = 0, prepare = 0, certify = 0;
};

/// One size of projection that was tried.
struct ProjectionTrial {
  Index dim;
  double relative_error, heldout_error;
  Index size;
};

struct CoresetResult {
  CoresetOptions options;  ///< As resolved.
  Coreset coreset;         ///< Rows of the data (the first of equal ones), with weights for one such row.
  std::vector<double> multiplicity;  ///< How often each of them counts in the data.
  BuildResult build;                 ///< By rows of the likelihood. Its errors are those of the coreset.
  double heldout_error = 0;  ///< |V(w) - V| / |V| with the vectors of a second, independent projection
  double tolerance = 0;      ///< What heldout_error was asked to be at most; 0: nothing was asked.
  /// The norm of what gradient and curvature leave out of the whitened gradient under pihat, per square root
  /// of D: near 0 for a normal posterior. 0 unless the projection is Curvature.
  double remainder = 0;
  Normal pihat = Normal::isotropic(1);
  std::optional<LaplaceResult> laplace;  ///< Unless pihat is the prior.
  bool separable = false;                ///< The mode puts every row on the side of its label (bernoulli).
  Index dim = 0;                         ///< J
  std::vector<ProjectionTrial> trials;   ///< More than one with projection_dim = 0.

  double norm_sum = 0, target_norm = 0;  ///< sigma and |L|
  Index num_zero_rows = 0;
  Index num_candidates = 0;  ///< Rows that points were chosen from.
  Index heldout_rows = 0;    ///< Rows that the held-out sum was taken from; fewer than all: estimated.
  double heldout_noise = 0;  ///< Its standard error, relative to |V|, which heldout_error is free of.
  double heldout_norm = 0;   ///< |V|
  std::vector<double> heldout_residual = {};  ///< V - V(w)
  /// remainder_scores() of all rows under pihat, where they were needed.
  std::shared_ptr<const RowArray<float>> remainder_scores = {};
  bool zero_target = false;
  std::optional<SelectorKind> selector;  ///< The one used, by methods that search.
  std::size_t selector_bytes = 0;
  double prepare_bytes_read = 0;
  StageSeconds seconds;
  StagePasses passes;
  std::vector<std::string> notes;
};

/// Whether the posterior is so far from normal that an error under pihat, such as the held-out one, says
/// little: remainder > 1, with gradient and curvature alone.
[[nodiscard]] bool far_from_normal(const CoresetResult& result);

/// The same bits for any executor. The observer is told of Stage::Laplace, Project, Prepare and Construct.
/// Asked to stop in Construct, the result is that of the steps made so far; before that Stopped is thrown.
/// `known`: the Laplace approximation of all rows with its derivatives, where an earlier build found it.
/// `excess`: what the log-likelihood of all rows is too large by, where that is known: the target is their
/// sum less this, and `known` must be of that. In the whitened norm, from all rows and without a remainder.
/// Throws std::invalid_argument for options out of range, and for curvature without a linear predictor.
[[nodiscard]] CoresetResult build_coreset(const Problem& problem, const CoresetOptions& options,
                                          const Executor& executor, const Observer& observer = {},
                                          const LaplaceResult* known = nullptr,
                                          const Quadratic* excess = nullptr);

}  // namespace giga
