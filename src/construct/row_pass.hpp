// A pass over all rows, block by block: the shape of every loop that reads the vectors themselves.
#pragma once

#include <algorithm>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/row_source.hpp"

namespace giga {

/// Rows handed to a visitor at once: small enough to stay in the first-level cache with J = 50, and a
/// multiple of the group size of the codes.
inline constexpr Index kTileRows = 64;

/// Calls visit(first, rows, count) for the tiles of one block in order; `rows` is row-major.
template <typename Visit>
void for_each_tile(const RowSource& source, Index block, const Visit& visit) {
  const Index begin = block * kBlockRows;
  const Index end = std::min(source.num_rows(), begin + kBlockRows);
  const double* all = source.contiguous();
  std::vector<double> tile;
  if (all == nullptr) tile.resize(static_cast<std::size_t>(kTileRows * source.dim()));
  for (Index first = begin; first < end; first += kTileRows) {
    const Index count = std::min(kTileRows, end - first);
    if (all == nullptr) source.read(first, count, tile.data());
    visit(first, all != nullptr ? all + first * source.dim() : tile.data(), count);
  }
}

/// |x_i| of rows that lie `dim` apart: free of overflow and underflow for any finite rows whose norm is
/// finite.
void row_norms(const double* rows, Index count, Index dim, double* norms);

}  // namespace giga
