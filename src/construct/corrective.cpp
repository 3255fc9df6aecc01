// The methods that re-solve all weights after a row is chosen: corrective chooses as GIGA does, pursuit by
// the plain residual. With u_n = w_n |L_n| / |L| the problem over the active rows is
//     min |sum_n u_n l_n - l|  over u >= 0,
// nonnegative least squares in unit columns (nnls.hpp). Rows whose u_n is 0 at the optimum leave the coreset.
//
// GIGA's weights after its line search are one feasible point of that problem, so a step of corrective is
// never worse than GIGA's from the same weights, and J_(t+1) <= J_t (1 - <d_t, d_tn>^2), on which Theorem 1
// rests, still holds.
//
// A search over all rows costs far more than a step among few. So one search gives a shortlist, the rows that
// scored nearly as well as the best, and further rows are chosen from that, each after the weights have been
// solved for the last, as long as they score nearly as well. All that is a step: at least as good as GIGA's.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/extended.hpp"
#include "construct/build_state.hpp"
#include "construct/shortlist.hpp"

namespace giga {
namespace {

constexpr double kNearlyAsGood = 0.8;  // as the best score of the search

// The row of a slot as a column of the solver, which holds it if the active set does.
void add_column(const VectorTable& table, BuildState& state, Index slot, std::span<const double> cosines) {
  auto row = state.active.row(table.rows(), slot);
  if (ActiveSet::holds(table.rows())) return state.solver->add_shared(std::move(row), cosines);
  state.solver->add_passing(*row, cosines);
}

// For the solver: a column that it does not hold.
NnlsSolver::ReadColumn reader(const VectorTable& table, const BuildState& state) {
  return [&](Index slot) { return *state.active.row(table.rows(), slot); };
}

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
    add_column(table, state, slot, cosines);
  }
}

// Solves for the shares u of all slots, of which the last may be new to the solver.
void solve(const VectorTable& table, BuildState& state) {
  add_columns(table, state);
  state.solver->solve(table.executor(), reader(table, state));
}

std::vector<double> weights_of(const VectorTable& table, const BuildState& state) {
  std::vector<double> weights(at(state.active.size()));
  for (Index slot = 0; slot < state.active.size(); ++slot) {
    const auto k = at(slot);
    // w_n = u_n |L| / |L_n|.
    weights[k] = weight_of(table, state.active, slot, state.solver->solution()[k]);
  }
  return weights;
}

// How many rows a search may choose: a fifth of the points beyond kOneByOne, and no more than there is room
// for. One where double precision is not enough, for the error or for the weights.
Index rows_per_search(BuildState& state) {
  constexpr Index kOneByOne = 200, kShare = 5;
  if (state.error <= kQuickError || (state.solver && state.solver->in_extended())) return 1;
  const Index usual = std::max<Index>(1, (state.active.num_points() - kOneByOne) / kShare);
  if (usual <= state.room) return usual;
  if (state.resumable && !state.before_cut) state.before_cut = std::make_shared<const BuildState>(state);
  return std::max<Index>(1, state.room);
}

// Of the picks after the first, by falling score: rows that were not active before.
std::vector<Pick> newcomers(const BuildState& state, std::span<const Pick> picks) {
  std::vector<Pick> out;
  for (const Pick& pick : picks) {
    if (std::ranges::find(state.active.rows(), pick.row) == state.active.rows().end()) out.push_back(pick);
  }
  return out;
}

// Chooses up to `most` rows from the picks, one by one; the weights are solved after each.
void take_more(const VectorTable& table, BuildState& state, std::span<const Pick> picks, Index most) {
  const std::vector<Pick> others = newcomers(state, picks);
  if (others.empty() || state.solver->in_extended()) return;
  Shortlist list(table, state.active, others, most);
  const double least = kNearlyAsGood * picks.front().score;
  for (Index taken = 0; taken < most; ++taken) {
    const Pick pick = list.best(state.solver->solution());
    if (pick.row < 0 || pick.score < least) return;
    const Index slot = state.active.slot_of(table.rows(), list.row(pick.row));
    // A row whose vector is that of an active one has its slot: there is nothing to be gained by it.
    if (slot < state.solver->num_columns()) return;
    add_column(table, state, slot, list.cosines(pick.row));
    state.solver->solve_roughly(table.executor(), reader(table, state));
    if (state.solver->in_extended()) return;
    list.take(pick.row);
  }
}

}  // namespace

Proposal propose_corrective(const VectorTable& table, BuildState& state, SearchStats& stats) {
  const Index most = rows_per_search(state);
  const Index held = ActiveSet::holds(table.rows()) ? table.dim() : 0;
  const Wanted wanted =
      most == 1 ? Wanted{} : Wanted{shortlist_size(most, state.active.size(), held), kNearlyAsGood};
  const std::vector<Pick> picks = geodesic_picks(table, state, wanted, stats);
  if (picks.empty()) return {};
  std::optional<Proposal> quick;
  if (state.error > kQuickError) {
    quick = geodesic_outlook(table, state, picks.front());
    if (most > 1) {
      add_columns(table, state);
      state.solver->solve_roughly(table.executor(), reader(table, state));
      take_more(table, state, picks, most - 1);
    }
    solve(table, state);
    quick->weights = weights_of(table, state);
    evaluate_quickly(table, state.active, *quick);
    if (quick->error > kQuickError && quick->error < state.error) return *std::move(quick);
  }
  // Rows that were chosen above have slots and columns by now: their weight in the plain step is 0, and the
  // solve finds nothing to add.
  Proposal plain = geodesic_step(table, state, picks.front().row);
  if (plain.row < 0) {
    if (!quick) return plain;
    // No step towards the row that is more than rounding; the weights may be better without one.
    evaluate(table, state.active, *quick);
    return *std::move(quick);
  }
  solve(table, state);
  Proposal solved = plain;
  solved.weights = weights_of(table, state);
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
  proposal.alignment =
      static_cast<double>(dot(state.active.unit_row(table.rows(), slot), residual) / norm(residual));
  solve(table, state);
  proposal.weights = weights_of(table, state);
  evaluate(table, state.active, proposal);
  return proposal;
}

}  // namespace giga
