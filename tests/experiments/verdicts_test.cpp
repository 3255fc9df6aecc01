// One trial of everything synthetic, and the verdicts it must come to. All at the paper's scale but axis,
// whose cost grows like the cube: 1000 unit vectors instead of 5000, with the same formulas.
#include <gtest/gtest.h>

#include "experiments/reproduce.hpp"
#include "support/temp_dir.hpp"

namespace giga::experiments {
namespace {

Settings one_trial() {
  Settings settings;
  settings.trials = 1;
  settings.scale.axis_rows = 1000;
  return settings;
}

std::vector<Finding> findings(Kind kind, const Settings& settings = one_trial()) {
  const test::TempDir folder;
  return reproduce({kind}, settings, {.out = folder / "out"}).sections[0].report.findings;
}

// The one finding whose claim has all these words.
const Finding& about(const std::vector<Finding>& all, const std::vector<std::string>& words) {
  static const Finding kNone{"", "(no such claim)", "", false};
  const Finding* found = &kNone;
  for (const Finding& each : all) {
    bool has = true;
    for (const std::string& word : words) has = has && each.claim.find(word) != std::string::npos;
    if (!has) continue;
    EXPECT_EQ(found, &kNone) << "two claims: " << each.claim;
    found = &each;
  }
  return *found;
}

void expect_holds(const Finding& finding) {
  EXPECT_TRUE(finding.holds) << finding.claim << ": " << finding.ours;
}
void expect_fails(const Finding& finding) {
  EXPECT_FALSE(finding.holds) << finding.claim << ": " << finding.ours;
  EXPECT_FALSE(finding.ours.empty()) << finding.claim;
}

TEST(Verdicts, FigureOneHoldsWithTwiceThePosteriorVariance) {
  const std::vector<Finding> all = findings(Kind::Fig1);
  ASSERT_EQ(all.size(), 4U);
  expect_holds(about(all, {"3% for GIGA", "twice"}));
  expect_fails(about(all, {"3% for GIGA", "pihat the posterior"}));
  expect_holds(about(all, {"overconfident", "twice"}));
  expect_holds(about(all, {"overconfident", "pihat the posterior"}));
}

TEST(Verdicts, OfAMillionVectors) {
  const std::vector<Finding> all = findings(Kind::Vectors);
  EXPECT_EQ(all.size(), 6U);
  expect_holds(about(all, {"below FW"}));
  expect_holds(about(all, {"below RND"}));
  expect_holds(about(all, {"exponentially"}));
  expect_holds(about(all, {"near 120"}));
  expect_holds(about(all, {"corrective"}));
  // FW meets the limit of rounding as well and ends, instead of adding points for ever.
  expect_fails(about(all, {"FW grows on"}));
}

TEST(Verdicts, AxesAreExact) {
  const std::vector<Finding> all = findings(Kind::Axis);
  for (const Finding& each : all) expect_holds(each);
  EXPECT_EQ(all.size(), 5U);
}

TEST(Verdicts, OfTheSyntheticRegressions) {
  const std::vector<Finding> all = findings(Kind::Regression);
  for (const char* sampler : {"HMC", "RWMH", "NUTS"}) {
    expect_holds(about(all, {sampler, "GIGA is below FW"}));
    expect_holds(about(all, {sampler, "GIGA is below RND"}));
    expect_holds(about(all, {sampler, "3 to 4 orders"}));
    expect_holds(about(all, {sampler, "corrective is at or below GIGA"}));
  }
  expect_holds(about(all, {"NUTS", "trajectories lengthen"}));
}

}  // namespace
}  // namespace giga::experiments
