// NNLS by a QR factorisation of the support in extended precision: slow, and right for nearly dependent
// columns.
#pragma once

#include <vector>

#include "construct/nnls_problem.hpp"

namespace giga {

class QrNnls {
 public:
  /// Begins with the columns that have weight.
  explicit QrNnls(NnlsProblem& problem);

  /// To the conditions that NnlsSolver states.
  void solve(NnlsProblem& problem);
  /// Before the problem itself forgets the columns.
  void retain(NnlsProblem& problem, const std::vector<bool>& keep);

 private:
  bool enter(const NnlsProblem& problem, Index column);
  void leave(NnlsProblem& problem, Index position);
  [[nodiscard]] std::vector<Extended> unconstrained() const;
  void settle(NnlsProblem& problem);

  std::vector<Index> support_;     // columns in the factorisation, in its order
  std::vector<Extended> along_;    // Q'b
  std::vector<ExtendedVector> q_;  // orthonormal, one for each of the support
  std::vector<ExtendedVector> r_;  // r_[k]: the k + 1 entries of column k of the triangle
};

}  // namespace giga
