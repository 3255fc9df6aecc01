// A text that is new, and room for it.
#include "data/level_table.hpp"

namespace giga {

void LevelTable::grow() {
  constexpr std::size_t kLeast = 64;
  if (slots_.empty()) bytes_.reserve(8 * kLeast);  // so that an empty text has an address, too
  slots_.assign(slots_.empty() ? kLeast : 2 * slots_.size(), -1);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    std::size_t slot = static_cast<std::size_t>(entries_[k].key.hash) & mask;
    while (slots_[slot] >= 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(k);
  }
}

Index LevelTable::add(std::string_view text, const level_detail::Key& key) {
  if (size() >= kMost) return -1;
  if (2 * entries_.size() >= slots_.size()) grow();
  const std::size_t slot = slot_of(text, key);
  slots_[slot] = static_cast<std::int32_t>(entries_.size());
  entries_.push_back(
      {key, static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())});
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  return size() - 1;
}

}  // namespace giga
