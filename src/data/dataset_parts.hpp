// What a Dataset is made of, and how it finds its input again.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/placed_features.hpp"
#include "giga/base/row_array.hpp"
#include "giga/data/dataset.hpp"

namespace giga {

class Dataset::Origin {
 public:
  virtual ~Origin() = default;
  /// The 1-based line on which an input row begins; 0 if the input has no lines or they cannot be told.
  [[nodiscard]] virtual Index line(Index input_row) const = 0;
  /// texts[i][j]: the text of column cols[j] in the input row rows[i]; rows ascend.
  [[nodiscard]] virtual std::vector<std::vector<std::string>> texts(std::span<const Index> rows,
                                                                    std::span<const Index> cols) const = 0;
};

/// What a rank knows of a table that it shares with others.
struct SharedRowsState {
  RowRange held;              // the rows of this rank
  RowRange read;              // those that it read, which know their lines and texts
  bool complete = false;      // whether it holds all rows by now
  RowRange hull;              // from the first to the last row that hold() brought here
  std::vector<bool> brought;  // by row, from hull.begin on
  std::vector<double> first_responses;
  // What was fetched: of each row its features, response and weight, its texts, its place.
  std::unordered_map<Index, std::vector<double>> numbers;
  std::unordered_map<Index, std::vector<std::string>> texts;
  std::unordered_map<Index, std::string> places;
  bool asks = false;  // within check_together()

  [[nodiscard]] bool is_here(Index n) const {
    return complete || held.contains(n) || (hull.contains(n) && brought[at(n - hull.begin)]);
  }
};

/// Thrown by place() of a row that another rank has read, while that can be asked.
struct ReadElsewhere {
  Index row;
};

struct Dataset::Parts {
  std::string name;
  std::vector<InputFile> files;  // empty: one
  std::vector<Column> columns;
  std::vector<std::string> feature_names;
  std::vector<std::size_t> column_of;  // of each feature; made by the Dataset
  std::string response_name;
  std::optional<Column> computed_response;  // of set_response
  Index first_row = 0;                      // input rows before those of a share
  Index num_rows = 0;
  Index num_features = 0;
  RowArray<double> features;                     // row-major; empty where they are elsewhere:
  const double* borrowed = nullptr;              // the caller's, who keeps them
  std::shared_ptr<const PlacedFeatures> placed;  // in files that are used where they are
  RowArray<double> response;                     // empty if there is no such column
  RowArray<double> weights;                      // likewise
  std::vector<Index> dropped;                    // input rows left out, ascending, from first_row on
  std::vector<std::string> notes;
  std::unique_ptr<Origin> origin;           // none: only rows have numbers, unused columns are empty
  std::unique_ptr<SharedRowsState> shared;  // none: all rows are here

  [[nodiscard]] const double* feature_values() const {
    return borrowed != nullptr ? borrowed : features.data();
  }
  /// That of set_response().
  void name_response(Column column);
};

/// Adds values that are not among `found`, in their order, up to Dataset::kFewResponses.
void add_first_responses(std::span<const double> values, std::vector<double>& found);

/// The input row, from first_row on, that row n is where `dropped` are left out.
[[nodiscard]] Index kept_input_row(const std::vector<Index>& dropped, Index n);

/// A value as messages show it.
[[nodiscard]] std::string in_quotes(std::string_view value);

/// "row 17 (line 18)" from 0-based `input_row`; without the line if it is 0.
[[nodiscard]] std::string row_place(Index input_row, Index line);
/// The one of several files that has the row.
[[nodiscard]] const InputFile& file_with(const std::vector<InputFile>& files, Index input_row);
/// "row 17 (line 18)", or "row 17 (line 18) of b.csv", by the files and the origin.
[[nodiscard]] std::string place_of(const Dataset::Parts& parts, Index input_row);
/// "column 'y'", or "column 3 (unnamed)".
[[nodiscard]] std::string column_place(const std::vector<Column>& columns, Index col);

}  // namespace giga
