// How rows of CSV text are found again: for the lines of messages, and for the text of unused columns.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"
#include "data/csv_header.hpp"
#include "data/csv_reader.hpp"
#include "data/dataset_parts.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {

/// Of a mapped file: rows are found from the checkpoint before them. `text` is what follows the header, on
/// `first_line`; checkpoints[k] is where row k kCheckpointRows begins in it.
struct MappedRows {
  std::shared_ptr<const MappedFile> file;
  std::string_view text;
  char delimiter = ',';
  Index first_line = 1;
  bool one_line_a_row = true;
  std::vector<std::size_t> checkpoints;
};
[[nodiscard]] std::unique_ptr<Dataset::Origin> mapped_origin(MappedRows rows);

/// Of a stream, which is read again from its start; one that cannot be opened again gives no text.
struct StreamRows {
  std::function<std::unique_ptr<ByteSource>()> reopen;
  std::string name;
  CsvForm form;
  CsvSizes sizes;
  Index first_line = 1;
  bool one_line_a_row = true;
};
[[nodiscard]] std::unique_ptr<Dataset::Origin> stream_origin(StreamRows rows);

/// Where a row begins in the text that the checkpoints are of.
[[nodiscard]] std::size_t row_offset(std::string_view text, const std::vector<std::size_t>& checkpoints,
                                     Index row);

}  // namespace giga
