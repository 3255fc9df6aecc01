// A CSV file as a Dataset: where the data begins, a scan that counts rows, room for them, then the parse.
//
//     mapped file    find_start -> scan_rows (whole text) -> Table::allocate -> parse_rows -> finish
//     stream         CsvBlocks -> for each block: scan_rows -> Table::reserve -> parse_rows; then finish
//
// Streams are gzip files and standard input. Columns are parsed as column_plan.hpp guesses; where a cell does
// not fit, its column is something else, and the file, or the first block of a stream, is parsed again.
// Further blocks of standard input cannot change a column: what was read of it as numbers is gone. An Origin
// finds the text of a row again, for messages and for unused columns: from checkpoints in a mapped file, by a
// second pass in a gzip file, not at all on standard input.
#include "data/csv_reader.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "data/byte_source.hpp"
#include "data/column_plan.hpp"
#include "data/column_roles.hpp"
#include "data/csv_blocks.hpp"
#include "data/csv_header.hpp"
#include "data/csv_parse.hpp"
#include "data/csv_row.hpp"
#include "data/csv_scan.hpp"
#include "data/line_ends.hpp"
#include "data/load_progress.hpp"
#include "data/table.hpp"
#include "data/text_columns.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

void check_options(const ReadOptions& options) {
  // Bytes that the parsers take for something else.
  constexpr std::string_view kForbidden("\"\r\n\0.+-eE0123456789", 19);
  if (kForbidden.find(options.delimiter) != std::string_view::npos) {
    throw std::invalid_argument("delimiter is '" + printable(std::string(1, options.delimiter)) +
                                "', must not be a quote, a line end or part of a number");
  }
  check_max_levels(options);
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

// How columns that turned out to be something else are read from now on. A column of numbers may become one
// of dates or text, a column of dates text, so that a file is parsed three times at most for each.
void replan(const std::vector<Suspect>& suspects, std::vector<ColumnPlan>& plan) {
  for (const Suspect& suspect : suspects) plan[suspect.col].mode = suspect.mode;
}

// Throws the error of the first bad row or text, if there is any.
void require_good(const CsvParse& parse, const TextColumns& text, const Table& table, const LineOf& line_of) {
  const Index before = parse.bad_row ? parse.bad_row->row : std::numeric_limits<Index>::max();
  if (const auto fault = text.fault_before(before, table))
    throw_bad_row(table.name(), fault->bad_row, fault->line);
  if (parse.bad_row) throw_bad_row(table.name(), *parse.bad_row, line_of(parse.bad_row->offset));
}

// A stream being read. Blocks of whole rows are each scanned and parsed like a file of its own. Row numbers
// and lines run on; offsets do not, so there are no checkpoints.
class StreamReader {
 public:
  StreamReader(std::string name, const ReadOptions& options, const Executor& executor,
               const Observer& observer, const CsvSizes& sizes, StreamOrigin::Reopen reopen)
      : name_(std::move(name)),
        options_(options),
        executor_(executor),
        observer_(observer),
        sizes_(sizes),
        reopen_(std::move(reopen)) {
    check_options(options);
  }

  // Nothing if columns turned out to be text after the first block: the plan says so now, and the stream is
  // to be read from its start.
  std::optional<Dataset> read(ByteSource& source) {
    CsvBlocks blocks(source, name_, sizes_);
    std::string_view text = blocks.next();
    if (text.empty()) throw DataError(name_ + ": file is empty");
    const CsvStart start = find_start(text, options_, name_);
    text.remove_prefix(start.offset);
    Table table(name_, assign_roles(start.names, options_, name_), options_, executor_.memory());
    table.allow_categories();
    if (plan_.empty()) plan_ = plan_columns(text, table.columns(), options_);
    TextColumns texts(plan_);
    Index num_rows = 0;
    Index line = start.line;
    bool one_line_a_row = true;
    // Invariant: num_rows rows are parsed, and `text` begins on line `line` of the input.
    do {
      const CsvScan scan = scan_rows(text, sizes_.chunk_bytes, executor_, keep);
      table.reserve(num_rows + scan.num_rows);
      const LineOf line_of = [&](std::size_t offset) {
        return line + count_newlines(text.substr(0, offset));
      };
      while (!parse_block({text, num_rows, options_.delimiter}, scan, table, texts, line_of)) {
        if (num_rows > 0) return std::nullopt;
        texts = TextColumns(plan_);
      }
      num_rows += scan.num_rows;
      line += scan.num_newlines;
      one_line_a_row = one_line_a_row && scan.one_line_a_row;
      tell_bytes(observer_, source.taken(), source.total());
      text = blocks.next();
    } while (!text.empty());
    const LineOf no_line = [](std::size_t) { return Index{0}; };
    require_good({}, texts, table, no_line);
    texts.settle(plan_, table, options_, executor_);
    return std::move(table).finish(num_rows, std::make_unique<StreamOrigin>(reopen_, name_, options_, sizes_,
                                                                            start.line, one_line_a_row));
  }

 private:
  // A block is a buffer of our own: there are no pages to give back.
  static void keep(std::size_t /*offset*/, std::size_t /*length*/) {}

  // False if it is to be parsed again, by another plan.
  bool parse_block(const CsvText& csv, const CsvScan& scan, Table& table, TextColumns& texts,
                   const LineOf& line_of) {
    std::vector<std::size_t> no_checkpoints;
    const CsvParse parse =
        parse_rows(csv, scan, plan_, table, texts, line_of, executor_, keep, no_checkpoints);
    if (parse.suspects.empty()) {
      if (parse.bad_row) require_good(parse, texts, table, line_of);
      return true;
    }
    if (csv.first_row > 0 && !reopen_)
      throw_bad_row(name_, *parse.first_suspect, line_of(parse.first_suspect->offset));
    replan(parse.suspects, plan_);
    return false;
  }

  std::string name_;
  const ReadOptions& options_;
  const Executor& executor_;
  const Observer& observer_;
  CsvSizes sizes_;
  StreamOrigin::Reopen reopen_;
  std::vector<ColumnPlan> plan_;
};

Dataset read_stream(std::unique_ptr<ByteSource> source, const std::string& name, const ReadOptions& options,
                    const Executor& executor, const Observer& observer, const CsvSizes& sizes,
                    const StreamOrigin::Reopen& reopen) {
  StreamReader reader(name, options, executor, observer, sizes, reopen);
  std::optional<Dataset> data = reader.read(*source);
  while (!data) {
    source = reopen();
    data = reader.read(*source);
  }
  return std::move(*data);
}

}  // namespace

Dataset read_csv(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                 const Observer& observer, const CsvSizes& sizes) {
  check_options(options);
  const auto file = std::make_shared<const MappedFile>(MappedFile::open(path));
  const std::string name = printable_path(path);
  const std::string_view whole(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (has_old_line_ends(whole)) {
    const auto open = [file, whole] { return with_newlines(text_source(whole)); };
    return read_stream(open(), name, options, executor, observer, sizes, open);
  }
  const CsvStart start = find_start(whole, options, name);
  const std::string_view text = whole.substr(start.offset);
  Table table(name, assign_roles(start.names, options, name), options, executor.memory());
  table.allow_categories();

  // First pass: the number of rows, so that exactly their memory is allocated. Pages are given back.
  const CsvScan scan = scan_rows(
      text, sizes.chunk_bytes, executor,
      [&](std::size_t offset, std::size_t length) { file->release(start.offset + offset, length); });
  if (scan.num_rows == 0) throw DataError(name + ": 0 data rows after the header");
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
  const LineOf line_of = [&](std::size_t offset) {
    return start.line + count_newlines(text.substr(0, offset));
  };
  const CsvText csv{text, 0, options.delimiter};
  std::vector<ColumnPlan> plan = plan_columns(text, table.columns(), options);
  while (true) {
    TextColumns texts(plan);
    const CsvParse parse =
        parse_rows(csv, scan, plan, table, texts, line_of, executor, after_chunk, checkpoints);
    if (parse.suspects.empty()) {
      require_good(parse, texts, table, line_of);
      texts.settle(plan, table, options, executor);
      break;
    }
    replan(parse.suspects, plan);
    done = start.offset;
  }
  return std::move(table).finish(scan.num_rows,
                                 std::make_unique<MappedOrigin>(file, text, options.delimiter, start.line,
                                                                scan.one_line_a_row, std::move(checkpoints)));
}

Dataset read_gzip_csv(const std::filesystem::path& path, const ReadOptions& options, const Executor& executor,
                      const Observer& observer, const CsvSizes& sizes) {
  const auto open = [path] { return with_newlines(gzip_source(path)); };
  return read_stream(open(), printable_path(path), options, executor, observer, sizes, open);
}

Dataset read_csv_stream(int fd, const std::string& name, const ReadOptions& options, const Executor& executor,
                        const Observer& observer, const CsvSizes& sizes) {
  return read_stream(with_newlines(descriptor_source(fd, name)), name, options, executor, observer, sizes,
                     {});
}

}  // namespace giga
