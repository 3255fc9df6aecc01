// The rows z of a regression, made from the features of a dataset as they are asked for.
//
// Two layouts: by_row, and by_component in tiles of kTile rows as tile_kernels.hpp wants them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/types.hpp"
#include "giga/data/dataset.hpp"
#include "giga/design/design.hpp"

namespace giga {

class DesignMatrix {
 public:
  /// Rows `rows` of `data`, which must outlive this object; empty: all of them. Those of `held` are here.
  DesignMatrix(std::shared_ptr<const Design> design, const Dataset& data, std::vector<Index> rows,
               const RowRange& held);
  /// Rows z that are given, row-major.
  DesignMatrix(std::vector<double> rows, Index num_columns);
  /// The same, of which those of `held` are here; `ends_in_ones` is of all of them.
  DesignMatrix(RowArray<double> rows, Index num_columns, const RowRange& held, bool ends_in_ones);
  /// Rows whose features are given, row-major, to be written by the design; `ends_in_ones` as above.
  DesignMatrix(std::shared_ptr<const Design> design, std::vector<double> features, Index num_features,
               bool ends_in_ones);
  DesignMatrix(DesignMatrix&&) = default;  // the vectors move, what they hold does not

  [[nodiscard]] Index num_rows() const { return num_rows_; }
  [[nodiscard]] Index num_columns() const { return num_columns_; }
  /// Whether the last column is 1 in every row: the intercept, or a column of ones in rows that are given.
  [[nodiscard]] bool ends_in_ones() const;

  /// Some rows by themselves: nothing of this object or of the dataset is referred to.
  [[nodiscard]] DesignMatrix chosen(std::span<const Index> rows) const;
  /// The same of many rows, in the executor's memory, all of which this rank has.
  [[nodiscard]] DesignMatrix chosen(std::span<const Index> rows, const Executor& executor) const;

  /// Row-major: num_columns() values per row.
  void by_row(Index first, Index count, double* z) const;
  /// One tile: component d of row i at d * kTile + i, zero for i >= count; count <= kTile.
  void by_component(Index first, Index count, double* z) const;

  /// As those of Likelihood.
  [[nodiscard]] const RowRange& held() const { return held_; }
  void fetch(std::span<const Index> rows, const Executor& executor) const;
  void complete(const Executor& executor) const;

 private:
  [[nodiscard]] Index data_row(Index n) const { return rows_.empty() ? n : rows_[at(n)]; }
  // Whether rows that are chosen are kept as features.
  [[nodiscard]] bool as_features() const;
  // Rows that are chosen, to `numbers`; whether the last column is 1 in all of them.
  bool write_chosen(std::span<const Index> rows, double* numbers) const;
  // `room`, of a row, where the dataset needs it.
  [[nodiscard]] const double* features(Index n, double* room) const {
    return x_ != nullptr && held_.contains(n) ? x_ + data_row(n) * num_features_ : fetched(n, room);
  }
  [[nodiscard]] const double* fetched(Index n, double* room) const;
  // Numbers of room for so many rows.
  [[nodiscard]] Index room_for(Index count) const {
    return data_ != nullptr && data_->features_need_room() ? count * num_features_ : 0;
  }

  std::shared_ptr<const Design> design_;  // null: rows are z already
  const Dataset* data_ = nullptr;         // where that is
  std::vector<double> own_;               // rows z; with a design, features
  mutable RowArray<double> shared_;       // instead of own_ where ranks share the rows
  std::optional<bool> ends_in_ones_;      // where it is known, and no matter of the design
  const double* x_;          // the features of the dataset, null where these are in files, or own_ or shared_
  std::vector<Index> rows_;  // rows of x_; empty: all
  Index num_rows_ = 0, num_features_ = 0, num_columns_ = 0;
  mutable RowRange held_;
  mutable std::unordered_map<Index, std::vector<double>> fetched_;  // of shared_
};

}  // namespace giga
