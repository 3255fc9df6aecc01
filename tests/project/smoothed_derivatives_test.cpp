// Averages over the posterior against those of the curvature projection, which are to rounding, and against
// the same rule by hand where there is one parameter.
#include "giga/project/smoothed_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "giga/base/threads.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/project/curvature_projection.hpp"
#include "support/pretend_ranks.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

// Derivatives at m and at m -+ sqrt(3) sd along the first parameter, averaged.
Derivatives by_hand(const Likelihood& model, std::vector<double> theta, double sd, const Executor& executor) {
  const double middle = theta[0];
  Derivatives out{0, std::vector<double>(theta.size()), std::vector<double>(theta.size() * theta.size())};
  for (const int k : {-1, 0, 1}) {
    theta[0] = middle + k * std::sqrt(3.0) * sd;
    const Derivatives there = model.evaluate(theta, Order::Hessian, executor);
    const double weight = k == 0 ? 2.0 / 3 : 1.0 / 6;
    for (std::size_t d = 0; d < out.gradient.size(); ++d) out.gradient[d] += weight * there.gradient[d];
    for (std::size_t k2 = 0; k2 < out.hessian.size(); ++k2) out.hessian[k2] += weight * there.hessian[k2];
  }
  return out;
}

// One feature and no intercept.
Regression one_parameter(Family family, Family likelihood, Index rows, std::uint64_t seed,
                         std::vector<double> multiplicity = {}) {
  const Rows made = made_up(family, rows, 2, seed);
  std::vector<double> z;
  for (std::size_t n = 0; n < made.y.size(); ++n) z.push_back(made.z[2 * n]);
  return {std::move(z), made.y, std::move(multiplicity), {likelihood, 0.7}};
}

void expect_near(const std::vector<double>& one, const std::vector<double>& other, double relative) {
  ASSERT_EQ(one.size(), other.size());
  double size = 0;
  for (const double value : other) size = std::max(size, std::abs(value));
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(one[k], other[k], relative * size) << k;
}

TEST(SmoothedDerivatives, AreTheAverageOfThreePointsForOneParameter) {
  const Threads threads(2);
  for (const Family family : kFamilies) {
    const Regression model = one_parameter(family, family, 5000, 3, std::vector<double>(5000, 1.5));
    const Normal posterior = Normal::with_covariance({0.3}, {0.04});
    const Derivatives smooth = smoothed_derivatives(model, posterior, threads);
    const Derivatives expected = by_hand(model, {0.3}, 0.2, threads);
    expect_near(smooth.gradient, expected.gradient, 1e-11);
    expect_near(smooth.hessian, expected.hessian, 1e-11);
  }
}

TEST(SmoothedDerivatives, KeepExtraParametersAtTheMode) {
  const Threads threads(2);
  const Regression model = one_parameter(Family::GaussianIdentity, Family::StudentT, 3000, 4);
  const auto dim = static_cast<std::size_t>(model.num_parameters());
  ASSERT_GT(dim, 1U);
  std::vector<double> mean(dim, 0.5), covariance(dim * dim, 0);
  for (std::size_t d = 0; d < dim; ++d) covariance[d * dim + d] = 0.04;
  const Derivatives smooth = smoothed_derivatives(model, Normal::with_covariance(mean, covariance), threads);
  const Derivatives expected = by_hand(model, mean, 0.2, threads);
  expect_near(smooth.gradient, expected.gradient, 1e-11);
  expect_near(smooth.hessian, expected.hessian, 1e-11);
}

TEST(SmoothedDerivatives, AreTheHermiteExpansionToTheSixthOrderOfTheSpread) {
  const Threads threads(2);
  for (const Family family : kFamilies) {
    const Regression model = regression(family, 4000, 4, 5);
    const Normal posterior = laplace(model, Normal::isotropic(4), threads).posterior;
    const CurvatureProjection exact(model, posterior, threads, {Expansion::Hermite});
    std::vector<double> gradient(4), hessian(16), z(4);
    for (Index n = 0; n < model.num_rows(); ++n) {
      model.design(n, 1, z.data());
      for (std::size_t d = 0; d < 4; ++d) {
        gradient[d] += exact.slope_at(n) * z[d];
        for (std::size_t e = 0; e < 4; ++e) hessian[d * 4 + e] += exact.curvature_at(n) * z[d] * z[e];
      }
    }
    const Derivatives smooth = smoothed_derivatives(model, posterior, threads);
    const Derivatives at_mode = model.evaluate(posterior.mean(), Order::Hessian, threads);
    expect_near(smooth.hessian, hessian, 1e-7);
    for (std::size_t d = 0; d < 4; ++d) {
      const double size = std::sqrt(-hessian[d * 5]);  // 1 / sd
      EXPECT_NEAR(smooth.gradient[d], gradient[d], 1e-6 * size);
      if (family == Family::GaussianIdentity) {
        EXPECT_NEAR(smooth.gradient[d], at_mode.gradient[d], 1e-9 * size);
      }
    }
  }
}

TEST(SmoothedDerivatives, HaveTheSameBitsUnderAnyExecutor) {
  const Regression model = regression(Family::BernoulliLogit, 20'000, 5, 6);
  const Normal posterior = Normal::isotropic(5, 0.3);
  const Derivatives one = smoothed_derivatives(model, posterior, Threads(1));
  for (const Derivatives& other : {smoothed_derivatives(model, posterior, Threads(2)),
                                   smoothed_derivatives(model, posterior, PretendRanks(3))}) {
    EXPECT_EQ(one.gradient, other.gradient);
    EXPECT_EQ(one.hessian, other.hessian);
  }
}

}  // namespace
}  // namespace giga::test
