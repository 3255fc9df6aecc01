// The loop that every method runs in: propose, judge, record, ask the observer.
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

struct Limits {
  Index size;
  Index max_steps;
  double tolerance;
  ErrorMeasure heldout;
};

bool drops_points(Method method) {
  return method == Method::Corrective || method == Method::Pursuit;
}
bool theorem_holds(Method method) {
  return method == Method::Giga || method == Method::Corrective;
}

Limits limits_of(Method method, const GreedyOptions& options) {
  require(options.size >= 1, "size is " + std::to_string(options.size) + ", must be at least 1");
  require(options.max_steps >= 0,
          "max_steps is " + std::to_string(options.max_steps) + ", must be at least 0");
  require(options.tolerance >= 0,
          "tolerance is " + std::to_string(options.tolerance) + ", must be at least 0");
  constexpr Index kMost = std::numeric_limits<Index>::max() / 4;
  const Index usual = drops_points(method) ? 4 * std::min(options.size, kMost) : options.size;
  const Index steps = options.max_steps > 0 ? options.max_steps : usual;
  return {options.size, steps, options.tolerance, options.heldout};
}

Limits limits_of(const SubsampleOptions& options) {
  require(options.size >= 1, "size is " + std::to_string(options.size) + ", must be at least 1");
  return {options.size + 1, options.size, 0, options.heldout};  // draws, not points, are counted
}

// sqrt(B(t)) with B(t) = J_1 / (1 + tau^2 J_1 (t - 1)) and tau = |L| / sigma, a lower bound of the paper's
// tau.
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

// Whether rounding of the weights alone, eps each, explains an error of this size.
bool near_rounding(const VectorTable& table, const BuildState& state) {
  Extended shares = 0;  // sum of w_n |L_n| / |L|
  for (Index slot = 0; slot < state.active.size(); ++slot) {
    shares += static_cast<Extended>(state.active.weights()[at(slot)]) * state.active.norm_of(slot) /
              table.target_norm();
  }
  return state.error <= 1000 * static_cast<Extended>(std::numeric_limits<double>::epsilon()) * (1 + shares);
}

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
  if (state.steps == 1) state.first_error = error;
  const double bound = theorem_holds(state.method) ? theorem_bound(table, state.first_error, state.steps)
                                                   : std::numeric_limits<double>::quiet_NaN();
  return {state.steps, proposal.row, state.active.num_points(), proposal.step_length, proposal.alignment,
          error,       bound,        state.heldout_error};
}

// One reason to end before the next step, if there is any.
std::optional<Termination> finished(const BuildState& state, const Limits& limits) {
  const double judged = limits.heldout ? state.heldout_error : static_cast<double>(state.error);
  if (state.steps > 0 && limits.tolerance > 0 && judged <= limits.tolerance) return Termination::ToleranceMet;
  if (state.steps > 0 && is_greedy(state.method) && state.error <= kErrorFloor)
    return Termination::NumericLimit;
  if (state.exhausted) return state.exhausted;
  if (state.steps >= limits.max_steps || state.active.num_points() >= limits.size)
    return Termination::SizeReached;
  return std::nullopt;
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

Termination run(const VectorTable& table, BuildState& state, const Limits& limits, const Observer& observer,
                BuildResult& result) {
  if (table.zero_target()) return Termination::ZeroTarget;
  while (true) {
    if (const auto reason = finished(state, limits)) return *reason;
    // A search that is stopped leaves the state as the last step left it.
    if (table.executor().stop_requested()) return Termination::Stopped;
    Proposal proposal;
    try {
      proposal = propose(table, state, result.search);
    } catch (const Stopped&) {
      return Termination::Stopped;
    }
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
  result.termination = run(table, state, limits, observer, result);
  result.coreset = state.active.coreset();
  if (state.steps > 0) {
    result.relative_error = static_cast<double>(state.error);
  } else {
    result.relative_error = table.target_norm() > 0 ? 1.0 : 0.0;
  }
  result.state = std::make_shared<BuildState>(std::move(state));
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

const BuildState& state_of(const VectorTable& table, const BuildResult& earlier) {
  require(earlier.state != nullptr, "the result to resume has no state");
  require(earlier.state->num_rows == table.num_rows() && earlier.state->dim == table.dim(),
          "the result to resume is of another table");
  return *earlier.state;
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

void evaluate(const VectorTable& table, const ActiveSet& active, Proposal& proposal) {
  proposal.x = active.combine(proposal.weights, table.target_norm());
  ExtendedVector residual = proposal.x;
  add_scaled(residual, -1, table.target());
  proposal.error = norm(residual);
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
