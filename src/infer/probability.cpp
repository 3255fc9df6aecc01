// The normal and beta distributions, to about 15 digits, without a library of special functions. Written for
// R-hat (normal scores of ranks) and standard errors of quantiles (beta).
#include "infer/probability.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace giga {
namespace {

constexpr double kHalfLog2Pi = 0.91893853320467274178;

// log Gamma(x) for x >= 1; unlike std::lgamma it writes no global variable. Stirling's series from 15 on,
// where the terms left out are below 1e-16; smaller x climb there by Gamma(x + 1) = x Gamma(x).
double log_gamma(double x) {
  constexpr double kEnough = 15;
  double product = 1;
  for (; x < kEnough; ++x) product *= x;
  const double y = 1 / (x * x);
  const double series = (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / x;
  return (x - 0.5) * std::log(x) - x + kHalfLog2Pi + series - std::log(product);
}

// log of the Beta(a, b) density at 0 < x < 1.
double log_beta_density(double x, double a, double b) {
  return log_gamma(a + b) - log_gamma(a) - log_gamma(b) + (a - 1) * std::log(x) + (b - 1) * std::log1p(-x);
}

// 1 / (1 + d_1 / (1 + d_2 / (1 + ...))) of the incomplete beta function (DLMF 8.17.22), where
//   d_2m = m (b - m) x / ((a + 2m - 1)(a + 2m)),  d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1)),
// by Lentz's method: `up` and `down` are the ratios of successive numerators and denominators. It converges
// fast for x below the mean a / (a + b), after a number of terms that grows as the root of a + b.
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostTerms = 1'000'000;
  const auto nonzero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double up = 1, down = 0, value = 1;
  for (int term = 1; term < kMostTerms; ++term) {
    const double m = term / 2;  // NOLINT(bugprone-integer-division)
    const double d = term % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                   : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    down = 1 / nonzero(1 + d * down);
    up = nonzero(1 + d / up);
    value *= up * down;
    if (std::abs(up * down - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return 1 / value;
}

// The part below x, for x at or below the mean. I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) times the fraction;
// the density has x^(a - 1) (1 - x)^(b - 1) / B(a, b).
double lower_part(double x, double a, double b) {
  return x <= 0 ? 0 : std::exp(log_beta_density(x, a, b)) * x * (1 - x) / a * beta_fraction(x, a, b);
}

}  // namespace

namespace {

// Halley's method for Phi(z) = tail on the lower half, from z. What is left of an error is about its cube.
double lower_quantile(double tail, double z) {
  for (int step = 0; step < 4; ++step) {
    // f = Phi(z) - tail, f' = phi, f'' = -z phi: Halley's step is n / (1 + z n / 2) with n = f / f'.
    const double excess = std::erfc(-z / std::numbers::sqrt2) / 2 - tail;
    const double newton = excess * std::exp(z * z / 2 + kHalfLog2Pi);
    const double change = newton / (1 + z * newton / 2);
    z -= change;
    if (std::abs(change) < 1e-6) break;  // its cube is below rounding
  }
  return z;
}

// From the leading terms of the expansion of the tail, which are off by less than 0.3: Phi(-z) ~ phi(z) / z
// gives z ~ r - (log r + log(2 pi) / 2) / r with r = sqrt(-2 log tail).
double lower_quantile(double tail) {
  const double radius = std::sqrt(-2 * std::log(tail));
  return lower_quantile(tail, -radius + (std::log(radius) + kHalfLog2Pi) / radius);
}

}  // namespace

double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  return p < 0.5 ? lower_quantile(p) : -lower_quantile(1 - p);
}

// Each is where the search for the next begins: one step of Halley's instead of three, but in the tail.
std::vector<double> normal_scores(Index count) {
  // Entry k is the score of rank 1 + k / 2, entry 2 count - 2 - k its negative, and that in the middle is 0.
  std::vector<double> out(at(std::max<Index>(0, 2 * count - 1)), 0.0);
  const double total = static_cast<double>(count) + 0.25;
  double z = 0;
  for (Index k = 0; k < count - 1; ++k) {
    const double tail = (0.625 + static_cast<double>(k) / 2) / total;
    z = k == 0 ? lower_quantile(tail) : lower_quantile(tail, z);
    out[at(k)] = z;
    out[at(2 * count - 2 - k)] = -z;
  }
  return out;
}

double beta_probability(double x, double a, double b) {
  assert(a >= 1 && b >= 1 && x >= 0 && x <= 1);
  return x <= a / (a + b) ? lower_part(x, a, b) : 1 - lower_part(1 - x, b, a);
}

// Newton's method inside a bracket that shrinks at every step; a step that leaves it is a bisection instead.
double beta_quantile(double p, double a, double b) {
  assert(p >= 0 && p <= 1);
  constexpr int kMostSteps = 200;
  // Invariant: low <= quantile <= high.
  double low = 0, high = 1, x = a / (a + b);
  for (int step = 0; step < kMostSteps; ++step) {
    const double excess = beta_probability(x, a, b) - p;
    (excess < 0 ? low : high) = x;
    double next = x - excess / std::exp(log_beta_density(x, a, b));
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    const double change = std::abs(next - x);
    x = next;
    if (change <= 4 * std::numeric_limits<double>::epsilon() * x) break;
  }
  return x;
}

}  // namespace giga
