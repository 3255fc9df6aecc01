// Rows of a matrix in memory, as they are or (LoglikRows) centred: L_n(theta_s) less its
// mean over the draws s.
#include "giga/construct/dense_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace giga {

namespace {

const MatrixView& checked(const MatrixView& matrix) {
  if (matrix.rows < 1 || matrix.cols < 1) {
    throw std::invalid_argument("matrix is " + std::to_string(matrix.rows) + " x " +
                                std::to_string(matrix.cols) + ", must have at least one row and one column");
  }
  return matrix;
}

// A row with a value that is not finite is left as it is, to be refused by the place of that value.
void centre(double* row, Index dim) {
  const auto count = static_cast<double>(dim);
  double sum = 0;
  for (Index j = 0; j < dim; ++j) sum += row[j];
  double mean = sum / count;
  if (!std::isfinite(mean)) {
    if (!std::all_of(row, row + dim, [](double x) { return std::isfinite(x); })) return;
    mean = 0;  // only the sum overflowed
    for (Index j = 0; j < dim; ++j) mean += row[j] / count;
  }
  // A second pass subtracts the rounding of the mean: log-likelihoods of -1e6 that vary by 1e-3 keep the
  // digits of their differences.
  double remainder = 0;  // what rounding left in the mean
  for (Index j = 0; j < dim; ++j) remainder += row[j] - mean;
  for (Index j = 0; j < dim; ++j) row[j] = (row[j] - mean) - remainder / count;
}

}  // namespace

DenseRows::DenseRows(const MatrixView& matrix) : matrix_(checked(matrix)) {}

void DenseRows::read(Index first, Index count, double* out) const {
  read_rows(matrix_, first, count, out);
}

LoglikRows::LoglikRows(const MatrixView& loglik) : transposed_(transposed(checked(loglik))) {}

void LoglikRows::read(Index first, Index count, double* out) const {
  read_rows(transposed_, first, count, out);
  for (Index i = 0; i < count; ++i) centre(out + i * dim(), dim());
}

std::string LoglikRows::place(Index n, Index j) const {
  return "row " + std::to_string(j) + ", column " + std::to_string(n);
}

}  // namespace giga
