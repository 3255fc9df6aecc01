// Calibration with other seeds and twice the precision.
#include "infer/calibration.hpp"

#include <gtest/gtest.h>

#include "infer/family_calibration.hpp"

namespace giga::test {
namespace {

CalibrationOptions long_run(SamplerKind sampler, MetricKind metric = MetricKind::Diagonal) {
  return {.sampler = sampler, .metric = metric, .simulations = 4000, .seed = 32};
}

TEST(SlowCalibration, RanksOfFourThousandPriorDrawsAreUniformUnderNuts) {
  expect_calibrated(long_run(SamplerKind::Nuts));
}

TEST(SlowCalibration, RanksOfFourThousandPriorDrawsAreUniformUnderNutsWithADenseMetric) {
  expect_calibrated(long_run(SamplerKind::Nuts, MetricKind::Dense));
}

TEST(SlowCalibration, RanksOfFourThousandPriorDrawsAreUniformUnderHmc) {
  expect_calibrated(long_run(SamplerKind::Hmc));
}

TEST(SlowCalibration, RanksOfFourThousandPriorDrawsAreUniformUnderRwmh) {
  expect_calibrated(long_run(SamplerKind::Rwmh));
}

TEST(SlowCalibration, RanksOfFourThousandPriorDrawsAreUniformForEveryFamily) {
  for (const Family family : calibrated_families())
    expect_family_calibrated({.family = family, .simulations = 4000, .seed = 42});
}

}  // namespace
}  // namespace giga::test
