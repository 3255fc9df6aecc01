// From vectors to a coreset: the methods of the paper, and ours.
//
//   const Threads threads;
//   const DenseRows rows(MatrixView::of(data, N, J));
//   const VectorTable table(rows, threads);
//   BuildResult result = corrective(table, {.size = 100});
//   result = resume(table, std::move(result), {.size = 200});  // the same bits as straight to 200
//
// Notation: w weights, L(w) = sum of w_n L_n; "relative error" is |L(w) - L| / |L|, recomputed from the
// weights. Source: Campbell and Broderick, "Bayesian Coreset Construction via Greedy Iterative Geodesic
// Ascent", ICML 2018.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/observer.hpp"
#include "giga/base/termination.hpp"
#include "giga/base/types.hpp"
#include "giga/construct/vector_table.hpp"

namespace giga {

enum class Method { Giga, Corrective, FrankWolfe, Importance, Uniform, Pursuit };
constexpr auto name_table(Method) {
  using enum Method;
  return names_are<Method>({{Giga, "giga", "the published greedy geodesic ascent"},
                            {Corrective, "corrective", "rows as giga, weights re-solved each step"},
                            {FrankWolfe, "frank_wolfe", "the older greedy method, on a simplex"},
                            {Importance, "importance", "rows drawn by the length of their vectors"},
                            {Uniform, "uniform", "rows drawn alike"},
                            {Pursuit, "pursuit", "rows by matching pursuit, weights re-solved"}});
}
[[nodiscard]] bool is_greedy(Method method);

/// The weighted rows, in ascending order of row. Every weight is positive.
struct Coreset {
  std::vector<Index> rows;
  std::vector<double> weights;

  [[nodiscard]] Index size() const { return static_cast<Index>(rows.size()); }
};

/// The error of a coreset by another measure than its own table's, such as vectors it was not built from.
using ErrorMeasure = std::function<double(const Coreset&)>;

struct GreedyOptions {
  Index size = 100;      ///< Ends with SizeReached when num_points >= size; size >= 1.
  Index max_steps = 0;   ///< ... or when steps >= max_steps. 0: `size` steps for the published methods, whose
                         ///< step adds at most one point; 4 size for those that also drop points.
  double tolerance = 0;  ///< Ends with ToleranceMet when relative_error <= tolerance > 0; >= 0.
  /// If set, it is recorded after every step, and tolerance is compared with it instead.
  ErrorMeasure heldout = {};
  /// With a held-out error: ends with Plateau when relative_error <= enough > 0, though the held-out error is
  /// still above the tolerance; more points would fit only what that does not see; >= 0.
  double enough = 0;
  bool resumable = true;  ///< Whether the result has a state; keeping one takes memory.
};

struct SubsampleOptions {
  Index size = 100;  ///< Number of draws with replacement; the coreset has at most that many points; >= 1.
  std::uint64_t seed = 1;
  ErrorMeasure heldout = {};  ///< If set, it is recorded after every draw.
};

/// What one step did, and what it reached.
struct StepRecord {
  Index step;          ///< 1, 2, ...
  Index row;           ///< The row chosen.
  Index size;          ///< Points after the step.
  double step_length;  ///< gamma in [0, 1]; NaN for methods without a line search.
  double alignment;  ///< <d_t, d_tn> of the chosen row (giga, corrective), else <l_n, residual> / |residual|;
                     ///< NaN for sampling.
  double relative_error;  ///< After the step.
  double bound;  ///< The relative error that Theorem 1 promises after this many steps: sqrt(B(t)), with
                 ///< tau = |L| / sigma. NaN for methods it does not cover.
  double heldout_error;  ///< By the measure of the options; NaN without one.
};

/// Work done by the selectors over all steps.
struct SearchStats {
  double bytes_read = 0;     ///< Of rows, codes and tree nodes.
  double rows_touched = 0;   ///< Rows of which anything was read.
  double rows_rescored = 0;  ///< Rows scored in double.
};

class BuildState;

struct BuildResult {
  Method method = Method::Giga;
  Coreset coreset;
  double relative_error = 1;
  Termination termination = Termination::SizeReached;
  std::vector<StepRecord> trace;
  SearchStats search;

  std::shared_ptr<const BuildState> state;  ///< What `resume` goes on from; null where it was not wanted.
};

// An observer is told of every step as it ends (Stage::Construct, with its StepRecord). Where it or the
// executor of the table asks to stop, the result is that of the steps made so far.

/// Algorithm 1 of the paper.
[[nodiscard]] BuildResult giga(const VectorTable& table, const GreedyOptions& options = {},
                               const Observer& observer = {});

/// Selects as giga does, then re-solves all weights by nonnegative least squares and drops the zeros. No step
/// is worse than giga's from the same weights, so the bounds of the paper hold.
[[nodiscard]] BuildResult corrective(const VectorTable& table, const GreedyOptions& options = {},
                                     const Observer& observer = {});

/// Frank-Wolfe on the simplex sum sigma_n w_n = sigma (Campbell and Broderick 2017; the paper's baseline).
[[nodiscard]] BuildResult frank_wolfe(const VectorTable& table, const GreedyOptions& options = {},
                                      const Observer& observer = {});

/// Orthogonal matching pursuit with nonnegative least squares: the row best aligned with the residual, then
/// as corrective.
[[nodiscard]] BuildResult pursuit(const VectorTable& table, const GreedyOptions& options = {},
                                  const Observer& observer = {});

/// `size` draws of row n with probability sigma_n / sigma, weighted to be unbiased.
[[nodiscard]] BuildResult importance(const VectorTable& table, const SubsampleOptions& options = {},
                                     const Observer& observer = {});

/// `size` draws of rows with equal probability, weighted to be unbiased.
[[nodiscard]] BuildResult uniform(const VectorTable& table, const SubsampleOptions& options = {},
                                  const Observer& observer = {});

/// Any of them by its name: the greedy methods take `greedy`, the others `sampling`.
[[nodiscard]] BuildResult build(const VectorTable& table, Method method, const GreedyOptions& greedy,
                                const SubsampleOptions& sampling, const Observer& observer = {});

/// Goes on from an earlier result of the same table with any of the methods. To 100 and on to 200 gives the
/// same bits as straight to 200. Throws std::invalid_argument if `earlier` has no state or is of another
/// table's shape.
[[nodiscard]] BuildResult resume(const VectorTable& table, BuildResult earlier, const GreedyOptions& options,
                                 const Observer& observer = {});

/// The seed is that of the earlier build; options.seed is ignored.
[[nodiscard]] BuildResult resume(const VectorTable& table, BuildResult earlier,
                                 const SubsampleOptions& options, const Observer& observer = {});

/// |L(w) - L| / |L|, in extended precision, of any rows and weights; 0 if both are zero.
[[nodiscard]] double relative_error(const VectorTable& table, const Coreset& coreset);

}  // namespace giga
