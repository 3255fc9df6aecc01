// From checkpoints in a mapped file, by a second pass over a stream.
#include "data/csv_origin.hpp"

#include <utility>

#include "data/csv_blocks.hpp"
#include "data/csv_parse.hpp"
#include "data/csv_row.hpp"
#include "data/csv_scan.hpp"

namespace giga {
namespace {

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

// Rows were as long as rows may be when they were read. Where the file has changed since, the end of one may
// not be found within that length: no more of the text is read then.

// The row at `at`; empty if it has no end.
std::string_view row_at(std::string_view text, std::size_t at) {
  return text.substr(at, row_end_within(text, at).value_or(at) - at);
}

// The start of the row `count` rows after the one at `at`; text.size() if a row has no end.
std::size_t skip_rows(std::string_view text, std::size_t at, Index count) {
  const auto skip = [&] { at = row_end_within(text, at).value_or(text.size()); };
  const auto skip_blank = [&] {
    while (at < text.size() && is_blank_line(text, at)) skip();
  };
  skip_blank();
  for (; count > 0; --count) {
    skip();
    skip_blank();
  }
  return at;
}

class MappedOrigin : public Dataset::Origin {
 public:
  explicit MappedOrigin(MappedRows rows) : rows_(std::move(rows)) {}

  Index line(Index row) const override {
    // Otherwise the newlines before the row are counted: messages only, so a pass over the text is
    // affordable.
    if (rows_.one_line_a_row) return rows_.first_line + row;
    const Index line = rows_.first_line + count_newlines(rows_.text.substr(0, offset_of(row)));
    rows_.file->release(0, rows_.file->bytes().size());
    return line;
  }

  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    std::vector<std::vector<std::string>> texts;
    rows_.file->require_whole();
    for (const Index row : rows) {
      texts.push_back(chosen_cells(row_at(rows_.text, offset_of(row)), rows_.delimiter, cols));
      rows_.file->require_whole();
    }
    return texts;
  }

 private:
  std::size_t offset_of(Index row) const { return row_offset(rows_.text, rows_.checkpoints, row); }

  MappedRows rows_;
};

class StreamOrigin : public Dataset::Origin {
 public:
  explicit StreamOrigin(StreamRows rows) : rows_(std::move(rows)) {}

  // Lines of a stream cannot be counted again cheaply; 0 leaves them out of messages.
  Index line(Index row) const override { return rows_.one_line_a_row ? rows_.first_line + row : 0; }

  std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                              std::span<const Index> cols) const override {
    // Empty texts for a stream that is gone.
    std::vector<std::vector<std::string>> texts(rows.size(), std::vector<std::string>(cols.size()));
    if (!rows_.reopen) return texts;
    // One pass from the start; rows ascend, so `next` is the first that has not been found. `row` is the
    // input row that begins at `at`.
    const auto source = rows_.reopen();
    CsvBlocks blocks(*source, rows_.name, rows_.sizes);
    const char delimiter = rows_.form.delimiter;
    Index row = 0;
    std::size_t next = 0;
    bool started = false;
    for (std::string_view text = blocks.next(); !text.empty() && next < rows.size(); text = blocks.next()) {
      std::size_t at = started ? 0 : find_start(text, rows_.form, rows_.name).offset;
      started = true;
      // Blank lines are skipped by the same rule as in the parse, so that row numbers agree.
      for (at = skip_rows(text, at, 0); at < text.size() && next < rows.size();
           at = skip_rows(text, at, 1), ++row) {
        while (next < rows.size() && rows[next] == row) {
          texts[next++] = chosen_cells(row_at(text, at), delimiter, cols);
        }
      }
    }
    return texts;
  }

 private:
  StreamRows rows_;
};

}  // namespace

// At most kCheckpointRows - 1 rows after a checkpoint.
std::size_t row_offset(std::string_view text, const std::vector<std::size_t>& checkpoints, Index row) {
  return skip_rows(text, checkpoints[static_cast<std::size_t>(row / kCheckpointRows)], row % kCheckpointRows);
}

std::unique_ptr<Dataset::Origin> mapped_origin(MappedRows rows) {
  return std::make_unique<MappedOrigin>(std::move(rows));
}

std::unique_ptr<Dataset::Origin> stream_origin(StreamRows rows) {
  return std::make_unique<StreamOrigin>(std::move(rows));
}

}  // namespace giga
