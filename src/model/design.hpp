// The rows z of a regression, made from the features of a dataset as they are asked for.
#pragma once

#include <vector>

#include "giga/base/types.hpp"
#include "giga/data/dataset.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/data/standardise.hpp"

namespace giga {

/// z_n = ((x - mean) / scale, 1) of the distinct rows.
class Design {
 public:
  /// `data` must outlive this object.
  Design(const Dataset& data, const DistinctRows& rows, Standardisation scale, bool intercept);
  /// Rows that are given, row-major.
  Design(std::vector<double> rows, Index dim);
  Design(Design&&) = default;  // the vectors move, what they hold does not

  [[nodiscard]] Index num_rows() const { return num_rows_; }
  /// Columns of z.
  [[nodiscard]] Index dim() const { return num_features_ + (intercept_ ? 1 : 0); }
  /// Whether the last column is 1 in every row: the intercept, or one among rows that are given.
  [[nodiscard]] bool ends_in_ones() const;

  /// Row-major: dim() values a row.
  void by_row(Index first, Index count, double* z) const;
  /// Tiles as kernels::predict wants them: component d of row i at d * kTile + i, zero for i >= count; count
  /// <= kTile.
  void by_component(Index first, Index count, double* z) const;

 private:
  [[nodiscard]] const double* features(Index n) const {
    return x_ + (rows_.empty() ? n : rows_[static_cast<std::size_t>(n)]) * num_features_;
  }

  std::vector<double> own_;
  const double* x_;          // the features of the dataset, or own_
  std::vector<Index> rows_;  // rows of x_; empty: all
  std::vector<double> mean_, inverse_scale_;
  Index num_rows_ = 0, num_features_ = 0;
  bool intercept_ = false;
};

}  // namespace giga
