// One row to cells by the rules of RFC 4180: cells between delimiters, quotes around a cell that may hold
// anything, a doubled quote for one inside. Blanks around a quoted cell are ignored, and trimmed from an
// unquoted one, unless the blank is the delimiter.
#include "data/csv_row.hpp"

#include "data/number_parse.hpp"

namespace giga {
namespace {

bool is_blank(char c, char delimiter) {
  return (c == ' ' || c == '\t') && c != delimiter;
}

std::string_view trimmed_cell(std::string_view cell, char delimiter) {
  while (!cell.empty() && is_blank(cell.front(), delimiter)) cell.remove_prefix(1);
  while (!cell.empty() && is_blank(cell.back(), delimiter)) cell.remove_suffix(1);
  return cell;
}

}  // namespace

CsvRow split_row(std::string_view row, char delimiter) {
  if (row.ends_with('\n')) row.remove_suffix(1);
  if (row.ends_with('\r')) row.remove_suffix(1);
  CsvRow result;
  // Invariant: `at` is where the next cell begins, blanks included.
  std::size_t at = 0;
  while (true) {
    const std::string cell_number = std::to_string(result.cells.size() + 1);
    std::size_t start = at;
    // A quote after blanks still opens a quoted cell.
    while (start < row.size() && is_blank(row[start], delimiter)) ++start;
    // Unquoted: to the next delimiter.
    if (start == row.size() || row[start] != '"') {
      const std::size_t end = std::min(row.find(delimiter, at), row.size());
      const std::string_view cell = trimmed_cell(row.substr(at, end - at), delimiter);
      if (cell.find('"') != std::string_view::npos) {
        result.problem =
            ", field " + cell_number +
            ": a quote inside an unquoted field; put the field in quotes and double those inside";
        return result;
      }
      result.cells.emplace_back(cell);
      at = end;
    } else {
      std::string cell;
      // Quoted. Invariant: `cell` is the text between the opening quote and `at`, with doubled quotes made
      // single.
      at = start + 1;
      while (true) {
        const std::size_t quote = row.find('"', at);
        if (quote == std::string_view::npos) {
          result.problem = ", field " + cell_number + ": a quote is never closed; add the missing one";
          return result;
        }
        cell.append(row.substr(at, quote - at));
        at = quote + 1;
        if (at == row.size() || row[at] != '"') break;
        cell += '"';
        ++at;
      }
      // After the closing quote only blanks may come before the delimiter.
      while (at < row.size() && is_blank(row[at], delimiter)) ++at;
      if (at < row.size() && row[at] != delimiter) {
        result.problem =
            ", field " + cell_number + ": text after the closing quote; double the quotes inside a field";
        return result;
      }
      result.cells.push_back(std::move(cell));
    }
    if (at >= row.size()) return result;
    ++at;  // the delimiter
  }
}

}  // namespace giga
