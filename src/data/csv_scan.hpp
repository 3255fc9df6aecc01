// Where the rows of CSV text begin, found in parallel at the speed of memory.
//
// The text is cut into chunks of equal length. A first pass counts newlines and quotes in each; an odd number
// of quotes before a position means it lies inside a quoted cell, so the counts tell for every chunk whether
// it begins inside one. In malformed text (a quote inside an unquoted cell) that holds up to the first
// malformed row, and the parser reports that row before anything that follows can mislead it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/executor.hpp"

namespace giga {

/// Rows whose first byte lies in [begin, end). Lines with nothing on them are not rows.
struct CsvChunk {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t first_start = 0;  ///< Where the first line that begins in the chunk does.
  Index first_row = 0;          ///< Rows before it in the text.
  Index num_rows = 0;
  bool has_quotes = false;
  bool has_nul = false;  ///< One of its rows, or one of a later chunk, has a byte 0.
};

struct CsvScan {
  std::vector<CsvChunk> chunks;
  Index num_rows = 0;
  Index num_newlines = 0;
  std::size_t end = 0;  ///< Of what was scanned: the text, or as far as the chunk with the first byte 0.
  /// Row n begins on line n of the text: no blank lines, no newlines in quotes.
  bool one_line_a_row = true;
};

/// Called with (offset, length) of text that will not be read again in this pass.
using ReleaseText = std::function<void(std::size_t, std::size_t)>;

/// `text` begins where a row does.
[[nodiscard]] CsvScan scan_rows(std::string_view text, std::size_t chunk_bytes, const Executor& executor,
                                const ReleaseText& release);

/// The same for several texts, their chunks side by side; releases[i] is that of texts[i].
[[nodiscard]] std::vector<CsvScan> scan_texts(std::span<const std::string_view> texts,
                                              std::size_t chunk_bytes, const Executor& executor,
                                              std::span<const ReleaseText> releases);

/// The end of the row at `start`: the position after its newline, or text.size(). Newlines in quotes do not
/// count.
[[nodiscard]] std::size_t row_end(std::string_view text, std::size_t start);

/// A longer row is refused: there is a quote without its fellow, or it is no CSV.
inline constexpr std::size_t kMaxRowBytes = std::size_t{32} << 20;
/// What is wrong with a row of more than so many bytes, after "row 17" or the name of a file.
[[nodiscard]] std::string long_row_words(std::size_t bytes = kMaxRowBytes);

/// row_end(), or nothing if the row has more than kMaxRowBytes; then no more of the text is read.
[[nodiscard]] std::optional<std::size_t> row_end_within(std::string_view text, std::size_t start);

/// Whether the line at `start` is empty: "\n", "\r\n", or the end of the text.
[[nodiscard]] bool is_blank_line(std::string_view text, std::size_t start);

[[nodiscard]] Index count_newlines(std::string_view text);

}  // namespace giga
