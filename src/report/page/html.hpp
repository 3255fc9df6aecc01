// Text, numbers and tables of the page.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "giga/base/text.hpp"
#include "giga/base/types.hpp"

namespace giga::page {

/// Text of others made harmless and readable: control characters and bytes that are not UTF-8 as \xNN, cut
/// after `limit` bytes. Not yet safe in HTML.
[[nodiscard]] std::string tame(std::string_view text, std::size_t limit = 80);
/// & < > " ' as entities.
[[nodiscard]] std::string escaped(std::string_view text);
/// escaped(tame(text)) in an element that keeps the direction of its letters to itself.
[[nodiscard]] std::string shown(std::string_view text, std::size_t limit = 80);

[[nodiscard]] std::string joined(std::initializer_list<std::string_view> parts);

using giga::grouped;
/// At most `digits` significant digits; "none" for NaN.
[[nodiscard]] std::string significant(double value, int digits);
[[nodiscard]] std::string decimals(double value, int places);
/// With the decimals at which a hundredth of `sd` shows.
[[nodiscard]] std::string beside(double value, double sd);
/// A number that counts something, rounded: 26,733.
[[nodiscard]] std::string count(double value);
/// 0.021 s, 3.4 s, 12 min, 5.1 h
[[nodiscard]] std::string duration(double seconds);

struct Cell {
  std::string text;    ///< escaped when the table is written
  bool words = false;  ///< to the left, and broken into lines
  bool bad = false;    ///< to be noticed
  bool wraps = false;  ///< numbers that may take two lines
};

class Table {
 public:
  Table(std::string caption, std::vector<std::string> headings);
  /// `head` is a name, that is, text of others; `title` is the whole of it, shown to those who point at it,
  /// where it differs.
  void add(std::string_view head, const std::vector<Cell>& cells, std::string_view title = {});
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string html() const;

 private:
  std::string caption_;
  std::vector<std::string> headings_;
  std::vector<bool> words_;  // columns of words, by the first row
  std::string rows_;
};

/// A table behind a line that can be opened.
[[nodiscard]] std::string folded(std::string_view summary, const Table& table);

}  // namespace giga::page
