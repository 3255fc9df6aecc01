// Faults seeded in the samplers and the posterior, one at a time: the checks that the samplers pass must
// fail. This program is linked with the sources of src/infer that have faults compiled in.
#include "infer/faults.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "infer/calibration.hpp"
#include "infer/estimate_cases.hpp"
#include "infer/known_posteriors.hpp"

namespace giga::test {
namespace {

Findings known(SamplerKind sampler, Index dim) {
  return check_known(conjugate(dim), long_run(sampler, dim));
}

// The cheapest checks of known_posteriors_test.cpp and calibration_test.cpp that find something, as they are
// there.
struct Check {
  const char* name;
  Findings (*run)();
};
constexpr Check kNuts1 = {"NUTS, D = 1", [] { return known(SamplerKind::Nuts, 1); }};
constexpr Check kNuts2 = {"NUTS, D = 2", [] { return known(SamplerKind::Nuts, 2); }};
constexpr Check kHmc1 = {"HMC, D = 1", [] { return known(SamplerKind::Hmc, 1); }};
constexpr Check kHmc2 = {"HMC, D = 2", [] { return known(SamplerKind::Hmc, 2); }};
constexpr Check kRwmh1 = {"RWMH, D = 1", [] { return known(SamplerKind::Rwmh, 1); }};
constexpr Check kCalibratedHmc = {
    "calibration of HMC, gaussian",
    [] { return check_calibration({.sampler = SamplerKind::Hmc, .family = Family::GaussianIdentity}); }};

constexpr Check kEstimates = {"estimates from some rows", [] {
                                return check_estimates({.kind = RowKind::Outliers, .rows = 6000}, 600, 200);
                              }};

struct Case {
  Fault fault;
  const char* name;
  Check check;
};
void PrintTo(const Case& seeded, std::ostream* out) {
  *out << seeded.name;
}
constexpr Case kCases[] = {
    {Fault::MomentumNotRenewed, "MomentumNotRenewed", kCalibratedHmc},
    {Fault::MomentumOfTheInverse, "MomentumOfTheInverse", kHmc2},
    {Fault::KineticEnergyMissing, "KineticEnergyMissing", kHmc2},
    {Fault::HalfStepReversed, "HalfStepReversed", kCalibratedHmc},
    {Fault::HalfStepMissing, "HalfStepMissing", kNuts1},
    {Fault::AdaptationGoesOn, "AdaptationGoesOn", kHmc1},
    {Fault::HmcAcceptsAll, "HmcAcceptsAll", kHmc2},
    {Fault::HmcAcceptanceReversed, "HmcAcceptanceReversed", kHmc2},
    {Fault::HmcKeepsRejectedValue, "HmcKeepsRejectedValue", kCalibratedHmc},
    {Fault::NutsUniformDraws, "NutsUniformDraws", kNuts2},
    {Fault::NutsNewerWithin, "NutsNewerWithin", kNuts2},
    {Fault::NutsTurnsAtGrowingEnd, "NutsTurnsAtGrowingEnd", kNuts2},
    {Fault::NutsIgnoresInnerTurns, "NutsIgnoresInnerTurns", kNuts2},
    {Fault::NutsDrawsBeyondTurn, "NutsDrawsBeyondTurn", kNuts2},
    {Fault::NutsStartUncounted, "NutsStartUncounted", kNuts2},
    {Fault::NutsForwardOnly, "NutsForwardOnly", kNuts2},
    {Fault::RwmhDrifts, "RwmhDrifts", kRwmh1},
    {Fault::RwmhAdaptationGoesOn, "RwmhAdaptationGoesOn", kRwmh1},
    {Fault::RwmhRejectionsNotCounted, "RwmhRejectionsNotCounted", kRwmh1},
    {Fault::RwmhKeepsOldValue, "RwmhKeepsOldValue", kRwmh1},
    {Fault::PriorMissing, "PriorMissing", kNuts2},
    {Fault::PriorScaleForVariance, "PriorScaleForVariance", kNuts2},
    {Fault::MultiplicitiesIgnored, "MultiplicitiesIgnored", kNuts2},
    {Fault::RowMissing, "RowMissing", kNuts2},
    {Fault::NoiseScaleIgnored, "NoiseScaleIgnored", kNuts2},
    {Fault::SampleCountedOnce, "SampleCountedOnce", kEstimates},
    {Fault::CertainRowsTwice, "CertainRowsTwice", kEstimates},
    {Fault::RemainderRowDropped, "RemainderRowDropped", kEstimates},
};

class SeededFault : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { active_fault = GetParam().fault; }
  void TearDown() override { active_fault = Fault::None; }
};

// Not by an effective size alone: some number is wrong by more than chance.
TEST_P(SeededFault, PutsANumberBeyondItsBound) {
  const Findings findings = GetParam().check.run();
  EXPECT_GT(findings.beyond, 0) << GetParam().check.name << ": " << findings.text();
}

INSTANTIATE_TEST_SUITE_P(Sampler, SeededFault, testing::ValuesIn(kCases),
                         [](const auto& seeded) { return std::string(seeded.param.name); });

TEST(WithoutAFault, EveryOneOfTheseChecksPasses) {
  for (const Check& check : {kNuts1, kNuts2, kHmc1, kHmc2, kRwmh1, kCalibratedHmc, kEstimates}) {
    const Findings findings = check.run();
    EXPECT_TRUE(findings.passed()) << check.name << ": " << findings.text();
  }
}

}  // namespace
}  // namespace giga::test
