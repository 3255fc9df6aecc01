// A build between two steps, and the shape of a step.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "construct/active_set.hpp"
#include "construct/selector.hpp"
#include "giga/construct/build.hpp"
#include "giga/construct/nnls.hpp"

namespace giga {

/// Everything a build carries from step to step: to stop and to go on is to keep this.
class BuildState {
 public:
  Method method = Method::Giga;
  Index num_rows = 0, dim = 0;  // of the table it belongs to
  Index steps = 0;
  ActiveSet active;
  ExtendedVector x;                                                 // L(w) / |L|; empty before the first step
  Extended error = 1;                                               // |L(w) - L| / |L| = |x - l|
  double heldout_error = std::numeric_limits<double>::quiet_NaN();  // by the measure of the options
  double first_error = std::numeric_limits<double>::quiet_NaN();    // eta of Theorem 1
  SearchMemory memory;
  Index room = 1;         // points that the next step may add, by the size and the tolerance asked for
  bool resumable = true;  // whether before_cut is kept
  // Where a step was cut short by these: the state before it. A build that goes on to a larger size goes on
  // from there, and so has the bits of one that was asked for it at once.
  std::shared_ptr<const BuildState> before_cut;
  std::optional<Termination> exhausted;  // no later step will be taken, whatever size is asked for

  std::optional<NnlsSolver> solver;      // corrective and pursuit; one column for each slot of `active`
  std::uint64_t seed = 0;                // sampling
  std::vector<double> counts;            // draws by slot
  std::vector<double> cumulative_norms;  // importance
};

/// New weights for the slots of the active set, which the loop takes if they lower the error.
struct Proposal {
  Index row = -1;  // none: no row would help
  double step_length = std::numeric_limits<double>::quiet_NaN();
  double alignment = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> weights;
  ExtendedVector x;    // with these weights
  Extended error = 0;  // with these weights
};

/// The row that Algorithm 1 would choose: the one best aligned with l first, then argmax <d_t, d_tn>; and
/// those that come close, if they are wanted. None if no row would help.
[[nodiscard]] std::vector<Pick> geodesic_picks(const VectorTable& table, BuildState& state,
                                               const Wanted& wanted, SearchStats& stats);
/// Its step towards that row: the weights after the line search; x and error are left to evaluate(). No row
/// if rounding leaves no step.
[[nodiscard]] Proposal geodesic_step(const VectorTable& table, BuildState& state, Index row);

/// What that step is, without weights, in double: the length to a share of about 1e-16 / (error x alignment)
/// of itself. The row has a slot then.
[[nodiscard]] Proposal geodesic_outlook(const VectorTable& table, BuildState& state, const Pick& pick);

Proposal propose_giga(const VectorTable& table, BuildState& state, SearchStats& stats);
Proposal propose_corrective(const VectorTable& table, BuildState& state, SearchStats& stats);
Proposal propose_frank_wolfe(const VectorTable& table, BuildState& state, SearchStats& stats);
Proposal propose_pursuit(const VectorTable& table, BuildState& state, SearchStats& stats);
Proposal propose_draw(const VectorTable& table, BuildState& state);

/// l - x, and the row that Frank-Wolfe and pursuit choose for it: its vector points the most along it.
struct ResidualPick {
  ExtendedVector residual;
  Index row = -1;  // none: no row would help
};
[[nodiscard]] ResidualPick pick_by_residual(const VectorTable& table, BuildState& state, SearchStats& stats);

/// Sets x and error of a proposal from its weights.
void evaluate(const VectorTable& table, const ActiveSet& active, Proposal& proposal);
/// The same in double: an error far above rounding, kQuickError at least, is then known to ten digits.
void evaluate_quickly(const VectorTable& table, const ActiveSet& active, Proposal& proposal);
inline constexpr Extended kQuickError = 1e-4L;

/// The weight of the slot in L(w) whose part of L(w)/|L| is `share` l_n: share |L| / |L_n|, rounded to
/// double.
[[nodiscard]] double weight_of(const VectorTable& table, const ActiveSet& active, Index slot, Extended share);

}  // namespace giga
