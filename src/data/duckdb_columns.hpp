// What becomes of the columns that DuckDB gives:
//
//     type                                      read as
//     integers, floats, decimals                Number
//     DATE                                      Date
//     timestamps, with a time zone or without   Time, in UTC
//     VARCHAR, ENUM, BOOLEAN, UUID, TIME        Category, each cell by its text
//     lists, structs, maps, blobs, intervals    refused, where they are used
//
// unless the options know better, or ask for a category: then the text of a cell is read as that of CSV is.
// NULL and NaN are missing, and so are texts that are missing in CSV: coreset.csv, which has them, is CSV.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/column_plan.hpp"
#include "data/duckdb_session.hpp"
#include "data/table.hpp"
#include "data/text_columns.hpp"

namespace giga {

/// A column of the table among those that are fetched.
struct FetchedColumn {
  Index col = 0;
  bool as_text = false;  ///< Cast to VARCHAR first.
  duck::ColumnType type = {};
};

/// How each column is fetched, and read: the plan of a column that is not used is to skip it. Throws
/// DataError for a used column of a type that cannot be.
[[nodiscard]] std::vector<FetchedColumn> plan_fetch(const Table& table,
                                                    const std::vector<duck::ColumnType>& types,
                                                    const ReadOptions& options,
                                                    std::vector<ColumnPlan>& plan);

/// "BIGINT", "DECIMAL(.., 2)".
[[nodiscard]] std::string type_name(const duck::ColumnType& type);

/// The rows of a result on their way into a table.
class DuckRows {
 public:
  DuckRows(Table& table, const std::vector<ColumnPlan>& plan, const std::vector<FetchedColumn>& fetched);

  /// The present chunk of a stream, whose columns are those that were planned.
  void add(const duck::Stream& stream);
  [[nodiscard]] Index num_rows() const { return num_rows_; }
  /// Whether a row cannot be used, so that later ones do not matter.
  [[nodiscard]] bool has_bad_row() const { return bad_row_.has_value(); }
  /// Throws the error of the first bad row, or settles kinds, levels and missing cells.
  void finish(const ReadOptions& options, const Executor& executor);

 private:
  // The codes of texts seen a moment ago, by the 16 bytes of their DuckString: a column of few levels is then
  // read without looking at its texts. Long texts lie elsewhere, and are the same only within a chunk.
  struct Recent {
    std::uint64_t first = 0, second = 0;
    Index chunk = -1;
    std::int32_t code = 0;
  };
  static constexpr std::size_t kRecents = 256;

  struct Place {
    const FetchedColumn* column;
    CellMode mode;
    std::size_t text;  // which of the text columns it is
  };

  void read(const Place& place, const duck::Cells& cells, Index count);
  void read_numbers(const Place& place, const duck::Cells& cells, Index count);
  void read_days(const Place& place, const duck::Cells& cells, Index count);
  void read_texts(const Place& place, const duck::Cells& cells, Index count);
  void read_categories(const Place& place, const duck::Cells& cells, Index count);
  [[nodiscard]] double value_of(const Place& place, std::string_view cell, Index row);
  void note_bad(Index row, std::string what);
  void merge_texts();

  template <typename Stored, typename Convert>
  void convert(const Place& place, const duck::Cells& cells, Index count, const Convert& convert_one);

  Table& table_;
  const std::vector<ColumnPlan>& plan_;
  std::vector<Place> places_;
  TextColumns texts_;
  std::vector<TextChunk> chunks_;  // of the rows since first_of_piece_, one for each text column
  std::vector<std::array<Recent, kRecents>> recents_;  // as are these
  Index num_chunks_ = 0;
  Index first_of_piece_ = 0;
  Index num_rows_ = 0;
  Index capacity_ = 0;
  std::vector<Slot> slots_;
  Issues issues_;
  bool has_missing_ = false;
  std::optional<BadRow> bad_row_;
};

}  // namespace giga
