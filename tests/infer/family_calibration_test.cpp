#include "infer/family_calibration.hpp"

#include <gtest/gtest.h>

namespace giga::test {
namespace {

class FamiliesCalibration : public ::testing::TestWithParam<Family> {};

TEST_P(FamiliesCalibration, RanksOfAThousandPriorDrawsAreUniform) {
  expect_family_calibrated({.family = GetParam()});
}

std::string test_name(const ::testing::TestParamInfo<Family>& info) {
  std::string out;
  for (const char letter : words_for(info.param))
    if (letter != ' ' && letter != ',') out += letter;
  return out;
}

INSTANTIATE_TEST_SUITE_P(Every, FamiliesCalibration, ::testing::ValuesIn(calibrated_families()), test_name);

TEST(FamilyCalibrationItself, LeavesOutOnlyTheFamiliesOfTheOtherCalibration) {
  EXPECT_EQ(calibrated_families().size() + 3, all_families().size());
}

TEST(FamilyCalibrationItself, HasTheSameRanksForAnyNumberOfThreads) {
  FamilyCalibration options = {.family = Family::NegativeBinomial, .simulations = 40, .threads = 1};
  const std::vector<Index> alone = simulate_family_ranks(options).ranks;
  options.threads = 3;
  EXPECT_EQ(simulate_family_ranks(options).ranks, alone);
}

TEST(FamilyCalibrationItself, FindsAnOffsetThatIsLeftOut) {
  for (const Family family : {Family::NegativeBinomial, Family::BinomialLogit})
    EXPECT_GT(check_family({.family = family, .simulations = 400, .fault = FamilyFault::NoOffset}).beyond, 0)
        << words_for(family);
}

TEST(FamilyCalibrationItself, FindsAPriorOfAnExtraThatIsNotTheOneDrawnFrom) {
  for (const Family family : {Family::StudentT, Family::NegativeBinomial})
    EXPECT_GT(check_family({.family = family, .fault = FamilyFault::OtherPrior}).beyond, 0)
        << words_for(family);
}

TEST(FamilyCalibrationItself, FindsTrialsThatThereWereNot) {
  EXPECT_GT(
      check_family({.family = Family::BinomialProbit, .simulations = 400, .fault = FamilyFault::OneMoreTrial})
          .beyond,
      0);
}

}  // namespace
}  // namespace giga::test
