// The methods that re-solve all weights after a row is chosen: corrective chooses as GIGA does, pursuit by
// the plain residual. With u_n = w_n |L_n| / |L| the problem over the active rows is
//     min |sum_n u_n l_n - l|  over u >= 0,
// nonnegative least squares in unit columns (nnls.hpp). Rows whose u_n is 0 at the optimum leave the coreset.
//
// GIGA's weights after its line search are one feasible point of that problem, so a step of corrective is
// never worse than GIGA's from the same weights, and J_(t+1) <= J_t (1 - <d_t, d_tn>^2), on which Theorem 1
// rests, still holds.
//
// Where the source knows the products of its rows, a search may choose several: the best, and those after it
// that score nearly as well and are nearly orthogonal to each other. The least-squares problem then has more
// columns to use, and a step is still at least as good as GIGA's. What each of them would have gained alone
// is gained by all, as far as they do not overlap: in trials with 0.3 for the largest cosine a coreset of 700
// points was as good as one chosen row by row, with an eighth of the searches.
#include <algorithm>
#include <cmath>
#include <span>

#include "base/extended.hpp"
#include "construct/build_state.hpp"

namespace giga {
namespace {

// The unit rows of the slots that the solver does not know yet become its columns.
void add_columns(const VectorTable& table, BuildState& state) {
  if (!state.solver) state.solver.emplace(table.target());
  const RowProducts* products = table.rows().products();
  // Invariant: column k of the solver is the unit row of slot k. Removed slots were removed
  // from both in `accept`.
  while (state.solver->num_columns() < state.active.size()) {
    const Index slot = state.solver->num_columns();
    std::vector<double> cosines;
    if (products != nullptr) {
      cosines.resize(at(slot));
      const std::span<const Index> rows(state.active.rows());
      products->with_rows(rows[at(slot)], rows.first(at(slot)), cosines.data());
      for (Index k = 0; k < slot; ++k)
        cosines[at(k)] /= static_cast<double>(state.active.norm_of(slot) * state.active.norm_of(k));
    }
    state.solver->add(state.active.row(slot), cosines);
  }
}

// Solves for the weights of all slots, of which the last may be new to the solver.
std::vector<double> solved_weights(const VectorTable& table, BuildState& state) {
  add_columns(table, state);
  state.solver->solve();
  std::vector<double> weights(at(state.active.size()));
  for (Index slot = 0; slot < state.active.size(); ++slot) {
    const auto k = at(slot);
    // w_n = u_n |L| / |L_n|.
    weights[k] = weight_of(table, state.active, slot, state.solver->solution()[k]);
  }
  return weights;
}

// How many rows a search may choose: a tenth of the points there are, and no more than the size has room for.
Index rows_per_search(const VectorTable& table, BuildState& state) {
  constexpr Index kShare = 10;
  if (table.rows().products() == nullptr) return 1;
  const Index usual = std::max<Index>(1, state.active.num_points() / kShare);
  if (usual <= state.room) return usual;
  if (!state.before_cut) state.before_cut = std::make_shared<const BuildState>(state);
  return std::max<Index>(1, state.room);
}

// Of the picks, by falling score, those that score nearly as well as the first and are nearly orthogonal to
// the ones already taken.
std::vector<Index> orthogonal_rows(const VectorTable& table, const std::vector<Pick>& picks, Index most) {
  constexpr double kNearlyAsGood = 0.7, kNearlyOrthogonal = 0.3;
  std::vector<Index> rows{picks.front().row};
  if (picks.size() == 1) return rows;
  const RowProducts& products = *table.rows().products();
  std::vector<double> norms(1), cosines;
  products.norms(rows[0], 1, norms.data());
  for (const Pick& pick : picks) {
    if (std::ssize(rows) == most || pick.score < kNearlyAsGood * picks.front().score) break;
    if (pick.row == rows[0]) continue;
    cosines.resize(rows.size());
    products.with_rows(pick.row, rows, cosines.data());
    double own = 0;
    products.norms(pick.row, 1, &own);
    bool apart = true;
    for (std::size_t k = 0; k < rows.size() && apart; ++k)
      apart = std::abs(cosines[k]) <= kNearlyOrthogonal * own * norms[k];
    if (!apart) continue;
    rows.push_back(pick.row);
    norms.push_back(own);
  }
  return rows;
}

}  // namespace

Proposal propose_corrective(const VectorTable& table, BuildState& state, SearchStats& stats) {
  constexpr Index kPicksPerRow = 4;  // asked for, as some will not be orthogonal
  const Index most = rows_per_search(table, state);
  const std::vector<Pick> picks =
      geodesic_picks(table, state, most == 1 ? 1 : kPicksPerRow * most, stats);
  if (picks.empty()) return {};
  Proposal plain = geodesic_step(table, state, picks.front().row);
  if (plain.row < 0) return plain;
  for (const Index row : orthogonal_rows(table, picks, most)) (void)state.active.slot_of(table.rows(), row);
  plain.weights.resize(at(state.active.size()), 0.0);
  Proposal solved = plain;
  solved.weights = solved_weights(table, state);
  if (state.error > kQuickError) {
    evaluate_quickly(table, state.active, solved);
    if (solved.error > kQuickError && solved.error < state.error) return solved;
  }
  // In exact arithmetic the solved weights are always at least as good; among nearly dependent rows rounding
  // may favour the plain step.
  evaluate(table, state.active, solved);
  evaluate(table, state.active, plain);
  return solved.error <= plain.error ? solved : plain;
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
