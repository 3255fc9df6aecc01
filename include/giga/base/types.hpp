// The few types that every layer shares.
#pragma once

#include <cstddef>
#include <vector>

namespace giga {

/// Counts and positions of rows, columns, steps. Signed, so that differences are ordinary numbers.
using Index = std::ptrdiff_t;

/// Position `i`, not negative, as the containers of the standard library count.
[[nodiscard]] constexpr std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// The precision of everything that touches only the rows of the coreset. On x86-64 it carries 64 bits of
/// mantissa, so a relative error of 1e-14 is computed with four digits to spare; where `long double` is no
/// wider than `double` everything still works, with a floor near 1e-13.
using Extended = long double;
using ExtendedVector = std::vector<Extended>;

}  // namespace giga
