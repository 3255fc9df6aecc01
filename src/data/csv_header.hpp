// Where the data of a CSV file begin, and the line before them: names, or the first row of a file without
// names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "giga/data/read_dataset.hpp"

namespace giga {

/// How a file is written.
struct CsvForm {
  char delimiter = ',';
  bool header = true;
};

/// Bytes of a UTF-8 byte order mark at the start. Throws DataError for text in UTF-16 or UTF-32.
[[nodiscard]] std::size_t skip_byte_order_mark(std::string_view text, const std::string& name);

/// Throws DataError if the first row is a comment. A '#' may also begin a name: then the row below has as
/// many fields, and a number among them.
void refuse_comment(std::string_view first, std::string_view second, Index line, char delimiter,
                    const std::string& name);

/// The column names. `first` is the first row that is not blank, at `offset` of the file, on `line`. Throws
/// DataError.
[[nodiscard]] std::vector<std::string> read_names(std::string_view first, std::size_t offset, Index line,
                                                  const CsvForm& form, const std::string& name);

/// Where the data begin in the first text of an input, and what its columns are called.
struct CsvStart {
  std::vector<std::string> names;
  std::size_t offset = 0;  ///< Of the first data row or what blank lines precede it.
  Index line = 1;          ///< Of that offset.
};

/// Skips the byte order mark and blank lines, reads the names, and with a header moves past it. Throws
/// DataError.
[[nodiscard]] CsvStart find_start(std::string_view text, const CsvForm& form, const std::string& name);

}  // namespace giga
