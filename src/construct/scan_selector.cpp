// exact_score of every row, and the best of them: the definition of what any other selector must return.
#include "construct/scan_selector.hpp"

#include "construct/best_row.hpp"
#include "construct/row_pass.hpp"

namespace giga {

Pick ScanSelector::best(const Query& query, SearchMemory& /*memory*/, SearchStats& stats) const {
  const Index dim = rows_.dim();
  const Pick pick = best_row(executor_, rows_.num_rows(), [&](Index begin, Index count, Pick& best) {
    kernels::Dots products[kTileRows];
    for_each_tile(rows_, begin, count, [&](Index first, const double* x, Index some) {
      kernels::dots(x, some, dim, query.d.data(), query.v.data(), products);
      for (Index i = 0; i < some; ++i)
        best.offer(first + i, exact_score(query, x + i * dim, products[i], dim));
    });
  });
  const auto count = static_cast<double>(rows_.num_rows());
  stats.bytes_read += count * static_cast<double>(dim) * sizeof(double);
  stats.rows_touched += count;
  stats.rows_rescored += count;
  return pick.score > 0 ? pick : Pick{};
}

}  // namespace giga
