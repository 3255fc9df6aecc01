// The autocovariance of chains, averaged over them.
#pragma once

#include <span>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

/// The mean over chains c of  a_c(t) = sum_i x_{c,i} x_{c,i+t} / n,  for every lag t = 0 .. n - 1.
///
/// `centred` has the chains one after another, n values each, every chain with mean zero. Short chains are
/// summed directly, longer ones by a Fourier transform in O(n log n) a chain; either way the error is some
/// units in the last place of the mean variance a(0).
[[nodiscard]] std::vector<double> mean_autocovariance(std::span<const double> centred, Index num_draws);

}  // namespace giga
