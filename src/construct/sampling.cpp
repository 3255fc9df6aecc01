// Unbiased sampling with replacement: importance (row n with probability p_n = sigma_n / sigma) and uniform
// (p_n = 1 / N). After t draws of which row n was drawn count_n times its weight is
//     w_n = count_n / (t p_n),
// so E L(w) = L. These are the baselines of the paper's section 2 (importance) and section 4 (uniform). Draw
// t is a function of the seed and t alone, so a longer sample begins with a shorter one.
#include <algorithm>

#include "construct/build_state.hpp"
#include "construct/row_pass.hpp"
#include "giga/base/random.hpp"

namespace giga {
namespace {

// sums[n] = sigma_0 + ... + sigma_n. The norms are found in parallel; their sum runs in row order, so that it
// has the same bits for any number of threads.
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
  // share < sums.back() unless the product was rounded up to it; then the last row that is not zero is meant.
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
    // each = 1 / p_n.
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
