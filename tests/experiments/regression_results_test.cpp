// Verdicts on made-up results: each of them holds on a case and fails on another.
#include "experiments/regression_results.hpp"

#include <gtest/gtest.h>

namespace giga::experiments {
namespace {

constexpr std::size_t kPhishing = 1, kBikeTrips = 4;

void put(SetResults& set, const char* method, double Entry::*field, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) set.entries.at(method)[i][0].*field = values[i];
}

// One trial in which all claims hold.
SetResults as_claimed(const std::string& sampler, std::size_t which = kPhishing) {
  SetResults set;
  set.info = &kSets[which];
  set.sampler = sampler;
  set.sizes = {1, 10, 100, 1000};
  for (const Contender& method : kContenders)
    set.entries[method.name].assign(set.sizes.size(), std::vector<Entry>(1));
  put(set, "rnd", &Entry::fisher, {1e6, 1e5, 1e4, 1e3});
  put(set, "frank_wolfe", &Entry::fisher, {5e5, 2e4, 2e3, 2e2});
  put(set, "giga", &Entry::fisher, {1e3, 1e2, 1e1, 1e0});
  put(set, "corrective", &Entry::fisher, {1e3, 1e1, 1e-1, 1e-3});
  for (const Contender& method : kContenders) put(set, method.name, &Entry::total_s, {1, 2, 3, 4});
  put(set, "giga", &Entry::gradients, {1000, 3000, 1000, 2000});
  put(set, "giga", &Entry::chain_s, {1, 3, 1, 2});
  set.corrective_over_giga.assign(set.sizes.size(), {0.5});
  set.full_s = {10};
  set.laplace_s = set.project_s = {0.1};
  return set;
}

// The one finding whose claim has the words.
Finding about(const std::vector<Finding>& all, const std::string& words) {
  Finding found{"", "(no such claim)", "", false};
  int count = 0;
  for (const Finding& each : all) {
    if (each.claim.find(words) == std::string::npos) continue;
    found = each;
    ++count;
  }
  EXPECT_EQ(count, 1) << words;
  return found;
}

bool has(const Finding& finding, const std::string& words) {
  return finding.ours.find(words) != std::string::npos;
}

// After `change` the claim fails, and if one set of two is changed as well.
template <typename Change>
void expect_fails(const std::string& sampler, const std::string& words, const Change& change,
                  std::vector<Finding> (*findings)(const std::vector<SetResults>&)) {
  SetResults changed = as_claimed(sampler);
  change(changed);
  const Finding alone = about(findings({changed}), words);
  EXPECT_FALSE(alone.holds) << alone.claim << ": " << alone.ours;
  const Finding second = about(findings({as_claimed(sampler, 2), changed}), words);
  EXPECT_FALSE(second.holds) << second.claim << ": " << second.ours;
}

TEST(RegressionFindings, AllHoldWhereAllIsAsClaimed) {
  for (const char* sampler : {"hmc", "rwmh", "nuts"}) {
    const std::vector<SetResults> sets = {as_claimed(sampler), as_claimed(sampler, kBikeTrips)};
    for (const Finding& each : findings_of(sets)) EXPECT_TRUE(each.holds) << each.claim << ": " << each.ours;
    for (const Finding& each : timing_of(sets)) EXPECT_TRUE(each.holds) << each.claim << ": " << each.ours;
  }
}

TEST(RegressionFindings, GigaMustBeBelowAtEverySizeOfTheGrid) {
  const Finding good = about(findings_of({as_claimed("hmc")}), "GIGA is below RND");
  EXPECT_TRUE(good.holds);
  EXPECT_EQ(good.claim, "HMC: GIGA is below RND on every set at equal iterations, 1 to 1000");
  EXPECT_TRUE(has(good, "Phishing 3.0 to 3.0 (to 100: 3.0 to 3.0)")) << good.ours;
  for (const std::size_t place : {std::size_t{0}, std::size_t{3}}) {
    const auto spoil = [place](SetResults& set) { set.entries.at("giga")[place][0].fisher = 1e7; };
    expect_fails("hmc", "GIGA is below FW", spoil, findings_of);
    expect_fails("hmc", "GIGA is below RND", spoil, findings_of);
  }
}

TEST(RegressionFindings, ReductionIsThatOfFwOrRndWithWhereItIs) {
  const Finding good = about(findings_of({as_claimed("hmc")}), "3 to 4 orders");
  EXPECT_TRUE(good.holds);
  EXPECT_TRUE(has(good, "Phishing FW 2.7 at 1, RND 3.0 at ")) << good.ours;
  expect_fails(
      "hmc", "3 to 4 orders",
      [](SetResults& set) {
        put(set, "giga", &Entry::fisher, {1e5, 1e4, 1e3, 1e2});
      },
      findings_of);
}

TEST(RegressionFindings, FwIsLikeRndWithinAnOrderAtSmallSizesAlone) {
  SetResults set = as_claimed("hmc");
  put(set, "frank_wolfe", &Entry::fisher, {5e5, 2e4, 1, 1});
  EXPECT_TRUE(about(findings_of({set}), "as good as those of RND").holds) << "10 iterations are the last";
  expect_fails(
      "hmc", "as good as those of RND",
      [](SetResults& some) { some.entries.at("frank_wolfe")[1][0].fisher = 5e3; }, findings_of);
  expect_fails(
      "hmc", "as good as those of RND",
      [](SetResults& some) { some.entries.at("frank_wolfe")[1][0].fisher = 5e6; }, findings_of);
}

TEST(RegressionFindings, CorrectiveMustNotBeAboveGigaAnywhere) {
  expect_fails(
      "hmc", "corrective", [](SetResults& set) { set.corrective_over_giga[2] = {1.01}; }, findings_of);
}

TEST(RegressionFindings, TrajectoriesMustRiseAndFallByAThird) {
  const auto with = [](const std::vector<double>& gradients) {
    return [gradients](SetResults& set) { put(set, "giga", &Entry::gradients, gradients); };
  };
  expect_fails("nuts", "trajectories", with({1000, 2000, 3000, 4000}), findings_of);
  expect_fails("nuts", "trajectories", with({4000, 3000, 2000, 1000}), findings_of);
  expect_fails("nuts", "trajectories", with({1000, 2000, 1400, 1400}), findings_of);
}

TEST(RegressionFindings, TheShapeIsClaimedOfLogisticSetsByNutsAlone) {
  SetResults counts = as_claimed("nuts", kBikeTrips);
  put(counts, "giga", &Entry::gradients, {1, 2, 3, 4});
  EXPECT_TRUE(about(findings_of({as_claimed("nuts"), counts}), "trajectories").holds);
  for (const auto& sets : {std::vector{counts}, std::vector{as_claimed("hmc")}})
    for (const Finding& each : findings_of(sets))
      EXPECT_EQ(each.claim.find("trajectories"), std::string::npos) << each.claim;
}

TEST(RegressionTiming, ChainsMustGetLongerAgainByATenth) {
  const auto with = [](const std::vector<double>& seconds) {
    return [seconds](SetResults& set) { put(set, "giga", &Entry::chain_s, seconds); };
  };
  expect_fails("nuts", "longer again", with({1, 3, 1, 1.05}), timing_of);
  SetResults enough = as_claimed("nuts");
  put(enough, "giga", &Entry::chain_s, {1, 3, 1, 1.2});
  EXPECT_TRUE(about(timing_of({enough}), "longer again").holds);
}

TEST(RegressionTiming, AHundredIterationsMustTakeLessThanAllRows) {
  const Finding good =
      about(timing_of({as_claimed("hmc")}), "GIGA with 100 iterations takes less time in all");
  EXPECT_TRUE(good.holds);
  EXPECT_TRUE(has(good, "Phishing 0.3")) << good.ours;
  expect_fails(
      "hmc", "takes less time in all", [](SetResults& set) { set.full_s = {2.9}; }, timing_of);
}

TEST(RegressionTiming, AtEqualTimeTheOthersHaveTheirBestSoFar) {
  const Finding good = about(timing_of({as_claimed("hmc")}), "below RND on every set at equal time");
  EXPECT_TRUE(good.holds);
  EXPECT_TRUE(has(good, "Phishing 3.0 to 3.0")) << good.ours;
  // RND is done with all sizes before GIGA has its first, and is then better: 1e3 against 1e4.
  const auto fast = [](SetResults& set) {
    put(set, "rnd", &Entry::total_s, {0.1, 0.2, 0.3, 0.4});
    put(set, "frank_wolfe", &Entry::total_s, {0.1, 0.2, 0.3, 0.4});
    put(set, "giga", &Entry::fisher, {1e4, 1e2, 1e1, 1e0});
  };
  expect_fails("hmc", "below RND on every set at equal time", fast, timing_of);
  expect_fails("hmc", "below FW on every set at equal time", fast, timing_of);
}

TEST(RegressionTiming, PlacesWhereTheOtherHasNothingYetAreSkipped) {
  SetResults set = as_claimed("hmc");
  put(set, "rnd", &Entry::total_s, {3.5, 5, 6, 7});  // GIGA's last place has RND's first: 1e6 over 1
  const Finding some = about(timing_of({set}), "below RND on every set at equal time");
  EXPECT_TRUE(some.holds);
  EXPECT_TRUE(has(some, "Phishing 6.0 to 6.0")) << some.ours;
  put(set, "rnd", &Entry::total_s, {5, 6, 7, 8});
  const Finding none = about(timing_of({set}), "below RND on every set at equal time");
  EXPECT_FALSE(none.holds) << "nothing was compared";
  EXPECT_TRUE(has(none, "Phishing nothing in that time")) << none.ours;
}

TEST(RegressionFigures, DistancesAreOverTheMedianOfRndAtAllSizes) {
  const Figure figure = size_figure({as_claimed("hmc")});
  const CurvePoint first = figure.panels.at(0).curves.at(0).points.at(0);
  EXPECT_DOUBLE_EQ(first.mid, 1e6 / 55000) << "half-way between 1e4 and 1e5";
  EXPECT_FALSE(figure.panels[0].x.mark);
  EXPECT_EQ(time_figure({as_claimed("hmc")}).panels[0].x.mark, 1);
}

}  // namespace
}  // namespace giga::experiments
