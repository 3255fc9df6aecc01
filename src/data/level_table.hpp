// Texts and their numbers: each distinct text has the number of those before it. A hash table with linear
// probing, at most half full; the bytes of all texts lie together.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

class LevelTable {
 public:
  /// Texts beyond so many are not taken: no category has so many levels.
  static constexpr Index kMost = 1 << 16;

  /// The number of `text`, which is added if it is new; -1 if it is new and there is no room for it.
  [[nodiscard]] Index number(std::string_view text);
  /// -1 if there is no such text.
  [[nodiscard]] Index find(std::string_view text) const;

  [[nodiscard]] Index size() const { return std::ssize(entries_); }
  /// Valid until the next text is added.
  [[nodiscard]] std::string_view text(Index number) const {
    const Entry& entry = entries_[static_cast<std::size_t>(number)];
    return {bytes_.data() + entry.begin, entry.length};
  }

 private:
  struct Entry {
    std::uint64_t hash;
    std::uint32_t begin, length;
  };
  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
  void grow();

  std::vector<char> bytes_;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;  // a power of two of them: the number of an entry, or -1
};

}  // namespace giga
