// Vectors in extended precision (64 bits of mantissa on x86-64, see types.hpp), for the few vectors that
// touch only the rows of the coreset: x.y, |x|, x + a y, a x. Inputs may be of any scalar type; every product
// is formed in Extended, so it is exact for two floats and rounded once, to 64 bits, for two doubles.
#pragma once

#include <cmath>
#include <cstddef>

#include "giga/base/types.hpp"

namespace giga {

template <typename First, typename Second>
[[nodiscard]] Extended dot(const First& x, const Second& y) {
  // Two running sums: one would wait for each addition to end.
  // even + odd = sum of x_i y_i over the components read so far. The order is fixed, so the bits are too.
  Extended even = 0, odd = 0;
  const std::size_t size = x.size();
  std::size_t j = 0;
  for (; j + 1 < size; j += 2) {
    even += static_cast<Extended>(x[j]) * static_cast<Extended>(y[j]);
    odd += static_cast<Extended>(x[j + 1]) * static_cast<Extended>(y[j + 1]);
  }
  if (j < size) even += static_cast<Extended>(x[j]) * static_cast<Extended>(y[j]);
  return even + odd;
}

template <typename First>
[[nodiscard]] Extended norm(const First& x) {
  return std::sqrt(dot(x, x));
}

/// x += factor y
template <typename Second>
void add_scaled(ExtendedVector& x, Extended factor, const Second& y) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] += factor * static_cast<Extended>(y[j]);
}

inline void scale(ExtendedVector& x, Extended factor) {
  for (Extended& value : x) value *= factor;
}

}  // namespace giga
