// Pareto-smoothed importance sampling: weights that turn draws of one distribution into draws of another, and
// a number that says whether they can.
//
// Vehtari, Simpson, Gelman, Yao and Gabry, "Pareto smoothed importance sampling", arXiv:1507.02646. A
// generalised Pareto distribution is fitted to the largest weights (Zhang and Stephens, Technometrics 51,
// 2009) and they are replaced by its expected order statistics. The numbers are those of the R package
// loo 2.5.1.
#pragma once

#include <span>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

enum class PsisTail {
  Smoothed,
  TooShort,  ///< Fewer than 5 weights in the tail (20 draws or fewer): the weights are the raw ones.
  Equal,     ///< The largest weights are all equal: the weights are the raw ones. With effective_size near S
             ///< the two distributions are the same as far as the draws can tell, which k_hat does not say.
  Degenerate,  ///< No fit, as when few draws have all the weight: the weights are the raw ones.
};

struct PsisResult {
  std::vector<double> log_weights;  ///< Smoothed, normalised: the weights add up to 1.
  std::vector<double> weights;      ///< exp(log_weights)
  double k_hat = 0;  ///< Shape of the tail: below 0.7 the weights can be used; infinite unless `Smoothed`.
  double effective_size = 0;  ///< relative_ess / sum of w^2
  Index tail_length = 0;      ///< min(S / 5, 3 sqrt(S / relative_ess)), rounded up
  PsisTail tail = PsisTail::Smoothed;
  Index num_impossible = 0;  ///< ratios that are NaN or -infinity
};

/// log_ratios[s] = log(wanted density / sampled density) at draw s, up to a constant; relative_ess > 0 is the
/// effective size of the draws over their number S. No smoothed weight exceeds the largest raw weight.
///
/// A ratio of NaN or -infinity is a weight of zero (loo refuses them). Draws whose ratio is +infinity share
/// all the weight, as `Degenerate`. When no draw has weight, all weights and effective_size are 0, as
/// `Degenerate`.
[[nodiscard]] PsisResult psis(std::span<const double> log_ratios, double relative_ess = 1);

struct WeightedMoments {
  double mean;
  double sd;  ///< sqrt(sum w (x - mean)^2 / (1 - sum w^2)): with equal weights the usual sd
  double
      mcse_mean;  ///< sqrt(sum w^2 (x - mean)^2): for independent draws; over sqrt(relative_ess) for others
};

/// Moments of `values` under `weights`, which are scaled to add up to 1. Values of weight zero do not matter,
/// not even NaN; weights must be finite and not negative. NaN without weight; sd is NaN when one draw has it
/// all.
[[nodiscard]] WeightedMoments weighted_moments(std::span<const double> values,
                                               std::span<const double> weights);

}  // namespace giga
