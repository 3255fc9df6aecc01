// Bounds of scores from unit rows in float: the row rounded to float has products with unit vectors within
// kError of the exact ones. With a = <l_n, d> and c = <l_n, v> the score a / sqrt(1 - c^2) lies between its
// values at the ends of the intervals of a and |c|.
#include "construct/near_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "construct/best_row.hpp"
#include "construct/row_kernels.hpp"
#include "construct/row_pass.hpp"

namespace giga {
namespace {

constexpr Index kMostElements = Index{1} << 27;
constexpr std::size_t kFewCandidates = 32;  // not worth narrowing
constexpr Index kAtOnce = 256;

// Components are rounded by at most 2^-24 of themselves, so the row by at most 2^-24 (6e-8) of its length 1.
// What rounding unit rows to float may change in a product with a unit vector, and more.
constexpr double kError = 1e-7;
// Closer to v than this the score depends on more digits of the row than a float has.
constexpr double kNearPole = 1e-2;

struct Interval {
  double low, high;
};

// Of the score, from the products of a rounded unit row with d and v. NaN rules nothing out.
Interval score_interval(const Query& query, double a, double c) {
  if (query.criterion == Criterion::Linear) return {a - kError, a + kError};
  const double distance = 1 - std::abs(c);
  if (!(distance > kNearPole)) return {kNeverChosen, std::numeric_limits<double>::infinity()};
  // 1 / sqrt(1 - c^2) rises with |c|: a positive end of a's interval is farthest with the largest |c|, a
  // negative one with the smallest.
  const auto stretch = [](double cosine) { return 1 / std::sqrt((1 - cosine) * (1 + cosine)); };
  const double most = stretch(std::abs(c) + kError), least = stretch(std::max(0.0, std::abs(c) - kError));
  return {(a - kError) * (a > kError ? least : most) - kError,
          (a + kError) * (a > -kError ? most : least) + kError};
}

// The nearest float not below x.
float rounded_up(double x) {
  const auto nearest = static_cast<float>(x);
  return static_cast<double>(nearest) < x ? std::nextafter(nearest, std::numeric_limits<float>::infinity())
                                          : nearest;
}

}  // namespace

// Rows in memory need no copy: rescoring one costs no more than reading it.
NearRows::NearRows(const RowSource& rows) : dim_(rows.dim()) {
  if (rows.contiguous() != nullptr || rows.num_rows() > kMostElements / rows.dim()) return;
  buffer_ = LargeBuffer(at(rows.num_rows() * rows.dim()) * sizeof(float));
}

void NearRows::store(Index first, const double* rows, Index count) const {
  if (!held()) return;
  // Zero rows are stored as zeros; they are never candidates.
  float* out = buffer_.as<float>() + first * dim_;
  for (Index begin = 0; begin < count; begin += kTileRows) {
    double norms[kTileRows];
    const Index some = std::min(kTileRows, count - begin);
    row_norms(rows + begin * dim_, some, dim_, norms);
    for (Index i = 0; i < some; ++i) {
      const double inverse = norms[i] > 0 ? 1 / norms[i] : 0;
      const double* x = rows + (begin + i) * dim_;
      float* unit = out + (begin + i) * dim_;
      for (Index j = 0; j < dim_; ++j) unit[j] = static_cast<float>(x[j] * inverse);
    }
  }
}

void NearRows::narrow(const Query& query, const Executor& executor, std::vector<Candidate>& candidates,
                      float& threshold, SearchStats& stats) const {
  if (!held() || candidates.size() <= kFewCandidates) return;
  const auto count = static_cast<Index>(candidates.size());
  // One pass lowers the upper bounds and finds the largest lower bound; whatever lies below that cannot win.
  const Pick lowest = best_row(executor, count,
                               [&](Index first, Index some, Pick& best) {
                                 for (Index i = first; i < first + some; ++i) {
                                   Candidate& candidate = candidates[at(i)];
                                   const kernels::Dots t =
                                       kernels::float_dots(buffer_.as<float>() + candidate.row * dim_, dim_,
                                                           query.d.data(), query.v.data());
                                   const Interval score = score_interval(query, t.with_d, t.with_v);
                                   if (score.high < static_cast<double>(candidate.upper))
                                     candidate.upper = rounded_up(score.high);
                                   best.offer(candidate.row, score.low);
                                 }
                               },
                               {}, {.block_rows = kAtOnce});
  if (lowest.score > 0) threshold = std::max(threshold, safely_below(lowest.score));
  std::erase_if(candidates, [&](const Candidate& candidate) { return candidate.upper < threshold; });
  stats.bytes_read += static_cast<double>(count) * static_cast<double>(dim_) * sizeof(float);
}

}  // namespace giga
