// Draws that are wider than the Laplace approximation, those of a failing coreset: how wide they are, and the
// scores by which rows are sampled for them. row_estimate.cpp uses this.
#pragma once

#include <span>

#include "giga/base/executor.hpp"
#include "giga/base/row_array.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"

namespace giga {

/// The largest second moment of draws about the mean m of pihat, in units of the variance of pihat there:
/// max over directions a of mean_s (a'x_s)^2 / (a'C C'a) for x_s = theta_s - m, which `away` has row-major.
/// About 1 for draws of pihat. It is approached from below: a direction that is much wider than all others is
/// found to the last digits. 0 or more than 1e100 where squares leave the range of double.
[[nodiscard]] double widest_moment(std::span<const double> away, const Normal& pihat,
                                   const Executor& executor);

/// Whether so large a widest_moment() of S draws is no chance: above 2 (1 + sqrt(D / S))^2.
[[nodiscard]] bool is_wide(double widest, Index num_draws, Index dim);

/// N(m, C C' + mean_s x_s x_s'); where rounding leaves that covariance indefinite, N(m, widest C C').
[[nodiscard]] Normal widened(const Normal& pihat, std::span<const double> away, double widest,
                             const Executor& executor);

/// remainder_scores() for `draws`, S x D, that are wide: where all parameters enter by a linear predictor,
/// under widened(pihat); for other models, which may be undefined where no chain has been, the root mean
/// square over a dozen of the draws themselves.
[[nodiscard]] RowArray<float> wide_scores(const Likelihood& likelihood, const Normal& pihat,
                                          std::span<const double> draws, double widest,
                                          const Executor& executor);

/// a_n / mean a + b_n / mean b: a sample by these scores serves both at no more than twice the size. Scores
/// that are no numbers count as 0.
[[nodiscard]] RowArray<float> joined_scores(const RowArray<float>& a, const RowArray<float>& b,
                                            const Executor& executor);

}  // namespace giga
