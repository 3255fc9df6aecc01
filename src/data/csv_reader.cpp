// A CSV file as a Dataset: where the data begins, a scan that counts rows, room for them, then the parse.
//
//     mapped file    find_start -> scan_rows (whole text) -> Table::allocate -> parse_rows -> finish
//     stream         CsvBlocks -> for each block: scan_rows -> Table::reserve -> parse_rows; then finish
//
// Streams are gzip files and standard input. An Origin finds the text of a row again, for messages and for
// unused columns: from checkpoints in a mapped file, by a second pass in a gzip file, not at all on standard
// input.
#include "data/csv_reader.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "data/byte_source.hpp"
#include "data/column_roles.hpp"
#include "data/csv_blocks.hpp"
#include "data/csv_header.hpp"
#include "data/csv_parse.hpp"
#include "data/csv_row.hpp"
#include "data/csv_scan.hpp"
#include "data/load_progress.hpp"
#include "data/table.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

void check_delimiter(char delimiter) {
  // Bytes that the parsers take for something else.
  constexpr std::string_view kForbidden("\"\r\n\0.+-eE0123456789", 19);
  if (kForbidden.find(delimiter) != std::string_view::npos) {
    throw std::invalid_argument("delimiter is '" + printable(std::string(1, delimiter)) +
                                "', must not be a quote, a line end or part of a number");
  }
}

// Where the data begins in the first text of an input, and what its columns are called.
struct CsvStart {
  std::vector<std::string> names;
  std::size_t offset = 0;  // of the first data row or what blank lines precede it
  Index line = 1;          // of that offset
};

// Skips the byte order mark and blank lines, reads the names, and with a header moves past it.
CsvStart find_start(std::string_view text, const ReadOptions& options, const std::string& name) {
  std::size_t at = skip_byte_order_mark(text, name);
  Index line = 1;
  // Blank lines before the header do not count as rows, but as lines.
  while (at < text.size() && is_blank_line(text, at)) {
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
    ++line;
  }
  if (at >= text.size()) throw DataError(name + ": file is empty");
  const std::size_t end = row_end(text, at);
  const std::string_view first = text.substr(at, end - at);
  if (first.starts_with('#')) {
    std::size_t below = end;
    while (below < text.size() && is_blank_line(text, below)) below = row_end(text, below);
    refuse_comment(first, text.substr(below, row_end(text, below) - below), line, options.delimiter, name);
  }
  CsvStart start{read_names(first, at, line, options, name), at, line};
  if (options.header) {
    start.offset = end;
    start.line += count_newlines(first);
  }
  return start;
}

// The cells of `cols`; empty for those that a row lacks.
std::vector<std::string> chosen_cells(std::string_view row, char delimiter, std::span<const Index> cols) {
  CsvRow split = split_row(row, delimiter);
  std::vector<std::string> chosen;
  for (const Index col : cols) {
    const auto j = static_cast<std::size_t>(col);
    chosen.push_back(j < split.cells.size() ? std::move(split.cells[j]) : std::string());
  }
  return chosen;
}

// The start of the row `count` rows after the one at `at`.
std::size_t skip_rows(std::string_view text, std::size_t at, Index count) {
  const auto skip_blank = [&] {
    while (at < text.size() && is_blank_line(text, at)) at = row_end(text, at);
  };
  skip_blank();
  for (; count > 0; --count) {
    at = row_end(text, at);
    skip_blank();
  }
  return at;
}

// Rows of a mapped file: found again from the checkpoint before them.
class MappedOrigin : public Dataset::Origin {
 public:
  MappedOrigin(std::shared_ptr<const MappedFile> file, std::string_view text, char delimiter,
               Index first_line, bool one_line_a_row, std::vector<std::size_t> checkpoints)
      : file_(std::move(file)),
        text_(text),
        delimiter_(delimiter),
        first_line_(first_line),
        one_line_a_row_(one_line_a_row),
        checkpoints_(std::move(checkpoints)) {}

  Index line(Index row) const override {
    // Otherwise the newlines before the row are counted: messages only, so a pass over the text is
    // affordable.
    if (one_line_a_row_) return first_line_ + row;
    const Index line = first_line_ + count_newlines(text_.substr(0, offset_of(row)));
    file_->release(0, file_->bytes().size());
    return line;
  }

  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    std::vector<std::vector<std::string>> texts;
    for (const Index row : rows) {
      const std::size_t at = offset_of(row);
      texts.push_back(chosen_cells(text_.substr(at, row_end(text_, at) - at), delimiter_, cols));
    }
    return texts;
  }

 private:
  // At most kCheckpointRows - 1 rows after a checkpoint.
  std::size_t offset_of(Index row) const {
    return skip_rows(text_, checkpoints_[static_cast<std::size_t>(row / kCheckpointRows)],
                     row % kCheckpointRows);
  }

  std::shared_ptr<const MappedFile> file_;
  std::string_view text_;
  char delimiter_;
  Index first_line_;
  bool one_line_a_row_;
  std::vector<std::size_t> checkpoints_;
};

// Rows of a stream. One that can be opened again is read again from its start; others give no text.
class StreamOrigin : public Dataset::Origin {
 public:
  using Reopen = std::function<std::unique_ptr<ByteSource>()>;

  StreamOrigin(Reopen reopen, std::string name, ReadOptions options, CsvSizes sizes, Index first_line,
               bool one_line_a_row)
      : reopen_(std::move(reopen)),
        name_(std::move(name)),
        options_(std::move(options)),
        sizes_(sizes),
        first_line_(first_line),
        one_line_a_row_(one_line_a_row) {}

  // Lines of a stream cannot be counted again cheaply; 0 leaves them out of messages.
  Index line(Index row) const override { return one_line_a_row_ ? first_line_ + row : 0; }

  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    // Empty texts for a stream that is gone.
    std::vector<std::vector<std::string>> texts(rows.size(), std::vector<std::string>(cols.size()));
    if (!reopen_) return texts;
    // One pass from the start; rows ascend, so `next` is the first that has not been found. `row` is the
    // input row that begins at `at`.
    const auto source = reopen_();
    CsvBlocks blocks(*source, name_, sizes_);
    Index row = 0;
    std::size_t next = 0;
    bool started = false;
    for (std::string_view text = blocks.next(); !text.empty() && next < rows.size(); text = blocks.next()) {
      std::size_t at = started ? 0 : find_start(text, options_, name_).offset;
      started = true;
      // Blank lines are skipped by the same rule as in the parse, so that row numbers agree.
      for (at = skip_rows(text, at, 0); at < text.size() && next < rows.size();
           at = skip_rows(text, at, 1), ++row) {
        while (next < rows.size() && rows[next] == row) {
          texts[next++] = chosen_cells(text.substr(at, row_end(text, at) - at), options_.delimiter, cols);
        }
      }
    }
    return texts;
  }

 private:
  Reopen reopen_;
  std::string name_;
  ReadOptions options_;
  CsvSizes sizes_;
  Index first_line_;
  bool one_line_a_row_;
};

// Blocks of whole rows, each scanned and parsed like a file of its own. Row numbers and lines run on; offsets
// do not, so there are no checkpoints.
Dataset read_stream(ByteSource& source, const std::string& name, const ReadOptions& options,
                    const Executor& executor, const Observer& observer, const CsvSizes& sizes,
                    StreamOrigin::Reopen reopen) {
  check_delimiter(options.delimiter);
  CsvBlocks blocks(source, name, sizes);
  std::string_view text = blocks.next();
  if (text.empty()) throw DataError(name + ": file is empty");
  const CsvStart start = find_start(text, options, name);
  text.remove_prefix(start.offset);
  Table table(name, assign_roles(start.names, options, name), options);
  // A block is a buffer of our own: there are no pages to give back.
  const ReleaseText keep = [](std::size_t, std::size_t) {};
  std::vector<std::size_t> no_checkpoints;
  Index num_rows = 0;
  Index line = start.line;
  bool one_line_a_row = true;
  // Invariant: num_rows rows are parsed, and `text` begins on line `line` of the input.
  do {
    const CsvScan scan = scan_rows(text, sizes.chunk_bytes, executor, keep);
    table.reserve(num_rows + scan.num_rows);
    const CsvText csv{text, num_rows, options.delimiter};
    if (const auto bad_row = parse_rows(csv, scan, table, executor, keep, no_checkpoints)) {
      throw_bad_row(name, *bad_row, line + count_newlines(text.substr(0, bad_row->offset)));
    }
    num_rows += scan.num_rows;
    line += scan.num_newlines;
    one_line_a_row = one_line_a_row && scan.one_line_a_row;
    tell_bytes(observer, source.taken(), source.total());
    text = blocks.next();
  } while (!text.empty());
  return std::move(table).finish(num_rows, std::make_unique<StreamOrigin>(std::move(reopen), name, options,
                                                                          sizes, start.line, one_line_a_row));
}

}  // namespace

Dataset read_csv(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                 const Observer& observer, const CsvSizes& sizes) {
  check_delimiter(options.delimiter);
  const auto file = std::make_shared<const MappedFile>(MappedFile::open(path));
  const std::string name = printable_path(path);
  const std::string_view whole(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const CsvStart start = find_start(whole, options, name);
  const std::string_view text = whole.substr(start.offset);
  Table table(name, assign_roles(start.names, options, name), options);

  // First pass: the number of rows, so that exactly their memory is allocated. Pages are given back.
  const CsvScan scan = scan_rows(
      text, sizes.chunk_bytes, executor,
      [&](std::size_t offset, std::size_t length) { file->release(start.offset + offset, length); });
  if (scan.num_rows == 0) {
    // Mac OS before X ended lines in CR: such a file is one long header here.
    const bool old_mac =
        whole.find('\r') != std::string_view::npos && whole.find('\n') == std::string_view::npos;
    throw DataError(name + ": 0 data rows after the header" +
                    (old_mac ? "; lines end in CR only, convert them to LF" : ""));
  }
  // Second pass: the numbers.
  table.allocate(scan.num_rows);
  // One for every kCheckpointRows rows; parse_rows fills them in.
  std::vector<std::size_t> checkpoints(static_cast<std::size_t>((scan.num_rows - 1) / kCheckpointRows + 1));
  // Chunks end in any order, so progress is a sum.
  std::atomic<std::size_t> done{start.offset};
  const ReleaseText after_chunk = [&](std::size_t offset, std::size_t length) {
    file->release(start.offset + offset, length);
    const std::size_t so_far = done.fetch_add(length, std::memory_order_relaxed) + length;
    tell_bytes(observer, so_far, whole.size());
  };
  const CsvText csv{text, 0, options.delimiter};
  if (const auto bad_row = parse_rows(csv, scan, table, executor, after_chunk, checkpoints)) {
    throw_bad_row(name, *bad_row, start.line + count_newlines(text.substr(0, bad_row->offset)));
  }
  return std::move(table).finish(scan.num_rows,
                                 std::make_unique<MappedOrigin>(file, text, options.delimiter, start.line,
                                                                scan.one_line_a_row, std::move(checkpoints)));
}

Dataset read_gzip_csv(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                      const Observer& observer, const CsvSizes& sizes) {
  const auto source = gzip_source(path);
  return read_stream(*source, printable_path(path), options, executor, observer, sizes,
                     [path] { return gzip_source(path); });
}

Dataset read_csv_stream(int fd, const std::string& name, const ReadOptions& options, const Executor& executor,
                        const Observer& observer, const CsvSizes& sizes) {
  const auto source = descriptor_source(fd, name);
  return read_stream(*source, name, options, executor, observer, sizes, {});
}

}  // namespace giga
