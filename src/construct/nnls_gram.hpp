// NNLS by the Cholesky factor of the Gram matrix, in double: fast, with a test that tells where it is not
// enough.
#pragma once

#include <span>
#include <vector>

#include "construct/nnls_problem.hpp"
#include "giga/base/executor.hpp"

namespace giga {

/// R, upper triangular with R'R = G for some G; changed by one column at a time.
class TriangularFactor {
 public:
  [[nodiscard]] Index size() const { return size_; }
  /// Adds a row and column to G: `products` with those there, then `square` on the diagonal. False, and
  /// unchanged, if what is left of the square is at most `least`.
  bool append(std::vector<double> products, double square, double least);
  void remove(Index position);
  /// G^-1 c, of size() numbers.
  [[nodiscard]] std::vector<double> solve(std::vector<double> c) const;

 private:
  [[nodiscard]] double* row(Index k) { return rows_.data() + k * room_; }
  [[nodiscard]] const double* row(Index k) const { return rows_.data() + k * room_; }
  void forward(std::vector<double>& c) const;

  Index size_ = 0, room_ = 0;
  std::vector<double> rows_;  // entry (k, i), i >= k, at k * room_ + i
};

class GramNnls {
 public:
  /// The last column of the problem is new. `products` as in NnlsSolver::add.
  void add(const NnlsProblem& problem, std::span<const double> products);
  /// Forms the products of new columns that were not given: before solve().
  void complete(const NnlsProblem& problem, const Executor& executor);
  /// To the conditions that NnlsSolver states; false where they were not reached, or cannot be judged: then u
  /// is a feasible point no worse than before.
  [[nodiscard]] bool solve(NnlsProblem& problem);
  /// Before the problem itself forgets the columns.
  void retain(NnlsProblem& problem, const std::vector<bool>& keep);

 private:
  bool enter(Index column);
  void leave(NnlsProblem& problem, Index position);
  [[nodiscard]] bool settle(NnlsProblem& problem);
  [[nodiscard]] std::vector<double> of_support(std::span<const double> values) const;
  [[nodiscard]] std::vector<double> slopes_on_support(std::span<const double> z) const;
  [[nodiscard]] bool refine(std::vector<double>& z) const;
  [[nodiscard]] double slope(const NnlsProblem& problem, Index column) const;

  std::vector<double> along_;              // <a_i, b>
  std::vector<std::vector<double>> gram_;  // <a_i, a_j>, square once complete
  Index num_complete_ = 0;                 // columns whose products with each other are there
  std::vector<Index> support_;             // columns in the factor, in its order
  TriangularFactor factor_;
};

}  // namespace giga
