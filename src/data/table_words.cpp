// What is said of cells and columns that cannot be used: the place, the value and the remedy.
#include <algorithm>
#include <array>

#include "data/table.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// Words that stand for 1 and 0, and marks that stand for a missing value, in files of other programs.
constexpr std::array<std::string_view, 12> kTruths{"true", "True", "TRUE", "false", "False", "FALSE",
                                                   "yes",  "Yes",  "YES",  "no",    "No",    "NO"};
constexpr std::array<std::string_view, 6> kAbsences{"?", ".", "-", "--", "*", "n.a."};

template <std::size_t kSize>
bool among(const std::array<std::string_view, kSize>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_number(std::string_view text) {
  return parse_cell(text).kind == CellKind::Number;
}

// "-0,09" and "1,5", but not "1,234", which may be thousands.
bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return false;
  const CellValue before = parse_cell(text.substr(0, comma));
  const std::string_view after = text.substr(comma + 1);
  return before.kind == CellKind::Number && !after.empty() && (after.size() != 3 || before.value == 0) &&
         after.find_first_not_of("0123456789") == std::string_view::npos;
}

// What to write instead of a cell that is not a number, by what it most likely means; empty if unknown.
std::string cure_of(std::string_view text) {
  text = trimmed(text);
  if (among(kTruths, text)) return "write 1 and 0";
  if (among(kAbsences, text)) return "if it means missing, write NA";
  if (has_decimal_comma(text)) return "decimal commas are not read; write a point";
  if (text.ends_with('%') && is_number(text.substr(0, text.size() - 1))) return "write it without the '%'";
  if (text.starts_with('$') && is_number(text.substr(1))) return "write it without the '$'";
  return "";
}

}  // namespace

// What to do about a column that is not all numbers.
std::string Table::advice(const Column& column, const std::string& cure) {
  switch (column.role) {
    case ColumnRole::Feature:
      return cure + ", or leave the column out: name the columns to use with `features`";
    case ColumnRole::Response: return cure + ", or choose another column with `response`";
    default: return cure + ", or choose another column with `weights`";
  }
}

// For a cell that is text among numbers: the column may be meant as a category.
std::string Table::advice_on_text(const Column& column, const std::string& cure) const {
  const bool may_be = may_have_categories_ && column.role != ColumnRole::Weight;
  return advice(column, cure) + (may_be ? "; if it is a category, name it in `categories`" : "");
}

// Only bad cells come here, so the cost of the message does not matter.
std::string Table::not_a_number(const CellValue& cell, std::string_view text, Index col) const {
  const Column& column = parts_.columns[at(col)];
  const std::string start = ", " + column_place(parts_.columns, col) + ": " + in_quotes(text);
  switch (cell.kind) {
    case CellKind::Number:
    case CellKind::Missing: break;
    case CellKind::Infinite:
      return start + " is infinite; only finite numbers can be used, " + advice(column);
    case CellKind::Overflow:
      return start + " overflows a double (the largest is 1.8e308); rescale the column or " + advice(column);
    case CellKind::NotANumber:
      if (text.find('\0') != std::string_view::npos)
        return start + " has a NUL byte; save the file again as text";
      if (const std::string cure = cure_of(text); !cure.empty())
        return start + " is not a number; " + advice_on_text(column, cure);
      return start + " is not a number; " + advice_on_text(column);
  }
  return {};
}

std::string Table::not_a_date(std::string_view text, bool impossible, Index col) const {
  return ", " + column_place(parts_.columns, col) + ": " + in_quotes(text) +
         (impossible ? " is a date or time that does not exist; "
                     : " is not a date or time such as 2024-03-01; ") +
         advice_on_text(parts_.columns[at(col)]);
}

std::string Table::unknown_level(Index col, const std::string& level,
                                 const std::vector<std::string>& levels) const {
  constexpr std::size_t kShown = 10;
  std::string known;
  for (std::size_t k = 0; k < std::min(levels.size(), kShown); ++k)
    known.append(k == 0 ? "" : ", ").append(in_quotes(levels[k]));
  if (levels.size() > kShown) known += ", ... (" + std::to_string(levels.size()) + " in all)";
  return ", " + column_place(parts_.columns, col) + ": " + in_quotes(level) +
         " is not a level that is known: " + known +
         "; leave such rows out, or learn from a table that has them";
}

std::string Table::way_out(Index col) const {
  return parts_.columns[at(col)].role == ColumnRole::Response
             ? "choose another column with `response`"
             : "leave it out: name the columns to use with `features`";
}

}  // namespace giga
