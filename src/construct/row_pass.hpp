// A pass over the rows of a block, tile by tile: the shape of every loop that reads the vectors themselves.
#pragma once

#include <algorithm>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/row_source.hpp"

namespace giga {

/// Rows handed to a visitor at once: small enough to stay in the first-level cache with J = 50, and a
/// multiple of the group size of the codes.
inline constexpr Index kTileRows = 64;

/// Calls visit(tile, x, some) for the tiles of the rows begin .. begin + count - 1 in order: `x` has the rows
/// tile .. tile + some - 1, row-major.
template <typename Visit>
void for_each_tile(const RowSource& source, Index begin, Index count, const Visit& visit) {
  const Index end = begin + count;
  const double* all = source.contiguous();
  std::vector<double> room;
  if (all == nullptr) room.resize(at(kTileRows * source.dim()));
  for (Index tile = begin; tile < end; tile += kTileRows) {
    const Index some = std::min(kTileRows, end - tile);
    if (all == nullptr) source.read(tile, some, room.data());
    visit(tile, all != nullptr ? all + tile * source.dim() : room.data(), some);
  }
}

/// |x_i| of rows that lie `dim` apart: free of overflow and underflow for any finite rows whose norm is
/// finite.
void row_norms(const double* rows, Index count, Index dim, double* norms);

/// Rows that are shorter lose digits in double: their products with unit vectors, and the shortest their
/// lengths, are rounded to multiples of the smallest number, 5e-324. Times 2^kLengthening they do not, and
/// have the same direction to the bit.
inline constexpr double kShortRow = 1e-290;
inline constexpr int kLengthening = 600;
inline void lengthen(std::vector<double>& row) {
  for (double& value : row) value *= 0x1p600;
}

}  // namespace giga
