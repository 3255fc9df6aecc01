#include "infer/probability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "giga/base/random.hpp"
#include "infer/autocovariance.hpp"

namespace giga::test {
namespace {

TEST(NormalScores, AreTheQuantilesOfRanksAndTheirMeans) {
  for (const Index count : {0, 1, 2, 3, 8, 1000, 16000}) {
    const std::vector<double> scores = normal_scores(count);
    ASSERT_EQ(std::ssize(scores), std::max<Index>(0, 2 * count - 1));
    for (Index k = 0; k < std::ssize(scores); ++k) {
      const double rank = 1 + static_cast<double>(k) / 2;
      const double z = normal_quantile((rank - 0.375) / (static_cast<double>(count) + 0.25));
      EXPECT_NEAR(scores[at(k)], z, 1e-13 * std::max(1.0, std::abs(z))) << count << " " << rank;
    }
  }
}

TEST(Probability, TheNormalQuantileInvertsTheDistribution) {
  for (double z = -8; z <= 8; z += 0.0625) {
    const double p = std::erfc(-z / std::numbers::sqrt2) / 2;
    if (p == 1) continue;
    // Above zero p itself is rounded, by 2^-54, which is that over the density in z.
    const double rounding = 0x1p-53 * std::exp(z * z / 2) * std::sqrt(2 * std::numbers::pi);
    EXPECT_NEAR(normal_quantile(p), z, 4e-15 * std::max(1.0, std::abs(z)) + (z > 0 ? rounding : 0)) << z;
  }
  EXPECT_NEAR(normal_quantile(1e-300), -37.0471, 1e-4);
}

TEST(Probability, TheBetaDistributionIsThatOfBinomialTails) {
  // P(Beta(a, b) <= x) = P(Binomial(a + b - 1, x) >= a) for whole a and b.
  for (const int a : {1, 2, 7, 30}) {
    for (const int b : {1, 3, 20}) {
      for (const double x : {0.01, 0.3, 0.5, 0.77, 0.999}) {
        const int n = a + b - 1;
        double tail = 0, term = std::pow(1 - x, n);  // n choose k x^k (1 - x)^(n - k)
        for (int k = 0; k <= n; ++k) {
          if (k >= a) tail += term;
          term *= (n - k) * x / ((k + 1) * (1 - x));
        }
        EXPECT_NEAR(beta_probability(x, a, b), tail, 1e-12) << a << ' ' << b << ' ' << x;
      }
    }
  }
}

TEST(Probability, TheBetaQuantileInvertsTheDistribution) {
  for (const double a : {1.0, 1.5, 20.25, 4000.5, 1e6}) {
    for (const double b : {1.0, 3.7, 900.0, 2e5}) {
      for (const double p : {0.001, 0.16, 0.5, 0.84, 0.999}) {
        const double x = beta_quantile(p, a, b);
        EXPECT_NEAR(beta_probability(x, a, b), p, 1e-8) << a << ' ' << b << ' ' << p;
      }
    }
  }
  EXPECT_NEAR(beta_quantile(0.3, 1, 5), 1 - std::pow(0.7, 0.2), 1e-14);
}

TEST(Autocovariance, IsTheSumOfProductsAtEveryLag) {
  for (const std::size_t num_chains : {1U, 2U, 5U}) {
    for (const std::size_t n : {1U, 2U, 64U, 65U, 127U, 128U, 500U}) {
      std::vector<double> x(num_chains * n);
      Stream random = stream(n, "draws");
      for (double& value : x) value = random.normal();
      MeanAutocovariance covariance(x, static_cast<Index>(n));
      for (std::size_t lag = 0; lag < n; ++lag) {
        double sum = 0;
        for (std::size_t c = 0; c < num_chains; ++c) {
          for (std::size_t i = lag; i < n; ++i) sum += x[c * n + i] * x[c * n + i - lag];
        }
        EXPECT_NEAR(covariance.at(static_cast<Index>(lag)), sum / static_cast<double>(x.size()), 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace giga::test
