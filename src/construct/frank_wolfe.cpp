// Frank-Wolfe on the simplex sum sigma_n w_n = sigma, whose corners are (sigma / sigma_n) L_n: the
// paper's baseline (Campbell and Broderick 2017; section 2 of the paper). In units of |L| a corner is s
// l_n with s = sigma / |L|, and a step goes from x = L(w) / |L| a part gamma of the way to the corner
// with the largest product with the residual l - x:
//     n = argmax <l_n, l - x>,    x <- x + gamma (s l_n - x),
//     gamma = <s l_n - x, l - x> / |s l_n - x|^2, cut to [0, 1]: the minimum of |x - l| on that segment.
// The first step goes to a corner itself, gamma = 1, since w = 0 is not on the simplex.
#include <algorithm>

#include "base/extended.hpp"
#include "construct/build_state.hpp"

namespace giga {

Proposal propose_frank_wolfe(const VectorTable& table, BuildState& state, SearchStats& stats) {
  const Extended s = static_cast<Extended>(table.norm_sum()) / table.target_norm();
  const auto [residual, row] = pick_by_residual(table, state, stats);
  Proposal proposal;
  if (row < 0) return proposal;
  const bool first = state.active.size() == 0;
  const Index slot = state.active.slot_of(table.rows(), row);
  ExtendedVector way = state.active.unit_row(table.rows(), slot);  // from x to the corner
  proposal.alignment = static_cast<double>(dot(way, residual) / norm(residual));
  scale(way, s);
  if (!first) add_scaled(way, -1, state.x);
  const Extended length = dot(way, way);
  const Extended gamma = first ? 1 : std::clamp<Extended>(dot(way, residual) / length, 0, 1);
  if (!(gamma > 0)) return proposal;

  proposal.row = row;
  proposal.step_length = static_cast<double>(gamma);
  proposal.weights = state.active.weights();
  // w <- (1 - gamma) w + gamma (sigma / sigma_n) 1_n: the weights of x + gamma (s l_n - x).
  for (double& weight : proposal.weights) {
    weight = static_cast<double>((1 - gamma) * static_cast<Extended>(weight));
  }
  proposal.weights[at(slot)] += weight_of(table, state.active, slot, gamma * s);
  evaluate(table, state.active, proposal);
  return proposal;
}

}  // namespace giga
