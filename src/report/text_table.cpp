#include "report/text_table.hpp"

#include <algorithm>

namespace giga {
namespace {

// Characters, not bytes: what does not begin one has the form 10xxxxxx.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], width_of(row[j]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string blanks(widths[j] - width_of(row[j]), ' ');
      text += j == 0 ? row[j] + blanks : "  " + blanks + row[j];
    }
    text += '\n';
  }
  return text;
}

}  // namespace giga
