// Rows of z, in either layout, a tile of rows at a time: copied where they were given, else written by the
// Design from the features of the dataset, which are read where they lie.
#include "model/design_matrix.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "model/tile_kernels.hpp"

namespace giga {

using kernels::kTile;

DesignMatrix::DesignMatrix(std::shared_ptr<const Design> design, const Dataset& data, std::vector<Index> rows)
    : design_(std::move(design)),
      x_(data.features(0)),
      rows_(std::move(rows)),
      num_rows_(rows_.empty() ? data.num_rows() : std::ssize(rows_)),
      num_features_(data.num_features()),
      num_columns_(design_->num_columns()) {}

DesignMatrix::DesignMatrix(std::vector<double> rows, Index num_columns)
    : own_(std::move(rows)), x_(own_.data()), num_features_(num_columns), num_columns_(num_columns) {
  if (num_columns < 1 || own_.empty() || std::ssize(own_) % num_columns != 0)
    throw std::invalid_argument(std::to_string(own_.size()) + " values are not rows of " +
                                std::to_string(num_columns));
  num_rows_ = std::ssize(own_) / num_columns;
}

// Of given rows every last element is compared, exactly.
bool DesignMatrix::ends_in_ones() const {
  if (design_) return design_->has_intercept();
  for (std::size_t last = static_cast<std::size_t>(num_columns_) - 1; last < own_.size();
       last += static_cast<std::size_t>(num_columns_)) {
    if (own_[last] != 1.0) return false;
  }
  return true;
}

void DesignMatrix::by_row(Index first, Index count, double* z) const {
  if (!design_) {
    std::copy_n(x_ + first * num_columns_, count * num_columns_, z);
    return;
  }
  std::array<const double*, kTile> x;
  for (Index begin = 0; begin < count; begin += kTile) {
    const Index some = std::min(kTile, count - begin);
    for (Index i = 0; i < some; ++i) x[static_cast<std::size_t>(i)] = features(first + begin + i);
    design_->write(x.data(), some, z + begin * num_columns_, num_columns_, 1);
  }
}

void DesignMatrix::by_component(Index first, Index count, double* z) const {
  // Rows beyond the last are zero, so that sums over a whole tile are those of its rows.
  if (count < kTile) std::fill(z, z + num_columns_ * kTile, 0.0);
  if (!design_) {
    for (Index i = 0; i < count; ++i) {
      const double* row = x_ + (first + i) * num_columns_;
      for (Index d = 0; d < num_columns_; ++d) z[d * kTile + i] = row[d];
    }
    return;
  }
  std::array<const double*, kTile> x;
  for (Index i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = features(first + i);
  // Strides exchanged: rows lie side by side, columns kTile apart.
  design_->write(x.data(), count, z, 1, kTile);
}

}  // namespace giga
