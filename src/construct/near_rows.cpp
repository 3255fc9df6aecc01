// Bounds of scores from unit rows in 16 bits: x ~ step * q with integers |q| <= 32767, within the error e =
// |x - step q|, so products with unit vectors are within e of the exact ones. The products with l are
// formed once; a search then needs one more per row, x = <l_n, g> (query.hpp), for both a = <l_n, d> and c =
// <l_n, v>. The score a / sqrt(1 - c^2) lies between its values at the ends of the
// intervals of a and |c|.
#include "construct/near_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>

#include "construct/best_row.hpp"
#include "construct/row_kernels.hpp"
#include "construct/row_pass.hpp"

namespace giga {
namespace {

constexpr Index kMostElements = Index{1} << 28;
constexpr std::size_t kFewCandidates = 32;  // not worth narrowing
constexpr Index kAtOnce = 256;
constexpr Index kTakenShare = 64;     // rows in memory are taken over once a search leaves one in so many
constexpr double kSteps = 32767;      // from 0 to the largest component
constexpr double kFloatQuery = 3e-7;  // what rounding a unit vector, and a product, to float may change in it
constexpr double kTellsTarget = 0.1;
// Lost in a product that is summed in float: at most 6e-8 of sum |x_j d_j| <= 1 for each of J additions,
// which are shared by 4 running sums at least.
double float_error(Index dim) {
  return 6e-8 * (static_cast<double>(dim) / 4 + 8);
}

struct Interval {
  double low, high;
};

// Of the score, from products with d and v that are within `error`. NaN rules nothing out. Where the lower
// end would not reach `needed` it is not formed: a root and a division less for nearly all rows.
Interval score_interval(const Query& query, double a, double c, double error, double needed) {
  if (query.criterion == Criterion::Linear) return {a - error, a + error};
  const double distance = 1 - std::abs(c);
  if (!(distance > kNearPole + error)) return {kNeverChosen, std::numeric_limits<double>::infinity()};
  if (a <= -error) return {kNeverChosen, 0};
  // 1 / sqrt(1 - c^2) rises with |c|: the positive upper end is farthest with the largest |c|, the lower end,
  // where it is positive, nearest with the smallest.
  const auto stretch = [](double cosine) { return 1 / std::sqrt((1 - cosine) * (1 + cosine)); };
  const double most = stretch(std::abs(c) + error);
  const bool may_lead = a > error && (a - error) * most > needed;
  return {may_lead ? (a - error) * stretch(std::max(0.0, std::abs(c) - error)) : kNeverChosen,
          (a + error) * most};
}

// Whether the upper end of that interval is clearly below `needed`, found without a root or a division. What
// rounding might decide is not, nor is NaN.
bool is_below(const Query& query, double a, double c, double error, double needed) {
  constexpr double kBeyondRounding = 1 + 1e-12;
  if (!(needed > 0)) return false;
  const double top = (a + error) * kBeyondRounding;
  if (query.criterion == Criterion::Linear) return top < needed;
  const double largest = std::abs(c) + error;
  if (!(1 - largest > kNearPole)) return false;
  return top < 0 || top * top < needed * needed * ((1 - largest) * (1 + largest));
}

// A linear query across l does not tell l.
bool tells_target(const Query& query) {
  return query.criterion == Criterion::Geodesic || std::abs(query.d_along) > kTellsTarget;
}

// A float not below x >= 0, and hardly above it: rounding to the nearest loses 2^-24 of x at most.
float rounded_up(double x) {
  return static_cast<float>(x * (1 + 2 * 0x1p-24) + 1e-30);
}

}  // namespace

NearRows::NearRows(const RowSource& rows, RowMemory& memory)
    : rows_(&rows),
      room_((rows.dim() + kernels::kShortRoom - 1) / kernels::kShortRoom * kernels::kShortRoom),
      few_enough_(rows.num_rows() <= kMostElements / room_),
      buffer_(memory),
      steps_(memory),
      errors_(memory),
      along_(memory) {
  if (few_enough_ && rows.contiguous() == nullptr) make_room();
}

void NearRows::make_room() const {
  buffer_.resize(at(rows_->num_rows() * room_) * sizeof(std::int16_t));
  steps_.resize(rows_->num_rows());
  errors_.resize(rows_->num_rows());
}

void NearRows::store(Index first, const double* rows, Index count) {
  if (held()) take(first, rows, count);
}

void NearRows::take(Index first, const double* rows, Index count) const {
  const Index dim = rows_->dim();
  for (Index begin = 0; begin < count; begin += kTileRows) {
    double norms[kTileRows];
    const Index some = std::min(kTileRows, count - begin);
    row_norms(rows + begin * dim, some, dim, norms);
    for (Index i = 0; i < some; ++i) {
      const double* x = rows + (begin + i) * dim;
      const Index n = first + begin + i;
      // Zero rows are stored as zeros. Bounds may leave them among the candidates; exact_score() does not.
      const double inverse = norms[i] > 0 ? 1 / norms[i] : 0;
      const auto step = static_cast<float>(kernels::largest_of(x, dim) * inverse / kSteps * (1 + 1e-6));
      const double per_step = step > 0 ? inverse / static_cast<double>(step) : 0;
      std::int16_t* out = buffer_.as<std::int16_t>() + n * room_;
      std::fill(out + dim, out + room_, std::int16_t{0});
      // Of a norm so small that this overflows nothing is known: an error of NaN rules nothing out.
      const bool known = std::isfinite(per_step);
      const double square = kernels::to_short(x, dim, known ? per_step : 0, out);
      steps_[at(n)] = known ? step : 0;
      // Rounded up, by more than float and the rounding of the products above may lose.
      errors_[at(n)] = known
                           ? static_cast<float>(std::sqrt(square) * static_cast<double>(step) * 1.001 + 1e-12)
                           : std::numeric_limits<float>::quiet_NaN();
    }
  }
}

double NearRows::product(Index n, const std::vector<float>& g) const {
  return static_cast<double>(steps_[at(n)]) *
         kernels::short_dot(buffer_.as<std::int16_t>() + n * room_, room_, g.data());
}

// <l_n, l> of every row. A query has d = d_along l + d_across g, so l is in it.
void NearRows::measure_target(const Query& query, const Executor& executor) const {
  std::vector<float> l;
  for (std::size_t j = 0; j < query.d.size(); ++j) {
    const double value = query.criterion == Criterion::Geodesic
                             ? query.d_along * query.d[j] - query.d_across * query.v[j]
                             : (query.d[j] - query.d_across * query.across[j]) / query.d_along;
    l.push_back(static_cast<float>(value));
  }
  l.resize(at(room_), 0.0F);
  along_.resize(rows_->num_rows());
  for_each_block(executor, rows_->num_rows(), [&](Index first, Index count) {
    for (Index n = first; n < first + count; ++n) along_[at(n)] = static_cast<float>(product(n, l));
  });
}

// Of the scores of rows, given a query.
class NearRows::Bounds {
 public:
  Bounds(const NearRows& rows, const Query& query)
      : rows_(rows), query_(query), g_(query.across.begin(), query.across.end()) {
    g_.resize(at(rows.room_), 0.0F);
    more_ = kBoth * (float_error(rows.rows_->dim()) + kFloatQuery);
  }

  /// As score_interval has it; nothing if the upper end is clearly below `least`, which none is below 0.
  [[nodiscard]] std::optional<Interval> of(Index n, double needed, double least) const {
    const double along = static_cast<double>(rows_.along_[at(n)]), across = rows_.product(n, g_);
    const double a = query_.d_along * along + query_.d_across * across;
    const double c = query_.d_along * across - query_.d_across * along;
    const double error = kBoth * static_cast<double>(rows_.errors_[at(n)]) + more_;
    if (is_below(query_, a, c, error, least)) return std::nullopt;
    return score_interval(query_, a, c, error, needed);
  }

 private:
  // Both products of a row are within its error, and within what float loses; |d_along| + |d_across| <=
  // sqrt 2.
  static constexpr double kBoth = std::numbers::sqrt2;

  const NearRows& rows_;
  const Query& query_;
  std::vector<float> g_;
  double more_;
};

namespace {

void remember(const std::vector<Candidate>& candidates, SearchMemory& memory) {
  std::vector<Candidate> close(std::min(kCloseContenders, candidates.size()));
  std::ranges::partial_sort_copy(candidates, close, std::greater<>(), &Candidate::upper, &Candidate::upper);
  for (const Candidate& candidate : close) memory.contenders.push_back(candidate.row);
}

}  // namespace

bool NearRows::serves(const Query& query) const {
  return tells_target(query) && ready_.load(std::memory_order_acquire);
}

std::vector<Candidate> NearRows::search(const Query& query, double share, const Executor& executor,
                                        float& threshold, SearchMemory& memory, SearchStats& stats) const {
  std::call_once(measured_, [&] { measure_target(query, executor); });
  const Index num_rows = rows_->num_rows();
  const Bounds bounds(*this, query);
  std::vector<std::vector<Candidate>> found(at(num_blocks(num_rows, kAtOnce)));
  // Shared so that a thread prunes by what another has found.
  std::atomic<float> reached = threshold;
  executor.for_each(std::ssize(found), [&](Index part) {
    float needed = reached.load(std::memory_order_relaxed);
    for (Index n = part * kAtOnce; n < std::min(num_rows, (part + 1) * kAtOnce); ++n) {
      const auto score = bounds.of(n, static_cast<double>(needed) / share, static_cast<double>(needed));
      if (!score) continue;
      needed = std::max(needed, safely_below(share * score->low));
      // An upper end of NaN rules nothing out.
      const float upper = score->high < static_cast<double>(kAnyScore) ? rounded_up(score->high) : kAnyScore;
      if (upper >= needed) found[at(part)].push_back({n, upper});
    }
    float seen = reached.load(std::memory_order_relaxed);
    while (seen < needed && !reached.compare_exchange_weak(seen, needed, std::memory_order_relaxed)) {
    }
  });
  threshold = reached;
  std::vector<Candidate> candidates;
  for (const auto& some : found) candidates.insert(candidates.end(), some.begin(), some.end());
  remember(candidates, memory);
  std::erase_if(candidates, [&](const Candidate& candidate) { return candidate.upper < threshold; });
  stats.bytes_read += static_cast<double>(num_rows) * static_cast<double>(room_) * sizeof(std::int16_t);
  return candidates;
}

void NearRows::narrow(const Query& query, double share, const Executor& executor,
                      std::vector<Candidate>& candidates, float& threshold, SearchMemory& memory,
                      SearchStats& stats) const {
  if (!few_enough_ || !tells_target(query) || candidates.size() <= kFewCandidates) return;
  const Index dim = rows_->dim();
  if (rows_->contiguous() != nullptr) {
    // Reading so many rows in double once more would cost as much as taking all of them over.
    if (std::ssize(candidates) * kTakenShare < rows_->num_rows()) return;
    std::call_once(taken_, [&] {
      make_room();
      const Index num_rows = rows_->num_rows();
      executor.for_each(num_blocks(num_rows, kAtOnce), [&](Index part) {
        const Index first = part * kAtOnce;
        take(first, rows_->contiguous() + first * dim, std::min(kAtOnce, num_rows - first));
      });
    });
  }
  ready_.store(true, std::memory_order_release);
  std::call_once(measured_, [&] { measure_target(query, executor); });
  const auto count = static_cast<Index>(candidates.size());
  const Bounds bounds(*this, query);
  // One pass lowers the upper bounds and finds the largest lower bound; whatever lies below that cannot win.
  const auto bound_some = [&](Index first, Index some, Pick& best) {
    for (Index i = first; i < first + some; ++i) {
      Candidate& candidate = candidates[at(i)];
      const Interval score = *bounds.of(candidate.row, best.score, 0);
      if (score.high < static_cast<double>(candidate.upper)) candidate.upper = rounded_up(score.high);
      best.offer(candidate.row, score.low);
    }
  };
  const Pick lowest = best_row(executor, count, bound_some, {}, {.block_rows = kAtOnce});
  if (lowest.score > 0) threshold = std::max(threshold, safely_below(share * lowest.score));
  remember(candidates, memory);
  std::erase_if(candidates, [&](const Candidate& candidate) { return candidate.upper < threshold; });
  stats.bytes_read += static_cast<double>(count) * static_cast<double>(room_) * sizeof(std::int16_t);
}

}  // namespace giga
