#include "construct/scan_selector.hpp"

#include <vector>

#include "construct/row_pass.hpp"

namespace giga {

Pick ScanSelector::best(const Query& query, SearchMemory& /*memory*/, SearchStats& stats) const {
  const Index dim = rows_.dim();
  const Index blocks = num_blocks(rows_.num_rows());
  std::vector<Pick> best_of_block(static_cast<std::size_t>(blocks));
  executor_.for_each(blocks, [&](Index block) {
    Pick pick;
    kernels::Dots products[kTileRows];
    for_each_tile(rows_, block, [&](Index first, const double* x, Index count) {
      kernels::dots(x, count, dim, query.d.data(), query.v.data(), products);
      for (Index i = 0; i < count; ++i)
        pick.offer(first + i, exact_score(query, x + i * dim, products[i], dim));
    });
    best_of_block[static_cast<std::size_t>(block)] = pick;
  });
  const auto count = static_cast<double>(rows_.num_rows());
  stats.bytes_read += count * static_cast<double>(dim) * sizeof(double);
  stats.rows_touched += count;
  stats.rows_rescored += count;
  Pick pick;
  for (const Pick& other : best_of_block) pick.offer(other.row, other.score);
  return pick.score > 0 ? pick : Pick{};
}

}  // namespace giga
