// Text, numbers and tables as HTML. Whatever comes from outside (names of columns, paths, messages) goes
// through tame() and escaped() before it is part of a page.
#include "report/page/html.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "giga/base/text.hpp"

namespace giga::page {
namespace {

std::string number(double value, std::chars_format format, int digits) {
  if (std::isnan(value)) return "none";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  std::array<char, 400> room{};
  const auto end = std::to_chars(room.data(), room.data() + room.size(), value, format, digits);
  return end.ec == std::errc() ? std::string(room.data(), end.ptr) : shortest(value);
}

// -0.00 is 0.00.
std::string without_negative_zero(std::string text) {
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string cell_html(const Cell& cell) {
  std::string html = "<td";
  if (cell.words && cell.bad) {
    html += " class=\"text bad\"";
  } else if (cell.words) {
    html += " class=\"text\"";
  } else if (cell.bad) {
    html += " class=\"bad\"";
  } else if (cell.wraps) {
    html += " class=\"wraps\"";
  }
  html += '>';
  html += escaped(cell.text);
  html += "</td>";
  return html;
}

}  // namespace

std::string tame(std::string_view text, std::size_t limit) {
  return printable(text, limit);
}

std::string escaped(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += c;
    }
  }
  return html;
}

std::string shown(std::string_view text, std::size_t limit) {
  std::string html = "<bdi>";
  html += escaped(tame(text, limit));
  html += "</bdi>";
  return html;
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string whole;
  for (const std::string_view part : parts) whole += part;
  return whole;
}

std::string significant(double value, int digits) {
  return number(value, std::chars_format::general, digits);
}

std::string decimals(double value, int places) {
  return without_negative_zero(number(value, std::chars_format::fixed, places));
}

std::string beside(double value, double sd) {
  // ceil(2 - log10 sd) decimals, so that a mean and its sd line up.
  if (!(sd > 0) || !std::isfinite(sd)) return significant(value, 4);
  const double places = std::ceil(2 - std::log10(sd));
  if (places > 8) return significant(value, 5);
  return decimals(value, static_cast<int>(std::max(0.0, places)));
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "none";
  // Limits are half a unit below the next format, so that rounding never shows "10.0 s".
  if (seconds < 0.00095) return "under 1 ms";
  if (seconds < 9.95) return decimals(seconds, seconds < 0.0995 ? 3 : seconds < 0.995 ? 2 : 1) + " s";
  if (seconds < 120) return decimals(seconds, 0) + " s";
  if (seconds < 7200) return decimals(seconds / 60, 0) + " min";
  if (seconds < 48 * 3600.0) return decimals(seconds / 3600, 1) + " h";
  return decimals(seconds / 86400, 1) + " days";
}

std::string count(double value) {
  return std::isfinite(value) && std::abs(value) < 1e15 ? grouped(static_cast<Index>(std::llround(value)))
                                                        : significant(value, 4);
}

Table::Table(std::string caption, std::vector<std::string> headings)
    : caption_(std::move(caption)), headings_(std::move(headings)) {}

void Table::add(std::string_view head, const std::vector<Cell>& cells, std::string_view title) {
  // The first row decides which columns hold words.
  if (rows_.empty()) {
    for (const Cell& cell : cells) words_.push_back(cell.words);
  }
  rows_ += "<tr><th scope=\"row\"";
  if (!title.empty() && title != head) rows_ += joined({" title=\"", escaped(title), "\""});
  rows_ += ">";
  rows_ += shown(head, 400);  // names have been cut already
  rows_ += "</th>";
  for (const Cell& cell : cells) rows_ += cell_html(cell);
  rows_ += "</tr>\n";
}

std::string Table::html() const {
  // Wide tables scroll; so that the keyboard can scroll them too they take the focus.
  std::string html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"";
  html += escaped(caption_);
  html += "\"><table><caption><span>";
  html += escaped(caption_);
  html += "</span></caption><thead><tr>";
  for (std::size_t c = 0; c < headings_.size(); ++c) {
    html += c > 0 && c <= words_.size() && words_[c - 1] ? "<th scope=\"col\" class=\"text\">"
                                                         : "<th scope=\"col\">";
    html += escaped(headings_[c]);
    html += "</th>";
  }
  html += "</tr></thead><tbody>\n";
  html += rows_;
  html += "</tbody></table></div>\n";
  return html;
}

std::string folded(std::string_view summary, const Table& table) {
  std::string html = "<details><summary>";
  html += escaped(summary);
  html += "</summary>";
  html += table.html();
  html += "</details>\n";
  return html;
}

}  // namespace giga::page
