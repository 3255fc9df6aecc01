// CSV files being read: which rows of which files, and the way from them into a table. A whole table
// (csv_reader.cpp) has all rows of all files, a share of one (csv_share.cpp) some.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/byte_source.hpp"
#include "data/column_plan.hpp"
#include "data/csv_blocks.hpp"
#include "data/csv_header.hpp"
#include "data/csv_parse.hpp"
#include "data/csv_reader.hpp"
#include "data/csv_scan.hpp"
#include "data/table.hpp"
#include "data/text_columns.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {

/// One file of the table, or standard input. Those that are not mapped are streams.
struct CsvFile {
  std::string name;
  CsvForm form;
  std::shared_ptr<const MappedFile> mapped = {};
  std::function<std::unique_ptr<ByteSource>()> open = {};  ///< Of a stream that can be opened again;
  std::unique_ptr<ByteSource> once = {};                   ///< of one that cannot.
  std::size_t bytes = 0;                                   ///< 0: not known.
  CsvStart start = {};
  std::string peeked = {};  ///< Of a stream that is the first of several: its beginning.
  Index first_line = 1;     ///< On which the rows to be read begin.

  // Of a mapped file.
  std::string_view text = {};   ///< The rows to be read: what follows the header, or a range of it,
  std::size_t text_offset = 0;  ///< and where that begins in the file.
  CsvScan scan = {};
  std::vector<std::size_t> checkpoints = {};  ///< One for every kCheckpointRows rows.

  Index num_rows = 0;
  Index num_newlines = 0;  ///< In the rows that were read.
  bool one_line_a_row = true;

  [[nodiscard]] std::string_view whole() const {
    return {reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size()};
  }
  [[nodiscard]] Index line_at(std::size_t offset) const {
    return first_line + count_newlines(text.substr(0, offset));
  }
  void release(std::size_t offset, std::size_t length) const {
    mapped->release(text_offset + offset, length);
  }
};

/// Throws std::invalid_argument if the options cannot be.
void check_csv_options(const ReadOptions& options);

[[nodiscard]] CsvFile plain_file(const std::filesystem::path& path, const CsvForm& form);
[[nodiscard]] CsvFile packed_file(const std::filesystem::path& path, const CsvForm& form);
/// Each plain or packed, with the delimiter of its extension.
[[nodiscard]] std::vector<CsvFile> csv_files(std::span<const std::filesystem::path> paths,
                                             const ReadOptions& options);

/// A stream being read: its source, and the block that comes next.
struct OpenStream {
  OpenStream(CsvFile& file, const CsvSizes& sizes);

  std::unique_ptr<ByteSource> source;
  CsvBlocks blocks;
  std::string_view text;
};

/// Finds the starts of all files, whose names must agree; the rows to be read are all. A stream that is alone
/// is opened for good, and returned.
[[nodiscard]] std::unique_ptr<OpenStream> find_starts(std::span<CsvFile> files, const CsvSizes& sizes);

/// For the guess at kinds: the first text that has anything, and its delimiter.
[[nodiscard]] std::pair<std::string_view, char> first_text(std::span<const CsvFile> files,
                                                           const OpenStream* alone);

/// How columns that turned out to be something else are read from now on. A column of numbers may become one
/// of dates or text, a column of dates text, so that a file is parsed three times at most for each.
void replan(const std::vector<Suspect>& suspects, std::vector<ColumnPlan>& plan);

/// The rows of files on their way into a table.
class CsvRows {
 public:
  /// `alone` is what find_starts returned.
  CsvRows(std::vector<CsvFile> files, std::unique_ptr<OpenStream> alone, const Executor& executor,
          const Observer& observer, const CsvSizes& sizes);

  [[nodiscard]] std::span<CsvFile> files() { return files_; }
  [[nodiscard]] Index num_rows() const { return num_rows_; }
  [[nodiscard]] bool all_mapped() const;

  /// First pass, over mapped files: their rows are counted. Pages are given back.
  Index scan();

  /// Second pass: the numbers, into a table with room for mapped files. What it finds first ends it: columns
  /// that are something else, which are to be read again by another plan, or a bad row. A stream that cannot
  /// be read again changes the plan itself.
  [[nodiscard]] CsvParse parse(std::vector<ColumnPlan>& plan, Table& table, TextColumns& texts);

  /// Of all files, each with its first row counted from `first_row` on.
  [[nodiscard]] std::unique_ptr<Dataset::Origin> take_origin(Index first_row);

 private:
  [[nodiscard]] CsvParse parse_mapped(std::size_t begin, std::size_t end, const std::vector<ColumnPlan>& plan,
                                      Table& table, TextColumns& texts);
  [[nodiscard]] CsvParse parse_stream(CsvFile& file, std::vector<ColumnPlan>& plan, Table& table,
                                      TextColumns& texts);
  [[nodiscard]] CsvParse parse_block(const CsvFile& file, const CsvPiece& piece,
                                     std::vector<ColumnPlan>& plan, Table& table, TextColumns& texts) const;

  std::vector<CsvFile> files_;
  std::unique_ptr<OpenStream> alone_;  // opened, and not yet read
  const Executor& executor_;
  const Observer& observer_;
  CsvSizes sizes_;
  Index num_rows_ = 0;
  std::size_t total_bytes_ = 0;
  std::atomic<std::size_t> done_bytes_{0};
};

}  // namespace giga
