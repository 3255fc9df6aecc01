// `field` to --option in messages of the library. Only fields that are known options are replaced, and only
// where they stand alone, so that backticks in names of files stay as they are.
#include "support/spelling.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace giga::tool {
namespace {

std::set<std::string, std::less<>>& known_options() {
  static std::set<std::string, std::less<>> names;
  return names;
}

// A field stands alone: before it a blank or a bracket, after it a blank or the end of a clause or line.
bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::string_view kBefore = " (\n", kAfter = " ,;:)\n";
  return (begin == 0 || kBefore.find(text[begin - 1]) != std::string_view::npos) &&
         (end == text.size() || kAfter.find(text[end]) != std::string_view::npos);
}

// The option that the text between backticks names: "max_depth" or "missing = drop".
std::optional<std::string> option_of(std::string_view field) {
  constexpr std::string_view kEquals = " = ";
  const std::size_t equals = field.find(kEquals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : field.substr(equals + kEquals.size());
  const std::string name = option_name(field.substr(0, equals));
  if (value == "false" && known_options().contains("no-" + name)) return "--no-" + name;
  if (!known_options().contains(name)) return std::nullopt;
  return value.empty() ? "--" + name : "--" + name + " " + std::string(value);
}

}  // namespace

void know_option(const std::string& name) {
  known_options().insert(name);
}

std::string option_name(std::string_view field) {
  std::string name(field);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string spelled(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t begin = text.find('`');
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
    if (end == std::string_view::npos) return out.append(text);
    const auto option = stands_alone(text, begin, end + 1)
                            ? option_of(text.substr(begin + 1, end - begin - 1))
                            : std::nullopt;
    // A backtick that opens nothing may close nothing either: the next search begins right after it.
    out.append(text.substr(0, begin)).append(option ? *option : "`");
    text.remove_prefix(option ? end + 1 : begin + 1);
  }
}

std::vector<std::string> spelled(std::vector<std::string> texts) {
  for (std::string& text : texts) text = spelled(text);
  return texts;
}

}  // namespace giga::tool
