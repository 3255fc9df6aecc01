// A Dataset being filled: where each column's numbers go, what was odd about them, and the judgement at the
// end.
//
// Readers fill blocks of rows in parallel. Each block keeps its own Issues and at most one BadRow, the first
// it found; they are merged in block order, so what the user is told does not depend on the threads.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset_parts.hpp"
#include "data/number_parse.hpp"
#include "giga/base/matrix_view.hpp"
#include "giga/data/read_dataset.hpp"

namespace giga {

/// Where the numbers of a column go: row n to base[n * stride]; nowhere if base is null.
struct Slot {
  double* base = nullptr;
  Index stride = 0;
};

/// What ends the reading. `what` follows the row's place in the message: ", column 'y': ..." or " has 4
/// fields ...".
struct BadRow {
  Index row = 0;           ///< 0-based input row
  std::size_t offset = 0;  ///< of the row in the text it was read from
  std::string what;
};

struct CellPlace {
  Index row;
  Index col;
};

/// What does not end the reading at once. Rows are numbered as in the input.
struct Issues {
  Index missing = 0;
  std::vector<Index> missing_by_column = {};  ///< as far as the last column that has one
  std::vector<CellPlace> first_missing = {};  ///< at most five
  std::vector<Index> incomplete =
      {};  ///< rows with missing cells, ascending; kept only if they are to be dropped
  Index too_small = 0;
  Index rounded = 0;  ///< Whole numbers of 64 bits that a double cannot hold.
};

/// Of numbers that were of this type, those that a double cannot hold: whole ones of 2^53 and more.
[[nodiscard]] Index count_rounded(Scalar was, std::span<const double> numbers);

/// What is known of all rows of a table, whether they are in one Table or in shares.
struct WholeTable {
  Index num_rows = 0;  ///< Before any is dropped.
  Index num_dropped = 0;
  Index missing = 0;
  std::vector<Index> missing_by_column = {};
  /// The first few, in the order of rows: the row in words, and the column.
  std::vector<std::pair<std::string, Index>> first_missing = {};
  Index too_small = 0, rounded = 0;
};

class Table {
 public:
  Table(std::string name, std::vector<Column> columns, const ReadOptions& options, RowMemory& memory);

  [[nodiscard]] const std::string& name() const { return parts_.name; }
  [[nodiscard]] const std::vector<InputFile>& files() const { return parts_.files; }
  [[nodiscard]] const std::vector<Column>& columns() const { return parts_.columns; }
  [[nodiscard]] Index num_columns() const { return static_cast<Index>(parts_.columns.size()); }
  [[nodiscard]] Index num_features() const { return parts_.num_features; }

  /// Exactly `rows` rows of storage; before slots().
  void allocate(Index rows);
  /// Storage for at least `rows` rows, grown by doubling.
  void reserve(Index rows);
  /// The same, but the features are those of the caller, row-major, who keeps them longer than the Dataset.
  /// They are copied once one of them is to be changed: slots() are to be read alone until then.
  void borrow_features(const double* features, Index rows);
  /// The same, but the features stay in the files they are in: there are no slots for them. Whether they are
  /// finite is for judge_filled() to find out.
  void place_features(std::shared_ptr<const PlacedFeatures> features, Index rows);
  /// One slot per column; valid until storage changes.
  [[nodiscard]] std::vector<Slot> slots();

  /// Says that columns may be text, so that messages name the option that makes a category of one.
  void allow_categories() { may_have_categories_ = true; }

  void add_note(std::string note) { parts_.notes.push_back(std::move(note)); }

  /// The next of several files, whose rows begin with `first_row`: messages name it.
  void add_file(std::string name, Index first_row) { parts_.files.push_back({std::move(name), first_row}); }
  void set_files(std::vector<InputFile> files) { parts_.files = std::move(files); }
  /// Forgets the files, and all that was merged: the input is to be read again.
  void start_again();

  /// Stores the value of a cell, or NaN and notes that it is missing. A BadRow's `what` if it is infinite,
  /// overflows or is not a number; empty if all is well. `text` is how the cell reads, for messages.
  [[nodiscard]] std::string store(const CellValue& cell, std::string_view text, CellPlace place,
                                  const Slot& slot, Issues& issues) const;
  /// The same for a number of a binary file.
  [[nodiscard]] std::string store(double value, CellPlace place, const Slot& slot, Issues& issues) const;

  /// Stores NaN and notes that the cell is missing.
  void store_missing(CellPlace place, const Slot& slot, Issues& issues) const;

  /// A BadRow's `what` for a cell that is not a number that can be used; "" if it is one.
  [[nodiscard]] std::string not_a_number(const CellValue& cell, std::string_view text, Index col) const;
  /// The same for a cell that is not a date, or of one that is `impossible`.
  [[nodiscard]] std::string not_a_date(std::string_view text, bool impossible, Index col) const;
  /// The same for a text that is none of the levels that are known.
  [[nodiscard]] std::string unknown_level(Index col, const std::string& level,
                                          const std::vector<std::string>& levels) const;
  /// What to do about a column that cannot be used: leave it out, or choose another.
  [[nodiscard]] std::string way_out(Index col) const;

  void merge(Issues&& block);

  /// What the numbers of a column stand for. Levels that no row has after rows were dropped go with them,
  /// unless they are to be kept.
  void set_kind(Index col, ColumnKind kind, std::vector<std::string> levels = {}, bool keep_levels = false);

  /// Judges what was merged. Throws DataError for missing values that are not to be dropped, negative weights
  /// and tables without rows.
  [[nodiscard]] Dataset finish(Index num_rows, std::unique_ptr<Dataset::Origin> origin) &&;

  /// The same in two steps, where the table has `num_rows` rows of a whole from its row `first_row` on. The
  /// first throws; weights are for the caller to judge.
  void judge(const WholeTable& whole) const;
  [[nodiscard]] Dataset finish_share(Index first_row, Index num_rows, const WholeTable& whole,
                                     std::unique_ptr<Dataset::Origin> origin) &&;
  [[nodiscard]] const Issues& issues() const { return issues_; }
  [[nodiscard]] bool has_weights() const { return has_weights_; }
  /// What follows the place of a row whose weight is negative, and what is wrong where none is positive.
  [[nodiscard]] std::string negative_weight(double weight) const;
  [[nodiscard]] std::string no_weight() const;

 private:
  void note_missing(CellPlace place, Issues& issues) const;
  /// "400 in 'arr_delay', 12 in 'tailnum'": most first.
  [[nodiscard]] std::string missing_by_column(const WholeTable& whole) const;
  /// What to do about a column that is not as it should be.
  [[nodiscard]] static std::string advice(const Column& column, const std::string& cure = "correct it");
  [[nodiscard]] std::string advice_on_text(const Column& column,
                                           const std::string& cure = "correct it") const;
  void settle_levels();
  /// What to say of the first used column that is missing in every row of several; empty if there is none.
  [[nodiscard]] std::string empty_column(const WholeTable& whole) const;
  [[noreturn]] void refuse_missing(const WholeTable& whole) const;
  void drop_incomplete_rows();
  void own_features();
  void add_notes(const WholeTable& whole);
  void check_weights() const;

  Dataset::Parts parts_;
  Missing missing_;
  bool has_response_ = false;
  bool has_weights_ = false;
  bool may_have_categories_ = false;
  std::vector<char> keep_levels_;  // per column
  Issues issues_;
};

/// Looks at numbers that were put into the slots unseen, and at features that are elsewhere, row by row. The
/// first row that has an infinite one, if there is any; what was missing before it is merged.
[[nodiscard]] std::optional<BadRow> look_at_filled(Table& table, const std::vector<Slot>& slots,
                                                   Index num_rows, const Executor& executor,
                                                   const PlacedFeatures* placed = nullptr);
/// The same; throws DataError for that row.
void judge_filled(Table& table, const std::vector<Slot>& slots, Index num_rows, const Executor& executor,
                  const PlacedFeatures* placed = nullptr);

/// The DataError of a bad row: "file: row 17 (line 18), column 'y': ...".
[[noreturn]] void throw_bad_row(const Table& table, const BadRow& bad_row, Index line);

}  // namespace giga
