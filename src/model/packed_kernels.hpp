// Sums over tiles of rows: the inner loops of the log posterior and its gradient.
//
// A tile has kTile rows by component (tile_kernels.hpp). Sums of gradients are kept as kLanes running sums a
// component, sums[d * kLanes + k] for the rows i with i mod kLanes = k, and added up by total_of once at the
// end.
#pragma once

#include "giga/base/types.hpp"
#include "model/tile_kernels.hpp"

namespace giga::kernels {

inline constexpr Index kPackedLanes = 8;

/// sums[d] += factor[i] z_id over the rows of a tile.
void add_weighted_rows_by_lane(const double* by_component, Index dim, const double* factor, double* sums);

/// Logistic log-likelihood of `num_tiles` tiles of rows y z, with predictors y s = constant + y z.theta and
/// every row counted once. Adds the gradient in theta to `sums`, that in the constant to `slope_sums`, one a
/// lane. The logarithms of 1 + exp(-|s|) are taken of products of many of them: one a lane and block.
[[nodiscard]] double logistic_tiles(const double* tiles, Index num_tiles, Index dim, const double* theta,
                                    double constant, double* sums, double* slope_sums);

/// gradient[d] += the kPackedLanes sums of d, in a fixed order.
void total_of(const double* sums, Index dim, double* gradient);

}  // namespace giga::kernels
