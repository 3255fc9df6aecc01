// GIGA, Algorithm 1 of the paper, on weights in the scale of the output: x = L(w)/|L| is then always the
// point of its ray nearest to l, the residual l - x is orthogonal to x, and v = l(w_t) = x/|x|. The
// scaling of section 3.4, which the paper applies once at the end, is thus part of every step; rows and
// directions are the same. Of the paper's two ways to keep l(w_t) this is (A): recomputed from the
// weights, so nothing drifts.
#include <algorithm>
#include <cmath>

#include "base/dense_kernels.hpp"
#include "base/extended.hpp"
#include "construct/build_state.hpp"

namespace giga {
namespace {

// Section 3.2: the first point is the row best aligned with l. The point of its ray nearest to l is
//     <l, l_n> l_n,    where <l, l_n> >= |L| / sigma > 0 for the best row (the lemma there).
Proposal first_point(const VectorTable& table, BuildState& state, Index row) {
  const ExtendedVector& l = table.target();
  Proposal proposal;
  const Index slot = state.active.slot_of(table.rows(), row);
  const Extended along = dot(l, state.active.unit_row(table.rows(), slot));
  proposal.row = row;
  proposal.step_length = 1;
  proposal.alignment = static_cast<double>(along);
  proposal.weights = state.active.weights();
  proposal.weights[at(slot)] = weight_of(table, state.active, slot, along);
  return proposal;
}

}  // namespace

std::vector<Pick> geodesic_picks(const VectorTable& table, BuildState& state, const Wanted& wanted,
                                 SearchStats& stats) {
  const ExtendedVector& l = table.target();
  Query query;
  if (state.active.size() == 0) {
    query = linear_query(l, l, table.norm_sum());
  } else {
    ExtendedVector v = state.x;
    scale(v, 1 / norm(state.x));
    query = geodesic_query(l, v, table.norm_sum());
  }
  if (wanted.count > 1) return table.selector().best_several(query, wanted, state.memory, stats);
  const Pick pick = table.selector().best(query, state.memory, stats);
  return pick.row < 0 ? std::vector<Pick>{} : std::vector{pick};
}

Proposal geodesic_step(const VectorTable& table, BuildState& state, Index row) {
  if (state.steps == 0) return first_point(table, state, row);
  const ExtendedVector& l = table.target();
  const Extended x_norm = norm(state.x);
  ExtendedVector v = state.x;
  scale(v, 1 / x_norm);
  Proposal proposal;
  const Index slot = state.active.slot_of(table.rows(), row);
  const ExtendedVector ln = state.active.unit_row(table.rows(), slot);

  // The step of Algorithm 1,
  //     gamma = (zeta0 - zeta1 zeta2) / ((zeta0 - zeta1 zeta2) + (zeta1 - zeta0 zeta2)),
  // maximises <l, y> / |y| over y = (1 - gamma) v + gamma l_n. With `residual` = l - zeta1 v, of which d_t is
  // the unit vector, zeta0 - zeta1 zeta2 = <l_n, residual>.
  const Extended zeta0 = dot(l, ln), zeta1 = dot(l, v), zeta2 = dot(ln, v);
  ExtendedVector residual = l;
  add_scaled(residual, -zeta1, v);
  // off is d_tn before scaling; l_off and v_off are l and v less their parts along l_n. The products below
  // are the paper's zeta0 - zeta1 zeta2 and zeta1 - zeta0 zeta2 without their cancellation.
  ExtendedVector off = ln, l_off = l, v_off = v;
  add_scaled(off, -zeta2, v);
  add_scaled(l_off, -zeta0, ln);
  add_scaled(v_off, -zeta2, ln);
  const Extended towards = dot(off, residual);
  const Extended away = dot(l_off, v_off);
  // <d_t, d_tn> > 0 for the best row in exact arithmetic (the proof that gamma is in [0, 1]): what is not
  // positive is rounding, and the build has come as far as it can. `away` is nonnegative because v is at
  // least as close to l as any single row.
  if (!(towards > 0)) return proposal;
  const Extended gamma = std::clamp<Extended>(towards / (towards + std::max<Extended>(0, away)), 0, 1);

  proposal.row = row;
  proposal.step_length = static_cast<double>(gamma);
  proposal.alignment = static_cast<double>(towards / norm(residual) / norm(off));

  // y = (1 - gamma) v + gamma l_n is the new direction, alpha y the point of its ray nearest to l.
  ExtendedVector y = v;
  scale(y, 1 - gamma);
  add_scaled(y, gamma, ln);
  const Extended alpha = dot(y, l) / dot(y, y);
  const Extended shrink = alpha * (1 - gamma) / x_norm;
  proposal.weights = state.active.weights();
  for (double& weight : proposal.weights)
    weight = static_cast<double>(shrink * static_cast<Extended>(weight));
  proposal.weights[at(slot)] += weight_of(table, state.active, slot, alpha * gamma);
  return proposal;
}

// With alignment = <d_t, d_tn>, the score of the pick: see geodesic_step().
Proposal geodesic_outlook(const VectorTable& table, BuildState& state, const Pick& pick) {
  Proposal proposal;
  proposal.row = pick.row;
  proposal.step_length = 1;
  proposal.alignment = pick.score;
  const Index slot = state.active.slot_of(table.rows(), pick.row);
  if (state.steps == 0) return proposal;
  const std::vector<double> l(table.target().begin(), table.target().end()),
      x(state.x.begin(), state.x.end());
  const ActiveSet::Lengthened row = state.active.lengthened(table.rows(), slot);
  const double x_norm = std::sqrt(kernels::dot(x.data(), x.data(), table.dim()));
  const double zeta0 = kernels::dot(row.vector->data(), l.data(), table.dim()) / row.length;
  const double zeta1 = kernels::dot(l.data(), x.data(), table.dim()) / x_norm;
  const double zeta2 = kernels::dot(row.vector->data(), x.data(), table.dim()) / row.length / x_norm;
  const double towards = zeta0 - zeta1 * zeta2, away = std::max(0.0, zeta1 - zeta0 * zeta2);
  proposal.step_length = towards > 0 ? towards / (towards + away) : 0;
  return proposal;
}

Proposal propose_giga(const VectorTable& table, BuildState& state, SearchStats& stats) {
  const std::vector<Pick> picks = geodesic_picks(table, state, {}, stats);
  if (picks.empty()) return {};
  Proposal proposal = geodesic_step(table, state, picks.front().row);
  if (proposal.row >= 0) evaluate(table, state.active, proposal);
  return proposal;
}

}  // namespace giga
