// The cells of CSV text into a Table, chunk by chunk on the executor.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "data/csv_scan.hpp"
#include "data/table.hpp"
#include "giga/base/executor.hpp"

namespace giga {

/// Rows between the byte offsets kept to find cells again.
inline constexpr Index kCheckpointRows = 4096;

struct CsvText {
  std::string_view text;  ///< begins where a row does
  Index first_row = 0;    ///< input rows before it
  char delimiter = ',';
};

/// Parses all rows into the table, which has room for them. The first bad row, or nothing. checkpoints[k], if
/// there is such an entry, becomes the offset of row k kCheckpointRows.
[[nodiscard]] std::optional<BadRow> parse_rows(const CsvText& csv, const CsvScan& scan, Table& table,
                                               const Executor& executor, const ReleaseText& release,
                                               std::vector<std::size_t>& checkpoints);

}  // namespace giga
