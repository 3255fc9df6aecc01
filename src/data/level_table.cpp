// The hash is of words of 8 bytes; texts of up to 8 bytes, which most levels are, are one word.
#include "data/level_table.hpp"

#include <cstring>

#include "data/row_hash.hpp"

namespace giga {
namespace {

template <typename Word>
std::uint64_t load(const char* p) {
  Word word = 0;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// All bytes of a text of 0 to 8, in loads of fixed lengths that may overlap. Texts of different lengths may
// give the same word; the length is hashed with it.
std::uint64_t short_word(const char* p, std::size_t length) {
  if (length >= 4) return load<std::uint32_t>(p) | load<std::uint32_t>(p + length - 4) << 32;
  if (length >= 2) return load<std::uint16_t>(p) | load<std::uint16_t>(p + length - 2) << 32;
  return length == 1 ? load<std::uint8_t>(p) : 0;
}

std::uint64_t hash_of(std::string_view text) {
  using namespace hash_detail;
  const char* p = text.data();
  const std::size_t length = text.size();
  std::uint64_t hash = kFirst ^ length;
  if (length <= 8) return mix(short_word(p, length) ^ kSecond, hash);
  for (std::size_t i = 0; i + 8 < length; i += 8) hash = mix(load<std::uint64_t>(p + i) ^ hash, kSecond);
  return mix(load<std::uint64_t>(p + length - 8) ^ kFirst, hash);
}

}  // namespace

// Where the text is, or the empty slot where it would be.
std::size_t LevelTable::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  for (;; slot = (slot + 1) & mask) {
    const std::int32_t number = slots_[slot];
    if (number < 0) return slot;
    const Entry& entry = entries_[static_cast<std::size_t>(number)];
    if (entry.hash == hash && entry.length == text.size() &&
        std::memcmp(bytes_.data() + entry.begin, text.data(), text.size()) == 0)
      return slot;
  }
}

void LevelTable::grow() {
  constexpr std::size_t kLeast = 64;
  if (slots_.empty()) bytes_.reserve(8 * kLeast);  // so that an empty text has an address, too
  slots_.assign(slots_.empty() ? kLeast : 2 * slots_.size(), -1);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    std::size_t slot = static_cast<std::size_t>(entries_[k].hash) & mask;
    while (slots_[slot] >= 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(k);
  }
}

Index LevelTable::number(std::string_view text) {
  if (2 * entries_.size() >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(text);
  const std::size_t slot = slot_of(text, hash);
  if (slots_[slot] >= 0) return slots_[slot];
  if (size() >= kMost) return -1;
  slots_[slot] = static_cast<std::int32_t>(entries_.size());
  entries_.push_back(
      {hash, static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())});
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  return size() - 1;
}

Index LevelTable::find(std::string_view text) const {
  return slots_.empty() ? -1 : slots_[slot_of(text, hash_of(text))];
}

}  // namespace giga
