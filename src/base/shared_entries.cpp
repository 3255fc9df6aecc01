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

// Some rows of every rank at a time: what is sent at once is little beside what it goes to.
void share_rows(const Executor& executor, Index num_rows, std::initializer_list<Entries> arrays) {
  constexpr std::size_t kBytesAtOnce = std::size_t{1} << 24;
  std::size_t each = 0;
  for (const Entries& array : arrays) each += array.bytes_each;
  const Index some = std::max<Index>(1, static_cast<Index>(kBytesAtOnce / std::max<std::size_t>(1, each)));
  Index longest = 0;
  for (int rank = 0; rank < executor.num_ranks(); ++rank)
    longest = std::max(longest, executor.rows_of(rank, num_rows).size());
  if (executor.own_rows(num_rows).size() == num_rows || each == 0) return;
  // Calls move(entries of the rows that rank sends, place in its bytes, length).
  const auto for_arrays = [&](int rank, Index begin, const auto& move) {
    const RowRange rows = executor.rows_of(rank, num_rows);
    const Index first = std::min(rows.end, rows.begin + begin), end = std::min(rows.end, first + some);
    std::size_t offset = 0;
    for (const Entries& array : arrays) {
      const std::size_t length = at(end - first) * array.bytes_each;
      if (length > 0) move(array.data + at(first) * array.bytes_each, offset, length);
      offset += length;
    }
    return offset;
  };
  for (Index begin = 0; begin < longest; begin += some) {
    const std::vector<Bytes> told = gathered(executor, [&] {
      Bytes bytes(for_arrays(executor.rank(), begin, [](std::byte*, std::size_t, std::size_t) {}));
      (void)for_arrays(executor.rank(), begin,
                       [&](const std::byte* entries, std::size_t offset, std::size_t length) {
                         std::memcpy(bytes.data() + offset, entries, length);
                       });
      return bytes;
    });
    for (int rank = 0; rank < executor.num_ranks(); ++rank) {
      if (rank == executor.rank()) continue;
      (void)for_arrays(rank, begin, [&](std::byte* entries, std::size_t offset, std::size_t length) {
        std::memcpy(entries, told[at(rank)].data() + offset, length);
      });
    }
  }
}

Bytes told_of_rows(const Executor& executor, Index num_rows, std::span<const Index> rows,
                   std::size_t bytes_each, const std::function<void(Index row, std::byte* bytes)>& tell) {
  const RowRange own = executor.own_rows(num_rows);
  const auto words = [&] {
    const auto first = std::ranges::lower_bound(rows, own.begin),
               end = std::ranges::lower_bound(rows, own.end);
    Bytes bytes(static_cast<std::size_t>(end - first) * bytes_each);
    std::byte* place = bytes.data();
    for (auto row = first; row != end; ++row, place += bytes_each) tell(*row, place);
    return bytes;
  };
  if (own.size() == num_rows) return words();
  Bytes all;
  for (const Bytes& told : gathered(executor, words)) all.insert(all.end(), told.begin(), told.end());
  return all;
}

}  // namespace giga
