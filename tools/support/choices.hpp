// The values of an enumeration as help shows them, from its table of names (giga/base/names.hpp).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "giga/base/names.hpp"

namespace giga::tool {

template <NamedEnum Enum>
[[nodiscard]] std::vector<std::string> choices_of() {
  const auto names = names_of<Enum>();
  return {names.begin(), names.end()};
}

/// A name and what is to be said about it.
struct ChoiceLine {
  std::string name, words;
};

/// One line per name, the words below each other; lines of the words after the first are indented to them.
[[nodiscard]] inline std::string choice_lines(const std::vector<ChoiceLine>& lines) {
  std::size_t width = 0;
  for (const ChoiceLine& line : lines) width = std::max(width, line.name.size() + 2);
  std::string text;
  for (const ChoiceLine& line : lines) {
    text += (text.empty() ? "" : "\n") + line.name + std::string(width - line.name.size(), ' ');
    for (const char c : line.words) text += c == '\n' ? "\n" + std::string(width, ' ') : std::string(1, c);
  }
  return text;
}

template <NamedEnum Enum>
[[nodiscard]] std::vector<Enum> all_choices() {
  const auto values = values_of<Enum>();
  return {values.begin(), values.end()};
}

/// Names and words of a table, `first` before all others. `more` goes after the words of a value, as
/// " (default)". `values` are all of them in another order.
template <NamedEnum Enum>
[[nodiscard]] std::string choices_help(Enum first,
                                       const std::vector<std::pair<Enum, std::string_view>>& more = {},
                                       const std::vector<Enum>& values = all_choices<Enum>()) {
  std::vector<ChoiceLine> lines;
  for (const Enum value : values) {
    std::string text(words(value));
    for (const auto& [which, end] : more)
      if (which == value) text += end;
    lines.insert(value == first ? lines.begin() : lines.end(), {std::string(name(value)), text});
  }
  return choice_lines(lines);
}

/// The names one after the other, `first` before all others: "fisher (default), whitened, l2".
template <NamedEnum Enum>
[[nodiscard]] std::string choices_list(Enum first, std::string_view after_first = " (default)") {
  std::string text = std::string(name(first)).append(after_first);
  for (const Enum value : values_of<Enum>())
    if (value != first) text.append(", ").append(name(value));
  return text;
}

/// With line breaks instead of blanks, so that no line is longer than those of the help.
[[nodiscard]] inline std::string wrapped(std::string text) {
  constexpr std::size_t kWidth = 68;
  std::size_t begin = 0;
  while (text.size() - begin > kWidth) {
    const std::size_t blank = text.rfind(' ', begin + kWidth);
    if (blank == std::string::npos || blank <= begin) break;
    text[blank] = '\n';
    begin = blank + 1;
  }
  return text;
}

}  // namespace giga::tool
