// The nearest known word, by edit distance.
#include "support/suggest.hpp"

#include <algorithm>

namespace giga::tool {

// Optimal string alignment. With row i of the table for the first i letters of a and column j
// for the first j of b,
//     d(i, j) = min of d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j],
//               and d(i-2, j-2) + 1 where the last two letters are swapped;
// three rows of it are kept.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string> closest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 40;  // nobody mistypes a word of this length for one of ours
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  // Distances below 3, and below the length of the word: otherwise every short word would match.
  std::size_t best = std::min<std::size_t>(3, word.size());
  std::optional<std::string> found;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  if (found) return found;
  for (const std::string& candidate : known) {
    if (candidate.starts_with(word)) return candidate;
  }
  return std::nullopt;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                         std::string_view prefix) {
  const auto found = closest(word, known);
  return found ? "; did you mean " + std::string(prefix) + *found + "?" : "";
}

}  // namespace giga::tool
