// CSV: a line of letters that choose options, then the file.
//
//   d  drop rows with missing cells     n  no header     ; | t _  the delimiter (t a tab, _ a blank)
//   w  weights in column w              r  response a    f        features x alone: others are unused
//   c  column a is a category           l  3 levels      k        x is known to be a number, a of levels p, q
//   p  no response                      z  gzip
//
// Laws: chunks and blocks of any size, mapped or streamed, give one table or one message; the numbers are
// those of the careful parser, cell by cell; cells that are written are read back the same.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "data/csv_header.hpp"
#include "data/csv_reader.hpp"
#include "data/csv_row.hpp"
#include "data/iso_time.hpp"
#include "data/line_ends.hpp"
#include "data/number_parse.hpp"
#include "fuzz/support/memory_files.hpp"
#include "fuzz/support/table_laws.hpp"
#include "fuzz/support/target.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"

namespace giga::fuzz {
namespace {

const std::string kName = "fuzz.csv";

ReadOptions options_of(std::string_view letters) {
  ReadOptions options;
  for (const char letter : letters) {
    switch (letter) {
      case 'd': options.missing = Missing::Drop; break;
      case 'n': options.header = false; break;
      case ';':
      case '|': options.delimiter = letter; break;
      case 't': options.delimiter = '\t'; break;
      case '_': options.delimiter = ' '; break;
      case 'w': options.weights = "w"; break;
      case 'r': options.response = "a"; break;
      case 'f': options.features = {"x"}; break;
      case 'c': options.categories = {"a"}; break;
      case 'l': options.max_levels = 3; break;
      case 'k': options.known = {{"x"}, {"a", ColumnKind::Category, {"q", "p"}}}; break;
      case 'p': options.has_response = false; break;
      default: break;
    }
  }
  if (!options.has_response) options.response.reset();
  return options;
}

// Standard input cannot be read twice; a file of memory stands for it.
Dataset read_streamed(std::string_view text, const ReadOptions& options, const CsvSizes& sizes) {
  static const int kFd = ::memfd_create("fuzz", MFD_CLOEXEC);
  require(::ftruncate(kFd, 0) == 0 && ::pwrite(kFd, text.data(), text.size(), 0) == std::ssize(text) &&
              ::lseek(kFd, 0, SEEK_SET) == 0,
          "memory can be written to");
  return read_csv_stream(kFd, kName, options, Serial(), {}, sizes);
}

// Rows as the careful parser cuts them, one after the other.
std::vector<std::vector<std::string>> careful_rows(std::string_view file, const ReadOptions& options) {
  std::string text(file);
  if (has_old_line_ends(text)) std::replace(text.begin(), text.end(), '\r', '\n');
  const CsvStart start = find_start(text, {options.delimiter, options.header}, kName);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = start.offset; at < text.size();) {
    const std::size_t end = row_end(text, at);
    if (!is_blank_line(text, at)) {
      CsvRow row = split_row(std::string_view(text).substr(at, end - at), options.delimiter);
      require(row.problem.empty(), "rows of a table that was read have no problem");
      require(row.cells.size() == start.names.size(), "rows have as many cells as there are names");
      rows.push_back(std::move(row.cells));
    }
    at = end;
  }
  return rows;
}

// What a cell stands for; NaN where it is missing.
double careful_value(const Column& column, std::string_view cell) {
  const CellValue number = parse_cell(cell);
  if (column.kind != ColumnKind::Number && number.kind == CellKind::Missing) return std::nan("");
  if (column.kind == ColumnKind::Category) {
    const auto level = std::ranges::find(column.levels, trimmed(cell));
    return static_cast<double>(level - column.levels.begin());  // one past the last of those of dropped rows
  }
  if (column.kind != ColumnKind::Number) return parse_iso(trimmed(cell)).days;
  if (number.kind == CellKind::Missing) return std::nan("");
  require(number.kind == CellKind::Number, "numbers of a table that was read are numbers");
  return number.value;
}

double value_of(const Dataset& data, const Column& column, Index n) {
  if (column.role == ColumnRole::Feature) return data.features(n)[column.feature];
  return column.role == ColumnRole::Response ? data.response(n) : data.weights()[at(n)];
}

void require_careful(const Dataset& data, std::string_view text, const ReadOptions& options) {
  const auto rows = careful_rows(text, options);
  Index n = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<double> values;
    bool missing = false;
    for (std::size_t j = 0; j < data.columns().size(); ++j) {
      const Column& column = data.columns()[j];
      if (column.role == ColumnRole::Unused) continue;
      values.push_back(careful_value(column, rows[row][j]));
      missing = missing || std::isnan(values.back());
    }
    if (missing) {
      require(options.missing == Missing::Drop, "missing cells are refused or dropped");
      continue;
    }
    require(n < data.num_rows() && data.input_row(n) == static_cast<Index>(row),
            "rows are the careful parser's");
    std::size_t k = 0;
    for (const Column& column : data.columns())
      if (column.role != ColumnRole::Unused)
        require(same_bits(value_of(data, column, n), values[k++]), "numbers are the careful parser's");
    ++n;
  }
  require(n == data.num_rows(), "all rows were read");
}

// As a coreset's file is written and read: all cells as text, and what is known of the columns.
void require_written_reads_back(const Dataset& data, const ReadOptions& options) {
  std::string text;
  const auto put = [&text](const std::vector<std::string>& cells) {
    for (std::size_t j = 0; j < cells.size(); ++j) text.append(j > 0 ? "," : "").append(csv_field(cells[j]));
    text += '\n';
  };
  ReadOptions again{.response = options.response, .features = options.features, .weights = options.weights};
  again.has_response = options.has_response;
  std::vector<std::string> names;
  for (const Column& column : data.columns()) {
    names.push_back(column.name);
    if (column.role != ColumnRole::Unused && column.role != ColumnRole::Weight)
      again.known.push_back({column.name, column.kind, column.levels});
  }
  std::vector<Index> all(at(data.num_rows()));
  for (Index n = 0; n < data.num_rows(); ++n) all[at(n)] = n;
  const auto cells = data.cells(all);
  put(names);
  for (const auto& row : cells) put(row);
  const MemoryFile file("again.csv", text);
  const auto [read, why] = attempt([&] { return read_csv("again.csv", again, Serial(), {}); });
  if (!read) broken("what was written is read back: " + why + "\n" + text);
  if (read->cells(all) != cells) broken("what was written is read back the same:\n" + text);
}

void run(std::string_view input) {
  const std::string_view letters = take_line(input);
  const ReadOptions options = options_of(letters);
  const MemoryFile file(kName, input);
  if (letters.find('z') != std::string_view::npos) {
    const auto [data, why] = attempt([&] { return read_gzip_csv(kName, options, Serial(), {}); });
    if (data) require_sound(*data);
    return;
  }
  // Blocks of the usual size take longer to allocate than to read.
  const CsvSizes whole{.block_bytes = input.size() + 1};
  const CsvSizes chunks{.chunk_bytes = 1 + input.size() % 13, .block_bytes = whole.block_bytes};
  const CsvSizes small{.chunk_bytes = chunks.chunk_bytes, .block_bytes = 1 + input.size() % 29};
  const auto [data, why] = attempt([&] { return read_csv(kName, options, Serial(), {}, whole); });
  const auto [cut, why_cut] = attempt([&] { return read_csv(kName, options, Serial(), {}, chunks); });
  const auto [streamed, why_streamed] = attempt([&] { return read_streamed(input, options, whole); });
  const auto [blocks, why_blocks] = attempt([&] { return read_streamed(input, options, small); });
  // Of text with a NUL nothing is read beyond the chunk that has it: it is refused, but in which words
  // depends on where the chunk ends.
  if (input.find('\0') != std::string_view::npos) return require(!data && !cut, "text with a NUL is refused");
  if (why != why_cut) broken("chunks do not matter: '" + why + "' and '" + why_cut + "'");
  if (why.empty() != why_streamed.empty())
    broken("a stream is refused where a file is: '" + why + "' and '" + why_streamed + "'");
  // Blocks of a stream may be too short to tell the kinds of columns: then they are refused. Or too short for
  // the row below the first line, which tells whether that is a comment: then it is taken for names.
  const bool comment = why.find("comment lines are not read") != std::string::npos;
  require(data || !blocks || comment, "blocks do not make good what is bad");
  if (!data) return;
  require_sound(*data);
  require_same(*data, *cut, "chunks do not matter");
  require_same(*data, *streamed, "a stream is a file", false);
  if (blocks) require_same(*data, *blocks, "blocks do not matter", false);
  require_careful(*data, input, options);
  require_written_reads_back(*data, options);
}

}  // namespace
}  // namespace giga::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  giga::fuzz::run(giga::fuzz::text_of(data, size));
  return 0;
}
