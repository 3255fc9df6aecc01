#include "giga/construct/npy_rows.hpp"

#include <algorithm>
#include <cmath>

#include "giga/base/text.hpp"

namespace giga {
namespace {

// Gives back rows [first, first + count) of `view`, a view of all of `matrix`, if they are one run of bytes.
void release_rows(const NpyMatrix& matrix, const MatrixView& view, Index first, Index count) {
  const auto element = static_cast<Index>(scalar_bytes(view.scalar));
  if (view.col_stride != element || view.row_stride != element * view.cols) return;
  matrix.file().release(matrix.data_offset() + static_cast<std::size_t>(first * view.row_stride),
                        static_cast<std::size_t>(count * view.row_stride));
}

}  // namespace

NpyRows::NpyRows(const NpyMatrix& matrix) : DenseRows(matrix.view()), file_(&matrix) {}

void NpyRows::passed(Index first, Index count) const {
  release_rows(*file_, file_->view(), first, count);
}

std::string NpyRows::name() const {
  return printable_path(file_->file().path());
}

NpyLoglikRows::NpyLoglikRows(const NpyMatrix& matrix) : LoglikRows(matrix.view()), file_(&matrix) {}

void NpyLoglikRows::read(Index first, Index count, double* out) const {
  LoglikRows::read(first, count, out);
  for (Index i = 0; i < count; ++i) {
    double* row = out + i * dim();
    if (std::isfinite(row[0])) continue;  // centring spreads what is not finite to the whole row
    std::vector<double> raw(static_cast<std::size_t>(dim()));
    read_cols(file_->view(), first + i, 1, raw.data());
    // All finite: the mean overflowed, and an uncentred row must not pass for a vector.
    if (!std::all_of(raw.begin(), raw.end(), [](double x) { return std::isfinite(x); }))
      std::copy(raw.begin(), raw.end(), row);
  }
}

void NpyLoglikRows::passed(Index first, Index count) const {
  release_rows(*file_, transposed(file_->view()), first, count);
}

std::string NpyLoglikRows::name() const {
  return printable_path(file_->file().path());
}

}  // namespace giga
