// Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman, arXiv:1804.06788): theta from
// the prior, data from the model at theta, draws from the posterior of these data. The rank of any quantity
// at theta among its values at the draws is then uniform, if sampler and posterior are right.
#pragma once

#include <cstdint>
#include <vector>

#include "giga/infer/sample.hpp"
#include "giga/model/family.hpp"
#include "infer/findings.hpp"

namespace giga::test {

inline constexpr Index kRankedDraws = 63;  // ranks are 0 .. 63
inline constexpr Index kQuantities = 4;    // three parameters, the log-likelihood

struct CalibrationOptions {
  SamplerKind sampler = SamplerKind::Nuts;
  MetricKind metric = MetricKind::Diagonal;
  Family family = Family::BernoulliLogit;  // not PoissonLog, whose counts explode under a wide prior
  Index simulations = 1000;
  std::uint64_t seed = 31;
  int threads = 0;
};

struct Ranks {
  std::vector<Index> ranks;             // by simulation, kQuantities each
  std::vector<double> autocorrelation;  // of neighbouring draws, by quantity, over all simulations
};

/// The same ranks for any number of threads.
[[nodiscard]] Ranks simulate_ranks(const CalibrationOptions& options);

// That samplers without a fault fail, over the nine pairs of sampler and family (with the diagonal metric),
// for most seeds.
inline constexpr double kFalseAlarmOfAll = 1e-4;
// Draws further from independent would widen the ranks: 0.1 by 0.4 standard errors of 1,000 simulations.
inline constexpr double kMostAutocorrelation = 0.1;

/// Mean and variance of the ranks' normal scores, and the chi-square of their histogram in 16 bins, all as z.
[[nodiscard]] Findings check_ranks(const Ranks& ranks);

[[nodiscard]] Findings check_calibration(const CalibrationOptions& options);

/// Expects check_calibration to pass for the three families whose priors make no absurd data.
void expect_calibrated(CalibrationOptions options);

}  // namespace giga::test
