#include "giga/infer/psis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "giga/base/random.hpp"
#include "infer/reference.hpp"

namespace giga::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> normal_ratios(std::size_t count, double scale = 1) {
  std::vector<double> ratios(count);
  Stream random = stream(3, "ratios");
  for (double& ratio : ratios) ratio = scale * random.normal();
  return ratios;
}

double sum(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0);
}

TEST(Psis, EqualsTheLooPackage) {
  const Json sets = read_reference("psis.json");
  ASSERT_GE(sets.size(), 19U);
  for (const auto& [name, set] : sets.items()) {
    SCOPED_TRACE(name);
    const PsisResult result = psis(numbers(set["log_ratios"]), number(set["relative_ess"]));
    EXPECT_TRUE(agree(result.k_hat, number(set["k_hat"])));
    EXPECT_TRUE(agree(result.effective_size, number(set["effective_size"])));
    EXPECT_EQ(result.tail_length, set["tail_length"].get<Index>());
    EXPECT_EQ(result.tail == PsisTail::Smoothed, std::isfinite(result.k_hat));
    const std::vector<double> expected = numbers(set["log_weights"]);
    ASSERT_EQ(result.log_weights.size(), expected.size());
    for (std::size_t s = 0; s < expected.size(); ++s) {
      EXPECT_TRUE(agree(result.log_weights[s], expected[s])) << s;
      EXPECT_TRUE(agree(result.weights[s], std::exp(expected[s]))) << s;
    }
  }
}

TEST(Psis, WeightedMomentsEqualThoseOfR) {
  const Json sets = read_reference("psis.json");
  for (const auto& [name, set] : sets.items()) {
    SCOPED_TRACE(name);
    const PsisResult result = psis(numbers(set["log_ratios"]), number(set["relative_ess"]));
    const WeightedMoments moments = weighted_moments(numbers(set["values"]), result.weights);
    EXPECT_TRUE(agree(moments.mean, number(set["mean"])));
    EXPECT_TRUE(agree(moments.sd, number(set["sd"])));
  }
}

TEST(Psis, SaysWhyATailIsNotSmoothed) {
  EXPECT_EQ(psis(normal_ratios(100)).tail, PsisTail::Smoothed);
  EXPECT_EQ(psis(normal_ratios(20)).tail, PsisTail::TooShort);
  EXPECT_EQ(psis(std::vector<double>(100, -7)).tail, PsisTail::Equal);
  EXPECT_DOUBLE_EQ(psis(std::vector<double>(100, -7)).effective_size, 100);
  EXPECT_EQ(psis(normal_ratios(100, 1e-18)).tail, PsisTail::Equal);
  EXPECT_EQ(psis(normal_ratios(100, 1000)).tail, PsisTail::Degenerate);
  EXPECT_EQ(psis({}).tail, PsisTail::Degenerate);
}

TEST(Psis, DoesNotDependOnAConstantAddedToTheRatios) {
  const std::vector<double> ratios = normal_ratios(500);
  std::vector<double> shifted = ratios;
  for (double& ratio : shifted) ratio -= 0x1p+16;
  EXPECT_NEAR(psis(shifted).k_hat, psis(ratios).k_hat, 1e-8);
}

TEST(Psis, NoWeightExceedsTheLargestRawWeight) {
  for (const double scale : {0.1, 1.0, 3.0, 10.0}) {
    const std::vector<double> ratios = normal_ratios(1000, scale);
    const PsisResult result = psis(ratios);
    ASSERT_EQ(result.tail, PsisTail::Smoothed);
    // The smallest ratio is not smoothed: it tells what was added to all.
    const auto least = static_cast<std::size_t>(std::ranges::min_element(ratios) - ratios.begin());
    const double most = std::ranges::max(ratios) - ratios[least] + result.log_weights[least];
    EXPECT_LE(std::ranges::max(result.log_weights), most + 1e-12);
    EXPECT_NEAR(sum(result.weights), 1, 1e-12);
  }
}

TEST(Psis, RatiosOfNaNAndMinusInfinityHaveNoWeight) {
  std::vector<double> ratios = normal_ratios(200);
  ratios[3] = -kInfinity;
  ratios[5] = std::nan("");
  const PsisResult result = psis(ratios);
  EXPECT_EQ(result.tail, PsisTail::Smoothed);
  EXPECT_EQ(result.num_impossible, 2);
  EXPECT_EQ(result.weights[3], 0);
  EXPECT_EQ(result.weights[5], 0);
  EXPECT_NEAR(sum(result.weights), 1, 1e-12);
  ratios[3] = ratios[5] = -1e6;
  EXPECT_EQ(psis(ratios).k_hat, result.k_hat);
}

TEST(Psis, MostRatiosImpossibleLeaveTheWeightToTheRest) {
  std::vector<double> ratios(100, -kInfinity);
  ratios[8] = ratios[9] = 2;
  const PsisResult result = psis(ratios);
  EXPECT_EQ(result.tail, PsisTail::Degenerate);
  EXPECT_EQ(result.k_hat, kInfinity);
  EXPECT_DOUBLE_EQ(result.weights[8], 0.5);
  EXPECT_DOUBLE_EQ(result.effective_size, 2);
  const PsisResult none = psis(std::vector<double>(100, -kInfinity));
  EXPECT_EQ(none.tail, PsisTail::Degenerate);
  EXPECT_EQ(none.effective_size, 0);
  EXPECT_EQ(sum(none.weights), 0);
  EXPECT_TRUE(std::isnan(weighted_moments(ratios, none.weights).mean));
}

TEST(Psis, InfiniteRatiosShareAllTheWeight) {
  std::vector<double> ratios = normal_ratios(50);
  for (const std::size_t s : {1U, 4U, 30U, 49U}) ratios[s] = kInfinity;
  const PsisResult result = psis(ratios);
  EXPECT_EQ(result.tail, PsisTail::Degenerate);
  EXPECT_EQ(result.k_hat, kInfinity);
  EXPECT_DOUBLE_EQ(result.weights[4], 0.25);
  EXPECT_EQ(result.weights[0], 0);
}

TEST(Psis, RefusesARelativeEssThatIsNotPositive) {
  for (const double relative_ess : {0.0, -1.0, kInfinity, std::nan("")})
    EXPECT_THROW(static_cast<void>(psis(normal_ratios(50), relative_ess)), std::invalid_argument);
}

TEST(WeightedMoments, CorrectANormalToAnotherNormal) {
  // From N(0, 1) to N(1/2, 0.8^2): log ratio up to a constant. Within four standard errors of 20000 draws.
  std::vector<double> draws = normal_ratios(20000), ratios;
  for (const double x : draws) ratios.push_back(x * x / 2 - (x - 0.5) * (x - 0.5) / (2 * 0.64));
  const PsisResult result = psis(ratios);
  EXPECT_LT(result.k_hat, 0.5);
  const WeightedMoments moments = weighted_moments(draws, result.weights);
  EXPECT_NEAR(moments.mean, 0.5, 4 * moments.mcse_mean);
  EXPECT_NEAR(moments.sd, 0.8, 4 * moments.mcse_mean);
}

TEST(WeightedMoments, OfEqualWeightsAreTheUsualOnes) {
  const WeightedMoments moments =
      weighted_moments(std::vector<double>{1, 2, 6}, std::vector<double>{2, 2, 2});
  EXPECT_DOUBLE_EQ(moments.mean, 3);
  EXPECT_DOUBLE_EQ(moments.sd, std::sqrt(7.0));
  EXPECT_DOUBLE_EQ(moments.mcse_mean, std::sqrt(14.0) / 3);
}

TEST(WeightedMoments, IgnoreValuesWithoutWeight) {
  const std::vector<double> values = {1, std::nan(""), 3, kInfinity}, weights = {1, 0, 1, 0};
  const WeightedMoments moments = weighted_moments(values, weights);
  EXPECT_DOUBLE_EQ(moments.mean, 2);
  EXPECT_DOUBLE_EQ(moments.sd, std::sqrt(2.0));
}

TEST(WeightedMoments, RefuseWeightsThatAreNone) {
  const std::vector<double> values = {1, 2};
  EXPECT_THROW(static_cast<void>(weighted_moments(values, std::vector<double>{1})), std::invalid_argument);
  for (const double bad : {-1.0, kInfinity, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(weighted_moments(values, std::vector<double>{1, bad})),
                 std::invalid_argument);
  }
}

}  // namespace
}  // namespace giga::test
