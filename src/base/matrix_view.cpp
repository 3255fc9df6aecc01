// Element (i, j) of a view lies at data + i row_stride + j col_stride and has the type `scalar`. Each reader
// below is compiled for one element type and byte order, and writes row-major doubles. All loads go through
// memcpy, since the data may start at any byte. The way down is
//
//     read_rows -> copy_rows (which layout?) -> copy_run (no gaps) or copy_strided (tiles) -> load
#include "giga/base/matrix_view.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace giga {
namespace {

// NumPy stores a bool in one byte; any byte other than 0 is true.
struct BoolByte {
  std::uint8_t value;
  explicit operator double() const { return value == 0 ? 0.0 : 1.0; }
};

std::uint8_t reversed(std::uint8_t bits) {
  return bits;
}
std::uint16_t reversed(std::uint16_t bits) {
  return __builtin_bswap16(bits);
}
std::uint32_t reversed(std::uint32_t bits) {
  return __builtin_bswap32(bits);
}
std::uint64_t reversed(std::uint64_t bits) {
  return __builtin_bswap64(bits);
}

// The unsigned integer as wide as the element: bytes are reversed in it before it is read as a number, since
// a float whose bytes are in the wrong order may not survive a copy as a float.
template <typename Element>
using BitsOf = std::conditional_t<
    sizeof(Element) == 1, std::uint8_t,
    std::conditional_t<sizeof(Element) == 2, std::uint16_t,
                       std::conditional_t<sizeof(Element) == 4, std::uint32_t, std::uint64_t>>>;

template <typename Element, bool kSwap>
double load(const std::byte* from) {
  BitsOf<Element> bits;
  std::memcpy(&bits, from, sizeof bits);
  if constexpr (kSwap) bits = reversed(bits);
  return static_cast<double>(std::bit_cast<Element>(bits));
}

// Elements that follow each other without gaps.
template <typename Element, bool kSwap>
void copy_run(const std::byte* from, Index count, double* out) {
  if constexpr (std::is_same_v<Element, double> && !kSwap) {
    std::memcpy(out, from, at(count) * sizeof(double));
  } else {
    constexpr Index kBytes = sizeof(Element);
    for (Index i = 0; i < count; ++i) out[i] = load<Element, kSwap>(from + i * kBytes);
  }
}

// A tile is 8 columns (one cache line of output) by kTileRows rows (each column is then read in a run long
// enough for the prefetcher, while the rows written stay in cache until all their columns are there).
constexpr Index kTileCols = 8;
constexpr Index kTileRows = 256;

// Rows [0, count) of a view whose columns do not lie side by side. Every element is read once and written
// once; only the order is chosen, tile by tile. A full tile has a constant width, which the compiler unrolls.
template <typename Element, bool kSwap>
void copy_strided(const MatrixView& view, const std::byte* from, Index count, double* out) {
  const Index row_stride = view.row_stride;
  const Index col_stride = view.col_stride;
  for (Index top = 0; top < count; top += kTileRows) {
    const Index bottom = std::min(count, top + kTileRows);
    for (Index left = 0; left < view.cols; left += kTileCols) {
      const Index width = std::min(kTileCols, view.cols - left);
      for (Index i = top; i < bottom; ++i) {
        const std::byte* source = from + i * row_stride + left * col_stride;
        double* target = out + i * view.cols + left;
        if (width == kTileCols) {
          for (Index j = 0; j < kTileCols; ++j) target[j] = load<Element, kSwap>(source + j * col_stride);
        } else {
          for (Index j = 0; j < width; ++j) target[j] = load<Element, kSwap>(source + j * col_stride);
        }
      }
    }
  }
}

template <typename Element, bool kSwap>
void copy_rows(const MatrixView& view, const std::byte* from, Index count, double* out) {
  constexpr Index kBytes = sizeof(Element);
  // Three layouts, from the most general to the simplest: gaps within a row, no gaps anywhere, gaps only
  // between rows.
  if (view.col_stride != kBytes && view.cols > 1) {
    copy_strided<Element, kSwap>(view, from, count, out);
  } else if (view.row_stride == kBytes * view.cols) {
    copy_run<Element, kSwap>(from, count * view.cols, out);
  } else {
    for (Index i = 0; i < count; ++i) {
      copy_run<Element, kSwap>(from + i * view.row_stride, view.cols, out + i * view.cols);
    }
  }
}

template <typename Element>
void copy_rows(const MatrixView& view, const std::byte* from, Index count, double* out) {
  // The byte order of a single byte does not matter; that case is not compiled twice.
  if (view.swap_bytes && sizeof(Element) > 1) {
    copy_rows<Element, true>(view, from, count, out);
  } else {
    copy_rows<Element, false>(view, from, count, out);
  }
}

MatrixView row_major(const void* data, Scalar scalar, Index rows, Index cols) {
  const auto bytes = static_cast<Index>(scalar_bytes(scalar));
  return {.data = static_cast<const std::byte*>(data),
          .scalar = scalar,
          .swap_bytes = false,
          .rows = rows,
          .cols = cols,
          .row_stride = bytes * cols,
          .col_stride = bytes};
}

}  // namespace

std::size_t scalar_bytes(Scalar scalar) {
  switch (scalar) {
    case Scalar::Bool:
    case Scalar::Int8:
    case Scalar::UInt8: return 1;
    case Scalar::Int16:
    case Scalar::UInt16: return 2;
    case Scalar::Int32:
    case Scalar::UInt32:
    case Scalar::Float32: return 4;
    case Scalar::Int64:
    case Scalar::UInt64:
    case Scalar::Float64: return 8;
  }
  throw std::invalid_argument("scalar_bytes: not a Scalar: " + std::to_string(static_cast<int>(scalar)));
}

MatrixView MatrixView::of(const double* data, Index rows, Index cols) {
  return row_major(data, Scalar::Float64, rows, cols);
}

MatrixView MatrixView::of(const float* data, Index rows, Index cols) {
  return row_major(data, Scalar::Float32, rows, cols);
}

MatrixView transposed(MatrixView view) {
  std::swap(view.rows, view.cols);
  std::swap(view.row_stride, view.col_stride);
  return view;
}

const double* contiguous_rows(const MatrixView& view) {
  constexpr Index kBytes = sizeof(double);
  // A view of one row or column may have any stride and still be contiguous; such views are copied.
  const bool dense = view.col_stride == kBytes && view.row_stride == kBytes * view.cols;
  const bool aligned = reinterpret_cast<std::uintptr_t>(view.data) % alignof(double) == 0;
  if (view.scalar != Scalar::Float64 || view.swap_bytes || !dense || !aligned) return nullptr;
  return reinterpret_cast<const double*>(view.data);
}

void read_rows(const MatrixView& view, Index first, Index count, double* out) {
  // Written without first + count, which might overflow.
  if (first < 0 || count < 0 || first > view.rows || count > view.rows - first) {
    throw std::invalid_argument("read_rows: first " + std::to_string(first) + ", count " +
                                std::to_string(count) + " must lie within " + std::to_string(view.rows) +
                                " rows");
  }
  if (count == 0 || view.cols == 0) return;
  const std::byte* from = view.data + first * view.row_stride;
  switch (view.scalar) {
    case Scalar::Bool: return copy_rows<BoolByte>(view, from, count, out);
    case Scalar::Int8: return copy_rows<std::int8_t>(view, from, count, out);
    case Scalar::UInt8: return copy_rows<std::uint8_t>(view, from, count, out);
    case Scalar::Int16: return copy_rows<std::int16_t>(view, from, count, out);
    case Scalar::UInt16: return copy_rows<std::uint16_t>(view, from, count, out);
    case Scalar::Int32: return copy_rows<std::int32_t>(view, from, count, out);
    case Scalar::UInt32: return copy_rows<std::uint32_t>(view, from, count, out);
    case Scalar::Int64: return copy_rows<std::int64_t>(view, from, count, out);
    case Scalar::UInt64: return copy_rows<std::uint64_t>(view, from, count, out);
    case Scalar::Float32: return copy_rows<float>(view, from, count, out);
    case Scalar::Float64: return copy_rows<double>(view, from, count, out);
  }
}

void read_cols(const MatrixView& view, Index first, Index count, double* out) {
  read_rows(transposed(view), first, count, out);
}

}  // namespace giga
