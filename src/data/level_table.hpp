// Texts and their numbers: each distinct text has the number of those before it. A hash table with linear
// probing, at most half full; the bytes of all texts lie together. The hash is of words of 8 bytes; texts of
// up to 8 bytes, which most levels are, are one word, and are compared as such.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "data/row_hash.hpp"
#include "giga/base/types.hpp"

namespace giga {

namespace level_detail {

inline constexpr std::size_t kShort = 8;  // bytes of a word

template <typename Word>
inline std::uint64_t load(const char* p) {
  Word word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// All bytes of a text of 0 to 8, in loads of fixed lengths that may overlap: texts of one length are equal if
// their words are. Texts of different lengths may give the same word; the length is hashed with it.
inline std::uint64_t short_word(const char* p, std::size_t length) {
  if (length >= 4) return load<std::uint32_t>(p) | load<std::uint32_t>(p + length - 4) << 32;
  if (length >= 2) return load<std::uint16_t>(p) | load<std::uint16_t>(p + length - 2) << 32;
  return length == 1 ? load<std::uint8_t>(p) : 0;
}

struct Key {
  std::uint64_t word;  // of a text of at most 8 bytes; of a longer one 0
  std::uint64_t hash;
};

inline Key key_of(std::string_view text) {
  using namespace hash_detail;
  const char* p = text.data();
  const std::size_t length = text.size();
  std::uint64_t hash = kFirstMixer ^ length;
  if (length <= kShort) {
    const std::uint64_t word = short_word(p, length);
    return {word, mix(word ^ kSecondMixer, hash)};
  }
  for (std::size_t i = 0; i + 8 < length; i += 8) hash = mix(load<std::uint64_t>(p + i) ^ hash, kSecondMixer);
  return {0, mix(load<std::uint64_t>(p + length - 8) ^ kFirstMixer, hash)};
}

}  // namespace level_detail

class LevelTable {
 public:
  /// Texts beyond so many are not taken: no category has so many levels.
  static constexpr Index kMost = 1 << 16;

  /// The number of `text`, which is added if it is new; -1 if it is new and there is no room for it.
  [[nodiscard]] Index number(std::string_view text) {
    const level_detail::Key key = level_detail::key_of(text);
    const Index found = slots_.empty() ? -1 : slots_[slot_of(text, key)];
    return found >= 0 ? found : add(text, key);
  }
  /// -1 if there is no such text.
  [[nodiscard]] Index find(std::string_view text) const {
    return slots_.empty() ? -1 : slots_[slot_of(text, level_detail::key_of(text))];
  }

  [[nodiscard]] Index size() const { return std::ssize(entries_); }
  /// Valid until the next text is added.
  [[nodiscard]] std::string_view text(Index number) const {
    const Entry& entry = entries_[static_cast<std::size_t>(number)];
    return {bytes_.data() + entry.begin, entry.length};
  }

 private:
  struct Entry {
    level_detail::Key key;
    std::uint32_t begin, length;
  };
  [[nodiscard]] std::size_t slot_of(std::string_view text, const level_detail::Key& key) const;
  [[nodiscard]] Index add(std::string_view text, const level_detail::Key& key);
  void grow();

  std::vector<char> bytes_;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;  // a power of two of them: the number of an entry, or -1
};

// Where the text is, or the empty slot where it would be.
inline std::size_t LevelTable::slot_of(std::string_view text, const level_detail::Key& key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(key.hash) & mask;
  for (;; slot = (slot + 1) & mask) {
    const std::int32_t number = slots_[slot];
    if (number < 0) return slot;
    const Entry& entry = entries_[static_cast<std::size_t>(number)];
    if (entry.key.hash != key.hash || entry.key.word != key.word || entry.length != text.size()) continue;
    if (text.size() <= level_detail::kShort ||
        std::memcmp(bytes_.data() + entry.begin, text.data(), text.size()) == 0)
      return slot;
  }
}

}  // namespace giga
