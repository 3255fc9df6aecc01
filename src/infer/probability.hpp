// Inverse distribution functions.
#pragma once

namespace giga {

/// The z with Phi(z) = p for the standard normal distribution, 0 < p < 1.
[[nodiscard]] double normal_quantile(double p);

/// The share of the Beta(a, b) distribution below x, for a, b >= 1 and 0 <= x <= 1.
[[nodiscard]] double beta_probability(double x, double a, double b);

/// The x with beta_probability(x, a, b) = p, for a, b >= 1 and 0 <= p <= 1.
[[nodiscard]] double beta_quantile(double p, double a, double b);

}  // namespace giga
