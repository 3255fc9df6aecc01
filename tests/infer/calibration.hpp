// Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman, arXiv:1804.06788): theta from
// the prior, data from the model at theta, draws from the posterior of these data. The rank of any quantity
// at theta among its values at the draws is then uniform, if sampler and posterior are right.
#pragma once

#include <cstdint>

#include "giga/infer/sample.hpp"
#include "giga/model/family.hpp"
#include "infer/ranks.hpp"

namespace giga::test {

inline constexpr Index kQuantities = 4;    // three parameters, the log-likelihood
inline constexpr Index kCombinations = 9;  // pairs of sampler and family, with the diagonal metric

struct CalibrationOptions {
  SamplerKind sampler = SamplerKind::Nuts;
  MetricKind metric = MetricKind::Diagonal;
  Family family = Family::BernoulliLogit;  // not PoissonLog, whose counts explode under a wide prior
  Index simulations = 1000;
  std::uint64_t seed = 31;
  int threads = 0;
};

/// The same ranks for any number of threads.
[[nodiscard]] Ranks simulate_ranks(const CalibrationOptions& options);

[[nodiscard]] Findings check_calibration(const CalibrationOptions& options);

/// Expects check_calibration to pass for the three families whose priors make no absurd data.
void expect_calibrated(CalibrationOptions options);

}  // namespace giga::test
