// A table of observations: features, a response and, optionally, observation weights, as the user's file has
// them. Nothing is scaled or merged here: see standardise.hpp and duplicates.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/row_array.hpp"
#include "giga/base/types.hpp"

namespace giga {

class Executor;
struct DistinctRows;

/// What a column of the input is used for.
enum class ColumnRole { Feature, Response, Weight, Unused };

/// What the numbers of a column stand for.
enum class ColumnKind {
  Number,    ///< themselves
  Category,  ///< a level: the number is its index in `levels`
  Date,      ///< a day: days since 1970-01-01
  Time,      ///< a moment: days since 1970-01-01, with the fraction of the day
};
constexpr auto name_table(ColumnKind) {
  return names_are<ColumnKind>({{ColumnKind::Number, "number"},
                                {ColumnKind::Category, "category"},
                                {ColumnKind::Date, "date"},
                                {ColumnKind::Time, "time"}});
}

struct Column {
  std::string name;
  ColumnRole role = ColumnRole::Feature;
  Index feature = -1;  ///< Which of the features it is; -1 for other roles.
  ColumnKind kind = ColumnKind::Number;
  std::vector<std::string> levels = {};  ///< Of a category, sorted by their bytes; else empty.
};

/// One of several files that are one table.
struct InputFile {
  std::string name;     ///< As messages call it.
  Index first_row = 0;  ///< Of the table, 0-based: the rows of the files before it.
};

/// N rows with D features each, row-major. Values are finite; weights are finite and not negative. Movable,
/// not copyable: it may take most of the memory.
///
/// A table that ranks share (read_shared) has all rows, but each rank holds some of them. What a rank may be
/// asked for of the others is what was fetched.
class Dataset {
 public:
  /// How to find the text of unused columns again; made by the readers.
  class Origin;
  struct Parts;

  explicit Dataset(Parts parts);
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset&&) noexcept;
  ~Dataset();

  [[nodiscard]] Index num_rows() const;
  [[nodiscard]] Index num_features() const;
  /// The features of row n, as read. Throws std::logic_error if they need room.
  [[nodiscard]] const double* features(Index n) const;
  /// The same of any table: numbers of 4 bytes, in a file that is used where it is, are converted to `room`,
  /// which has num_features() places; unless features_need_room() it may be null.
  [[nodiscard]] const double* features(Index n, double* room) const;
  [[nodiscard]] bool features_need_room() const;
  /// Of files that are used where they are; 0 if none is.
  [[nodiscard]] std::uint64_t bytes_in_place() const;
  /// Throws IoError if a file that is used where it is was written to since it was opened, or part of it
  /// could not be read: what was made of the table is then worth nothing. See of_unchanged() (unchanged.hpp).
  void require_unchanged() const;
  /// Empty, as is its name, where the table was read without a response.
  [[nodiscard]] std::span<const double> response() const;
  /// That of row n, which may have been fetched.
  [[nodiscard]] double response(Index n) const;
  /// Different values of the response, at most kFewResponses, in the order of the first rows that have them.
  [[nodiscard]] std::vector<double> first_responses() const;
  static constexpr std::size_t kFewResponses = 10;
  /// Observation weights; empty when the input has none, which means 1 for every row.
  [[nodiscard]] std::span<const double> weights() const;
  [[nodiscard]] double weight(Index n) const;

  /// Names of the features, in the order of features(n).
  [[nodiscard]] const std::vector<std::string>& feature_names() const;
  [[nodiscard]] const std::string& response_name() const;
  /// What the numbers of the response stand for. Throws std::invalid_argument where there is none.
  [[nodiscard]] const Column& response_column() const;
  /// All columns of the input in its order, used or not.
  [[nodiscard]] const std::vector<Column>& columns() const;
  /// The column that a feature is.
  [[nodiscard]] const Column& feature_column(Index feature) const;

  /// Calls a feature by another name, and its levels by other words: those of the table that the rows of a
  /// coreset are from, where the file of the coreset had to spell them differently.
  void rename_feature(Index feature, const std::string& name, const std::vector<std::string>& levels);

  /// Gives a table that was read without a response one that was computed, a number for each row. It has no
  /// column of the input: `column` says what it is called and what its numbers stand for.
  void set_response(Column column, const std::vector<double>& values);
  /// The same of a table that ranks share, called by all of them: each gives those of the rows that it holds.
  void set_response(Column column, RowArray<double> values, const Executor& executor);

  /// The 0-based data row of the input that row n was. It differs from n only where rows were dropped.
  [[nodiscard]] Index input_row(Index n) const;
  /// How the user would find row n, or its response: "row 17 (line 18)" and "row 17 (line 18), column 'y'".
  /// Without a response both are the row. Of several files: "row 17 (line 18) of b.csv", as counted there.
  [[nodiscard]] std::string place(Index n) const;
  [[nodiscard]] std::string response_place(Index n) const;
  /// The file, for messages; of several what stands for all of them.
  [[nodiscard]] const std::string& name() const;
  /// The files where the table is several, in order; otherwise, and of Parquet, empty.
  [[nodiscard]] const std::vector<InputFile>& files() const;
  /// What the reader wants the user to know: rows dropped, numbers too small for a double. Whole sentences
  /// without a full stop.
  [[nodiscard]] const std::vector<std::string>& notes() const;

  /// The cells of the given rows, one vector of columns().size() texts per row. Numbers that were read are in
  /// the shortest form that reads back the same bits, categories are their levels, dates and times ISO text
  /// (times in UTC if they had an offset); unused columns are the text of the input (empty if the input was a
  /// stream, which cannot be read again). Throws IoError if that became shorter since it was read.
  [[nodiscard]] std::vector<std::vector<std::string>> cells(std::span<const Index> rows) const;

  /// Whether ranks share the rows; and those that this one holds, of which views by row, response() and
  /// weights(), may be read: all, unless they do.
  [[nodiscard]] bool is_shared() const;
  [[nodiscard]] RowRange held() const;
  /// Where the features of row 0 are, or would be, with those of the other rows behind them: of rows that are
  /// held. Null where files are used where they are.
  [[nodiscard]] const double* all_features() const;

  // Of a table that ranks share, called by all of them together with the same rows; else nothing is done.

  /// Numbers of some rows.
  void fetch(std::span<const Index> rows, const Executor& executor) const;
  /// What cells() of them takes.
  void fetch_cells(std::span<const Index> rows, const Executor& executor) const;
  /// Numbers of all rows: every rank holds them from now on.
  void complete(const Executor& executor) const;
  /// The features and responses of the rows that a rank sums over where equal rows are one.
  void hold(const DistinctRows& distinct, const Executor& executor) const;
  /// check(), on every rank, of its own rows. What the lowest rank throws is thrown by all: place() may be
  /// asked for rows that another rank has read.
  void check_together(const Executor& executor, const std::function<void()>& check) const;

 private:
  friend class SharedTable;

  std::unique_ptr<Parts> parts_;
};

/// The features of several rows at once, as whatever makes columns of them wants them: where they are, or
/// converted to a room of its own.
class FeatureRows {
 public:
  FeatureRows(const Dataset& data, Index most)
      : data_(data), x_(at(most)), room_(data.features_need_room() ? at(most * data.num_features()) : 0) {}

  /// Those of rows row_of(0), ..., row_of(count - 1), until the next call; count <= most.
  template <typename RowOf>
  [[nodiscard]] const double* const* of(Index count, const RowOf& row_of) {
    for (Index i = 0; i < count; ++i)
      x_[at(i)] =
          data_.features(row_of(i), room_.empty() ? nullptr : room_.data() + i * data_.num_features());
    return x_.data();
  }
  /// Those of consecutive rows.
  [[nodiscard]] const double* const* from(Index first, Index count) {
    return of(count, [first](Index i) { return first + i; });
  }
  /// Those of one row.
  [[nodiscard]] const double* row(Index n) { return *from(n, 1); }

 private:
  const Dataset& data_;
  std::vector<const double*> x_;
  std::vector<double> room_;
};

}  // namespace giga
