// Rows of a mapped .npy file, and the release of those a pass is done with.
#include "giga/construct/npy_rows.hpp"

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

void NpyLoglikRows::passed(Index first, Index count) const {
  release_rows(*file_, transposed(file_->view()), first, count);
}

std::string NpyLoglikRows::name() const {
  return printable_path(file_->file().path());
}

}  // namespace giga
