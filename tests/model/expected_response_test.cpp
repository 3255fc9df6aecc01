// Expected responses of every family against formulas, expectations by simulation, and the promised bits.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/model/simulate_data.hpp"
#include "model/family_kernels.hpp"

namespace giga {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double expected(Family family, double s) {
  double out = 0;
  kernels::expected_responses({family}, &s, 1, &out);
  return out;
}

// The inverse of the link in long double, by the words of the registry.
long double inverse_link(Family family, long double s) {
  const std::string_view link = link_name(family);
  if (link == "logit") return 1 / (1 + std::exp(-s));
  if (link == "probit") return std::erfc(-s / std::sqrt(2.0L)) / 2;
  if (link == "cloglog") return -std::expm1(-std::exp(s));
  if (link == "log") return std::exp(s);
  if (link == "softplus") return std::max(s, 0.0L) + std::log1p(std::exp(-std::abs(s)));
  EXPECT_EQ(link, "identity");
  return s;
}

TEST(ExpectedResponse, IsTheInverseLinkToFewRoundingsInTheTailsToo) {
  for (const Family family : all_families()) {
    for (double s = -30; s <= 30; s += 0.37) {
      const auto truth = static_cast<double>(inverse_link(family, s));
      EXPECT_NEAR(expected(family, s), truth, 1e-13 * std::abs(truth)) << describe(family).name << " " << s;
    }
  }
}

// predictor_of_mean is its inverse; labels are -1 and 1 there.
TEST(ExpectedResponse, OfThePredictorOfAMeanIsThatMean) {
  for (const Family family : all_families()) {
    const FamilyDescription& each = describe(family);
    for (const double mean : {0.05, 0.4, 0.5, 0.93})
      EXPECT_NEAR(expected(family, each.predictor_of_mean(each.is_binary ? 2 * mean - 1 : mean)), mean, 1e-12)
          << each.name << " " << each.link;
  }
}

TEST(ExpectedResponse, LimitsAreReached) {
  for (const Family family : all_families()) {
    const bool chance = describe(family).is_binary || describe(family).has_trials;
    const bool line = link_name(family) == "identity";
    EXPECT_EQ(expected(family, kInf), chance ? 1 : kInf) << describe(family).name << describe(family).link;
    EXPECT_EQ(expected(family, -kInf), line ? -kInf : 0) << describe(family).name << describe(family).link;
    EXPECT_TRUE(std::isnan(expected(family, std::nan("")))) << describe(family).name << describe(family).link;
  }
}

// Responses as theta's extra parameters say: mean and sd against formulas, 5 standard errors of 40,000 draws.
TEST(ExpectedResponse, SimulatedResponsesHaveItWithTheExtrasOfTheta) {
  constexpr int kDraws = 40000;
  const double s = 0.7, mu = std::exp(s), sigma = 1.7, phi = 2.5, shape = 3, nu = 7;
  struct Case {
    Family family;
    std::vector<double> extras;
    double variance;
  };
  const std::vector<Case> cases = {
      {Family::Gaussian, {std::log(sigma)}, sigma * sigma},
      {Family::NegativeBinomial, {std::log(phi)}, mu + mu * mu / phi},
      {Family::GammaLog, {std::log(shape)}, mu * mu / shape},
      {Family::StudentT, {std::log(sigma), std::log(nu)}, sigma * sigma * nu / (nu - 2)},
      {Family::StudentTGiven, {std::log(sigma)}, sigma * sigma * 2},  // nu is 4
      {Family::PoissonLog, {}, mu}};
  for (const Case& each : cases) {
    ASSERT_EQ(describe(each.family).simulation.learnt.size(), each.extras.size());
    const FamilyParameters family = simulated_with({each.family}, each.extras.data());
    Stream random = stream(3, "expected");
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double y = describe(each.family).simulation.respond(family, s, random) - expected(each.family, s);
      sum += y;
      squares += y * y;
    }
    EXPECT_NEAR(sum / kDraws, 0, 5 * std::sqrt(each.variance / kDraws)) << describe(each.family).name;
    // The fourth moment of student_t with 4 degrees of freedom does not exist.
    const double most = each.family == Family::StudentTGiven ? 0.25 : 0.08;
    EXPECT_NEAR(squares / kDraws / each.variance, 1, most) << describe(each.family).name;
  }
}

TEST(ExpectedResponse, EveryExtraIsOneThatResponsesAreSimulatedWith) {
  for (const Family family : all_families())
    EXPECT_EQ(describe(family).extras.size(), describe(family).simulation.learnt.size());
}

TEST(ExpectedResponse, BitsDependNeitherOnThePositionNorOnTheInstructionSet) {
  Stream random = stream(8, "bits");
  std::vector<double> s(37);
  for (double& each : s) each = 8 * random.normal();
  for (const Family family : all_families()) {
    std::vector<double> alone;
    for (const double each : s) alone.push_back(expected(family, each));
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      std::vector<double> together(s.size());
      kernels::expected_responses({family}, s.data(), std::ssize(s), together.data());
      for (std::size_t i = 0; i < s.size(); ++i)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(together[i]), std::bit_cast<std::uint64_t>(alone[i]));
      hwy::SetSupportedTargetsForTest(0);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
  }
}

// Chi-square statistics of 20,000 draws against the probabilities; below mean + 5 sd of its distribution.
TEST(DrawBinomial, HasTheProbabilitiesOfItsDistribution) {
  for (const auto& [trials, chance] : {std::pair{5.0, 0.3}, {40.0, 0.02}, {60.0, 0.7}, {1000.0, 0.999}}) {
    constexpr int kDraws = 20000;
    Stream random = stream(4, "binomial", static_cast<Index>(trials));
    std::vector<double> counts(static_cast<std::size_t>(trials) + 1);
    for (int i = 0; i < kDraws; ++i)
      ++counts.at(static_cast<std::size_t>(draw_binomial(trials, chance, random)));
    double statistic = 0, rest_count = 0, rest = 0;
    int cells = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const auto y = static_cast<double>(k);
      const double log_p = std::lgamma(trials + 1) - std::lgamma(y + 1) - std::lgamma(trials - y + 1) +
                           y * std::log(chance) + (trials - y) * std::log1p(-chance);
      const double wanted = kDraws * std::exp(log_p);
      if (wanted < 10) {
        rest += wanted;
        rest_count += counts[k];
        continue;
      }
      statistic += (counts[k] - wanted) * (counts[k] - wanted) / wanted;
      ++cells;
    }
    EXPECT_NEAR(rest_count, rest, 5 * std::sqrt(rest) + 1);
    EXPECT_LT(statistic, cells + 5 * std::sqrt(2.0 * cells)) << trials;
  }
}

TEST(DrawBinomial, CertainTrialsAreNotLeftToChance) {
  Stream random = stream(4, "certain");
  EXPECT_EQ(draw_binomial(1e7, 0, random), 0);
  EXPECT_EQ(draw_binomial(1e7, 1, random), 1e7);
  EXPECT_EQ(draw_binomial(0, 0.5, random), 0);
  EXPECT_THROW((void)draw_binomial(3, 1.5, random), std::invalid_argument);
}

}  // namespace
}  // namespace giga
