// Comma-separated lists with double quotes, as one row of a CSV file has them.
#include "support/lists.hpp"

#include <algorithm>

#include "giga/base/text.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

// Blanks around a part do not belong to it unless they are quoted. Invariant: parts.back() begins with its
// first character that counts, and its first `kept` characters are those up to the last that counts.
std::vector<std::string> split(const std::string& option, const std::string& list) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  std::size_t kept = 0;  // of the last part
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '"' && quoted && i + 1 < list.size() && list[i + 1] == '"') {
      parts.back() += '"';
      kept = parts.back().size();
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      parts.back().resize(kept);
      parts.emplace_back();
      kept = 0;
    } else if (quoted || (c != ' ' && c != '\t')) {
      parts.back() += c;
      kept = parts.back().size();
    } else if (kept > 0) {
      parts.back() += c;
    }
  }
  parts.back().resize(kept);
  if (quoted) throw UsageError("--" + option + " is '" + printable(list) + "'; a quote is not closed");
  return parts;
}

}  // namespace

std::vector<std::string> names_in_list(const std::string& option, const std::string& list) {
  std::vector<std::string> names = split(option, list);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      throw UsageError("--" + option + " is '" + printable(list) + "'; a name in it is empty");
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      throw UsageError("--" + option + " names '" + printable(names[i]) + "' twice");
  }
  return names;
}

std::vector<double> numbers_in_list(const std::string& option, const std::string& list) {
  std::vector<double> numbers;
  for (const std::string& part : split(option, list)) {
    const auto value = parse_double(part);
    if (!value)
      throw UsageError("--" + option + " is '" + printable(list) + "'; must be numbers such as 1,-2.5,0");
    numbers.push_back(*value);
  }
  return numbers;
}

}  // namespace giga::tool
