// Rows of libsvm text on their way into a table: of whole files, or of shares of them.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/table.hpp"
#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {

/// Whole lines. first_row and first_line count what lies before the chunk in the text.
struct SvmChunk {
  std::size_t begin = 0;  ///< Where a line does.
  std::size_t end = 0;
  Index first_row = 0;
  Index num_rows = 0;
  Index first_line = 0;
  Index num_lines = 0;
  Index max_index = 0;
};

/// A mapped file and the chunks of the text that is to be read; rows and lines of these are counted in it.
struct SvmFile {
  explicit SvmFile(const std::filesystem::path& path);

  /// Only the lines that begin in bytes [begin, end) of the file.
  void restrict_to(std::size_t begin, std::size_t end);
  void release(const SvmChunk& chunk) const {
    mapped->release(text_offset + chunk.begin, chunk.end - chunk.begin);
  }

  std::string name;
  std::shared_ptr<const MappedFile> mapped;
  std::string_view text;        ///< Without a byte order mark.
  std::size_t text_offset = 0;  ///< Where it begins in the file.
  std::vector<SvmChunk> chunks = {};
  Index first_row = 0;  ///< Of the table.
  Index num_rows = 0;
  Index num_lines = 0;
};

/// First pass: rows and lines of all files, cut into chunks, and the largest index.
struct SvmCounts {
  Index num_rows = 0;
  Index max_index = 0;
};
[[nodiscard]] SvmCounts count_rows(std::span<SvmFile> files, std::size_t chunk_bytes,
                                   const Executor& executor);

/// Throws DataError where the dense table would exceed both 1 GB and 64 times the files, or has too many
/// columns.
void check_dense_size(Index rows, Index cols, std::size_t file_bytes, const std::string& name);

/// x1 ... xD and y; at least one feature, so that lines that name no index may still be read and refused.
[[nodiscard]] std::vector<std::string> svm_names(Index max_index);

/// Second pass: the numbers, into a table that has room for all rows, whose slots are 0. What is missing is
/// merged, up to the first bad row.
struct SvmBadRow {
  BadRow bad_row;
  std::size_t file = 0;
  Index lines = 0;  ///< Line ends before it in the text of the file.
};
[[nodiscard]] std::optional<SvmBadRow> fill_rows(std::span<const SvmFile> files, Table& table,
                                                 const Executor& executor, const Observer& observer);

/// What finds the rows of all files again, counted from `first_row` on; first_lines[i] is the line on which
/// the text of the i-th begins.
[[nodiscard]] std::unique_ptr<Dataset::Origin> svm_origin(std::span<SvmFile> files, Index num_columns,
                                                          Index first_row,
                                                          const std::vector<Index>& first_lines);

}  // namespace giga
