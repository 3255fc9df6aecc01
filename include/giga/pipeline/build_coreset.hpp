// From a problem to its coreset: pihat, projection, construction, held-out error.
//
//   const Dataset data = read_dataset("flights.csv", {}, executor);
//   const Problem problem(data, {.family = {Family::BernoulliLogit}}, executor);
//   const CoresetResult result = build_coreset(problem, {.size = 100}, executor);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/names.hpp"
#include "giga/construct/build.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/project/curvature_projection.hpp"
#include "giga/project/random_projection.hpp"

namespace giga {

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
                                    {Auto, "auto", "curvature to D = 69, else random"}});
}

struct CoresetOptions {
  PihatKind pihat = PihatKind::Laplace;
  Index subsample_rows = 0;  ///< For PihatKind::Subsample; 0: max(1000, 20 D), at most N.

  ProjectionKind projection = ProjectionKind::Random;
  Norm norm = Norm::Fisher;    ///< Of random projections; Curvature is always whitened.
  Index projection_dim = 500;  ///< J; 0: doubled from 500 until heldout_error <= 1.5 relative_error.
  Expansion expansion = Expansion::Taylor;  ///< For Curvature, as is
  Index remainder_dim = 0;                  ///< this.
  Index heldout_dim = 500;                  ///< Features of the held-out projection; >= 2.

  Method method = Method::Corrective;
  SelectorKind selector = SelectorKind::Auto;
  Index size = 100;
  Index max_steps = 0;   ///< As in GreedyOptions.
  double tolerance = 0;  ///< Ends when heldout_error <= tolerance.
  std::uint64_t seed = 1;
};

/// The options with Auto replaced: Curvature while its D(D+3)/2 numbers a row are at most 2500, else Random
/// in the whitened norm with projection_dim = 0.
[[nodiscard]] CoresetOptions with_projection(CoresetOptions options, const Problem& problem);

enum class Stage { Laplace, Project, Prepare, Construct };
constexpr auto name_table(Stage) {
  using enum Stage;
  return names_are<Stage>(
      {{Laplace, "laplace"}, {Project, "project"}, {Prepare, "prepare"}, {Construct, "construct"}});
}

/// How far a stage has come: `done` of `total` (0: unknown) rows, points or draws. Called often, from any
/// thread.
struct StageProgress {
  Stage stage;
  Index done, total;
  Index dim;                 ///< J of the projection at work; 0 before there is one
  const StepRecord* record;  ///< The step just made, in Stage::Construct
};
using StageObserver = std::function<Verdict(const StageProgress&)>;

struct StageSeconds {
  double laplace = 0, project = 0, prepare = 0, construct = 0;
};

/// One size of projection that was tried.
struct ProjectionTrial {
  Index dim;
  double relative_error, heldout_error;
  Index size;
};

struct CoresetResult {
  Coreset coreset;  ///< Rows of the dataset (the first of equal ones), with weights for one such row.
  std::vector<double> multiplicity;  ///< How often each of them counts in the data.
  BuildResult build;                 ///< By distinct rows. Its errors are those of the coreset.
  double heldout_error = 0;          ///< |V(w) - V| / |V| with vectors of a projection nothing was chosen by
  Normal pihat = Normal::isotropic(1);
  std::optional<LaplaceResult> laplace;  ///< Unless pihat is the prior.
  bool separable = false;                ///< The mode puts every row on the side of its label (bernoulli).
  Index dim = 0;                         ///< J
  std::vector<ProjectionTrial> trials;   ///< More than one with projection_dim = 0.

  double norm_sum = 0, target_norm = 0;  ///< sigma and |L|
  Index num_zero_rows = 0;
  bool zero_target = false;
  std::optional<SelectorKind> selector;  ///< The one used, by methods that search.
  std::size_t selector_bytes = 0;
  double prepare_bytes_read = 0;
  StageSeconds seconds;
  std::vector<std::string> notes;
};

/// The same bits for any number of threads. Where an observer answers Stop the result is that of the steps
/// made so far (Stage::Construct); before construction its answer is not looked at.
[[nodiscard]] CoresetResult build_coreset(const Problem& problem, const CoresetOptions& options,
                                          const Executor& executor, const StageObserver& observer = {});

}  // namespace giga
