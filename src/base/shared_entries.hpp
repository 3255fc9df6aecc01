// Arrays whose entries are found by several ranks and known to all: what is kept for every row, or for every
// parameter. The work is shared, the entries are sent.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>

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

/// The same for rows, by blocks.
inline void fill_rows(const Executor& executor, Index num_rows, std::initializer_list<Entries> arrays,
                      const std::function<void(Index first, Index count)>& fill) {
  fill_shared(executor, num_rows, kBlockRows, arrays, fill);
}

}  // namespace giga
