// Sums over tiles of rows: the inner loops of the log posterior and its gradient.
//
// A tile has kTile rows by component (tile_kernels.hpp). Sums of gradients are kept as kPackedLanes running
// sums per component, sums[d * kPackedLanes + k] for the rows i with i mod kPackedLanes = k, and added up by
// total_of once at the end.
#pragma once

#include "giga/base/types.hpp"
#include "model/tile_kernels.hpp"

namespace giga::kernels {

inline constexpr Index kPackedLanes = 8;
inline constexpr Index kStrip = 32;  // rows of a strip; see logistic_tiles

/// sums[d] += factor[i] z_id over the rows of a tile.
void add_weighted_rows_by_lane(const double* by_component, Index dim, const double* factor, double* sums);

/// Where component d of row i < kTile of such a tile is, from the tile's begin: a tile is made of strips,
/// each by component, so that memory is read in order.
[[nodiscard]] constexpr Index place_in_strips(Index i, Index d, Index dim) {
  return (i / kStrip * dim + d) * kStrip + i % kStrip;
}

/// Logistic log-likelihood of `num_tiles` >= 1 tiles of rows y z in strips, with predictors
/// y s = log 2 (constant + y z.theta) and every row counted once. Adds the gradient in log 2 theta to `sums`,
/// that in log 2 constant to `slope_sums`, one per lane. The logarithms of 1 + exp(-y s) are taken of
/// products of many of them, one product per lane.
[[nodiscard]] double logistic_tiles(const double* tiles, Index num_tiles, Index dim, const double* theta,
                                    double constant, double* sums, double* slope_sums);

/// gradient[d] += the kPackedLanes sums of d, in a fixed order.
void total_of(const double* sums, Index dim, double* gradient);

}  // namespace giga::kernels
