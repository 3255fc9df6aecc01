#include "infer/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "giga/base/random.hpp"

namespace giga::test {
namespace {

TEST(Calibration, RanksOfAThousandPriorDrawsAreUniformUnderNuts) {
  expect_calibrated({.sampler = SamplerKind::Nuts});
}

TEST(Calibration, RanksOfAThousandPriorDrawsAreUniformUnderNutsWithADenseMetric) {
  expect_calibrated({.sampler = SamplerKind::Nuts, .metric = MetricKind::Dense});
}

TEST(Calibration, RanksOfAThousandPriorDrawsAreUniformUnderHmc) {
  expect_calibrated({.sampler = SamplerKind::Hmc});
}

TEST(Calibration, RanksOfAThousandPriorDrawsAreUniformUnderRwmh) {
  expect_calibrated({.sampler = SamplerKind::Rwmh});
}

TEST(Calibration, RanksOfAThousandPriorDrawsAreUniformUnderRwmhFromTheLaplaceCovariance) {
  expect_calibrated({.sampler = SamplerKind::Rwmh, .metric = MetricKind::Dense});
}

TEST(Calibration, HasTheSameRanksForAnyNumberOfThreads) {
  CalibrationOptions options = {.simulations = 40, .threads = 1};
  const std::vector<Index> alone = simulate_ranks(options).ranks;
  options.threads = 3;
  EXPECT_EQ(simulate_ranks(options).ranks, alone);
}

// Ranks that are uniform but for what is done to them.
Ranks made_up_ranks(const std::function<double(double)>& distort) {
  Ranks out{{}, std::vector<double>(kQuantities, 0.0)};
  Stream random = stream(1, "ranks");
  for (Index i = 0; i < 1000 * kQuantities; ++i)
    out.ranks.push_back(static_cast<Index>(distort(random.uniform()) * (kRankedDraws + 1)));
  return out;
}

TEST(Calibration, FindsNothingInUniformRanks) {
  EXPECT_TRUE(check_ranks(made_up_ranks([](double u) { return u; })).passed());
}

TEST(Calibration, FindsRanksThatAreShiftedNarrowOrWide) {
  EXPECT_FALSE(check_ranks(made_up_ranks([](double u) { return std::pow(u, 1.3); })).passed());
  EXPECT_FALSE(check_ranks(made_up_ranks([](double u) { return 0.1 + 0.8 * u; })).passed());
  EXPECT_FALSE(check_ranks(made_up_ranks([](double u) { return (1 - std::cos(3.14 * u)) / 2; })).passed());
}

TEST(Calibration, FindsDrawsThatDependOnOneAnother) {
  Ranks ranks = made_up_ranks([](double u) { return u; });
  ranks.autocorrelation[2] = 0.2;
  EXPECT_FALSE(check_ranks(ranks).passed());
}

}  // namespace
}  // namespace giga::test
