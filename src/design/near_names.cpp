// The names nearest to a word, by the number of changes between them.
#include "design/near_names.hpp"

#include <algorithm>
#include <utility>

#include "giga/base/text.hpp"

namespace giga {

std::string quoted_text(std::string_view text) {
  return std::string(1, '\'').append(printable(text)).append(1, '\'');
}

// The least number of changes of one letter, or swaps of two neighbours, that make one word of the other.
// row[j] is that number for the first i letters of a and the first j of b; `before` is the row of i - 1.
Index word_distance(std::string_view a, std::string_view b) {
  std::vector<Index> earlier, before(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) before[j] = static_cast<Index>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<Index>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const Index changed = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, before[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], earlier[j - 2] + 1);
    }
    earlier = std::exchange(before, row);
  }
  return before[b.size()];
}

std::vector<std::string> near_names(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kMost = 3, kLongest = 200;
  if (word.size() > kLongest) return {};
  const auto lower = [](std::string_view text) {
    std::string small(text);
    for (char& letter : small)
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return small;
  };
  const std::string wanted = lower(word);
  const Index farthest = std::max<Index>(1, std::ssize(word) / 3);
  std::vector<std::pair<Index, std::string>> near;
  for (const std::string& name : known) {
    if (name.size() > kLongest) continue;
    const Index distance = word_distance(wanted, lower(name));
    // A word that begins like the one wanted is near too: "dep" and "dep_delay".
    const bool begins = wanted.size() >= 3 && lower(name).starts_with(wanted);
    if (distance <= farthest || begins) near.emplace_back(begins ? farthest : distance, name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<std::string> names;
  for (auto& [distance, name] : near)
    if (names.size() < kMost) names.push_back(std::move(name));
  return names;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::vector<std::string> names = near_names(word, known);
  if (names.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += quoted_text(names[i]);
  }
  return text + "?";
}

}  // namespace giga
