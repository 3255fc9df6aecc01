// The active-set method on normal equations. Notation: G the Gram matrix of the unit columns, c = A'b, S the
// support, R'R = G_SS, h = c - G u the slopes <a_i, b - A u>, z = G_SS^-1 c_S.
//
// Rounding: entries of G and c are off by about 1e-16, so slopes formed from them are off by 1e-16 sum(u),
// 1e-15 or so as sum(u) is a few. The conditions bound slopes by 1e-12 on the support, and by 1e-10 |b - A u|
// outside of it: the latter can be judged while |b - A u| > kLeastResidual. Refinement, z += G_SS^-1 (c - G
// z), shrinks the error of z by cond(G) eps per step; where that is no contraction, slopes stay large, which
// is the test that tells.
#include "construct/nnls_gram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/dense_kernels.hpp"
#include "construct/to_the_end.hpp"
#include "giga/base/threads.hpp"

namespace giga {
namespace {

constexpr double kLeastRest = 1e-12;     // of 1: what is left of a column beside the support
constexpr double kStationary = 1e-12;    // slopes on the support
constexpr double kLeastResidual = 1e-4;  // |b - A u| below which slopes outside cannot be judged
constexpr int kMostRefinements = 3;

}  // namespace

// --- the factor --------------------------------------------------------------------------------------------

// b becomes R'^-1 b: as soon as b_k is final its multiple of row k is taken from the rest.
void TriangularFactor::forward(std::vector<double>& b) const {
  for (Index k = 0; k < size_; ++k) {
    b[at(k)] /= row(k)[k];
    kernels::add_scaled(b.data() + k + 1, -b[at(k)], row(k) + k + 1, size_ - k - 1);
  }
}

// b becomes R^-1 b.
void TriangularFactor::backward(std::vector<double>& b) const {
  for (Index k = size_; k-- > 0;)
    b[at(k)] = (b[at(k)] - kernels::dot(row(k) + k + 1, b.data() + k + 1, size_ - k - 1)) / row(k)[k];
}

std::vector<double> TriangularFactor::solve() const {
  std::vector<double> out = y_;
  backward(out);
  return out;
}

std::vector<double> TriangularFactor::solve(std::vector<double> b) const {
  forward(b);
  backward(b);
  return b;
}

bool TriangularFactor::append(std::vector<double> products, double square, double entry, double least) {
  forward(products);  // the new column of R, above its diagonal
  const double rest = square - kernels::dot(products.data(), products.data(), size_);
  if (!(rest > least)) return false;
  if (size_ == room_) widen();
  for (Index k = 0; k < size_; ++k) row(k)[size_] = products[at(k)];
  row(size_)[size_] = std::sqrt(rest);
  y_.push_back((entry - kernels::dot(products.data(), y_.data(), size_)) / std::sqrt(rest));
  ++size_;
  return true;
}

// By a quarter: twice the room would be four times the numbers.
void TriangularFactor::widen() {
  constexpr Index kFirstRoom = 64, kShare = 4;
  TriangularFactor wider;
  wider.room_ = std::max(kFirstRoom, room_ + room_ / kShare);
  wider.rows_.resize(at(wider.room_ * (wider.room_ + 1) / 2));
  for (Index k = 0; k < size_; ++k) std::copy_n(row(k) + k, size_ - k, wider.row(k) + k);
  rows_ = std::move(wider.rows_);
  room_ = wider.room_;
}

// Without column p, rows from p on have one entry below the diagonal each; rotations of neighbouring rows
// remove these, and keep R'R and R'y. The entry is in the last place of the row before, which has become free
// by then: that row has been moved, and has one entry less.
void TriangularFactor::remove(Index position) {
  for (Index k = 0; k < size_; ++k) {
    const Index from = std::max(k, position + 1);  // entries from here on move one place to the left
    std::memmove(row(k) + from - 1, row(k) + from, at(size_ - from) * sizeof(double));
  }
  --size_;
  for (Index k = position; k < size_; ++k) {
    // Invariant: rows before k are final. (x, y) becomes (length, 0).
    const double x = row(k)[k], y = row(k + 1)[k];
    const double length = std::hypot(x, y);
    const double c = x / length, s = y / length;
    kernels::rotate(row(k) + k, row(k + 1) + k, size_ - k, c, s);
    const double first = y_[at(k)], second = y_[at(k + 1)];
    y_[at(k)] = c * first + s * second;
    y_[at(k + 1)] = c * second - s * first;
  }
  y_.pop_back();
}

// --- the method --------------------------------------------------------------------------------------------

void GramNnls::add(const NnlsProblem& problem, std::span<const double> products) {
  const Index last = problem.num_columns() - 1;
  along_.push_back(static_cast<double>(dot(problem.column(last), problem.b) / problem.norms[at(last)]));
  // The whole row at once, which then never moves.
  std::vector<double>& row = gram_.emplace_back();
  row.reserve(at(last + 1));
  row.assign(products.begin(), products.end());
}

// Invariant: the rows of new columns have their products with columns before them as far as these were given.
// Here all rows become whole; each column is read once for all new ones.
void GramNnls::complete(const NnlsProblem& problem, const Executor& executor) {
  constexpr Index kColumnsAtOnce = 16;
  const Index count = std::ssize(gram_), first_new = std::exchange(num_complete_, count);
  if (first_new == count) return;
  std::vector<std::size_t> given(at(count), 0);
  bool all_given = true;
  for (Index n = first_new; n < count; ++n) {
    std::vector<double>& row = gram_[at(n)];
    given[at(n)] = row.size();
    all_given = all_given && std::cmp_equal(row.size(), n);
    row.resize(at(n + 1), 0.0);
    row[at(n)] = 1;
  }
  const Index parts = all_given ? 0 : (count + kColumnsAtOnce - 1) / kColumnsAtOnce;
  for_each_to_the_end(executor, parts, [&](Index part) {
    for (Index i = part * kColumnsAtOnce; i < std::min(count, (part + 1) * kColumnsAtOnce); ++i) {
      for (Index n = std::max(first_new, i + 1); n < count; ++n) {
        if (at(i) < given[at(n)]) continue;
        const auto &old_column = problem.column(i), &new_column = problem.column(n);
        const double product = kernels::dot(new_column.data(), old_column.data(), std::ssize(old_column));
        gram_[at(n)][at(i)] = product / static_cast<double>(problem.norms[at(n)] * problem.norms[at(i)]);
      }
    }
  });
}

bool GramNnls::enter(Index column) {
  std::vector<double> products;
  products.reserve(support_.size());
  for (const Index i : support_) products.push_back(product(column, i));
  if (!factor_.append(std::move(products), 1, along_[at(column)], kLeastRest)) return false;
  support_.push_back(column);
  settled_ = Settled::No;
  return true;
}

void GramNnls::leave(NnlsProblem& problem, Index position) {
  problem.u[at(support_[at(position)])] = 0;
  support_.erase(support_.begin() + position);
  factor_.remove(position);
  settled_ = Settled::No;
}

// h_S = c_S - G_SS z, with zeros for the columns outside the support. Of every row of G its product with u is
// that of kernels::dot to the bit, 32 running sums: row i brings the first of its own, up to the diagonal,
// and one term, in the order of rows, to those of every row before it.
std::vector<double> GramNnls::slopes_on_support(std::span<const double> z) const {
  const Index count = std::ssize(along_);
  std::vector<double> u(at(count), 0);
  for (std::size_t k = 0; k < support_.size(); ++k) u[at(support_[k])] = z[k];
  std::vector<double> sums(at(kernels::kDotSums * count));  // those of all rows side by side
  std::array<double, at(kernels::kDotSums)> own;
  for (Index i = 0; i < count; ++i) {
    const double* row = gram_[at(i)].data();
    kernels::add_scaled(sums.data() + i % kernels::kDotSums * count, u[at(i)], row, i);
    kernels::dot_sums(row, u.data(), i + 1, own.data());
    for (Index k = 0; k < kernels::kDotSums; ++k) sums[at(k * count + i)] = own[at(k)];
  }
  for (Index half = kernels::kDotSums / 2; half > 0; half /= 2)
    kernels::add_scaled(sums.data(), 1, sums.data() + half * count, half * count);
  std::vector<double> out;
  out.reserve(support_.size());
  for (const Index column : support_) out.push_back(along_[at(column)] - sums[at(column)]);
  return out;
}

// Until the slopes are those of rounding; false if they do not get there.
bool GramNnls::refine(std::vector<double>& z) const {
  for (int step = 0; step <= kMostRefinements; ++step) {
    const std::vector<double> slopes = slopes_on_support(z);
    double worst = 0;
    for (const double value : slopes) worst = std::max(worst, std::abs(value));
    if (worst <= kStationary / 4) return true;
    if (step == kMostRefinements) return worst <= kStationary;
    const std::vector<double> change = factor_.solve(slopes);
    for (std::size_t k = 0; k < z.size(); ++k) z[k] += change[k];
  }
  return false;
}

// Moves from u towards z, leaving the support wherever the way crosses u_i = 0, until z itself is positive.
// |A u - b| falls along the way.
bool GramNnls::settle(NnlsProblem& problem, Settled wanted) {
  while (settled_ < wanted && !support_.empty()) {
    std::vector<double> z = factor_.solve();
    const bool inside = nnls_boundary(problem.u, support_, z).position < 0;
    if (wanted == Settled::Refined && inside && !refine(z)) return false;
    const NnlsBoundary boundary = nnls_boundary(problem.u, support_, z);
    nnls_advance(problem.u, support_, z, boundary);
    if (boundary.position < 0) {
      settled_ = wanted;
    } else {
      leave(problem, boundary.position);
    }
  }
  return true;
}

double GramNnls::slope(const NnlsProblem& problem, Index column) const {
  double out = along_[at(column)];
  for (const Index i : support_) out -= product(column, i) * static_cast<double>(problem.u[at(i)]);
  return out;
}

bool GramNnls::solve(NnlsProblem& problem) {
  return find(problem, Settled::Refined);
}

bool GramNnls::solve_roughly(NnlsProblem& problem) {
  return find(problem, Settled::Roughly);
}

bool GramNnls::find(NnlsProblem& problem, Settled wanted) {
  if (!settle(problem, wanted)) return false;
  std::vector<bool> barred(problem.columns.size(), false);
  const auto residual_norm = [&] {
    // At the optimum of the support <A u, b - A u> = 0, so |b - A u|^2 = |b|^2 - <A u, b>.
    Extended square = dot(problem.b, problem.b);
    for (const Index i : support_) square -= problem.u[at(i)] * Extended{along_[at(i)]};
    return static_cast<double>(square > 0 ? std::sqrt(square) : 0);
  };
  bool first = true;
  // Every round lowers |A u - b| or bars a column for good; the cap is for rounding.
  for (Index round = 0; round < 3 * problem.num_columns() + 16; ++round) {
    const double residual = residual_norm();
    if (residual < kLeastResidual) return false;
    // The columns outside the support that would lower |A u - b|, the one that would most first.
    const double least = static_cast<double>(kNnlsViolation) * residual;
    std::vector<std::pair<double, Index>> violated;
    for (Index i = 0; i < problem.num_columns(); ++i) {
      if (barred[at(i)] || problem.u[at(i)] > 0) continue;
      if (const double gain = slope(problem, i); gain > least) violated.emplace_back(-gain, i);
    }
    // A column that is barred, and would enter, is one that rounding keeps out.
    if (violated.empty()) return std::ranges::find(barred, true) == barred.end();
    std::ranges::sort(violated);
    // All new columns at once; later, as they come, one by one.
    if (!first) violated.resize(1);
    first = false;
    for (const auto& [gain, column] : violated)
      if (!enter(column)) return false;
    if (!settle(problem, wanted)) return false;
    // One that has left again at once would enter for ever.
    if (violated.size() == 1 && !(problem.u[at(violated[0].second)] > 0))
      barred[at(violated[0].second)] = true;
  }
  return false;
}

void GramNnls::retain(NnlsProblem& problem, const std::vector<bool>& keep) {
  complete(problem, Serial());
  // From the last position, so that positions still to be visited do not move.
  for (Index position = std::ssize(support_); position-- > 0;)
    if (!keep[at(support_[at(position)])]) leave(problem, position);
  const std::vector<Index> moved = nnls_moved(keep);
  for (Index& column : support_) column = moved[at(column)];
  // Columns that stay next to each other move together.
  struct Run {
    std::size_t from, to, size;
  };
  std::vector<Run> runs;
  for (std::size_t j = 0; j < keep.size(); ++j) {
    if (!keep[j]) continue;
    if (j == 0 || !keep[j - 1]) runs.push_back({j, at(moved[j]), 0});
    ++runs.back().size;
  }
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    const auto to = at(moved[i]);
    along_[to] = along_[i];
    std::vector<double>& row = gram_[i];
    for (const Run& run : runs) {
      if (run.from > i) break;
      const std::size_t size = std::min(run.size, i + 1 - run.from);
      if (run.from != run.to) std::memmove(row.data() + run.to, row.data() + run.from, size * sizeof(double));
    }
    row.resize(to + 1);
    if (to != i) gram_[to] = std::move(row);
  }
  along_.resize(at(std::ranges::count(keep, true)));
  gram_.resize(along_.size());
  num_complete_ = std::ssize(gram_);
}

}  // namespace giga
