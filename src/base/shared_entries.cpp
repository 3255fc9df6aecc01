// Ranges of units are pieces of the executor's work, a few for every thread of every rank; a piece returns
// its entries, array by array.
#include "base/shared_entries.hpp"

#include <algorithm>
#include <cstring>

namespace giga {
namespace {

// Entries [first, end) of the arrays, one array after the other.
Bytes packed(std::initializer_list<Entries> arrays, Index first, Index end) {
  Bytes bytes;
  for (const Entries& array : arrays)
    bytes.insert(bytes.end(), array.data + at(first) * array.bytes_each,
                 array.data + at(end) * array.bytes_each);
  return bytes;
}

void unpack(const Bytes& bytes, std::initializer_list<Entries> arrays, Index first, Index end) {
  const std::byte* from = bytes.data();
  for (const Entries& array : arrays) {
    const std::size_t length = at(end - first) * array.bytes_each;
    if (length > 0) std::memcpy(array.data + at(first) * array.bytes_each, from, length);
    from += length;
  }
}

}  // namespace

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
  const auto first_entry = [&](Index piece) { return std::min(total, first_unit(piece) * unit); };
  const std::vector<Bytes> found = executor.spread(pieces, [&](Index piece) {
    for (Index k = first_unit(piece); k < first_unit(piece + 1); ++k) fill_unit(k);
    return packed(arrays, first_entry(piece), first_entry(piece + 1));
  });
  for (Index piece = 0; piece < pieces; ++piece)
    unpack(found[at(piece)], arrays, first_entry(piece), first_entry(piece + 1));
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
  for (Index begin = 0; begin < longest; begin += some) {
    // Those that a rank sends this time.
    const auto part = [&](int rank) {
      const RowRange rows = executor.rows_of(rank, num_rows);
      const Index first = std::min(rows.end, rows.begin + begin);
      return RowRange{first, std::min(rows.end, first + some)};
    };
    const std::vector<Bytes> told = gathered(executor, [&] {
      const RowRange own = part(executor.rank());
      return packed(arrays, own.begin, own.end);
    });
    for (int rank = 0; rank < executor.num_ranks(); ++rank) {
      const RowRange rows = part(rank);
      if (rank != executor.rank()) unpack(told[at(rank)], arrays, rows.begin, rows.end);
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
