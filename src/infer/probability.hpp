// Inverse distribution functions.
#pragma once

#include <vector>

#include "giga/base/types.hpp"

namespace giga {

/// The z with Phi(z) = p for the standard normal distribution, 0 < p < 1.
[[nodiscard]] double normal_quantile(double p);

/// normal_quantile((rank - 3/8) / (count + 1/4)) for the ranks 1, 1.5, 2, 2.5, ... count: those of `count`
/// values of which some may be equal.
[[nodiscard]] std::vector<double> normal_scores(Index count);

/// The share of the Beta(a, b) distribution below x, for a, b >= 1 and 0 <= x <= 1.
[[nodiscard]] double beta_probability(double x, double a, double b);

/// The x with beta_probability(x, a, b) = p, for a, b >= 1 and 0 <= p <= 1.
[[nodiscard]] double beta_quantile(double p, double a, double b);

}  // namespace giga
