#include "model/design.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/tile_kernels.hpp"

namespace giga {

Design::Design(const Dataset& data, const DistinctRows& rows, Standardisation scale, bool intercept)
    : x_(data.features(0)),
      rows_(rows.rows),
      mean_(std::move(scale.mean)),
      num_rows_(rows.num_rows),
      num_features_(data.num_features()),
      intercept_(intercept) {
  if (std::ssize(mean_) != num_features_ || std::ssize(scale.scale) != num_features_)
    throw std::invalid_argument("the standardisation is of another number of features");
  if (dim() < 1) throw std::invalid_argument("there is neither a feature nor an intercept");
  for (const double value : scale.scale) inverse_scale_.push_back(1 / value);
}

Design::Design(std::vector<double> rows, Index dim)
    : own_(std::move(rows)), x_(own_.data()), num_features_(dim) {
  if (dim < 1 || own_.empty() || std::ssize(own_) % dim != 0)
    throw std::invalid_argument(std::to_string(own_.size()) + " values are no rows of " +
                                std::to_string(dim));
  num_rows_ = std::ssize(own_) / dim;
  mean_.assign(static_cast<std::size_t>(dim), 0.0);
  inverse_scale_.assign(static_cast<std::size_t>(dim), 1.0);
}

bool Design::ends_in_ones() const {
  if (intercept_ || own_.empty()) return intercept_;
  for (std::size_t last = static_cast<std::size_t>(num_features_) - 1; last < own_.size();
       last += static_cast<std::size_t>(num_features_)) {
    if (own_[last] != 1.0) return false;
  }
  return true;
}

void Design::by_row(Index first, Index count, double* z) const {
  const double* mean = mean_.data();
  const double* inverse = inverse_scale_.data();
  for (Index i = 0; i < count; ++i, z += dim()) {
    const double* x = features(first + i);
    for (Index d = 0; d < num_features_; ++d) z[d] = (x[d] - mean[d]) * inverse[d];
    if (intercept_) z[num_features_] = 1;
  }
}

void Design::by_component(Index first, Index count, double* z) const {
  constexpr Index kTile = kernels::kTile;
  if (count < kTile) std::fill(z, z + dim() * kTile, 0.0);
  for (Index i = 0; i < count; ++i) {
    const double* x = features(first + i);
    for (Index d = 0; d < num_features_; ++d)
      z[d * kTile + i] =
          (x[d] - mean_[static_cast<std::size_t>(d)]) * inverse_scale_[static_cast<std::size_t>(d)];
    if (intercept_) z[num_features_ * kTile + i] = 1;
  }
}

}  // namespace giga
