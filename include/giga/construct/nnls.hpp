// Nonnegative least squares: min |sum_i u_i a_i - b| over u >= 0.
//
// The active-set method of Lawson and Hanson. The columns with u_i > 0 (the support) are kept as a thin QR
// factorisation that is up-dated when a column enters and down-dated when one leaves, O(k J) each, so solving
// again after one more column costs a step and not a solve. QR of the columns rather than Cholesky of their
// Gram matrix, whose condition number is the square: rows of real likelihoods are near-duplicates as a rule
// (docs/methods.md).
#pragma once

#include <vector>

#include "giga/base/types.hpp"

namespace giga {

class NnlsSolver {
 public:
  /// `b`: the vector to approximate.
  explicit NnlsSolver(ExtendedVector b);

  /// Adds a column, of norm about 1, with u = 0; columns are numbered in order of arrival.
  void add(ExtendedVector column);

  /// Removes the columns i with keep[i] false; those behind them move up.
  void retain(const std::vector<bool>& keep);

  /// Finds u, starting from the last solution. Ends on the Karush-Kuhn-Tucker conditions
  ///   u >= 0;  |<a_i, b - A u>| <= 1e-12 where u_i > 0;  <a_i, b - A u> <= 1e-10 |b - A u| where u_i = 0
  /// (columns that depend linearly on the support, to 1e-14, are left at zero). Never raises |A u - b|.
  void solve();

  [[nodiscard]] Index num_columns() const { return static_cast<Index>(columns_.size()); }
  [[nodiscard]] const std::vector<Extended>& solution() const { return solution_; }
  /// b - A u.
  [[nodiscard]] const ExtendedVector& residual() const { return residual_; }

 private:
  bool enter(Index column);
  void leave(Index position);
  [[nodiscard]] std::vector<Extended> unconstrained() const;
  void settle();
  void update_residual();
  [[nodiscard]] Index most_violated(const std::vector<bool>& barred) const;

  ExtendedVector b_;
  std::vector<ExtendedVector> columns_;
  std::vector<Extended> solution_;
  ExtendedVector residual_;

  std::vector<Index> support_;     // columns in the factorisation, in its order
  std::vector<Extended> along_;    // Q'b
  std::vector<ExtendedVector> q_;  // orthonormal, one for each of the support
  std::vector<ExtendedVector> r_;  // r_[k]: the k + 1 entries of column k of the triangle
};

/// u for the columns a_0, a_1, ... of `columns` (each as long as b), from nothing. Columns may have any norm.
[[nodiscard]] std::vector<double> nnls(const std::vector<std::vector<double>>& columns,
                                       const std::vector<double>& b);

}  // namespace giga
