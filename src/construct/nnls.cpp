// Nonnegative least squares by the active-set method of Lawson and Hanson (Solving Least Squares Problems,
// 1974, chapter 23), on a QR factorisation that is changed by one column at a time.
//
// Notation: A the columns a_i, b the target, u the solution, S the support (columns in the factorisation,
// in the order of support_), A_S = Q R with q_ the columns of Q and r_ the columns of the triangle,
// along_ = Q'b, z the least-squares solution on the support without the constraint.
//
// Invariants between calls: A_S = Q R and along_ = Q'b; u_i = 0 outside the support. After solve() u_S = z,
// and all of it is positive.
#include "giga/construct/nnls.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/extended.hpp"

namespace giga {
namespace {

constexpr Extended kDependent = 1e-14L;  // |a - Q Q'a| of a column that the support spans
// The <a_i, residual> that makes a column worth entering: more than this share of |residual|,
// and above rounding.
constexpr Extended kViolation = 1e-10L;
constexpr Extended kRounding = 1e-18L;

}  // namespace

NnlsSolver::NnlsSolver(ExtendedVector b) : b_(std::move(b)), residual_(b_) {}

void NnlsSolver::add(ExtendedVector column) {
  if (column.size() != b_.size()) throw std::invalid_argument("a column's length must be that of b");
  columns_.push_back(std::move(column));
  solution_.push_back(0);
}

// Appends the column to the factorisation: a = Q r + rest q. Gram-Schmidt, twice: after the second pass q is
// orthogonal to working precision. False if the support spans the column, which is then left out.
bool NnlsSolver::enter(Index column) {
  ExtendedVector q = columns_[at(column)];
  const Extended length = norm(q);
  ExtendedVector r(q_.size() + 1, 0);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < q_.size(); ++k) {
      const Extended along = dot(q_[k], q);
      r[k] += along;
      add_scaled(q, -along, q_[k]);
    }
  }
  const Extended rest = norm(q);
  if (!(rest > kDependent * length)) return false;
  r.back() = rest;
  scale(q, 1 / rest);
  along_.push_back(dot(q, b_));
  q_.push_back(std::move(q));
  r_.push_back(std::move(r));
  support_.push_back(column);
  return true;
}

// Invariant: A_support = Q R. Without column `position` R has one entry below the diagonal in each later
// column; a rotation of two rows of R, and of the same two columns of Q, removes each.
void NnlsSolver::leave(Index position) {
  solution_[at(support_[at(position)])] = 0;
  support_.erase(support_.begin() + position);
  r_.erase(r_.begin() + position);
  for (std::size_t k = at(position); k < r_.size(); ++k) {
    // Invariant: columns before k are triangular again. The rotation (c, s) takes (x, y) to (length, 0);
    // applied to rows k and k + 1 of R, to the same columns of Q and to the same entries of Q'b it keeps Q R
    // and Q Q'b as they are. length > 0: y was on the diagonal, where `enter` admits no zero.
    const Extended x = r_[k][k], y = r_[k][k + 1];
    const Extended length = std::hypot(x, y);
    const Extended c = x / length, s = y / length;
    for (std::size_t i = k; i < r_.size(); ++i) {
      const Extended upper = r_[i][k], lower = r_[i][k + 1];
      r_[i][k] = c * upper + s * lower;
      r_[i][k + 1] = c * lower - s * upper;
    }
    r_[k].pop_back();
    const Extended first = along_[k], second = along_[k + 1];
    along_[k] = c * first + s * second;
    along_[k + 1] = c * second - s * first;
    for (std::size_t j = 0; j < b_.size(); ++j) {
      const Extended left = q_[k][j], right = q_[k + 1][j];
      q_[k][j] = c * left + s * right;
      q_[k + 1][j] = c * right - s * left;
    }
  }
  q_.pop_back();
  along_.pop_back();
}

// The least-squares solution on the support, by back substitution in R z = Q'b.
std::vector<Extended> NnlsSolver::unconstrained() const {
  std::vector<Extended> z = along_;
  for (std::size_t k = z.size(); k-- > 0;) {
    // Invariant: z[k + 1 ..] is solved, and z[i] for i <= k has the solved part of its equation subtracted.
    z[k] /= r_[k][k];
    for (std::size_t i = 0; i < k; ++i) z[i] -= r_[k][i] * z[k];
  }
  return z;
}

// Moves from u towards the unconstrained optimum, leaving the support wherever the way crosses u_i = 0, until
// the optimum itself is positive. |A u - b| falls along the way.
void NnlsSolver::settle() {
  while (!support_.empty()) {
    // u + step (z - u) with the largest step <= 1 that keeps u >= 0: column k reaches 0 at u_k / (u_k - z_k).
    // `first` is the column that does so first, and -1 if z > 0.
    const std::vector<Extended> z = unconstrained();
    Extended step = 1;
    Index first = -1;
    for (std::size_t k = 0; k < z.size(); ++k) {
      if (z[k] > 0) continue;
      const Extended u = solution_[at(support_[k])];
      const Extended until = u > 0 ? u / (u - z[k]) : 0;
      if (until < step || first < 0) {
        step = std::min(step, until);
        first = static_cast<Index>(k);
      }
    }
    for (std::size_t k = 0; k < z.size(); ++k) {
      Extended& u = solution_[at(support_[k])];
      u = first < 0 ? z[k] : std::max<Extended>(0, u + step * (z[k] - u));
    }
    if (first < 0) return;
    leave(first);
  }
}

// From b and u, not from Q: the residual is what the entering column is judged by, and Q has the
// rounding of all rotations.
void NnlsSolver::update_residual() {
  residual_ = b_;
  for (const Index column : support_) add_scaled(residual_, -solution_[at(column)], columns_[at(column)]);
}

// argmax <a_i, b - A u> over the columns outside the support. Half the derivative of |A u - b|^2 in u_i is
// -<a_i, b - A u>, so a positive product is a violated Karush-Kuhn-Tucker condition; -1 if there is none.
Index NnlsSolver::most_violated(const std::vector<bool>& barred) const {
  Index worst = -1;
  Extended most = std::max(kViolation * norm(residual_), kRounding);
  for (Index i = 0; i < num_columns(); ++i) {
    if (barred[at(i)] || solution_[at(i)] > 0) continue;
    const Extended gain = dot(columns_[at(i)], residual_);
    if (gain > most) {
      most = gain;
      worst = i;
    }
  }
  return worst;
}

void NnlsSolver::solve() {
  // The support may have lost columns in `retain`, so u need not be optimal on it.
  settle();
  update_residual();
  std::vector<bool> barred(columns_.size(), false);
  // Every round lowers |A u - b| or bars a column for good; the cap is for rounding.
  for (Index round = 0; round < 3 * num_columns() + 16; ++round) {
    const Index column = most_violated(barred);
    if (column < 0) return;
    if (!enter(column)) {
      barred[at(column)] = true;
      continue;
    }
    settle();
    // A column that enters with a positive product has z > 0 in exact arithmetic; one that has left again at
    // once would enter for ever.
    if (!(solution_[at(column)] > 0)) barred[at(column)] = true;
    update_residual();
  }
}

void NnlsSolver::retain(const std::vector<bool>& keep) {
  // From the last position, so that positions still to be visited do not move.
  for (Index position = static_cast<Index>(support_.size()); position-- > 0;) {
    if (!keep[at(support_[at(position)])]) leave(position);
  }
  // moved[i] is the new number of column i, -1 for those removed.
  std::vector<Index> moved(columns_.size(), -1);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!keep[i]) continue;
    moved[i] = static_cast<Index>(kept);
    if (kept != i) {
      columns_[kept] = std::move(columns_[i]);
      solution_[kept] = solution_[i];
    }
    ++kept;
  }
  columns_.resize(kept);
  solution_.resize(kept);
  for (Index& column : support_) column = moved[at(column)];
}

std::vector<double> nnls(const std::vector<std::vector<double>>& columns, const std::vector<double>& b) {
  // The solver's tolerances are for unit vectors: with a_i' = a_i / |a_i| and b' = b / |b|, u_i = u_i' |b| /
  // |a_i|.
  ExtendedVector unit_b(b.begin(), b.end());
  const Extended b_norm = norm(unit_b);
  if (!(b_norm > 0)) return std::vector<double>(columns.size(), 0.0);
  scale(unit_b, 1 / b_norm);
  NnlsSolver solver(std::move(unit_b));
  std::vector<Extended> norms;
  for (const auto& column : columns) {
    ExtendedVector unit(column.begin(), column.end());
    norms.push_back(norm(unit));
    if (norms.back() > 0) scale(unit, 1 / norms.back());
    solver.add(std::move(unit));
  }
  solver.solve();
  std::vector<double> u(columns.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = norms[i] > 0 ? static_cast<double>(solver.solution()[i] * b_norm / norms[i]) : 0.0;
  }
  return u;
}

}  // namespace giga
