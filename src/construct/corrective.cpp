// The methods that re-solve all weights after a row is chosen: corrective chooses as GIGA does, pursuit by
// the plain residual.
#include "base/extended.hpp"
#include "construct/build_state.hpp"

namespace giga {
namespace {

// Solves for the weights of all slots, of which the last may be new to the solver.
std::vector<double> solved_weights(const VectorTable& table, BuildState& state) {
  if (!state.solver) state.solver.emplace(table.target());
  while (state.solver->num_columns() < state.active.size()) {
    state.solver->add(state.active.unit_row(state.solver->num_columns()));
  }
  state.solver->solve();
  std::vector<double> weights(at(state.active.size()));
  for (Index slot = 0; slot < state.active.size(); ++slot) {
    const auto k = at(slot);
    weights[k] = weight_of(table, state.active, slot, state.solver->solution()[k]);
  }
  return weights;
}

}  // namespace

Proposal propose_corrective(const VectorTable& table, BuildState& state, SearchStats& stats) {
  Proposal proposal = propose_giga(table, state, stats);
  if (proposal.row < 0) return proposal;
  Proposal solved = proposal;
  solved.weights = solved_weights(table, state);
  evaluate(table, state.active, solved);
  // In exact arithmetic always; among near-dependent rows rounding may favour the plain step.
  return solved.error <= proposal.error ? solved : proposal;
}

Proposal propose_pursuit(const VectorTable& table, BuildState& state, SearchStats& stats) {
  const auto [residual, row] = pick_by_residual(table, state, stats);
  Proposal proposal;
  if (row < 0) return proposal;
  const Index slot = state.active.slot_of(table.rows(), row);
  proposal.row = row;
  proposal.alignment = static_cast<double>(dot(state.active.unit_row(slot), residual) / norm(residual));
  proposal.weights = solved_weights(table, state);
  evaluate(table, state.active, proposal);
  return proposal;
}

}  // namespace giga
