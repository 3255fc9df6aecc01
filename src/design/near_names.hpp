// Words of messages: which known names are near to one that is not known.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

/// 'text', safe to print.
[[nodiscard]] std::string quoted_text(std::string_view text);

/// Changes of one letter and swaps of neighbours from one word to the other.
[[nodiscard]] Index word_distance(std::string_view a, std::string_view b);

/// At most three, the nearest first; capitals do not count.
[[nodiscard]] std::vector<std::string> near_names(std::string_view word, std::span<const std::string> known);

/// "; did you mean 'a', 'b' or 'c'?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace giga
