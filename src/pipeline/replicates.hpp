// Responses replicated at draws, and the sums over rows that a check of the model is made of.
//
// Of R draws theta_s, and of observations n that count c_n times, with psi(e) = e, or e cut off at three
// sigma_s for families with heavy tails:
//
//     of replicates y_ns    sum c (y - y0), sum c (y - y0)^2, zeros, smallest, largest
//     of residuals          sum c r^k, k = 1 .. 4, of what was observed and of the replicates
//     of bin b              sum c mu_ns, sum c psi(y_n - mu_ns), sum c psi(y_ns - mu_ns)
//
// y0 is a response near the middle, so that sums of squares lose no digits.
#pragma once

#include <cstdint>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/linear_model.hpp"

namespace giga {

/// A response as a number: labels are 0 and 1, successes are without their trials.
[[nodiscard]] double response_number(const LinearModel& model, Index n);

class Replicates {
 public:
  /// `bin` has one for each row, from 0 to num_bins - 1. The multiplicities of the rows are whole numbers.
  /// Throws Stopped where the observer asks for it.
  Replicates(const LinearModel& rows, const Points& draws, std::vector<Index> bin, Index num_bins,
             double middle, std::uint64_t seed, const Executor& executor, const Observer& observer);

  /// What is summed, a number for each draw; the last three are of the bins.
  enum Of {
    Total,
    Squares,
    Zeros,
    Smallest,
    Largest,
    Observed1,
    Observed2,
    Observed3,
    Observed4,
    Residual1,
    Residual2,
    Residual3,
    Residual4,
    NumSums
  };
  enum OfBin { Fitted, Missed, Noise, NumBinSums };

  [[nodiscard]] const double* of(Of sum) const { return sums_.data() + sum * count_; }
  [[nodiscard]] const double* of(OfBin sum, Index bin) const {
    return sums_.data() + (NumSums + bin * NumBinSums + sum) * count_;
  }

 private:
  Index count_;
  std::vector<double> sums_;
};

}  // namespace giga
