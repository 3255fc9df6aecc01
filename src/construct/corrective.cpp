// The methods that re-solve all weights after a row is chosen: corrective chooses as GIGA does, pursuit by
// the plain residual. With u_n = w_n |L_n| / |L| the problem over the active rows is
//     min |sum_n u_n l_n - l|  over u >= 0,
// nonnegative least squares in unit columns (nnls.hpp). Rows whose u_n is 0 at the optimum leave the coreset.
//
// GIGA's weights after its line search are one feasible point of that problem, so a step of corrective is
// never worse than GIGA's from the same weights, and J_(t+1) <= J_t (1 - <d_t, d_tn>^2), on which Theorem 1
// rests, still holds.
#include "base/extended.hpp"
#include "construct/build_state.hpp"

namespace giga {
namespace {

// Solves for the weights of all slots, of which the last may be new to the solver.
std::vector<double> solved_weights(const VectorTable& table, BuildState& state) {
  if (!state.solver) state.solver.emplace(table.target());
  // Invariant: column k of the solver is the unit row of slot k. Removed slots were removed
  // from both in `accept`.
  while (state.solver->num_columns() < state.active.size()) {
    state.solver->add(state.active.unit_row(state.solver->num_columns()));
  }
  state.solver->solve();
  std::vector<double> weights(at(state.active.size()));
  for (Index slot = 0; slot < state.active.size(); ++slot) {
    const auto k = at(slot);
    // w_n = u_n |L| / |L_n|.
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
  // In exact arithmetic the solved weights are always at least as good; among nearly dependent rows rounding
  // may favour the plain step.
  return solved.error <= proposal.error ? solved : proposal;
}

Proposal propose_pursuit(const VectorTable& table, BuildState& state, SearchStats& stats) {
  // Orthogonal matching pursuit: n = argmax <l_n, l - x>. At the optimum of the last solve the active rows
  // are orthogonal to the residual, so the choice is a new row unless rounding decides.
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
