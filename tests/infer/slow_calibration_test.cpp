// Calibration with other seeds and twice the precision.
#include "infer/calibration.hpp"

#include <gtest/gtest.h>

namespace giga::test {
namespace {

void expect_calibrated(SamplerKind sampler, MetricKind metric = MetricKind::Diagonal) {
  for (const Family family : {Family::GaussianIdentity, Family::BernoulliLogit, Family::PoissonSoftplus}) {
    const Findings findings = check_calibration(
        {.sampler = sampler, .metric = metric, .family = family, .simulations = 4000, .seed = 32});
    EXPECT_GT(findings.comparisons, 0);
    EXPECT_TRUE(findings.passed()) << name(sampler) << ", family " << static_cast<int>(family) << ": "
                                   << findings.text();
  }
}

TEST(SlowCalibration, RanksOfFourThousandPriorDrawsAreUniformUnderNuts) {
  expect_calibrated(SamplerKind::Nuts);
}

TEST(SlowCalibration, RanksOfFourThousandPriorDrawsAreUniformUnderNutsWithADenseMetric) {
  expect_calibrated(SamplerKind::Nuts, MetricKind::Dense);
}

TEST(SlowCalibration, RanksOfFourThousandPriorDrawsAreUniformUnderHmc) {
  expect_calibrated(SamplerKind::Hmc);
}

TEST(SlowCalibration, RanksOfFourThousandPriorDrawsAreUniformUnderRwmh) {
  expect_calibrated(SamplerKind::Rwmh);
}

}  // namespace
}  // namespace giga::test
