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
  Ranks out{{"a", "b", "c", "d"}, {}, std::vector<double>(kQuantities, 0.0)};
  Stream random = stream(1, "ranks");
  for (Index i = 0; i < 1000 * kQuantities; ++i)
    out.ranks.push_back(static_cast<Index>(distort(random.uniform()) * (kRankedDraws + 1)));
  return out;
}

bool passes(const Ranks& ranks) {
  return check_ranks(ranks, kQuantities * kCombinations).passed();
}

TEST(Calibration, FindsNothingInUniformRanks) {
  EXPECT_TRUE(passes(made_up_ranks([](double u) { return u; })));
}

TEST(Calibration, FindsRanksThatAreShiftedNarrowOrWide) {
  EXPECT_FALSE(passes(made_up_ranks([](double u) { return std::pow(u, 1.3); })));
  EXPECT_FALSE(passes(made_up_ranks([](double u) { return 0.1 + 0.8 * u; })));
  EXPECT_FALSE(passes(made_up_ranks([](double u) { return (1 - std::cos(3.14 * u)) / 2; })));
}

TEST(Calibration, FindsDrawsThatDependOnOneAnother) {
  Ranks ranks = made_up_ranks([](double u) { return u; });
  ranks.autocorrelation[2] = 0.2;
  EXPECT_FALSE(passes(ranks));
}

}  // namespace
}  // namespace giga::test
