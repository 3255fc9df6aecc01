// The parts of some blocks of a fold: filled side by side, joined one after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "giga/base/executor.hpp"

namespace giga {

class BlockParts {
 public:
  /// Room for the parts of `held` blocks; `work` must outlive this object.
  BlockParts(const BlockFold& work, Index held);

  /// Fills the parts of blocks begin .. begin + count - 1 by the executor's loop, to the places from `place`
  /// on.
  void fill(const Executor& executor, Index begin, Index count, Index place = 0);

  /// Clears the parts in the places 0 .. count - 1, for fill_piece().
  void clear(Index count) const;
  /// One piece of a block, to a place that was cleared.
  void fill_piece(Index block, Index piece, Index place) { work_.fill(block, piece, part(place)); }
  /// Those in the places 0 .. count - 1, with what lies between them.
  [[nodiscard]] std::span<std::byte> bytes(Index count) const;

  /// Joins the parts in the places 0 .. count - 1 to the total, in their order.
  void join(Index count, std::byte* total) const;

 private:
  [[nodiscard]] std::byte* part(Index place) const;

  const BlockFold& work_;
  std::size_t units_;  // of one part
  std::unique_ptr<std::max_align_t[]> room_;
};

}  // namespace giga
