// The autocovariance of chains, averaged over them.
#pragma once

#include <span>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

/// The mean over chains c of  a_c(t) = sum_i x_{c,i} x_{c,i+t} / n,  for lags t < n.
///
/// The first 64 lags are summed when they are asked for, since chains that mix well need only a few; a larger
/// one costs Fourier transforms of the chains, O(n log n) each and once for all. Either way the error is some
/// units in the last place of the mean variance a(0).
class MeanAutocovariance {
 public:
  /// `centred` has the chains one after another, n values each, every chain with mean zero. It must outlive
  /// this.
  MeanAutocovariance(std::span<const double> centred, Index num_draws);

  [[nodiscard]] double at(Index lag);

 private:
  std::span<const double> centred_;
  Index num_draws_;
  std::vector<double> all_;  // every lag; empty until needed
};

}  // namespace giga
