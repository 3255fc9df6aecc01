// What is found by several ranks and known to all: entries for every parameter, and what ranks tell each
// other of their rows. The work is shared, the entries are sent.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>

#include "giga/base/executor.hpp"

namespace giga {

/// An array with an entry for each of the things that are numbered; an entry may be several numbers.
struct Entries {
  std::byte* data = nullptr;
  std::size_t bytes_each = 0;
};

template <typename Number>
[[nodiscard]] Entries entries_of(Number* data, Index numbers_each = 1) {
  return {reinterpret_cast<std::byte*>(data), at(numbers_each) * sizeof(Number)};
}

/// Calls fill(first, count) for ranges of `unit` things (the last may be shorter) that together are 0 ..
/// total - 1, on any rank and any thread, and returns when the entries that it wrote to `arrays` are there on
/// all ranks. fill() may read entries of its own range; what else it writes stays with its rank.
void fill_shared(const Executor& executor, Index total, Index unit, std::initializer_list<Entries> arrays,
                 const std::function<void(Index first, Index count)>& fill);

/// Of the rows that each rank has of its own, the entries in `arrays`, which are given for all rows: after
/// this they are there on all ranks.
void share_rows(const Executor& executor, Index num_rows, std::initializer_list<Entries> arrays);

/// What rank owns each of the given rows, which ascend, has to tell of them: all ranks get all of it. tell(n,
/// bytes) is called for own rows and writes bytes_each bytes. Nothing is sent where every rank has all rows.
[[nodiscard]] Bytes told_of_rows(const Executor& executor, Index num_rows, std::span<const Index> rows,
                                 std::size_t bytes_each,
                                 const std::function<void(Index row, std::byte* bytes)>& tell);

}  // namespace giga
