// What can be told from the first lines of a CSV file: its encoding, whether the first row is a comment,
// whether it has names, and whether the delimiter is right. Mistakes that users make often get a message of
// their own.
#include "data/csv_header.hpp"

#include <algorithm>

#include "data/column_roles.hpp"
#include "data/csv_row.hpp"
#include "data/csv_scan.hpp"
#include "data/number_parse.hpp"
#include "data/utf8.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

// The header must be UTF-8 without NULs, since names go into messages and files. Of data rows only the levels
// of categories must be: numbers are ASCII, and unused columns are copied as they are.
void check_text(std::string_view first, std::size_t offset, Index line, const std::string& name) {
  const auto where = [&](std::size_t i) {
    return " at byte " + std::to_string(offset + i) + " (line " + std::to_string(line) + ")";
  };
  // The first of the two is reported; a NUL is UTF-8.
  const std::size_t nul = std::min(first.find('\0'), first.size()), invalid = invalid_utf8(first);
  if (nul < invalid)
    throw DataError(name + ": a NUL byte in the header" + where(nul) + "; save the file as text");
  if (invalid < first.size()) {
    throw DataError(name + ": invalid UTF-8 in the header" + where(invalid) + ": '" +
                    printable(first.substr(invalid, 8)) +
                    "'; convert to UTF-8, for example with iconv -f LATIN1 -t UTF-8");
  }
}

// The delimiter that would make more than one field of a line that is one field under `delimiter`: the first
// of ; tab , | that occurs, else a space.
char likelier_delimiter(std::string_view first, char delimiter) {
  char best = '\0';
  std::ptrdiff_t most = 0;
  for (const char candidate : {';', '\t', ',', '|', ' '}) {
    const auto count = std::count(first.begin(), first.end(), candidate);
    if (candidate != delimiter && count > most) {
      best = candidate;
      most = count;
      if (candidate != ' ') break;
    }
  }
  return best;
}

// "+1 3:0.5 7:1": a number, a blank and later a colon.
bool looks_like_libsvm(std::string_view first) {
  const std::size_t blank = std::min(first.find(' '), first.size());
  return first.find(':', blank) != std::string_view::npos &&
         parse_cell(first.substr(0, blank)).kind == CellKind::Number;
}

void refuse_delimiter(std::string_view first, Index line, char delimiter, const std::string& name) {
  if (first.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw DataError(name + ": line " + std::to_string(line) +
                    " has nothing but blanks where the first row should be; remove it");
  const char other = likelier_delimiter(first, delimiter);
  if (other == '\0') return;
  if (other == ' ' && looks_like_libsvm(first)) {
    throw DataError(name + ": line " + std::to_string(line) + " looks like libsvm; name the file .svm");
  }
  const std::string quoted = std::string("'") + other + "'";
  // The comma is the default, but not of a .tsv.
  const char* where = delimiter == '\t' && other == ',' ? " and name the file .csv" : "";
  throw DataError(name + ": found 1 column; is the delimiter " + (other == '\t' ? "a tab" : quoted) +
                  "? Set it with `delimiter = " + (other == '\t' ? "tab" : quoted) + "`" + where);
}

}  // namespace

std::size_t skip_byte_order_mark(std::string_view text, const std::string& name) {
  using namespace std::string_view_literals;
  if (text.starts_with("\xEF\xBB\xBF"sv)) return 3;
  const bool marked = text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv);
  // Without a mark, ASCII in UTF-16 has a NUL in every other byte: the even ones if big-endian, the odd ones
  // if little-endian.
  const bool unmarked = text.size() >= 4 && ((text[0] == '\0' && text[2] == '\0' && text[1] != '\0') ||
                                             (text[1] == '\0' && text[3] == '\0' && text[0] != '\0'));
  if (marked || unmarked) {
    throw DataError(name +
                    ": the text is UTF-16; convert to UTF-8, for example with iconv -f UTF-16 -t UTF-8");
  }
  return 0;
}

void refuse_comment(std::string_view first, std::string_view second, Index line, char delimiter,
                    const std::string& name) {
  // A row of more than kMaxColumns fields is refused by read_names; it is not split here.
  const auto is_wide = [&](std::string_view row) {
    return std::count(row.begin(), row.end(), delimiter) >= kMaxColumns;
  };
  if (!first.starts_with('#') || second.empty() || is_wide(first) || is_wide(second)) return;
  const CsvRow below = split_row(second, delimiter);
  // With several fields below, an empty one counts as a number that is missing; alone it would be a blank
  // line.
  const bool columns = below.cells.size() > 1;
  const bool has_number = std::any_of(below.cells.begin(), below.cells.end(), [&](const std::string& cell) {
    const CellKind kind = parse_cell(cell).kind;
    return kind == CellKind::Number || (columns && kind == CellKind::Missing);
  });
  if (has_number && split_row(first, delimiter).cells.size() == below.cells.size()) return;
  throw DataError(name + ": line " + std::to_string(line) +
                  " begins with '#', but comment lines are not read; remove the line");
}

std::vector<std::string> read_names(std::string_view first, std::size_t offset, Index line,
                                    const CsvForm& form, const std::string& name) {
  check_text(first, offset, line, name);
  if (std::count(first.begin(), first.end(), form.delimiter) >= kMaxColumns) {
    throw DataError(name + ": line " + std::to_string(line) + " has more than " +
                    std::to_string(kMaxColumns) + " fields; is it a CSV file?");
  }
  CsvRow row = split_row(first, form.delimiter);
  if (!row.problem.empty()) throw DataError(name + ": line " + std::to_string(line) + row.problem);
  // A file of one column has no features beside its response: most likely the delimiter is another.
  if (row.cells.size() == 1) refuse_delimiter(first, line, form.delimiter, name);
  if (!form.header) return default_names(static_cast<Index>(row.cells.size()));
  // Names that are all numbers: most likely there is no header, and the first row would be lost.
  const bool numeric = std::all_of(row.cells.begin(), row.cells.end(), [](const std::string& cell) {
    return parse_cell(cell).kind == CellKind::Number;
  });
  if (numeric) {
    throw DataError(name + ": line " + std::to_string(line) + " has numbers where names are expected ('" +
                    printable(first.substr(0, first.find_first_of("\r\n"))) +
                    "'); if the file has no header use `header = false`");
  }
  return std::move(row.cells);
}

CsvStart find_start(std::string_view text, const CsvForm& form, const std::string& name) {
  std::size_t at = skip_byte_order_mark(text, name);
  Index line = 1;
  // Blank lines before the header do not count as rows, but as lines.
  while (at < text.size() && is_blank_line(text, at)) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
    ++line;
  }
  if (at >= text.size()) throw DataError(name + ": file is empty");
  const std::optional<std::size_t> found = row_end_within(text, at);
  if (!found) throw DataError(name + long_row_words());
  const std::size_t end = *found;
  const std::string_view first = text.substr(at, end - at);
  if (first.starts_with('#')) {
    std::size_t below = end;
    while (below < text.size() && is_blank_line(text, below)) below = row_end(text, below);
    const std::size_t below_end = row_end_within(text, below).value_or(below);
    refuse_comment(first, text.substr(below, below_end - below), line, form.delimiter, name);
  }
  CsvStart start{read_names(first, at, line, form, name), at, line};
  if (form.header) {
    start.offset = end;
    start.line += count_newlines(first);
  }
  return start;
}

}  // namespace giga
