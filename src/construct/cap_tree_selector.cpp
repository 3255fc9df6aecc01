// Builds the tree over the rows' leading coordinates y_n, and searches it depth first. See the header for the
// mathematics; the paper's appendix C calls d of a query u, and so does the code of the bounds.
#include "construct/cap_tree_selector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "construct/row_pass.hpp"

namespace giga {
namespace {

constexpr Index kLeafRows = 64;
constexpr Index kSerialDepth = 4;         // levels split before subtrees go to the threads
constexpr double kWholeShare = 1 - 1e-6;  // of the energy, that the kept directions should hold
constexpr double kSmallestNorm = 1e-130;  // below it products of parts may be denormal
constexpr float kScoredAlways = 2.0F;     // marks of rows that are not in the tree: no coordinate exceeds 1
constexpr float kScoredNever = 3.0F;
constexpr double kRounding = 1e-13;      // of products of unit vectors in double
constexpr float kFloatRounding = 4e-6F;  // of products of unit vectors of up to 32 coordinates in float
constexpr float kScoreRounding = 1e-6F;  // of scores bounded in float, away from the pole
constexpr float kPole = 1e-4F;           // below this distance of |c| from 1 a row is simply scored

// Two running sums, so that additions do not wait for each other. The order does not matter:
// bounds have slack.
template <typename First>
double dot_of(const First* x, const double* y, Index size) {
  double even = 0, odd = 0;
  Index k = 0;
  for (; k + 1 < size; k += 2) {
    even += static_cast<double>(x[k]) * y[k];
    odd += static_cast<double>(x[k + 1]) * y[k + 1];
  }
  if (k < size) even += static_cast<double>(x[k]) * y[k];
  return even + odd;
}

}  // namespace

double geodesic_cap_bound(double beta_u, double beta_v, double r) {
  // max <zeta, u> / sqrt(1 - <zeta, v>^2) over unit zeta with <zeta, xi> >= r. With a = sqrt(r^2 - beta_v^2)
  // and b^2 = 1 - beta_u^2 - beta_v^2, the part of xi outside the plane of u and v,
  //     1                                                        if |beta_v| >= r or beta_u >= a,
  //     (beta_u a + b sqrt(1 - r^2)) / (b^2 + beta_u^2)          otherwise.
  if (std::abs(beta_v) >= r) return 1;
  const double across = std::sqrt((r - beta_v) * (r + beta_v));
  if (beta_u >= across) return 1;
  const double rest = std::max(0.0, 1 - beta_u * beta_u - beta_v * beta_v);
  return (beta_u * across + std::sqrt(rest) * std::sqrt(std::max(0.0, (1 - r) * (1 + r)))) /
         (rest + beta_u * beta_u);
}

double linear_cap_bound(double beta_u, double r) {
  // With beta_u = cos phi and r = cos rho, u is at the angle phi from xi and no row farther than rho, so no
  // row is closer to u than phi - rho: the bound is cos(phi - rho), and 1 where u lies in the cap.
  if (beta_u >= r) return 1;
  return beta_u * r +
         std::sqrt(std::max(0.0, (1 - beta_u) * (1 + beta_u)) * std::max(0.0, (1 - r) * (1 + r)));
}

// --- building

CapTreeBuilder::CapTreeBuilder(const RowSource& rows, const Executor& executor)
    : rows_(rows), executor_(executor), tree_(new CapTreeSelector(rows, executor)) {
  // As many directions as hold all but a millionth of the energy; at most 32, beyond which a
  // tree prunes little.
  tree_->spectrum_ = sample_spectrum(rows, kSpectrumRows);
  tree_->num_directions_ = tree_->spectrum_.count_for(kWholeShare);
  by_row_.resize(at(rows.num_rows() * tree_->stride()));
}

void CapTreeBuilder::add(Index first, const double* x, const double* norms, Index count) {
  // y_n = B'x_n / |x_n| and |rest| = sqrt(1 - |y_n|^2), the latter rounded up: it is used as a bound. Rows
  // too short for safe products are marked instead of projected.
  const Index size = tree_->num_directions_;
  std::vector<double> y(at(count * size));
  kernels::project(x, count, rows_.dim(), tree_->spectrum_.directions.data(), size, y.data());
  for (Index i = 0; i < count; ++i) {
    float* out = by_row_.data() + (first + i) * tree_->stride();
    if (!(norms[i] >= kSmallestNorm)) {
      out[0] = norms[i] > 0 ? kScoredAlways : kScoredNever;
      continue;
    }
    double outside = 1;
    for (Index k = 0; k < size; ++k) {
      const double along = y[at(i * size + k)] / norms[i];
      outside -= along * along;
      out[k] = static_cast<float>(along);
    }
    out[size] = static_cast<float>(std::sqrt(std::max(0.0, outside) + kRounding)) * (1 + 1e-6F);
  }
}

// The cap around the mean direction of its rows, which lie together in `ordered`.
void CapTreeBuilder::enclose(const std::vector<float>& ordered, const Cap& cap, double* centre,
                             double& r) const {
  const Index size = tree_->num_directions_, stride = tree_->stride();
  std::fill_n(centre, size, 0.0);
  for (Index i = cap.begin; i < cap.end; ++i) {
    const float* y = ordered.data() + i * stride;
    for (Index k = 0; k < size; ++k) centre[k] += static_cast<double>(y[k]);
  }
  // The mean direction c, a unit vector; then r = min <y_n, c> over the rows, less rounding. Rows that cancel
  // have no mean direction: r = -1 bounds nothing, and the search goes to the children.
  const double length = std::sqrt(dot_of(centre, centre, size));
  if (!(length > 0)) {
    r = -1;
    return;
  }
  for (Index k = 0; k < size; ++k) centre[k] /= length;
  r = 1;
  for (Index i = cap.begin; i < cap.end; ++i)
    r = std::min(r, dot_of(ordered.data() + i * stride, centre, size));
  r -= static_cast<double>(kFloatRounding);
}

// The coordinate in which a sample of the cap's rows spreads most.
Index CapTreeBuilder::widest_coordinate(const Cap& cap) const {
  // The whole range would cost a pass over all rows of the cap per level; a sample of them tells the wide
  // coordinates from the narrow ones.
  constexpr Index kSample = 64;
  const Index size = tree_->num_directions_;
  const Index count = cap.end - cap.begin;
  Index widest = 0;
  double width = -1;
  for (Index k = 0; k < size; ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Index i = 0; i < std::min(kSample, count); ++i) {
      const Index place = cap.begin + i * count / std::min(kSample, count);
      const auto row = tree_->order_[at(place)];
      const auto y = static_cast<double>(by_row_[at(row * tree_->stride() + k)]);
      low = std::min(low, y);
      high = std::max(high, y);
    }
    if (high - low > width) {
      width = high - low;
      widest = k;
    }
  }
  return widest;
}

// Splits caps at the median of their widest coordinate until they are leaves or `depth_limit` levels are
// done.
void CapTreeBuilder::split(std::vector<Cap>& caps, std::size_t node, Index depth_limit) {
  const Cap cap = caps[node];
  if (cap.end - cap.begin <= kLeafRows || depth_limit == 0) return;
  const Index stride = tree_->stride();
  const Index widest = widest_coordinate(cap);
  auto* order = tree_->order_.data();
  // The keys are brought together first: a median over them is then a walk through memory, not a
  // jump per comparison.
  std::vector<std::pair<float, Index>> keys(at(cap.end - cap.begin));
  for (Index i = cap.begin; i < cap.end; ++i) {
    keys[at(i - cap.begin)] = {by_row_[at(order[i] * stride + widest)], order[i]};
  }
  // The keys are pairs of coordinate and row, all different, so the split is the same however
  // the rows lay before.
  const Index middle = cap.begin + (cap.end - cap.begin) / 2;
  std::nth_element(keys.begin(), keys.begin() + (middle - cap.begin), keys.end());
  for (Index i = cap.begin; i < cap.end; ++i) order[i] = keys[at(i - cap.begin)].second;
  keys = {};
  const std::size_t left = caps.size();
  caps[node].left = static_cast<Index>(left);
  caps.push_back({cap.begin, middle, -1, -1});
  caps.push_back({middle, cap.end, -1, -1});
  split(caps, left, depth_limit - 1);
  split(caps, left + 1, depth_limit - 1);
}

std::unique_ptr<CapTreeSelector> CapTreeBuilder::finish() {
  const Index size = tree_->num_directions_, stride = tree_->stride();
  auto& order = tree_->order_;
  for (Index n = 0; n < rows_.num_rows(); ++n) {
    const float mark = by_row_[at(n * stride)];
    if (mark == kScoredAlways) {
      tree_->left_out_.push_back(n);
    } else if (mark != kScoredNever) {
      order.push_back(n);
    }
  }
  auto& caps = tree_->caps_;
  // Invariant of the splits: the rows of a cap are order[begin .. end), its children divide that
  // range at the median.
  caps.push_back({0, static_cast<Index>(order.size()), -1, -1});
  split(caps, 0, kSerialDepth);

  // Subtrees below the first levels are split by the threads, each in a list of its own, and joined in order.
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < caps.size(); ++i) {
    if (caps[i].left < 0) roots.push_back(i);
  }
  std::vector<std::vector<Cap>> subtrees(roots.size());
  executor_.for_each(static_cast<Index>(roots.size()), [&](Index i) {
    const auto k = at(i);
    subtrees[k] = {caps[roots[k]]};
    split(subtrees[k], 0, std::numeric_limits<Index>::max());
  });
  for (std::size_t k = 0; k < roots.size(); ++k) {
    if (subtrees[k].size() == 1) continue;
    const auto offset = static_cast<Index>(caps.size()) - 1;  // node i > 0 of the subtree becomes offset + i
    caps[roots[k]].left = subtrees[k][0].left + offset;
    for (std::size_t i = 1; i < subtrees[k].size(); ++i) {
      Cap cap = subtrees[k][i];
      if (cap.left >= 0) cap.left += offset;
      caps.push_back(cap);
    }
  }

  // Rows are copied into the order of the tree, so that every cap is one run of memory; then each cap gets
  // its centre and r, and each leaf its coordinates side by side: k-th coordinates of all its rows together.
  std::vector<float> ordered(order.size() * at(stride));
  for_each_block(executor_, std::ssize(order), [&](Index first, Index count) {
    for (Index i = first; i < first + count; ++i)
      std::copy_n(by_row_.data() + order[at(i)] * stride, stride, ordered.data() + i * stride);
  });
  by_row_ = {};
  tree_->centres_.resize(caps.size() * at(size));
  tree_->projected_.resize(ordered.size());
  executor_.for_each(static_cast<Index>(caps.size()), [&](Index i) {
    Cap& cap = caps[at(i)];
    enclose(ordered, cap, tree_->centres_.data() + i * size, cap.r);
    if (cap.left >= 0) return;
    const Index count = cap.end - cap.begin;
    for (Index n = 0; n < count; ++n) {
      for (Index k = 0; k < stride; ++k) {
        tree_->projected_[at(cap.begin * stride + k * count + n)] = ordered[at((cap.begin + n) * stride + k)];
      }
    }
  });
  return std::move(tree_);
}

// --- searching

// A query in the coordinates of the tree, and what its search has found so far.
struct CapTreeSelector::Search {
  Criterion criterion;
  std::vector<double> d, v;    // B'd and B'v
  float d_outside, v_outside;  // |d - B B'd|, |v - B B'v|
  float threshold;             // the best score is at least this
  std::vector<Candidate> candidates;
  Index rows_touched = 0;
  Index caps_touched = 0;
};

std::size_t CapTreeSelector::bytes() const {
  return caps_.size() * sizeof(Cap) + centres_.size() * sizeof(double) + order_.size() * sizeof(Index) +
         projected_.size() * sizeof(float);
}

void CapTreeSelector::search_leaf(const Cap& cap, Search& search) const {
  const Index count = cap.end - cap.begin;
  search.rows_touched += count;
  const float* rows = projected_.data() + cap.begin * stride();
  const float* outside = rows + num_directions_ * count;
  // a = <B y_n, B B'd> and c = <B y_n, B B'v>; the parts outside the span add at most |rest| |d - B B'd| to a
  // and |rest| |v - B B'v| to c.
  float a[kLeafRows] = {}, c[kLeafRows] = {};
  for (Index k = 0; k < num_directions_; ++k) {
    const float* y = rows + k * count;
    const auto d = static_cast<float>(search.d[at(k)]);
    const auto v = static_cast<float>(search.v[at(k)]);
    for (Index i = 0; i < count; ++i) {
      a[i] += y[i] * d;
      c[i] += y[i] * v;
    }
  }
  for (Index i = 0; i < count; ++i) {
    // An interval of the score: a +- a_error over sqrt(1 - c^2), with the |c| of its interval
    // that makes it widest.
    const float a_error = outside[i] * search.d_outside + kFloatRounding;
    float lower = a[i] - a_error, upper = a[i] + a_error;
    if (search.criterion == Criterion::Geodesic) {
      const float c_error = outside[i] * search.v_outside + kFloatRounding;
      const float far = std::abs(c[i]) + c_error, near = std::max(0.0F, std::abs(c[i]) - c_error);
      if (far > 1 - kPole) {
        lower = -1;
        upper = 1;
      } else if (upper > 0) {
        upper = std::min(1.0F, upper / std::sqrt((1 - far) * (1 + far)));
        lower = lower > 0 ? lower / std::sqrt((1 - near) * (1 + near)) : -1;
      }
    }
    // Invariant: threshold <= the best score, and every row seen whose score may reach it is a candidate.
    upper += kScoreRounding;
    if (upper < search.threshold || upper <= 0) continue;
    search.threshold = std::max(search.threshold, lower - kScoreRounding);
    search.candidates.push_back({order_[at(cap.begin + i)], upper});
  }
}

Pick CapTreeSelector::best(const Query& query, SearchMemory& memory, SearchStats& stats) const {
  const Index size = num_directions_;
  Search search{query.criterion, {}, {}, 0, 0, 0, {}};
  search.d.resize(at(size));
  search.v.resize(at(size));
  kernels::project(query.d.data(), 1, spectrum_.padded_dim, spectrum_.directions.data(), size,
                   search.d.data());
  kernels::project(query.v.data(), 1, spectrum_.padded_dim, spectrum_.directions.data(), size,
                   search.v.data());
  // |x - B B'x| = sqrt(1 - |B'x|^2) for a unit x; the slack keeps it an upper bound.
  const auto outside = [&](const std::vector<double>& x) {
    return static_cast<float>(std::sqrt(std::max(0.0, 1 - dot_of(x.data(), x.data(), size)) + 4 * kRounding));
  };
  search.d_outside = outside(search.d);
  search.v_outside = outside(search.v);
  search.threshold = std::max(0.0F, safely_below(best_contender(query, rows_, memory, stats).score));

  // The largest score that any row of the cap can have.
  const auto bound = [&](Index cap) {
    ++search.caps_touched;
    const double* centre = centres_.data() + cap * size;
    const double u = dot_of(centre, search.d.data(), size);
    const double r = caps_[at(cap)].r;
    if (query.criterion == Criterion::Linear) return linear_cap_bound(u, r);
    return geodesic_cap_bound(u, dot_of(centre, search.v.data(), size), r);
  };
  // Depth first, the better child first, so that the threshold rises early.
  struct Todo {
    Index cap;
    double upper;
  };
  std::vector<Todo> todo = {{0, bound(0)}};
  while (!todo.empty()) {
    const Todo next = todo.back();
    todo.pop_back();
    // The threshold may have risen since the cap was put on the list.
    if (next.upper + 1e-6 < static_cast<double>(search.threshold)) continue;
    const Cap& cap = caps_[at(next.cap)];
    if (cap.left < 0) {
      search_leaf(cap, search);
      continue;
    }
    Todo better{cap.left, bound(cap.left)}, worse{cap.left + 1, bound(cap.left + 1)};
    if (better.upper < worse.upper) std::swap(better, worse);
    todo.push_back(worse);
    todo.push_back(better);
  }
  stats.rows_touched += static_cast<double>(search.rows_touched);
  const auto cap_bytes = static_cast<double>(sizeof(Cap) + sizeof(double) * at(size));
  stats.bytes_read += static_cast<double>(search.rows_touched * stride()) * sizeof(float) +
                      static_cast<double>(search.caps_touched) * cap_bytes;
  // These are always rescored.
  for (const Index row : left_out_) search.candidates.push_back({row, kAnyScore});
  const std::vector<Pick> picks =
      best_candidates(query, {}, rows_, executor_, search.candidates, search.threshold, memory, stats);
  return picks.empty() ? Pick{} : picks.front();
}

}  // namespace giga
