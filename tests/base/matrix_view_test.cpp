// read_rows against element-by-element oracles, in every layout.
#include "giga/base/matrix_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

namespace giga {
namespace {

// Element (i, j) of every matrix below: a small whole number, exact in every scalar type.
int value_at(Index i, Index j) {
  return static_cast<int>((i * 31 + j * 7) % 100);
}

std::vector<double> expected_rows(Index first, Index count, Index cols) {
  std::vector<double> out;
  for (Index i = first; i < first + count; ++i) {
    for (Index j = 0; j < cols; ++j) out.push_back(value_at(i, j));
  }
  return out;
}

std::vector<double> rows_of(const MatrixView& view, Index first, Index count) {
  std::vector<double> out(static_cast<std::size_t>(count * view.cols), -1.0);
  read_rows(view, first, count, out.data());
  return out;
}

// The bytes of a matrix in the given layout, after `lead` bytes that push it off alignment, with `gap` bytes
// after each element along the fast dimension.
template <typename Element>
class Stored {
 public:
  Stored(Scalar scalar, Index rows, Index cols, bool fortran, bool swap, Index lead, Index gap = 0) {
    const Index bytes = static_cast<Index>(sizeof(Element)) + gap;
    view_ = {
        nullptr, scalar, swap, rows, cols, fortran ? bytes : bytes * cols, fortran ? bytes * rows : bytes};
    storage_.resize(static_cast<std::size_t>(lead + bytes * rows * cols));
    view_.data = storage_.data() + lead;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) {
        const auto value = static_cast<Element>(value_at(i, j));
        std::byte* at = storage_.data() + lead + i * view_.row_stride + j * view_.col_stride;
        std::memcpy(at, &value, sizeof value);
        if (swap) std::reverse(at, at + sizeof value);
      }
    }
  }
  [[nodiscard]] MatrixView view() const { return view_; }

 private:
  std::vector<std::byte> storage_;
  MatrixView view_;
};

template <typename Element>
void expect_all_layouts_agree(Scalar scalar) {
  constexpr Index kRows = 301;  // more than one tile, and a remainder
  for (const Index cols : {1, 3, 8, 21}) {
    for (const bool fortran : {false, true}) {
      for (const bool swap : {false, true}) {
        for (const Index lead : {0, 3}) {
          const Stored<Element> stored(scalar, kRows, cols, fortran, swap, lead);
          EXPECT_EQ(rows_of(stored.view(), 0, kRows), expected_rows(0, kRows, cols));
          EXPECT_EQ(rows_of(stored.view(), 17, 270), expected_rows(17, 270, cols));
        }
      }
    }
  }
}

TEST(MatrixView, GivesTheSameRowsForEveryScalarByteOrderAndLayout) {
  expect_all_layouts_agree<std::int8_t>(Scalar::Int8);
  expect_all_layouts_agree<std::uint8_t>(Scalar::UInt8);
  expect_all_layouts_agree<std::int16_t>(Scalar::Int16);
  expect_all_layouts_agree<std::uint16_t>(Scalar::UInt16);
  expect_all_layouts_agree<std::int32_t>(Scalar::Int32);
  expect_all_layouts_agree<std::uint32_t>(Scalar::UInt32);
  expect_all_layouts_agree<std::int64_t>(Scalar::Int64);
  expect_all_layouts_agree<std::uint64_t>(Scalar::UInt64);
  expect_all_layouts_agree<float>(Scalar::Float32);
  expect_all_layouts_agree<double>(Scalar::Float64);
}

TEST(MatrixView, ReadsAnyNonzeroBoolByteAsOne) {
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{1}, std::byte{255}, std::byte{0}};
  const MatrixView view{bytes.data(), Scalar::Bool, true, 2, 2, 2, 1};
  EXPECT_EQ(rows_of(view, 0, 2), (std::vector<double>{0, 1, 1, 0}));
}

TEST(MatrixView, KeepsSignsAndRoundsLargeIntegersToTheNearestDouble) {
  const std::vector<std::int64_t> values{-1, (std::int64_t{1} << 53) + 1,
                                         std::numeric_limits<std::int64_t>::min(), 7};
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  EXPECT_EQ(rows_of({data, Scalar::Int64, false, 1, 4, 32, 8}, 0, 1),
            (std::vector<double>{-1, 9007199254740992.0, -9223372036854775808.0, 7}));
  EXPECT_EQ(rows_of({data, Scalar::UInt64, false, 1, 1, 8, 8}, 0, 1),
            (std::vector<double>{18446744073709551616.0}));
}

TEST(MatrixView, FollowsGapsAndNegativeStrides) {
  const Stored<double> gaps(Scalar::Float64, 10, 5, false, false, 0, 8);
  EXPECT_EQ(rows_of(gaps.view(), 2, 6), expected_rows(2, 6, 5));
  const Stored<double> stored(Scalar::Float64, 10, 5, false, false, 0);
  MatrixView upside_down = stored.view();
  upside_down.data += 9 * upside_down.row_stride;
  upside_down.row_stride = -upside_down.row_stride;
  EXPECT_EQ(rows_of(upside_down, 0, 1), expected_rows(9, 1, 5));
  EXPECT_EQ(rows_of(upside_down, 9, 1), expected_rows(0, 1, 5));
}

TEST(MatrixView, ReadsColumnsAsRowsOfTheTranspose) {
  for (const bool fortran : {false, true}) {
    const Stored<float> stored(Scalar::Float32, 300, 20, fortran, false, 0);
    std::vector<double> out(300 * 6);
    read_cols(stored.view(), 11, 6, out.data());
    for (Index j = 0; j < 6; ++j) {
      for (Index i = 0; i < 300; ++i) {
        ASSERT_EQ(out[static_cast<std::size_t>(j * 300 + i)], value_at(i, 11 + j));
      }
    }
  }
}

TEST(MatrixView, CopiesBitsOfNanAndNegativeZero) {
  const std::vector<double> values{-0.0, std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::denorm_min(), 0.1};
  const std::vector<double> out = rows_of(MatrixView::of(values.data(), 2, 2), 0, 2);
  EXPECT_EQ(std::memcmp(out.data(), values.data(), sizeof(double) * values.size()), 0);
}

TEST(MatrixView, IsContiguousOnlyForAlignedNativeRowMajorDoubles) {
  const std::vector<double> values(12);
  const MatrixView view = MatrixView::of(values.data(), 3, 4);
  EXPECT_EQ(contiguous_rows(view), values.data());
  EXPECT_EQ(contiguous_rows(transposed(view)), nullptr);
  MatrixView other = view;
  other.swap_bytes = true;
  EXPECT_EQ(contiguous_rows(other), nullptr);
  other = view;
  other.data += 1;
  EXPECT_EQ(contiguous_rows(other), nullptr);
  other = view;
  other.cols = 3;
  EXPECT_EQ(contiguous_rows(other), nullptr);
  const std::vector<float> floats(12);
  EXPECT_EQ(contiguous_rows(MatrixView::of(floats.data(), 3, 4)), nullptr);
}

TEST(MatrixView, RefusesRowsOutsideTheMatrix) {
  const std::vector<double> values(12);
  std::vector<double> out(12);
  const MatrixView view = MatrixView::of(values.data(), 3, 4);
  EXPECT_THROW(read_rows(view, -1, 1, out.data()), std::invalid_argument);
  EXPECT_THROW(read_rows(view, 0, -1, out.data()), std::invalid_argument);
  EXPECT_THROW(read_rows(view, 2, 2, out.data()), std::invalid_argument);
  EXPECT_THROW(read_rows(view, 1, std::numeric_limits<Index>::max(), out.data()), std::invalid_argument);
  EXPECT_NO_THROW(read_rows(view, 3, 0, nullptr));
}

}  // namespace
}  // namespace giga
