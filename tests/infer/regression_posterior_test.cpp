#include "giga/infer/regression_posterior.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <limits>

#include "giga/infer/density.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

static_assert(LogDensity<RegressionPosterior>);

std::vector<double> some_theta(Index dim) {
  std::vector<double> theta;
  Stream random = stream(5, "theta");
  for (Index d = 0; d < dim; ++d) theta.push_back(0.3 * random.normal());
  return theta;
}

// Rows that count once, twice and half, in turn; all once if `weighted` is false.
std::vector<double> multiplicities(Index rows, bool weighted) {
  std::vector<double> out;
  for (Index n = 0; n < rows && weighted; ++n) out.push_back(n % 3 == 0 ? 1.0 : n % 3 == 1 ? 2.0 : 0.5);
  return out;
}

TEST(RegressionPosterior, IsTheLogJointOfTheModelAndItsGradient) {
  const Threads executor(1);
  for (const Family family : kFamilies) {
    for (const bool weighted : {false, true}) {
      for (const auto& [rows, dim] :
           {std::pair<Index, Index>{1, 1}, {63, 3}, {64, 4}, {100, 11}, {9000, 5}, {200, 70}}) {
        const Regression model = regression(family, rows, dim, 3, multiplicities(rows, weighted));
        const Normal prior = Normal::isotropic(dim, 1.5);
        const std::vector<double> theta = some_theta(dim);
        std::vector<double> gradient(theta.size());
        const double value = RegressionPosterior(model, prior).log_density(theta.data(), gradient.data());
        const Derivatives data = model.evaluate(theta, Order::Gradient, executor);
        const Derivatives before = prior.log_density(theta, Order::Gradient);
        EXPECT_NEAR(value, data.value + before.value,
                    1e-12 * (std::abs(data.value) + static_cast<double>(rows)));
        for (std::size_t d = 0; d < theta.size(); ++d) {
          const double expected = data.gradient[d] + before.gradient[d];
          EXPECT_NEAR(gradient[d], expected, 1e-11 * (std::abs(expected) + static_cast<double>(rows)));
        }
      }
    }
  }
}

TEST(RegressionPosterior, TakesAnyNormalPrior) {
  const Regression model = regression(Family::BernoulliLogit, 30, 2, 4);
  const Normal prior = Normal::with_precision({0.5, -1}, {2, 0.5, 0.5, 1});
  const std::vector<double> theta = {0.2, 0.7};
  std::vector<double> gradient(2);
  const double value = RegressionPosterior(model, prior).log_density(theta.data(), gradient.data());
  const Derivatives data = model.evaluate(theta, Order::Gradient, Threads(1));
  const Derivatives before = prior.log_density(theta, Order::Gradient);
  EXPECT_NEAR(value, data.value + before.value, 1e-12);
  for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(gradient[d], data.gradient[d] + before.gradient[d], 1e-12);
}

TEST(RegressionPosterior, HasTheSameBitsWithoutAPoolAndWithOneOfAnySize) {
  for (const Family family : {Family::BernoulliLogit, Family::PoissonSoftplus}) {
    const Regression model = regression(family, 20000, 4, 5, multiplicities(20000, true));
    const Normal prior = Normal::isotropic(4);
    const std::vector<double> theta = some_theta(4);
    std::vector<double> alone(4), pooled(4);
    const double value = RegressionPosterior(model, prior).log_density(theta.data(), alone.data());
    for (const int threads : {1, 2, 3}) {
      const Threads executor(threads);
      EXPECT_EQ(RegressionPosterior(model, prior, &executor).log_density(theta.data(), pooled.data()), value);
      EXPECT_EQ(pooled, alone);
    }
  }
}

TEST(RegressionPosterior, StaysFiniteWherePredictorsAreFar) {
  const Regression model = regression(Family::BernoulliLogit, 640, 2, 6);
  const RegressionPosterior posterior(model, Normal::isotropic(2));
  for (const double far : {-1e6, 1e6, 1e100}) {
    const std::vector<double> theta = {far, far};
    std::vector<double> gradient(2);
    EXPECT_TRUE(std::isfinite(posterior.log_density(theta.data(), gradient.data()))) << far;
    EXPECT_TRUE(std::isfinite(gradient[0])) << far;
  }
}

TEST(RegressionPosterior, HasTheSameBitsOnEveryInstructionSet) {
  for (const Family family : kFamilies) {
    for (const Index dim : {1, 4, 11}) {
      const Regression model = regression(family, 500, dim, 7, multiplicities(500, dim == 4));
      const RegressionPosterior posterior(model, Normal::isotropic(dim));
      const std::vector<double> theta = some_theta(dim);
      std::vector<double> best(theta.size()), here(theta.size());
      const double value = posterior.log_density(theta.data(), best.data());
      for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        EXPECT_EQ(posterior.log_density(theta.data(), here.data()), value) << hwy::TargetName(target);
        EXPECT_EQ(here, best) << hwy::TargetName(target);
      }
      hwy::SetSupportedTargetsForTest(0);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
  }
}

TEST(RegressionPosterior, FollowsTheModelFromCertainRowsToHopelessOnes) {
  const Regression model = regression(Family::BernoulliLogit, 640, 2, 6);
  const RegressionPosterior posterior(model, Normal::isotropic(2));
  const Threads executor(1);
  for (const double scale : {1.0, 10.0, 100.0, 159.0, 160.0, 700.0, 1e4, -10.0, -700.0, -1e4}) {
    const std::vector<double> theta = {scale, 0.5 * scale};
    std::vector<double> gradient(2);
    const double value = posterior.log_likelihood(theta.data(), gradient.data());
    const Derivatives expected = model.evaluate(theta, Order::Gradient, executor);
    // The predictors' rounding, and that of their sum.
    EXPECT_NEAR(value, expected.value, 1e-13 * (std::abs(expected.value) + 640 * std::abs(scale))) << scale;
    for (std::size_t d = 0; d < 2; ++d)
      EXPECT_NEAR(gradient[d], expected.gradient[d], 1e-12 * (std::abs(expected.gradient[d]) + 1)) << scale;
  }
}

TEST(RegressionPosterior, IsNotANumberWhereTheParametersAreNot) {
  const Regression model = regression(Family::BernoulliLogit, 640, 2, 6);
  const RegressionPosterior posterior(model, Normal::isotropic(2));
  const std::vector<double> theta = {std::numeric_limits<double>::quiet_NaN(), 0.1};
  std::vector<double> gradient(2);
  EXPECT_TRUE(std::isnan(posterior.log_likelihood(theta.data(), gradient.data())));
}

TEST(RegressionPosterior, RefusesAPriorOfAnotherDimension) {
  const Regression model = regression(Family::BernoulliLogit, 5, 2, 1);
  EXPECT_THROW(RegressionPosterior(model, Normal::isotropic(3)), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
