// The prior of group effects: normal coefficients whose standard deviation has a prior of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "giga/model/prior.hpp"

namespace giga::test {
namespace {

// (sd, b, b, b), a coefficient, then (sd, b, b).
Prior two_effects() {
  return {{parse_prior("exponential(2)"), ScalarPrior::normal(0, 1), ScalarPrior::normal(0, 1),
           ScalarPrior::normal(0, 1), parse_prior("student_t(4, 1, 2)"), parse_prior("half_normal(0.5)"),
           ScalarPrior::normal(0, 1), ScalarPrior::normal(0, 1)},
          {{0, 1, 3}, {5, 6, 2}}};
}

const std::vector<double> kTheta = {-0.7, 0.3, -0.4, 0.9, 1.7, 0.2, -2.1, 0.6};

double normal_log_density(double b, double sd) {
  return -b * b / (2 * sd * sd) - std::log(sd) - std::log(2 * std::numbers::pi) / 2;
}

TEST(GroupPrior, IsThatOfTheSdsAndOfNormalCoefficientsGivenThem) {
  double expected = parse_prior("exponential(2)").density(kTheta[0]).value +
                    parse_prior("student_t(4, 1, 2)").density(kTheta[4]).value +
                    parse_prior("half_normal(0.5)").density(kTheta[5]).value;
  for (const std::size_t d : {1U, 2U, 3U}) expected += normal_log_density(kTheta[d], std::exp(kTheta[0]));
  for (const std::size_t d : {6U, 7U}) expected += normal_log_density(kTheta[d], std::exp(kTheta[5]));
  EXPECT_NEAR(two_effects().log_density(kTheta, Order::Value).value, expected, 1e-13);
}

TEST(GroupPrior, IntegratesToOne) {
  const Prior prior({parse_prior("exponential(1)"), ScalarPrior::normal(0, 1)}, {{0, 1, 1}});
  // x = log sd from -14 to 4, b within 9 standard deviations.
  constexpr double kStep = 0.02;
  double sum = 0;
  for (double x = -14; x <= 4; x += kStep) {
    const double sd = std::exp(x);
    for (double u = -9; u <= 9; u += 0.1)
      sum +=
          std::exp(prior.log_density(std::vector<double>{x, u * sd}, Order::Value).value) * sd * kStep * 0.1;
  }
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(GroupPrior, DerivativesAreThoseOfDifferences) {
  const Prior prior = two_effects();
  const Derivatives here = prior.log_density(kTheta, Order::Hessian);
  constexpr double kStep = 1e-5;
  std::vector<double> added(kTheta.size(), 0.5);
  EXPECT_EQ(prior.add_gradient(kTheta.data(), added.data()), here.value);
  for (std::size_t d = 0; d < kTheta.size(); ++d) {
    EXPECT_EQ(added[d], 0.5 + here.gradient[d]);
    std::vector<double> up = kTheta, down = kTheta;
    up[d] += kStep;
    down[d] -= kStep;
    const Derivatives above = prior.log_density(up, Order::Gradient);
    const Derivatives below = prior.log_density(down, Order::Gradient);
    EXPECT_NEAR(here.gradient[d], (above.value - below.value) / (2 * kStep), 1e-7) << d;
    for (std::size_t e = 0; e < kTheta.size(); ++e)
      EXPECT_NEAR(here.hessian[d * kTheta.size() + e], (above.gradient[e] - below.gradient[e]) / (2 * kStep),
                  1e-6)
          << d << "," << e;
  }
}

// sd ~ exponential(1), so that E b^2 = E sd^2 = 2 and E b^4 = 3 E sd^4 = 72.
TEST(GroupPrior, DrawsHaveTheVarianceOfCoefficientsWithinFourStandardErrors) {
  const Prior prior({parse_prior("exponential(1)"), ScalarPrior::normal(0, 1)}, {{0, 1, 1}});
  Stream random = stream(3, "draws");
  constexpr int kDraws = 200000;
  double squares = 0;
  for (int s = 0; s < kDraws; ++s) {
    std::vector<double> theta(2);
    prior.draw(random, theta.data());
    squares += theta[1] * theta[1];
  }
  EXPECT_NEAR(squares / kDraws, 2, 4 * std::sqrt((72.0 - 4) / kDraws));
}

TEST(GroupPrior, GivenTheSdsComponentsAreIndependent) {
  const std::vector<double> sds = {std::log(0.5), std::log(3.0)};
  const Prior given = two_effects().given(sds);
  EXPECT_TRUE(given.groups().empty());
  EXPECT_EQ(given.marginal(2), ScalarPrior::normal(0, std::exp(sds[0])));
  EXPECT_EQ(given.marginal(7), ScalarPrior::normal(0, std::exp(sds[1])));
  EXPECT_EQ(given.marginal(4), parse_prior("student_t(4, 1, 2)"));
  EXPECT_EQ(given.marginal(5).mode(), sds[1]);
}

TEST(GroupPrior, WithoutGroupsItIsThePriorOfItsComponents) {
  const Prior plain({ScalarPrior::normal(0, 2), ScalarPrior::normal(1, 3)});
  const Prior same({ScalarPrior::normal(0, 2), ScalarPrior::normal(1, 3)}, {});
  ASSERT_NE(same.normal(), nullptr);
  EXPECT_EQ(same.normal()->precision(), plain.normal()->precision());
}

TEST(GroupPrior, PartsThatDoNotFitAreRefused) {
  const ScalarPrior sd = parse_prior("exponential(1)"), b = ScalarPrior::normal(0, 1);
  EXPECT_THROW(Prior({sd, b, b}, {{0, 1, 3}}), std::invalid_argument);                 // past the end
  EXPECT_THROW(Prior({sd, b, sd, b}, {{0, 1, 2}, {2, 3, 1}}), std::invalid_argument);  // overlapping
  EXPECT_THROW(Prior({b, b, b}, {{0, 1, 2}}), std::invalid_argument);                  // sd may be negative
  EXPECT_THROW(Prior({sd, b, ScalarPrior::normal(0, 2)}, {{0, 1, 2}}), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
