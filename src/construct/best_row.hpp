// The row with the largest score, ties to the lowest row: the one search over blocks.
#pragma once

#include <span>

#include "construct/query.hpp"
#include "giga/base/executor.hpp"

namespace giga {

/// offer(first, count, pick) offers the rows first .. first + count - 1 to `pick`, which is of its block
/// alone and empty at first; the picks of all blocks are then offered to `best`, which is returned. By the
/// rule of Pick::offer the answer does not depend on how rows are divided into blocks.
///
/// Rows may be anything that is numbered, and scores any bound of a score: what is sought is a maximum.
template <typename Offer>
[[nodiscard]] Pick best_row(const Executor& executor, Index num_rows, const Offer& offer, Pick best = {},
                            const FoldOptions& options = {}) {
  fold_blocks<Pick>(
      executor, num_rows, 1, std::span(&best, 1),
      [&offer](Index first, Index count, Index /*piece*/, Pick* part) {
        *part = {};
        offer(first, count, *part);
      },
      [](const Pick* part, Pick* total) { total->offer(part->row, part->score); }, options);
  return best;
}

}  // namespace giga
