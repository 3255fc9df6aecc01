#include "giga/model/normal.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace giga::test {
namespace {

const std::vector<double> kPrecision = {4, 1.9, 0, 1.9, 1, 0.1, 0, 0.1, 0.2};

TEST(Normal, TheFactorTimesItsTransposeInvertsThePrecision) {
  const Normal normal = Normal::with_precision({1, 2, 3}, kPrecision);
  const std::vector<double> covariance = normal.covariance();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) product += covariance[i * 3 + k] * kPrecision[k * 3 + j];
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12);
    }
  }
}

// Drawing with C' instead of C gives a covariance that differs by far more than four standard errors here.
TEST(Normal, DrawsHaveTheInverseOfThePrecisionAsCovarianceWithinFourStandardErrors) {
  constexpr int kDraws = 200'000;
  const Normal normal = Normal::with_precision({1, -2, 3}, kPrecision);
  const std::vector<double> covariance = normal.covariance();
  std::vector<double> sum(3, 0.0), products(9, 0.0), theta(3);
  Stream random = stream(1, "draws");
  for (int i = 0; i < kDraws; ++i) {
    normal.draw(random, theta.data());
    for (std::size_t d = 0; d < 3; ++d) {
      sum[d] += theta[d] - normal.mean()[d];
      for (std::size_t e = 0; e < 3; ++e)
        products[d * 3 + e] += (theta[d] - normal.mean()[d]) * (theta[e] - normal.mean()[e]);
    }
  }
  for (std::size_t d = 0; d < 3; ++d) {
    const double sd = std::sqrt(covariance[d * 3 + d]);
    EXPECT_NEAR(sum[d] / kDraws, 0, 4 * sd / std::sqrt(kDraws));
    for (std::size_t e = 0; e < 3; ++e) {
      const double spread =
          covariance[d * 3 + d] * covariance[e * 3 + e] + std::pow(covariance[d * 3 + e], 2);
      EXPECT_NEAR(products[d * 3 + e] / kDraws, covariance[d * 3 + e], 4 * std::sqrt(spread / kDraws))
          << d << e;
    }
  }
  // The mistake to be caught: C' C is another matrix.
  double transposed = 0;
  for (std::size_t k = 0; k < 3; ++k) transposed += normal.factor()[k * 3] * normal.factor()[k * 3];
  EXPECT_GT(std::abs(transposed - covariance[0]), 40 * covariance[0] * std::sqrt(2.0 / kDraws));
}

TEST(Normal, PrecisionAndCovarianceAreTwoWaysToTheSameDistribution) {
  const Normal one = Normal::with_precision({1, 2, 3}, kPrecision);
  const Normal other = Normal::with_covariance({1, 2, 3}, one.covariance());
  EXPECT_NEAR(kl_divergence(one, other), 0, 1e-12);
  EXPECT_NEAR(one.log_determinant(), other.log_determinant(), 1e-12);
  const std::vector<double> theta = {0.5, 2.5, -1};
  const Derivatives a = one.log_density(theta, Order::Hessian), b = other.log_density(theta, Order::Hessian);
  EXPECT_NEAR(a.value, b.value, 1e-12);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(a.gradient[d], b.gradient[d], 1e-11);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(a.hessian[k], b.hessian[k], 1e-11);
}

TEST(Normal, LogDensityIsThatOfTheTextbook) {
  const Normal normal = Normal::isotropic(2, 3);
  const Derivatives at = normal.log_density(std::vector<double>{3, -6}, Order::Gradient);
  EXPECT_NEAR(at.value, -std::log(2 * M_PI * 9) - (9 + 36) / 18.0, 1e-13);
  EXPECT_NEAR(at.gradient[0], -3 / 9.0, 1e-15);
  EXPECT_NEAR(at.gradient[1], 6 / 9.0, 1e-15);
}

TEST(Normal, OfIndependentScalesIsAProductOfNormals) {
  const std::vector<double> scales = {0.5, 3, 40};
  const Normal normal = Normal::independent(scales);
  const std::vector<double> theta = {1, -2, 30};
  double product = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const Normal one = Normal::isotropic(1, scales[d]);
    product += one.log_density(std::span(theta).subspan(d, 1), Order::Value).value;
  }
  EXPECT_NEAR(normal.log_density(theta, Order::Value).value, product, 1e-13);
  EXPECT_EQ(normal.standard_deviations(), scales);
  EXPECT_THROW((void)Normal::independent(std::vector<double>{1, -1}), std::invalid_argument);
  EXPECT_THROW((void)Normal::independent({}), std::invalid_argument);
}

TEST(Normal, DivergenceOfUnivariateNormalsIsThatOfTheTextbook) {
  const Normal p = Normal::with_covariance({1}, {4}), q = Normal::with_covariance({0}, {9});
  EXPECT_NEAR(kl_divergence(p, q), std::log(3.0 / 2) + (4 + 1) / 18.0 - 0.5, 1e-13);
}

TEST(Normal, RefusesMatricesThatAreNotSymmetricOrNotPositiveDefinite) {
  EXPECT_THROW((void)Normal::with_covariance({0, 0}, {2, 1, 0, 2}), std::invalid_argument);
  EXPECT_THROW((void)Normal::with_precision({0, 0}, {1, 2, 2, 1}), std::invalid_argument);
  EXPECT_THROW((void)Normal::with_precision({0, 0}, {1, 0, 0}), std::invalid_argument);
  EXPECT_THROW((void)Normal::with_covariance({NAN}, {1}), std::invalid_argument);
  EXPECT_THROW((void)Normal::isotropic(2, 0), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
