// Vectors that lie in memory as a matrix.
#pragma once

#include <string>

#include "giga/base/matrix_view.hpp"
#include "giga/base/row_source.hpp"
#include "giga/base/types.hpp"

namespace giga {

/// The rows of a matrix that the caller keeps alive.
class DenseRows : public RowSource {
 public:
  explicit DenseRows(const MatrixView& matrix);

  [[nodiscard]] Index num_rows() const override { return matrix_.rows; }
  [[nodiscard]] Index dim() const override { return matrix_.cols; }
  void read(Index first, Index count, double* out) const override;
  [[nodiscard]] const double* contiguous() const override { return contiguous_rows(matrix_); }

 protected:
  [[nodiscard]] const MatrixView& matrix() const { return matrix_; }

 private:
  MatrixView matrix_;
};

/// Pointwise log-likelihoods, S draws x N observations (the layout of R's loo): the vector of observation n
/// is its column less its mean. That is the centred L2 norm, up to a factor sqrt(S) which no weight depends
/// on.
class LoglikRows : public RowSource {
 public:
  explicit LoglikRows(const MatrixView& loglik);

  [[nodiscard]] Index num_rows() const override { return transposed_.rows; }
  [[nodiscard]] Index dim() const override { return transposed_.cols; }
  void read(Index first, Index count, double* out) const override;
  [[nodiscard]] std::string place(Index n, Index j) const override;

 private:
  MatrixView transposed_;
};

}  // namespace giga
