// Inner loops over rows in double precision. Each computes a stated expression in a stated order, so the bits
// are those of that order on every instruction set: eight running sums, component j going to sum j mod 8.
#pragma once

#include <cstdint>
#include <vector>

#include "giga/base/types.hpp"

namespace giga::kernels {

/// Vectors that rows are multiplied with are padded with zeros to a multiple of this.
inline constexpr Index kLanes = 8;
[[nodiscard]] constexpr Index padded(Index dim) {
  return (dim + kLanes - 1) / kLanes * kLanes;
}

struct Dots {
  double with_d, with_v, with_self;
};

/// out[i] = (<x_i, d>, <x_i, v>, <x_i, x_i>) for `count` rows x_i that lie `dim` apart; d and v are padded.
void dots(const double* rows, Index count, Index dim, const double* d, const double* v, Dots* out);

/// The same without v: out[i].with_v is 0.
void dots_with(const double* rows, Index count, Index dim, const double* d, Dots* out);

/// Rows of integers are this many apart, or a multiple of it; what is beyond their length is zero.
inline constexpr Index kShortRoom = 16;

/// <x, g> of integers x, summed in float in no stated order; `dim` is a multiple of kShortRoom. For bounds,
/// not for results.
[[nodiscard]] double short_dot(const std::int16_t* x, Index dim, const float* g);

/// out_j = x_j factor to the nearest integer, for |x_j factor| < 2^15; returns the sum of squares of what
/// that rounding changed. For bounds, not for results.
[[nodiscard]] double to_short(const double* x, Index dim, double factor, std::int16_t* out);
/// The largest |x_j|.
[[nodiscard]] double largest_of(const double* x, Index dim);

/// out[i] = <x_i, x_i>, with the bits of dots.
void squares(const double* rows, Index count, Index dim, double* out);

/// out[i * num + k] = <x_i, b_k> for `num` vectors b_k that lie padded(dim) apart. For bounds, not for
/// decisions: the order of this sum is whatever is fastest.
void project(const double* rows, Index count, Index dim, const double* basis, Index num, double* out);

/// high + low += the rows, component by component, in double-double: the sum is exact to about 1e-32 of the
/// sum of magnitudes, so what cancels in L does not drown it.
void add_rows(const double* rows, Index count, Index dim, double* high, double* low);

/// high + low += other_high + other_low.
void add_sums(const double* other_high, const double* other_low, Index dim, double* high, double* low);

}  // namespace giga::kernels
