// The loop that every method runs in: propose, judge, record, ask the observer.
//
// A proposal is a row and new weights for all slots. Greedy methods accept it only if it lowers the relative
// error |L(w) - L| / |L|, which is recomputed from the weights; so their error never rises, and the first
// step that does not lower it ends the build. Sampling accepts every draw.
//
// Notation: x = L(w) / |L|, error = |x - l|; t the step, J_t = error^2 after it, tau and B(t) as in
// section 3.5 of the paper.
#include "giga/construct/build.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/extended.hpp"
#include "base/require.hpp"
#include "construct/build_state.hpp"

namespace giga {
namespace {

// A build ends here: what is left could not be told from rounding in any result.
constexpr Extended kErrorFloor = 1e-14L;

// When a build ends: what options of greedy methods and of sampling come down to.
struct Limits {
  Index size;
  Index max_steps;
  double tolerance;
  ErrorMeasure heldout;
  double enough;
  bool resumable;
};

// Methods that re-solve their weights may lose a point in a step, so that a size of M may take
// more than M steps.
bool drops_points(Method method) {
  return method == Method::Corrective || method == Method::Pursuit;
}
// Theorem 1 needs the geodesic choice of the row, and an error at most that of GIGA's step.
bool theorem_holds(Method method) {
  return method == Method::Giga || method == Method::Corrective;
}

Limits limits_of(Method method, const GreedyOptions& options) {
  require(options.size >= 1, "size is " + std::to_string(options.size) + ", must be at least 1");
  require(options.max_steps >= 0,
          "max_steps is " + std::to_string(options.max_steps) + ", must be at least 0");
  require(options.tolerance >= 0,
          "tolerance is " + std::to_string(options.tolerance) + ", must be at least 0");
  // 4 size without overflow.
  constexpr Index kMost = std::numeric_limits<Index>::max() / 4;
  const Index usual = drops_points(method) ? 4 * std::min(options.size, kMost) : options.size;
  const Index steps = options.max_steps > 0 ? options.max_steps : usual;
  require(options.enough >= 0, "enough is " + std::to_string(options.enough) + ", must be at least 0");
  return {options.size, steps, options.tolerance, options.heldout, options.enough, options.resumable};
}

Limits limits_of(const SubsampleOptions& options) {
  require(options.size >= 1, "size is " + std::to_string(options.size) + ", must be at least 1");
  // `size` is the number of draws: the limit on points must never be the one that ends the build.
  return {options.size + 1, options.size, 0, options.heldout, 0, true};  // draws, not points, are counted
}

// sqrt(B(t)) with B(t) = J_1 / (1 + tau^2 J_1 (t - 1)), the bound in the proof of Theorem 1. The paper's tau
// is the solution of a linear program over all rows; |L| / sigma is a lower bound of it (section 3.5) and
// costs nothing. B falls in tau, so the bound stays true and is only weaker.
double theorem_bound(const VectorTable& table, double first_error, Index step) {
  const Extended tau = table.target_norm() / static_cast<Extended>(table.norm_sum());
  const auto first = static_cast<Extended>(first_error);
  return static_cast<double>(first /
                             std::sqrt(1 + tau * tau * first * first * static_cast<Extended>(step - 1)));
}

Proposal propose(const VectorTable& table, BuildState& state, SearchStats& stats) {
  switch (state.method) {
    case Method::Giga: return propose_giga(table, state, stats);
    case Method::Corrective: return propose_corrective(table, state, stats);
    case Method::FrankWolfe: return propose_frank_wolfe(table, state, stats);
    case Method::Pursuit: return propose_pursuit(table, state, stats);
    case Method::Importance:
    case Method::Uniform: return propose_draw(table, state);
  }
  return {};
}

// Whether rounding of the weights alone explains an error of this size. A weight rounded to double
// moves x by eps w_n |L_n| / |L|, all of them together by at most eps sum_n w_n |L_n| / |L|; 1000 times
// that is the margin.
bool near_rounding(const VectorTable& table, const BuildState& state) {
  Extended shares = 0;  // sum of w_n |L_n| / |L|
  for (Index slot = 0; slot < state.active.size(); ++slot) {
    shares += static_cast<Extended>(state.active.weights()[at(slot)]) * state.active.norm_of(slot) /
              table.target_norm();
  }
  return state.error <= 1000 * static_cast<Extended>(std::numeric_limits<double>::epsilon()) * (1 + shares);
}

// Makes the proposal the state, and the record of the step. Slots that were left with weight 0 are removed
// here for greedy methods; sampling keeps them, since a slot also counts its draws.
StepRecord accept(const VectorTable& table, BuildState& state, Proposal proposal,
                  const ErrorMeasure& heldout) {
  state.active.set_weights(std::move(proposal.weights));
  state.x = std::move(proposal.x);
  state.error = proposal.error;
  ++state.steps;
  if (is_greedy(state.method)) {
    const std::vector<bool> kept = state.active.drop_zeros();
    if (state.solver) state.solver->retain(kept);
  }
  state.heldout_error = heldout ? heldout(state.active.coreset()) : std::numeric_limits<double>::quiet_NaN();
  const auto error = static_cast<double>(state.error);
  // eta of Theorem 1 is the error of the best single row, optimally scaled: J_1 = eta^2.
  if (state.steps == 1) state.first_error = error;
  const double bound = theorem_holds(state.method) ? theorem_bound(table, state.first_error, state.steps)
                                                   : std::numeric_limits<double>::quiet_NaN();
  return {state.steps, proposal.row, state.active.num_points(), proposal.step_length, proposal.alignment,
          error,       bound,        state.heldout_error};
}

// The reason to end before the next step, if there is one. The order matters where several hold: a build that
// meets its tolerance with its last point has met its tolerance.
std::optional<Termination> finished(const BuildState& state, const Limits& limits) {
  // Where there is a held-out error, the tolerance is compared with that.
  const double judged = limits.heldout ? state.heldout_error : static_cast<double>(state.error);
  if (state.steps > 0 && limits.tolerance > 0 && judged <= limits.tolerance) return Termination::ToleranceMet;
  if (state.steps > 0 && limits.heldout && limits.enough > 0 &&
      static_cast<double>(state.error) <= limits.enough)
    return Termination::Plateau;
  if (state.steps > 0 && is_greedy(state.method) && state.error <= kErrorFloor)
    return Termination::NumericLimit;
  if (state.exhausted) return state.exhausted;
  if (state.steps >= limits.max_steps || state.active.num_points() >= limits.size)
    return Termination::SizeReached;
  return std::nullopt;
}

// The points that the next step may add: as many as the size allows, and no more than are likely to be needed
// for the tolerance. Errors fall at most like the sixth power of the number of points.
Index room_for(const BuildState& state, const Limits& limits) {
  constexpr double kPower = 6;
  const Index points = state.active.num_points(), room = limits.size - points;
  const double judged = limits.heldout ? state.heldout_error : static_cast<double>(state.error);
  if (!(limits.tolerance > 0) || !(judged > limits.tolerance)) return room;
  const double needed = static_cast<double>(points) * std::log(judged / limits.tolerance) / kPower;
  return needed < static_cast<double>(room) ? std::max<Index>(1, static_cast<Index>(needed)) : room;
}

// What an observer is told of a step.
StageProgress progress_of(const VectorTable& table, const BuildState& state, const Limits& limits,
                          const StepRecord& record) {
  const bool greedy = is_greedy(state.method);
  return {.stage = Stage::Construct,
          .done = greedy ? record.size : record.step,
          .total = greedy ? limits.size : limits.max_steps,
          .dim = table.dim(),
          .step = &record};
}

// Invariant of the loop: state.x, state.error and the last record of the trace belong to the weights of
// state.active, so leaving it anywhere leaves a state that can be resumed.
Termination run(const VectorTable& table, BuildState& state, const Limits& limits, const Observer& observer,
                BuildResult& result) {
  if (table.zero_target()) return Termination::ZeroTarget;
  while (true) {
    if (const auto reason = finished(state, limits)) return *reason;
    // A search that is stopped leaves the state as the last step left it.
    if (table.executor().stop_requested()) return Termination::Stopped;
    state.room = room_for(state, limits);
    Proposal proposal;
    try {
      proposal = propose(table, state, result.search);
    } catch (const Stopped&) {
      return Termination::Stopped;
    }
    // The first point is taken whatever its error: Frank-Wolfe's may be above 1, the error
    // of no points at all.
    const bool improves = proposal.row >= 0 && (proposal.error < state.error ||
                                                (state.steps == 0 && std::isfinite(proposal.error)));
    if (!improves && is_greedy(state.method)) {
      state.exhausted = near_rounding(table, state) ? Termination::NumericLimit : Termination::NoProgress;
      state.active.drop_zeros();  // the row that was tried
      return *state.exhausted;
    }
    result.trace.push_back(accept(table, state, std::move(proposal), limits.heldout));
    if (asks_to_stop(observer, progress_of(table, state, limits, result.trace.back())))
      return Termination::Stopped;
  }
}

BuildResult build(const VectorTable& table, BuildResult result, BuildState state, const Limits& limits,
                  const Observer& observer) {
  result.method = state.method;
  state.resumable = limits.resumable;
  result.termination = run(table, state, limits, observer, result);
  result.coreset = state.active.coreset();
  // Without a step w = 0, whose relative error is |0 - L| / |L| = 1, or 0 if L itself is zero.
  if (state.steps > 0) {
    result.relative_error = static_cast<double>(state.error);
  } else {
    result.relative_error = table.target_norm() > 0 ? 1.0 : 0.0;
  }
  result.state = limits.resumable ? std::make_shared<BuildState>(std::move(state)) : nullptr;
  return result;
}

BuildState fresh(const VectorTable& table, Method method) {
  BuildState state;
  state.method = method;
  state.num_rows = table.num_rows();
  state.dim = table.dim();
  return state;
}

BuildResult greedy(const VectorTable& table, Method method, const GreedyOptions& options,
                   const Observer& observer) {
  return build(table, {}, fresh(table, method), limits_of(method, options), observer);
}

BuildResult sampled(const VectorTable& table, Method method, const SubsampleOptions& options,
                    const Observer& observer) {
  BuildState state = fresh(table, method);
  state.seed = options.seed;
  return build(table, {}, std::move(state), limits_of(options), observer);
}

// Shapes are compared, not contents: reading all rows again to compare them would cost as much as a step.
BuildState state_of(const VectorTable& table, BuildResult& earlier) {
  require(earlier.state != nullptr, "the result to resume has no state");
  require(earlier.state->num_rows == table.num_rows() && earlier.state->dim == table.dim(),
          "the result to resume is of another table");
  if (!earlier.state->before_cut) return *earlier.state;
  BuildState state = *earlier.state->before_cut;
  earlier.trace.resize(at(state.steps));
  return state;
}

}  // namespace

bool is_greedy(Method method) {
  return method != Method::Importance && method != Method::Uniform;
}

ResidualPick pick_by_residual(const VectorTable& table, BuildState& state, SearchStats& stats) {
  ResidualPick pick{table.target()};
  if (!state.x.empty()) add_scaled(pick.residual, -1, state.x);
  const Query query = linear_query(table.target(), pick.residual, table.norm_sum());
  pick.row = table.selector().best(query, state.memory, stats).row;
  return pick;
}

namespace {

// error = |x - l|: the norm of the residual, never sqrt(1 - <x, l>^2), which is 0 to rounding once the error
// is below 1e-8.
void set_point(const VectorTable& table, ExtendedVector x, Proposal& proposal) {
  proposal.x = std::move(x);
  ExtendedVector residual = proposal.x;
  add_scaled(residual, -1, table.target());
  proposal.error = norm(residual);
}

}  // namespace

// x = sum_n w_n L_n / |L|.
void evaluate(const VectorTable& table, const ActiveSet& active, Proposal& proposal) {
  set_point(table, active.combine(table.rows(), proposal.weights, table.target_norm()), proposal);
}

void evaluate_quickly(const VectorTable& table, const ActiveSet& active, Proposal& proposal) {
  set_point(table,
            active.combine_quickly(table.rows(), proposal.weights, table.target_norm(), table.executor()),
            proposal);
}

double weight_of(const VectorTable& table, const ActiveSet& active, Index slot, Extended share) {
  return static_cast<double>(share * table.target_norm() / active.norm_of(slot));
}

BuildResult giga(const VectorTable& table, const GreedyOptions& options, const Observer& observer) {
  return greedy(table, Method::Giga, options, observer);
}
BuildResult corrective(const VectorTable& table, const GreedyOptions& options, const Observer& observer) {
  return greedy(table, Method::Corrective, options, observer);
}
BuildResult frank_wolfe(const VectorTable& table, const GreedyOptions& options, const Observer& observer) {
  return greedy(table, Method::FrankWolfe, options, observer);
}
BuildResult pursuit(const VectorTable& table, const GreedyOptions& options, const Observer& observer) {
  return greedy(table, Method::Pursuit, options, observer);
}
BuildResult importance(const VectorTable& table, const SubsampleOptions& options, const Observer& observer) {
  return sampled(table, Method::Importance, options, observer);
}
BuildResult uniform(const VectorTable& table, const SubsampleOptions& options, const Observer& observer) {
  return sampled(table, Method::Uniform, options, observer);
}

BuildResult resume(const VectorTable& table, BuildResult earlier, const GreedyOptions& options,
                   const Observer& observer) {
  BuildState state = state_of(table, earlier);
  require(is_greedy(state.method), "a sampled build is resumed with SubsampleOptions");
  const Limits limits = limits_of(state.method, options);
  return build(table, std::move(earlier), std::move(state), limits, observer);
}

BuildResult resume(const VectorTable& table, BuildResult earlier, const SubsampleOptions& options,
                   const Observer& observer) {
  BuildState state = state_of(table, earlier);
  require(!is_greedy(state.method), "a greedy build is resumed with GreedyOptions");
  return build(table, std::move(earlier), std::move(state), limits_of(options), observer);
}

BuildResult build(const VectorTable& table, Method method, const GreedyOptions& greedy,
                  const SubsampleOptions& sampling, const Observer& observer) {
  switch (method) {
    case Method::Giga: return giga(table, greedy, observer);
    case Method::Corrective: return corrective(table, greedy, observer);
    case Method::FrankWolfe: return frank_wolfe(table, greedy, observer);
    case Method::Pursuit: return pursuit(table, greedy, observer);
    case Method::Importance: return importance(table, sampling, observer);
    case Method::Uniform: return uniform(table, sampling, observer);
  }
  throw std::invalid_argument("no such method");
}

double relative_error(const VectorTable& table, const Coreset& coreset) {
  ExtendedVector residual = table.sum();
  std::vector<double> row(at(table.dim()));
  for (std::size_t i = 0; i < coreset.rows.size(); ++i) {
    require(coreset.rows[i] >= 0 && coreset.rows[i] < table.num_rows(),
            "the coreset has a row beyond the table");
    table.rows().read(coreset.rows[i], 1, row.data());
    add_scaled(residual, -static_cast<Extended>(coreset.weights[i]), row);
  }
  const Extended distance = norm(residual);
  return distance == 0 ? 0.0 : static_cast<double>(distance / table.target_norm());
}

}  // namespace giga
