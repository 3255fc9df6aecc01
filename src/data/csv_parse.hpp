// The cells of CSV text into a Table, chunk by chunk on the executor.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/column_plan.hpp"
#include "data/csv_scan.hpp"
#include "data/table.hpp"
#include "data/text_columns.hpp"
#include "giga/base/executor.hpp"

namespace giga {

/// Rows between the byte offsets kept to find cells again.
inline constexpr Index kCheckpointRows = 4096;

struct CsvText {
  std::string_view text;  ///< begins where a row does
  Index first_row = 0;    ///< input rows before it
  char delimiter = ',';
};

/// One of the texts of a table.
struct CsvPiece {
  CsvText csv;
  const CsvScan* scan = nullptr;
  LineOf line_of;       ///< For messages.
  ReleaseText release;  ///< Told of text that was parsed.
  /// Its entry k, if there is such, becomes the offset of row k kCheckpointRows of the text. May be null.
  std::vector<std::size_t>* checkpoints = nullptr;
};

/// A column of numbers whose first other cell is a date may be dates; any other one is text.
struct Suspect {
  std::size_t col = 0;
  CellMode mode = CellMode::Text;
};

struct CsvParse {
  std::optional<BadRow> bad_row;  ///< The first, if there is any; rows after it do not count.
  Index bad_line = 0;             ///< On which it begins.
  /// Columns that were to be numbers or dates and have a cell that is not one. Then nothing is merged into
  /// the table or the text columns: the rows are to be parsed again, with these as `mode` says.
  std::vector<Suspect> suspects;
  std::optional<BadRow> first_suspect;  ///< The first such cell,
  std::size_t suspect_piece = 0;        ///< and the text it is in.
};

/// Parses all rows of the texts, which are in the order of rows, into the table, which has room for them,
/// each column as the plan says.
[[nodiscard]] CsvParse parse_rows(std::span<const CsvPiece> pieces, const std::vector<ColumnPlan>& plan,
                                  Table& table, TextColumns& text, const Executor& executor);

}  // namespace giga
