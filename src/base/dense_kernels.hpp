// Products and sums of vectors in double. Every function states its order, so the bits are the same on every
// instruction set.
#pragma once

#include <span>

#include "giga/base/types.hpp"

namespace giga::kernels {

/// <x, y>: 32 running sums, component j going to sum j mod 32, added as a fixed tree: the upper half of them
/// to the lower half, until there is one.
[[nodiscard]] double dot(const double* x, const double* y, Index count);
/// Those sums before they are added.
inline constexpr Index kDotSums = 32;
void dot_sums(const double* x, const double* y, Index count, double* sums);

/// out[i * room + k] += <x_i, y_k> for all pairs: 8 running sums each, component j going to sum j mod 8,
/// added as a fixed tree. Several products at once, so that what is read of a vector serves all of them.
void add_products(std::span<const double* const> xs, std::span<const double* const> ys, Index count,
                  double* out, Index room);

/// x += factor y, each product rounded before it is added.
void add_scaled(double* x, double factor, const double* y, Index count);

/// x += factor (inner y), each product rounded.
void add_scaled_twice(double* x, double factor, double inner, const double* y, Index count);

/// x += factor (outer (inner (((0 + left_0 y_0) + left_1 y_1) + ...))) for `size` vectors y, every operation
/// rounded, the innermost first.
struct CombinationFactors {
  double factor, outer, inner;
};
void add_combination(double* x, const CombinationFactors& factors, const double* left, const double* const* y,
                     Index size, Index count);

/// (x, y) becomes (c x + s y, c y - s x), component by component.
void rotate(double* x, double* y, Index count, double c, double s);

}  // namespace giga::kernels
