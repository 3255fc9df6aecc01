// With g the unit vector of the query across l, x = <l_n, g> and c_l = <l_n, l> give both products of a row,
//     <l_n, d> = d_along c_l + d_across x,    <l_n, v> = d_along x - d_across c_l  (geodesic),
// so that a search needs one product per row. Products are good to 1e-12, scores to kMargin; rows within that
// of the best are formed and judged by exact_score, like those of every other selector.
#include "construct/product_selector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "construct/row_pass.hpp"

namespace giga {
namespace {

// Of scores from products. Closer to v than kNearPole the score has lost too many digits, and the row is
// formed.
constexpr double kMargin = 1e-9;

double score_of(const Query& query, double along, double across) {
  const double a = query.d_along * along + query.d_across * across;
  if (query.criterion == Criterion::Linear) return a;
  const double c = query.d_along * across - query.d_across * along;
  if (!(1 - std::abs(c) > kNearPole)) return std::numeric_limits<double>::infinity();
  return a / std::sqrt((1 - c) * (1 + c));
}

}  // namespace

ProductSelector::ProductSelector(const RowSource& rows, const Executor& executor,
                                 const ExtendedVector& target)
    : rows_(rows), executor_(executor), norms_(at(rows.num_rows())), along_(at(rows.num_rows())) {
  const std::vector<double> l(target.begin(), target.end());
  for_each_block(executor, rows.num_rows(), [&](Index first, Index count) {
    const RowProducts& products = *rows_.products();
    products.norms(first, count, norms_.data() + first);
    products.with_direction(first, count, l.data(), along_.data() + first);
    for (Index n = first; n < first + count; ++n)
      if (norms_[at(n)] > 0) along_[at(n)] /= norms_[at(n)];
  });
}

// Of every row; infinite where only the row itself can tell, kNeverChosen for zero rows.
std::vector<double> ProductSelector::scores(const Query& query, SearchStats& stats) const {
  constexpr Index kRowsAtOnce = 512;  // blocks of 4096 would leave threads idle among few rows
  const Index num_rows = rows_.num_rows();
  std::vector<double> out(at(num_rows));
  executor_.for_each((num_rows + kRowsAtOnce - 1) / kRowsAtOnce, [&](Index part) {
    const Index first = part * kRowsAtOnce, count = std::min(kRowsAtOnce, num_rows - first);
    rows_.products()->with_direction(first, count, query.across.data(), out.data() + first);
    for (Index n = first; n < first + count; ++n) {
      double& score = out[at(n)];
      const bool usable = norms_[at(n)] > 0 && norms_[at(n)] >= query.min_norm;
      score = usable ? score_of(query, along_[at(n)], score / norms_[at(n)]) : kNeverChosen;
    }
  });
  stats.rows_touched += static_cast<double>(num_rows);
  return out;
}

double ProductSelector::exact(const Query& query, Index row, SearchStats& stats) const {
  std::vector<double> scratch;
  stats.rows_rescored += 1;
  stats.bytes_read += static_cast<double>(rows_.dim()) * sizeof(double);
  return score_row(query, rows_, row, scratch);
}

Pick ProductSelector::best(const Query& query, SearchMemory& /*memory*/, SearchStats& stats) const {
  std::vector<double> all = scores(query, stats);
  double most = kNeverChosen;
  for (Index n = 0; n < std::ssize(all); ++n) {
    double& score = all[at(n)];
    if (std::isinf(score) && score > 0) score = exact(query, n, stats);
    most = std::max(most, score);
  }
  Pick pick;
  for (Index n = 0; n < std::ssize(all); ++n)
    if (all[at(n)] > 0 && all[at(n)] >= most - kMargin) pick.offer(n, exact(query, n, stats));
  return pick.score > 0 ? pick : Pick{};
}

std::vector<Pick> ProductSelector::best_several(const Query& query, const Wanted& wanted,
                                                SearchMemory& memory, SearchStats& stats) const {
  if (wanted.count == 1) {
    const Pick pick = best(query, memory, stats);
    return pick.row < 0 ? std::vector<Pick>{} : std::vector{pick};
  }
  const std::vector<double> all = scores(query, stats);
  std::vector<Pick> picks;
  for (Index n = 0; n < std::ssize(all); ++n) {
    const bool unknown = std::isinf(all[at(n)]) && all[at(n)] > 0;
    picks.push_back({n, unknown ? exact(query, n, stats) : all[at(n)]});
  }
  keep_wanted(wanted, picks);
  return picks;
}

}  // namespace giga
