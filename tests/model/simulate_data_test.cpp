#include "giga/model/simulate_data.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "giga/model/special.hpp"

namespace giga::test {
namespace {

TEST(SimulatedData, PoissonDrawsHaveTheirMeanVarianceAndMassWithinFourStandardErrors) {
  constexpr int kDraws = 100'000;
  for (const double mean : {0.0, 0.3, 4.0, 9.99, 10.0, 37.0, 1e3, 1e6, 1e12}) {
    Stream random = stream(3, "poisson", static_cast<Index>(mean));
    double sum = 0, squares = 0, at_mode = 0;
    const double mode = std::floor(mean);
    for (int i = 0; i < kDraws; ++i) {
      const double k = draw_poisson(mean, random);
      ASSERT_GE(k, 0);
      ASSERT_EQ(k, std::floor(k));
      sum += k - mean;
      squares += (k - mean) * (k - mean);
      at_mode += k == mode ? 1 : 0;
    }
    EXPECT_NEAR(sum / kDraws, 0, 4 * std::sqrt(mean / kDraws)) << mean;
    // Var (k - mean)^2 = mean + 2 mean^2
    EXPECT_NEAR(squares / kDraws, mean, 4 * std::sqrt((mean + 2 * mean * mean) / kDraws)) << mean;
    const double mass = mean > 0 ? std::exp(mode * std::log(mean) - mean - log_factorial(mode)) : 1;
    EXPECT_NEAR(at_mode / kDraws, mass, 4 * std::sqrt(mass * (1 - mass) / kDraws) + 1e-12) << mean;
  }
}

TEST(SimulatedData, ARowDependsOnTheSeedAndItsNumberAlone) {
  const SimulatedData data({{Family::PoissonSoftplus}, 100, {1, -2, 0.5}, 9});
  std::vector<double> all(300), one(3);
  data.read(0, 100, all.data());
  for (const Index n : {0, 17, 99}) {
    data.read(n, 1, one.data());
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + n * 3));
  }
}

TEST(SimulatedData, FeaturesAreNumberedFromOne) {
  EXPECT_EQ(SimulatedData({{Family::BernoulliLogit}, 1, {1, -2, 0.5}, 1}).feature_names(),
            (std::vector<std::string>{"x1", "x2"}));
}

TEST(SimulatedData, TheUsualCoefficientsAreThePapers) {
  EXPECT_EQ(usual_theta(Family::BernoulliLogit, 2), (std::vector<double>{3, 3, 0}));
  EXPECT_EQ(usual_theta(Family::PoissonSoftplus, 1), (std::vector<double>{1, 0}));
  double variance = 0;
  for (const double each : usual_theta(Family::BernoulliLogit, 20)) variance += each * each;
  EXPECT_NEAR(variance, 18, 1e-12);
}

}  // namespace
}  // namespace giga::test
