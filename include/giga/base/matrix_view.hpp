// A read-only view of a matrix that lies in memory in any scalar type, byte order and strides, and the two
// functions that turn blocks of it into row-major doubles. Nothing is owned and nothing needs to be aligned.
#pragma once

#include <cstddef>

#include "giga/base/types.hpp"

namespace giga {

enum class Scalar { Bool, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float32, Float64 };

[[nodiscard]] std::size_t scalar_bytes(Scalar scalar);

struct MatrixView {
  const std::byte* data = nullptr;  ///< element (0, 0)
  Scalar scalar = Scalar::Float64;
  bool swap_bytes = false;  ///< the byte order of the elements is not that of this machine
  Index rows = 0;
  Index cols = 0;
  Index row_stride = 0;  ///< bytes from (i, j) to (i + 1, j)
  Index col_stride = 0;  ///< bytes from (i, j) to (i, j + 1)

  /// Row-major elements without gaps.
  [[nodiscard]] static MatrixView of(const double* data, Index rows, Index cols);
  [[nodiscard]] static MatrixView of(const float* data, Index rows, Index cols);
};

/// The same elements with rows and columns exchanged.
[[nodiscard]] MatrixView transposed(MatrixView view);

/// Element (0, 0) if the view already is an aligned row-major array of native doubles without gaps; else
/// nullptr.
[[nodiscard]] const double* contiguous_rows(const MatrixView& view);

/// Rows [first, first + count) as row-major doubles: writes count * cols values. 64-bit integers are rounded
/// to the nearest double, a bool is 0 or 1. Throws std::invalid_argument unless 0 <= first <= first + count
/// <= rows.
void read_rows(const MatrixView& view, Index first, Index count, double* out);

/// Columns [first, first + count), each as `rows` doubles in sequence: read_rows of the transpose.
void read_cols(const MatrixView& view, Index first, Index count, double* out);

}  // namespace giga
