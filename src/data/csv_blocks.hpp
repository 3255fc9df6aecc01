// A stream of CSV text in blocks that end where a row does.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.hpp"
#include "data/csv_reader.hpp"

namespace giga {

class CsvBlocks {
 public:
  /// `source` must outlive the blocks; `name` is for messages.
  CsvBlocks(ByteSource& source, std::string name, const CsvSizes& sizes);

  /// The next block, valid until the next call: whole rows, the last of them perhaps without a newline at the
  /// end of the input. Empty at the end. Throws DataError for a row beyond max_row_bytes.
  [[nodiscard]] std::string_view next();

 private:
  [[nodiscard]] std::size_t last_row_end() const;

  ByteSource& source_;
  std::string name_;
  CsvSizes sizes_;
  std::unique_ptr<char[]> buffer_;  // not cleared: most inputs are smaller
  std::size_t capacity_;
  std::size_t size_ = 0;  // bytes in the buffer
  std::size_t used_ = 0;  // of which the last block had these
  bool ended_ = false;
};

}  // namespace giga
