// How large the noise of a family is, and what can be asked of its responses.
#pragma once

#include "giga/model/family.hpp"

namespace giga {

enum class ResponseKind { Label, Successes, Count, Positive, Real };

[[nodiscard]] ResponseKind response_kind(Family family);

/// Every family has a variance that is quadratic in its mean: V(mu) = constant + linear mu + square mu^2, of
/// one trial where it has trials. Of student_t it is sigma^2, which its variance need not be.
struct NoiseVariance {
  double constant = 0, linear = 0, square = 0;
  [[nodiscard]] double at(double mean) const { return constant + mean * (linear + square * mean); }
};

/// `family` has the numbers it learns, as simulated_with gives them.
[[nodiscard]] NoiseVariance noise_variance(const FamilyParameters& family);

/// Outliers are to be expected: means of residuals are taken after cutting them off.
[[nodiscard]] bool has_heavy_tails(Family family);
/// Residuals are normal where the model is right.
[[nodiscard]] bool has_normal_noise(Family family);
/// The size of the noise is learnt as a number of its own, so that residuals agree with it by themselves.
[[nodiscard]] bool learns_noise_size(Family family);

}  // namespace giga
