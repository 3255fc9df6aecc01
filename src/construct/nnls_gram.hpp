// NNLS by the Cholesky factor of the Gram matrix, in double: fast, with a test that tells where it is not
// enough.
#pragma once

#include <span>
#include <vector>

#include "construct/nnls_problem.hpp"
#include "giga/base/executor.hpp"

namespace giga {

/// R, upper triangular with R'R = G, and y = R'^-1 c, for some G and c; changed by one column at a time. G^-1
/// c is then one back substitution away.
class TriangularFactor {
 public:
  [[nodiscard]] Index size() const { return size_; }
  /// Adds a row and column to G, `products` with those there, then `square` on the diagonal, and an entry to
  /// c. False, and unchanged, if what is left of the square is at most `least`.
  bool append(std::vector<double> products, double square, double entry, double least);
  void remove(Index position);
  /// G^-1 c.
  [[nodiscard]] std::vector<double> solve() const;
  /// G^-1 b for another right-hand side.
  [[nodiscard]] std::vector<double> solve(std::vector<double> b) const;

 private:
  // Row k without the k zeros before its diagonal; entry (k, i) at row(k)[i].
  [[nodiscard]] Index place(Index k) const { return k * room_ - k * (k + 1) / 2; }
  [[nodiscard]] double* row(Index k) { return rows_.data() + place(k); }
  [[nodiscard]] const double* row(Index k) const { return rows_.data() + place(k); }
  void widen();
  void forward(std::vector<double>& b) const;
  void backward(std::vector<double>& b) const;

  Index size_ = 0, room_ = 0;
  std::vector<double> rows_;  // the triangle, row after row, each with room for room_ columns
  std::vector<double> y_;
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
  /// The same without refinement: u is then within about cond(G) eps of the optimum. For what only chooses.
  [[nodiscard]] bool solve_roughly(NnlsProblem& problem);
  /// Before the problem itself forgets the columns.
  void retain(NnlsProblem& problem, const std::vector<bool>& keep);

 private:
  // Whether u is the optimum on the support: as far as the factor gives it, or refined.
  enum class Settled { No, Roughly, Refined };

  bool enter(Index column);
  void leave(NnlsProblem& problem, Index position);
  [[nodiscard]] bool settle(NnlsProblem& problem, Settled wanted);
  [[nodiscard]] bool find(NnlsProblem& problem, Settled wanted);
  // <a_i, a_j>.
  [[nodiscard]] double product(Index i, Index j) const {
    return i < j ? gram_[at(j)][at(i)] : gram_[at(i)][at(j)];
  }
  [[nodiscard]] std::vector<double> slopes_on_support(std::span<const double> z) const;
  [[nodiscard]] bool refine(std::vector<double>& z) const;
  [[nodiscard]] double slope(const NnlsProblem& problem, Index column) const;

  std::vector<double> along_;              // <a_i, b>
  std::vector<std::vector<double>> gram_;  // <a_i, a_j>, j <= i, once complete
  Index num_complete_ = 0;                 // columns whose products with each other are there
  Settled settled_ = Settled::No;
  std::vector<Index> support_;  // columns in the factor, in its order
  TriangularFactor factor_;
};

}  // namespace giga
