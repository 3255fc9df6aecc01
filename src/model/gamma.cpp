// Digamma psi and trigamma psi': by recurrence to x >= 10, there by their asymptotic series in 1/x, whose
// omitted terms are below 1e-16 of the value; for negative x by reflection (Abramowitz and
// Stegun 6.3.5, 6.3.7, 6.3.18, 6.4.6, 6.4.7, 6.4.12):
//
//     psi(x) = psi(x + 1) - 1/x                psi'(x) = psi'(x + 1) + 1/x^2
//     psi(x) = log x - 1/(2x) - sum_k B_2k / (2k x^2k)
//     psi'(x) = 1/x + 1/(2 x^2) + sum_k B_2k / x^(2k+1)
//     psi(x) = psi(1 - x) - pi / tan(pi x)     psi'(x) = (pi / sin(pi x))^2 - psi'(1 - x)
#include <cmath>
#include <limits>
#include <numbers>

#include "giga/model/special.hpp"

namespace giga {
namespace {

constexpr double kFar = 10;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// c[0] + c[1] x + ...
template <int kCount>
double polynomial(const double (&c)[kCount], double x) {
  double sum = 0;
  for (int k = kCount - 1; k >= 0; --k) sum = c[k] + x * sum;
  return sum;
}

// x less the nearest whole number: tan(pi x), and sin(pi x) up to its sign, depend on it alone, and pi times
// it is not rounded as badly as pi x would be.
double from_whole(double x) {
  return x - std::nearbyint(x);
}

}  // namespace

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double digamma(double x) {
  if (x <= 0) {
    const double r = from_whole(x);
    if (r == 0 || !std::isfinite(x)) return kNan;
    return digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * r);
  }
  // B_2k / (2k) for k = 1, 2, ...
  constexpr double kSeries[] = {1.0 / 12,  -1.0 / 120,       1.0 / 252, -1.0 / 240,
                                1.0 / 132, -691.0 / 32760.0, 1.0 / 12,  -3617.0 / 8160};
  // before: the terms 1/x, 1/(x + 1), ... of the recurrence up to kFar.
  double before = 0;
  for (; x < kFar; x += 1) before += 1 / x;
  const double inverse = 1 / x, square = inverse * inverse;
  return std::log(x) - (before + inverse / 2 + square * polynomial(kSeries, square));
}

double trigamma(double x) {
  if (x <= 0) {
    const double r = from_whole(x);
    if (x == -kInfinity) return kNan;
    if (r == 0) return kInfinity;
    const double term = std::numbers::pi / std::sin(std::numbers::pi * r);
    return term * term - trigamma(1 - x);
  }
  // B_2k for k = 1, 2, ...
  constexpr double kSeries[] = {1.0 / 6,  -1.0 / 30,       1.0 / 42, -1.0 / 30,
                                5.0 / 66, -691.0 / 2730.0, 7.0 / 6,  -3617.0 / 510};
  double before = 0;
  for (; x < kFar; x += 1) before += 1 / (x * x);
  const double inverse = 1 / x, square = inverse * inverse;
  return before + (inverse + square / 2 + inverse * square * polynomial(kSeries, square));
}

}  // namespace giga
