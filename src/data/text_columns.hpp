// Columns of text being read: their levels, and at the end their kind and numbers.
//
// Every chunk of rows numbers the texts of a column as they come and puts these numbers into the slots of
// the table. Chunks are merged in the order of rows; when all are read the levels are sorted by their bytes
// and the numbers in the slots become places in that order. Nothing depends on the threads or on where the
// text was cut.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/column_plan.hpp"
#include "data/level_table.hpp"
#include "data/table.hpp"
#include "giga/base/executor.hpp"

namespace giga {

struct FactPlace;
struct TextFacts;
struct TableFacts;
class Agreement;

/// The first cell of some class: its row, where the row begins in the text, and how the cell reads.
struct FirstCell {
  Index row = -1;
  std::size_t offset = 0;
  std::string text = {};
};

/// One text column in one chunk of rows.
class TextChunk {
 public:
  /// A number for the text of a cell in the row at `offset`. A text may be asked for and then not counted: a
  /// row may be read twice.
  [[nodiscard]] std::int32_t code(std::string_view text, Index row, std::size_t offset) {
    const Index number = text.size() <= kMaxLevelBytes ? texts_.number(text) : -1;
    if (number >= 0 && number < std::ssize(levels_)) return static_cast<std::int32_t>(number);
    return code_of_new(text, number, row, offset);
  }
  void count(std::int32_t code) {
    const std::int32_t uncoded = ~code;
    ++(code >= 0 ? levels_[static_cast<std::size_t>(code)].count
                 : uncoded_[static_cast<std::size_t>(uncoded)]);
  }
  [[nodiscard]] bool is_missing(std::int32_t code) const {
    return code >= 0 && levels_[static_cast<std::size_t>(code)].is == CellClass::Missing;
  }

 private:
  friend class TextColumn;
  struct Level {
    CellClass is;
    Index count;
    Index row;  // the first that has it, and where that begins
    std::size_t offset;
  };

  [[nodiscard]] std::int32_t code_of_new(std::string_view text, Index number, Index row, std::size_t offset);

  LevelTable texts_;
  std::vector<Level> levels_;
  // Cells without a number, ~class for a code: there are too many texts, or this one is too long.
  ClassCounts uncoded_{};
  std::array<FirstCell, kNumClasses> first_uncoded_;
};

/// The line on which the row at an offset of the text begins.
using LineOf = std::function<Index(std::size_t)>;

/// One text column of a table.
class TextColumn {
 public:
  TextColumn(Index col, const ColumnPlan& plan);

  [[nodiscard]] Index col() const { return col_; }

  /// In the order of rows. The chunk has rows [first_row, first_row + num_rows).
  void merge(const TextChunk& chunk, Index first_row, Index num_rows, const LineOf& line_of);

  /// The first cell that does not fit the kind of the column, and its line; nothing if all do.
  struct Fault {
    BadRow bad_row;
    Index line = 0;
  };
  [[nodiscard]] std::optional<Fault> fault(const Table& table) const;

  /// The levels to the table, in their order; the place of each number of a text among them. Throws DataError
  /// if there are too many. There must be no fault.
  [[nodiscard]] std::vector<std::uint32_t> settle(Table& table, const ReadOptions& options) const;

  /// What a share of the table tells of the column: `place` makes one of a row and a line of the share, whose
  /// rows in `dropped`, ascending, do not count for the levels that are kept.
  [[nodiscard]] TextFacts facts(const std::function<FactPlace(Index row, Index line)>& place,
                                const Slot& slot, const std::vector<Index>& dropped) const;
  /// Takes what all shares have told; places are now rows and lines of the whole table.
  void take(const TextFacts& facts, const Agreement& all);
  /// Its levels, which `places` has in the order of a whole table, and the numbers of this share's own texts
  /// among them. Levels that only dropped rows have are left out where `kept` says so.
  [[nodiscard]] std::vector<std::uint32_t> settle_share(const TextColumn& whole, const TextFacts& facts,
                                                        bool some_dropped, Table& table,
                                                        const ReadOptions& options) const;

  /// Chunks that were merged; and in the slot of the column, the numbers of one of them to places.
  [[nodiscard]] Index num_pieces() const { return std::ssize(pieces_); }
  void renumber(Index piece, const std::vector<std::uint32_t>& places, const Slot& slot) const;

 private:
  struct Found : FirstCell {
    Index line = 0;
  };
  // Rows whose slots have numbers of a chunk, and the numbers of their texts here.
  struct Piece {
    Index first_row, num_rows;
    std::vector<std::uint32_t> levels;
  };

  void note_first(Found& first, Index row, std::size_t offset, std::string_view text, const LineOf& line_of);
  [[nodiscard]] const Found& first(CellClass is) const { return first_[static_cast<std::size_t>(is)]; }
  [[nodiscard]] ColumnKind kind() const { return asked_ ? ColumnKind::Category : kind_of(counts_); }
  [[nodiscard]] Index present() const;
  void refuse_many(const Table& table, const ReadOptions& options) const;
  [[nodiscard]] std::string words_of(const Found& cell, CellClass is, ColumnKind kind,
                                     const Table& table) const;
  [[nodiscard]] std::vector<std::uint32_t> sorted_places(std::vector<std::string>& sorted) const;

  Index col_;
  bool asked_;
  const KnownColumn* known_;
  LevelTable texts_;
  bool too_many_ = false;
  ClassCounts counts_{};
  std::array<Found, kNumClasses> first_;
  Found first_unknown_;
  std::vector<Piece> pieces_;
};

/// The text columns of a table, and what was found of dates in those that were read as dates.
struct TextColumns {
  explicit TextColumns(const std::vector<ColumnPlan>& plan);

  /// The first fault of any column before `row`; by row, then by column.
  [[nodiscard]] std::optional<TextColumn::Fault> fault_before(Index row, const Table& table) const;
  /// Kinds, levels and numbers to the table.
  void settle(const std::vector<ColumnPlan>& plan, Table& table, const ReadOptions& options,
              const Executor& executor) const;
  /// The same for a share of a table, whose text columns are `whole`.
  void settle_share(const std::vector<ColumnPlan>& plan, const TextColumns& whole, const TableFacts& all,
                    bool some_dropped, Table& table, const ReadOptions& options,
                    const Executor& executor) const;

  void renumber(const std::vector<std::vector<std::uint32_t>>& places, Table& table,
                const Executor& executor) const;
  void set_dates(const std::vector<ColumnPlan>& plan, Table& table) const;

  std::vector<TextColumn> columns;
  std::vector<char> has_time;  ///< Per column of the table: one of its dates has a time of day.
};

}  // namespace giga
