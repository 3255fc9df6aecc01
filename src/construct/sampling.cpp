// Unbiased sampling with replacement: importance (row n with probability sigma_n / sigma) and uniform. Draw t
// is a function of the seed and t alone.
#include <algorithm>

#include "construct/build_state.hpp"
#include "construct/row_pass.hpp"
#include "giga/base/random.hpp"

namespace giga {
namespace {

std::vector<double> cumulative_norms(const VectorTable& table) {
  const RowSource& rows = table.rows();
  std::vector<double> sums(at(rows.num_rows()));
  for_each_block(table.executor(), rows.num_rows(), [&](Index begin, Index count) {
    for_each_tile(rows, begin, count, [&](Index first, const double* x, Index some) {
      row_norms(x, some, rows.dim(), sums.data() + first);
    });
  });
  double sum = 0;
  for (double& value : sums) value = sum += value;
  return sums;
}

// The first row whose cumulative norm exceeds `share`: never a zero row.
Index row_at(const std::vector<double>& sums, double share) {
  auto found = std::upper_bound(sums.begin(), sums.end(), share);
  if (found == sums.end()) found = std::lower_bound(sums.begin(), sums.end(), sums.back());
  return found - sums.begin();
}

}  // namespace

Proposal propose_draw(const VectorTable& table, BuildState& state) {
  const bool by_norm = state.method == Method::Importance;
  Stream random = stream(state.seed, by_norm ? "importance" : "uniform", state.steps);
  Index row = 0;
  if (by_norm) {
    if (state.cumulative_norms.empty()) state.cumulative_norms = cumulative_norms(table);
    row = row_at(state.cumulative_norms, random.uniform() * state.cumulative_norms.back());
  } else {
    row = static_cast<Index>(random.below(static_cast<std::uint64_t>(table.num_rows())));
  }
  const Index slot = state.active.slot_of(table.rows(), row);
  state.counts.resize(at(state.active.size()), 0.0);
  state.counts[at(slot)] += 1;

  Proposal proposal;
  proposal.row = row;
  const auto draws = static_cast<Extended>(state.steps + 1);
  for (std::size_t k = 0; k < state.counts.size(); ++k) {
    const Extended norm = state.active.norm_of(static_cast<Index>(k));
    const Extended each =
        by_norm ? static_cast<Extended>(table.norm_sum()) / norm : static_cast<Extended>(table.num_rows());
    // A zero row that was drawn counts as a draw and carries nothing.
    proposal.weights.push_back(
        norm > 0 ? static_cast<double>(static_cast<Extended>(state.counts[k]) * each / draws) : 0.0);
  }
  evaluate(table, state.active, proposal);
  return proposal;
}

}  // namespace giga
