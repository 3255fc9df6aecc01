// The functions of the model layer in long double, written so that nothing cancels, and the distance from
// them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace giga::test {

using Real = long double;

/// To compare results that must be the same, NaN and the sign of 0 included.
inline std::vector<std::uint64_t> bits_of(const std::vector<double>& x) {
  std::vector<std::uint64_t> bits;
  for (const double v : x) bits.push_back(std::bit_cast<std::uint64_t>(v));
  return bits;
}

/// |got - want| in units of the last place that a double near `want` has; 0 for equal infinities or two NaN.
inline double ulps(double got, Real want) {
  if (std::isnan(got) || std::isnan(want)) {
    return std::isnan(got) && std::isnan(want) ? 0 : std::numeric_limits<double>::infinity();
  }
  if (static_cast<Real>(got) == want) return 0;
  if (std::isinf(got)) {  // right if `want` rounds to it
    return static_cast<double>(want) == got ? 0 : std::numeric_limits<double>::infinity();
  }
  const int exponent = want == 0 ? -1074 : std::max(std::ilogb(want) - 52, -1074);
  return static_cast<double>(std::abs(static_cast<Real>(got) - want) / std::ldexp(Real{1}, exponent));
}

inline Real reference_sigmoid(Real z) {
  const Real e = std::exp(-std::abs(z));
  return (z < 0 ? e : 1) / (1 + e);
}

inline Real reference_softplus(Real z) {
  return std::max(z, Real{0}) + std::log1p(std::exp(-std::abs(z)));
}

/// With z0 = log(e - 1) and d = z - z0, softplus(z) - 1 = log(1 + (1 - 1/e) (exp(d) - 1)).
inline Real reference_log_softplus(Real z) {
  if (z < -60) return z;
  if (std::abs(z - 0.5L) > 1) return std::log(reference_softplus(z));
  constexpr Real kZeroHi = 0x1.15288806261ccp-1L, kZeroLo = -1.8138570925507326e-17L;
  constexpr Real kSlope = 0.632120558828557678404476229838539132554L;
  return std::log1p(std::log1p(kSlope * std::expm1((z - kZeroHi) - kZeroLo)));
}

}  // namespace giga::test
