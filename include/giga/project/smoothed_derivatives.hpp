// Gradient and Hessian of a log-likelihood, averaged over where the posterior is.
//
// For a model with a linear predictor row n depends on s_n ~ N(z_n.m + o_n, t_n^2), t_n = |C'z_n|, under
// N(m, C C'). Averages over s_n are taken by the three-point Gauss-Hermite rule,
//
//     E f(s) = 2/3 f(mean) + 1/6 (f(mean - sqrt(3) t) + f(mean + sqrt(3) t)),
//
// which is exact for polynomials of degree 5; extra parameters of the family stay at m. The quadratic
// function that has these derivatives is the one whose gradient is nearest to that of the log-likelihood in
// the mean square over the posterior, where its second-order expansion at m is nearest to it at m.
#pragma once

#include "giga/base/executor.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/linear_model.hpp"
#include "giga/model/normal.hpp"

namespace giga {

/// Sums over all rows of E l' and E l'', as the gradient and the Hessian of all rows; the value is 0. One
/// pass. The same bits for any executor.
[[nodiscard]] Derivatives smoothed_derivatives(const LinearModel& model, const Normal& posterior,
                                               const Executor& executor);

}  // namespace giga
