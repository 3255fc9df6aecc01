#include "giga/infer/laplace.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "giga/base/random.hpp"
#include "giga/model/gaussian_mean.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

double log_joint(const Likelihood& model, const Normal& prior, const std::vector<double>& theta,
                 const Executor& executor) {
  return model.evaluate(theta, Order::Value, executor).value + prior.log_density(theta, Order::Value).value;
}

TEST(Laplace, TheModeIsHigherThanAnyPointNearIt) {
  const Threads executor(1);
  for (const Family family : kFamilies) {
    const Regression model = regression(family, 400, 4, 3);
    const Normal prior = Normal::isotropic(4);
    const LaplaceResult result = laplace(model, prior, executor);
    ASSERT_EQ(result.end, LaplaceEnd::Converged);
    EXPECT_NEAR(result.log_joint, log_joint(model, prior, result.posterior.mean(), executor), 1e-9);
    for (std::size_t d = 0; d < 4; ++d) {
      for (const double step : {-1e-3, 1e-3}) {
        std::vector<double> theta = result.posterior.mean();
        theta[d] += step;
        EXPECT_LT(log_joint(model, prior, theta, executor), result.log_joint);
      }
    }
  }
}

TEST(Laplace, IsExactForAConjugateModel) {
  std::vector<double> observations;
  Stream random = stream(5, "observations");
  for (int i = 0; i < 30; ++i) observations.push_back(random.normal() + 2);
  const GaussianMean model(observations, 3);
  const Normal prior = Normal::isotropic(3, 0.5);
  const Normal exact = model.posterior(prior);
  const LaplaceResult result = laplace(*likelihood_of(model), prior, Threads(1));
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(result.posterior.mean()[d], exact.mean()[d], 1e-12);
  for (std::size_t k = 0; k < 9; ++k)
    EXPECT_NEAR(result.posterior.precision()[k], exact.precision()[k], 1e-12);
  EXPECT_NEAR(kl_divergence(result.posterior, exact), 0, 1e-12);
  EXPECT_LE(result.iterations, 2);
}

// Close to the mode of many rows the last step is taken by the expansion, one pass fewer than places: what it
// gives is what a pass there gives.
TEST(Laplace, ALastStepByExpansionGivesWhatAPassThereWould) {
  const Threads executor(1);
  Index expanded = 0;
  for (const Family family : kFamilies) {
    const Regression model = regression(family, 40000, 4, 3);
    const Normal prior = Normal::isotropic(4);
    const LaplaceResult result = laplace(model, prior, executor, {.tolerance = 1e-4});
    ASSERT_EQ(result.end, LaplaceEnd::Converged);
    if (result.passes == result.iterations) ++expanded;
    const std::vector<double>& mode = result.posterior.mean();
    const Derivatives there = model.evaluate(mode, Order::Hessian, executor);
    EXPECT_NEAR(result.log_likelihood, there.value, 1e-9 * std::abs(there.value));
    const std::vector<double> sds = result.posterior.standard_deviations();
    for (std::size_t d = 0; d < 4; ++d)
      EXPECT_NEAR(result.at_mode->gradient[d] * sds[d], there.gradient[d] * sds[d], 1e-7);
    for (std::size_t k = 0; k < 16; ++k)
      EXPECT_NEAR(result.at_mode->hessian[k] * sds[k / 4] * sds[k % 4],
                  there.hessian[k] * sds[k / 4] * sds[k % 4], 1e-6);
  }
  EXPECT_GT(expanded, 0);
}

TEST(Laplace, HasTheSameBitsOnOneThreadAndTwo) {
  const Regression model = regression(Family::BernoulliLogit, 20000, 6, 4);
  const Normal prior = Normal::isotropic(6);
  const LaplaceResult one = laplace(model, prior, Threads(1)), two = laplace(model, prior, Threads(2));
  EXPECT_EQ(one.posterior.mean(), two.posterior.mean());
  EXPECT_EQ(one.posterior.precision(), two.posterior.precision());
}

TEST(Laplace, SeparableLabelsEndAtAFiniteMode) {
  std::vector<double> z, y;
  for (int n = -10; n < 10; ++n) {
    z.insert(z.end(), {n + 0.5, 1.0});
    y.push_back(n < 0 ? -1.0 : 1.0);
  }
  const Regression model(z, y, {}, {Family::BernoulliLogit});
  const LaplaceResult result = laplace(model, Normal::isotropic(2, 100), Threads(1));
  EXPECT_EQ(result.end, LaplaceEnd::Converged);
  EXPECT_TRUE(std::isfinite(result.log_joint));
  EXPECT_TRUE(model.separates(result.posterior.mean(), Threads(1)));
}

TEST(Laplace, EndsFromAStartWhereTheFirstStepOvershoots) {
  // Counts near 1e9 with a log link and no intercept: the first Newton step from 0 overflows exp.
  const Regression model({1, 1, 1}, {1e9, 1.1e9, 0.9e9}, {}, {Family::PoissonLog});
  const LaplaceResult result = laplace(model, Normal::isotropic(1, 100), Threads(1));
  EXPECT_EQ(result.end, LaplaceEnd::Converged);
  EXPECT_NEAR(result.posterior.mean()[0], std::log(1e9), 1e-6);
}

// log p = -(theta^2 - 1)^2: two modes, and a start between them where the curvature has the wrong sign.
struct TwoModes {
  [[nodiscard]] Index num_rows() const { return 1; }
  [[nodiscard]] Index num_parameters() const { return 1; }
  [[nodiscard]] double log_likelihood(Index, const double* t) const { return -std::pow(t[0] * t[0] - 1, 2); }
  void gradient(Index, const double* t, double* out) const { out[0] = -4 * t[0] * (t[0] * t[0] - 1); }
  void hessian(Index, const double* t, double* out) const { out[0] = 4 - 12 * t[0] * t[0]; }
};

TEST(Laplace, ClimbsWhereTheHessianIsNotNegative) {
  const Normal prior = Normal::with_precision({0.05}, {1e-3});
  const LaplaceResult result = laplace(*likelihood_of(TwoModes{}), prior, Threads(1));
  EXPECT_NE(result.end, LaplaceEnd::IterationLimit);
  EXPECT_GT(result.posterior.precision()[0], 0);
}

TEST(Laplace, RefusesAPriorOfAnotherDimension) {
  const Regression model = regression(Family::GaussianIdentity, 10, 3, 1);
  EXPECT_THROW((void)laplace(model, Normal::isotropic(2), Threads(1)), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
