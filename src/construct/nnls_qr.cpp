// Nonnegative least squares by the active-set method of Lawson and Hanson (Solving Least Squares Problems,
// 1974, chapter 23), on a QR factorisation that is changed by one column at a time.
//
// Notation: A the unit columns a_i, b the target, u the solution, S the support (columns in the
// factorisation, in the order of support_), A_S = Q R with q_ the columns of Q and r_ the columns of the
// triangle, along_ = Q'b, z the least-squares solution on the support without the constraint.
//
// Invariants between calls: A_S = Q R and along_ = Q'b; u_i = 0 outside the support. After solve() u_S = z,
// and all of it is positive.
#include "construct/nnls_qr.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace giga {
namespace {

constexpr Extended kDependent = 1e-14L;  // |a - Q Q'a| of a column that the support spans
constexpr Extended kRounding = 1e-18L;

// argmax <a_i, b - A u> over the columns outside the support. Half the derivative of |A u - b|^2 in u_i is
// -<a_i, b - A u>, so a positive product is a violated Karush-Kuhn-Tucker condition; -1 if there is none.
Index most_violated(const NnlsProblem& problem, const ExtendedVector& residual,
                    const std::vector<bool>& barred) {
  Index worst = -1;
  Extended most = std::max(kNnlsViolation * norm(residual), kRounding);
  for (Index i = 0; i < problem.num_columns(); ++i) {
    if (barred[at(i)] || problem.u[at(i)] > 0) continue;
    const Extended gain = dot(problem.column(i), residual) / problem.norms[at(i)];
    if (gain > most) {
      most = gain;
      worst = i;
    }
  }
  return worst;
}

}  // namespace

QrNnls::QrNnls(NnlsProblem& problem) {
  for (Index i = 0; i < problem.num_columns(); ++i)
    if (problem.u[at(i)] > 0 && !enter(problem, i)) problem.u[at(i)] = 0;
}

// Appends the column to the factorisation: a = Q r + rest q. Gram-Schmidt, twice: after the second pass q is
// orthogonal to working precision. False if the support spans the column, which is then left out.
bool QrNnls::enter(const NnlsProblem& problem, Index column) {
  ExtendedVector q = problem.unit(column);
  ExtendedVector r(q_.size() + 1, 0);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < q_.size(); ++k) {
      const Extended along = dot(q_[k], q);
      r[k] += along;
      add_scaled(q, -along, q_[k]);
    }
  }
  const Extended rest = norm(q);
  if (!(rest > kDependent)) return false;
  r.back() = rest;
  scale(q, 1 / rest);
  along_.push_back(dot(q, problem.b));
  q_.push_back(std::move(q));
  r_.push_back(std::move(r));
  support_.push_back(column);
  return true;
}

// Invariant: A_support = Q R. Without column `position` R has one entry below the diagonal in each later
// column; a rotation of two rows of R, and of the same two columns of Q, removes each.
void QrNnls::leave(NnlsProblem& problem, Index position) {
  problem.u[at(support_[at(position)])] = 0;
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
    for (std::size_t j = 0; j < problem.b.size(); ++j) {
      const Extended left = q_[k][j], right = q_[k + 1][j];
      q_[k][j] = c * left + s * right;
      q_[k + 1][j] = c * right - s * left;
    }
  }
  q_.pop_back();
  along_.pop_back();
}

// The least-squares solution on the support, by back substitution in R z = Q'b.
std::vector<Extended> QrNnls::unconstrained() const {
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
void QrNnls::settle(NnlsProblem& problem) {
  while (!support_.empty()) {
    const std::vector<Extended> z = unconstrained();
    const NnlsBoundary boundary = nnls_boundary(problem.u, support_, z);
    nnls_advance(problem.u, support_, z, boundary);
    if (boundary.position < 0) return;
    leave(problem, boundary.position);
  }
}

void QrNnls::solve(NnlsProblem& problem) {
  // The support may have lost columns in `retain`, so u need not be optimal on it.
  settle(problem);
  ExtendedVector residual = problem.residual();
  std::vector<bool> barred(problem.columns.size(), false);
  // Every round lowers |A u - b| or bars a column for good; the cap is for rounding.
  for (Index round = 0; round < 3 * problem.num_columns() + 16; ++round) {
    const Index column = most_violated(problem, residual, barred);
    if (column < 0) return;
    if (!enter(problem, column)) {
      barred[at(column)] = true;
      continue;
    }
    settle(problem);
    // A column that enters with a positive product has z > 0 in exact arithmetic; one that has left again at
    // once would enter for ever.
    if (!(problem.u[at(column)] > 0)) barred[at(column)] = true;
    residual = problem.residual();
  }
}

void QrNnls::retain(NnlsProblem& problem, const std::vector<bool>& keep) {
  // From the last position, so that positions still to be visited do not move.
  for (Index position = std::ssize(support_); position-- > 0;)
    if (!keep[at(support_[at(position)])]) leave(problem, position);
  const std::vector<Index> moved = nnls_moved(keep);
  for (Index& column : support_) column = moved[at(column)];
}

}  // namespace giga
