// Ranges of units are pieces of the executor's work, a few for every thread of every rank; a piece returns
// its entries, array by array.
#include "base/shared_entries.hpp"

#include <algorithm>
#include <cstring>

namespace giga {

void fill_shared(const Executor& executor, Index total, Index unit, std::initializer_list<Entries> arrays,
                 const std::function<void(Index first, Index count)>& fill) {
  const Index units = num_blocks(total, unit);
  const auto fill_unit = [&](Index k) { fill(k * unit, std::min(unit, total - k * unit)); };
  if (executor.num_ranks() == 1) return executor.for_each(units, fill_unit);
  if (total == 0) return;
  constexpr Index kPiecesPerThread = 8;
  const Index pieces =
      std::min(units, kPiecesPerThread * Index{executor.num_ranks()} * executor.num_threads());
  const auto first_unit = [&](Index piece) { return units * piece / pieces; };
  // Calls move(place among the entries, place in the bytes of the piece, length).
  const auto for_arrays = [&](Index piece, const auto& move) {
    const Index first = first_unit(piece) * unit, end = std::min(total, first_unit(piece + 1) * unit);
    std::size_t offset = 0;
    for (const Entries& array : arrays) {
      const std::size_t length = at(end - first) * array.bytes_each;
      if (length > 0) move(array.data + at(first) * array.bytes_each, offset, length);
      offset += length;
    }
    return offset;
  };
  const std::vector<Bytes> found = executor.spread(pieces, [&](Index piece) {
    for (Index k = first_unit(piece); k < first_unit(piece + 1); ++k) fill_unit(k);
    Bytes bytes(for_arrays(piece, [](std::byte*, std::size_t, std::size_t) {}));
    (void)for_arrays(piece, [&](const std::byte* entries, std::size_t offset, std::size_t length) {
      std::memcpy(bytes.data() + offset, entries, length);
    });
    return bytes;
  });
  for (Index piece = 0; piece < pieces; ++piece) {
    (void)for_arrays(piece, [&](std::byte* entries, std::size_t offset, std::size_t length) {
      std::memcpy(entries, found[at(piece)].data() + offset, length);
    });
  }
}

}  // namespace giga
