// Nonnegative least squares: min |sum_i u_i a_i - b| over u >= 0, for unit columns a_i.
//
// The active-set method of Lawson and Hanson, warm-started: solving again after a few more columns costs a
// step and not a solve. Two factorisations serve it. The first is the Cholesky factor of the columns' Gram
// matrix, in double, with iterative refinement: O(k^2) per column that enters or leaves. Its accuracy falls
// with the square of the condition number, and rows of real likelihoods are near-duplicates as a rule; so a
// test after every solve tells whether it was enough (nnls_gram.hpp). Where it was not, a QR factorisation of
// the columns themselves in extended precision takes over for good, O(k J) per column (nnls_qr.hpp).
// docs/methods.md has the figures.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/base/types.hpp"

namespace giga {

class NnlsSolver {
 public:
  /// `b`: the vector to approximate, of norm about 1.
  explicit NnlsSolver(ExtendedVector b);
  ~NnlsSolver();
  NnlsSolver(const NnlsSolver& other);
  NnlsSolver& operator=(const NnlsSolver& other);
  NnlsSolver(NnlsSolver&&) noexcept;
  NnlsSolver& operator=(NnlsSolver&&) noexcept;

  /// Adds a column with u = 0; columns are numbered in order of arrival. It may have any norm but zero: a_i
  /// is the column over its norm. `products`, where they are known, are <a, a_i> for the columns that are
  /// there, within 1e-14.
  void add(const std::vector<double>& column, std::span<const double> products = {});
  /// The same without a copy of the column, where its norm allows.
  void add_shared(std::shared_ptr<const std::vector<double>> column, std::span<const double> products = {});

  /// The same of a column that is not kept: whoever solves can read it again. `products` must be known.
  void add_passing(const std::vector<double>& column, std::span<const double> products);
  /// Column i, as it was added.
  using ReadColumn = std::function<std::vector<double>(Index)>;

  /// Removes the columns i with keep[i] false; those behind them move up.
  void retain(const std::vector<bool>& keep);

  /// Finds u, starting from the last solution. Ends on the Karush-Kuhn-Tucker conditions
  ///   u >= 0;  |<a_i, b - A u>| <= 1e-12 where u_i > 0;  <a_i, b - A u> <= 1e-10 |b - A u| where u_i = 0
  /// (columns that depend linearly on the support, to 1e-14, are left at zero). Never raises |A u - b| by
  /// more than rounding.
  /// `read` is asked for columns that are not kept, once double precision is not enough: from then on all
  /// are.
  void solve(const Executor& executor = Serial(), const ReadColumn& read = {});
  /// The same without the last digits, while double precision is enough: for what only chooses the next
  /// column.
  void solve_roughly(const Executor& executor = Serial(), const ReadColumn& read = {});

  [[nodiscard]] Index num_columns() const;
  [[nodiscard]] const std::vector<Extended>& solution() const;
  /// b - A u; all columns must be kept.
  [[nodiscard]] ExtendedVector residual() const;
  /// Whether double precision was not enough.
  [[nodiscard]] bool in_extended() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// u for the columns a_0, a_1, ... of `columns` (each as long as b), from nothing. Columns may have any norm.
[[nodiscard]] std::vector<double> nnls(const std::vector<std::vector<double>>& columns,
                                       const std::vector<double>& b);

}  // namespace giga
