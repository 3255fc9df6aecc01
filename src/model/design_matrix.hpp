// The rows z of a regression, made from the features of a dataset as they are asked for.
//
// Two layouts: by_row, and by_component in tiles of kTile rows as tile_kernels.hpp wants them.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "giga/base/types.hpp"
#include "giga/data/dataset.hpp"
#include "giga/design/design.hpp"

namespace giga {

class DesignMatrix {
 public:
  /// Rows `rows` of `data`, which must outlive this object; empty: all of them.
  DesignMatrix(std::shared_ptr<const Design> design, const Dataset& data, std::vector<Index> rows);
  /// Rows z that are given, row-major.
  DesignMatrix(std::vector<double> rows, Index num_columns);
  DesignMatrix(DesignMatrix&&) = default;  // the vectors move, what they hold does not

  [[nodiscard]] Index num_rows() const { return num_rows_; }
  [[nodiscard]] Index num_columns() const { return num_columns_; }
  /// Whether the last column is 1 in every row: the intercept, or a column of ones in rows that are given.
  [[nodiscard]] bool ends_in_ones() const;

  /// Row-major: num_columns() values per row.
  void by_row(Index first, Index count, double* z) const;
  /// One tile: component d of row i at d * kTile + i, zero for i >= count; count <= kTile.
  void by_component(Index first, Index count, double* z) const;

 private:
  [[nodiscard]] const double* features(Index n) const {
    return x_ + (rows_.empty() ? n : rows_[static_cast<std::size_t>(n)]) * num_features_;
  }

  std::shared_ptr<const Design> design_;  // null: rows are z already
  std::vector<double> own_;
  const double* x_;          // the features of the dataset, or own_
  std::vector<Index> rows_;  // rows of x_; empty: all
  Index num_rows_ = 0, num_features_ = 0, num_columns_ = 0;
};

}  // namespace giga
