// "Did you mean": the nearest known word to one that is not known.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace giga::tool {

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word at the smallest distance, at most 2 and less than the length of `word`; else the first that
/// `word` is the beginning of.
[[nodiscard]] std::optional<std::string> closest(std::string_view word,
                                                 const std::vector<std::string>& known);

/// "; did you mean X?" with `prefix` before X, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                                       std::string_view prefix = "");

}  // namespace giga::tool
