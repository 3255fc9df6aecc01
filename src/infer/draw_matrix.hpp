// The draws of one quantity, and the two numbers that all its diagnostics are made of.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "giga/infer/diagnostics.hpp"

namespace giga {

/// What a diagnostic is where it does not exist.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Chains one after another, num_draws values each.
struct DrawMatrix {
  Index num_draws = 0;
  std::vector<double> values;

  [[nodiscard]] Index num_chains() const { return num_draws > 0 ? std::ssize(values) / num_draws : 0; }
  [[nodiscard]] std::span<const double> chain(Index c) const {
    return std::span(values).subspan(at(c * num_draws), at(num_draws));
  }
};

/// Throws std::invalid_argument unless all chains are as long as the first.
[[nodiscard]] DrawMatrix gather(Chains chains);

/// Every chain as two: its first and its last floor(n / 2) draws.
[[nodiscard]] DrawMatrix split(const DrawMatrix& draws);

/// Normal scores of the ranks, Phi^-1((rank - 3/8) / (S + 1/4)), equal draws sharing their mean rank;
/// `scores` are normal_scores(S). No NaN allowed.
[[nodiscard]] DrawMatrix rank_normalised(DrawMatrix draws, std::span<const double> scores);

/// sqrt((n - 1) / n + B / W) for chains of n draws, B the variance of their means and W the mean of their
/// variances. NaN as said in diagnostics.hpp.
[[nodiscard]] double potential_scale(const DrawMatrix& draws);

/// The effective size of S draws, S / tau, for tau the integrated autocorrelation time. NaN as said in
/// diagnostics.hpp.
[[nodiscard]] double effective_size(const DrawMatrix& draws);

/// All finite, and max - min at least 2^-52 of the largest: variances of x say something.
[[nodiscard]] bool vary(std::span<const double> x);

/// sum of x / n, and the square root of sum of (x - mean)^2 / (n - 1): NaN below 1 and 2 values.
[[nodiscard]] double mean_of(std::span<const double> x);
[[nodiscard]] double sd_of(std::span<const double> x);

/// Type 7; `sorted` is not empty.
[[nodiscard]] double sorted_quantile(std::span<const double> sorted, double p);

}  // namespace giga
