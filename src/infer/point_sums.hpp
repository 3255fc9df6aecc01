// Sums over all rows at many points at once: what the certificate spends its time on.
//
// Rows are taken in the blocks of executor.hpp, summed in double within a block and in extended precision
// over blocks, in block order: the same bits under any executor. The sum of 10^8 log-likelihoods has
// an error far below 1e-6, which is what their differences need.
#pragma once

#include <functional>
#include <span>

#include "giga/base/executor.hpp"
#include "giga/base/types.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

/// Called now and then with the number of rows summed so far, in order, from the thread that asked for the
/// sums; it may throw.
using RowsDone = std::function<void(Index)>;

/// `points` are S x D, row-major. Entry s is sum_n multiplicity(n) L_n(theta_s).
[[nodiscard]] ExtendedVector log_likelihood_sums(const Likelihood& likelihood, std::span<const double> points,
                                                 const Executor& executor, const RowsDone& rows_done = {});

/// Entry s * D + d is the derivative of that sum in theta_d.
[[nodiscard]] ExtendedVector gradient_sums(const Likelihood& likelihood, std::span<const double> points,
                                           const Executor& executor, const RowsDone& rows_done = {});

}  // namespace giga
