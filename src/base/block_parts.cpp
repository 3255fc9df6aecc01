// Parts hold numbers as wide as Extended, so each begins at a multiple of its alignment.
#include "base/block_parts.hpp"

#include <algorithm>

namespace giga {
namespace {

constexpr std::size_t kUnit = sizeof(std::max_align_t);

}  // namespace

BlockParts::BlockParts(const BlockFold& work, Index held)
    : work_(work),
      units_((work.part_bytes + kUnit - 1) / kUnit),
      room_(std::make_unique_for_overwrite<std::max_align_t[]>(at(held) * units_)) {}

std::byte* BlockParts::part(Index place) const {
  return reinterpret_cast<std::byte*>(room_.get() + at(place) * units_);
}

void BlockParts::fill(const Executor& executor, Index begin, Index count, Index place) {
  // A part is cleared by the call that fills it; one that several pieces share must be clear before any of
  // them begins.
  if (work_.num_pieces > 1) std::fill_n(part(place), at(count) * units_ * kUnit, std::byte{0});
  executor.for_each(count * work_.num_pieces, [&](Index task) {
    // Tasks run over (block, piece), pieces fastest.
    const Index turn = work_.backwards ? count * work_.num_pieces - 1 - task : task;
    const Index k = turn / work_.num_pieces;
    if (work_.num_pieces == 1) std::fill_n(part(place + k), work_.part_bytes, std::byte{0});
    work_.fill(begin + k, turn % work_.num_pieces, part(place + k));
  });
}

void BlockParts::clear(Index count) const {
  const std::span<std::byte> all = bytes(count);
  std::fill(all.begin(), all.end(), std::byte{0});
}

std::span<std::byte> BlockParts::bytes(Index count) const {
  return {part(0), at(count) * units_ * kUnit};
}

void BlockParts::join(Index count, std::byte* total) const {
  for (Index k = 0; k < count; ++k) work_.join(part(k), total);
}

}  // namespace giga
