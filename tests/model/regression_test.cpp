#include "giga/model/regression.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "giga/base/error.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

std::vector<double> some_theta(Index dim, std::uint64_t seed) {
  std::vector<double> theta;
  Stream random = stream(seed, "theta");
  for (Index d = 0; d < dim; ++d) theta.push_back(0.5 * random.normal());
  return theta;
}

// Central differences of fourth order: the error is of order h^4 and of rounding / h.
template <typename Function>
double difference(const Function& f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

TEST(Regression, GradientAndHessianMeetFiniteDifferencesToOneInTenMillion) {
  const Threads executor(1);
  for (const Family family : kFamilies) {
    for (const Index dim : {1, 4, 9}) {
      std::vector<double> multiplicity;
      for (int n = 0; n < 100; ++n) multiplicity.push_back(1 + n % 3);
      const Regression model = regression(family, 100, dim, 1, multiplicity);
      const std::vector<double> theta = some_theta(dim, 2);
      const Derivatives at = model.evaluate(theta, Order::Hessian, executor);
      double largest = 0, steepest = 0;
      for (const double value : at.hessian) largest = std::max(largest, std::abs(value));
      for (const double value : at.gradient) steepest = std::max(steepest, std::abs(value));
      for (std::size_t d = 0; d < theta.size(); ++d) {
        const auto moved = [&](double by) {
          std::vector<double> there = theta;
          there[d] += by;
          return model.evaluate(there, Order::Gradient, executor);
        };
        EXPECT_NEAR(difference([&](double h) { return moved(h).value; }, 1e-3), at.gradient[d],
                    1e-7 * steepest);
        for (std::size_t e = 0; e < theta.size(); ++e) {
          EXPECT_NEAR(difference([&](double h) { return moved(h).gradient[e]; }, 1e-3),
                      at.hessian[d * theta.size() + e], 1e-7 * largest);
          EXPECT_EQ(at.hessian[d * theta.size() + e], at.hessian[e * theta.size() + d]);
        }
      }
    }
  }
}

TEST(Regression, SlopesAreDerivativesOfTheLogLikelihoodsOfEachRow) {
  for (const Family family : kFamilies) {
    const Regression model = regression(family, 20, 3, 3);
    DirectionalFeatures features{Points(3, 3), {0, 1, 2}, {}, 1};
    const std::vector<double> theta = some_theta(3, 4);
    for (Index j = 0; j < 3; ++j) features.points.set(j, theta);
    std::vector<double> slopes(60);
    model.directional_derivatives(0, 20, features, slopes.data());
    for (Index n = 0; n < 20; ++n) {
      for (Index d = 0; d < 3; ++d) {
        const auto value = [&](double by) {
          std::vector<double> there = theta;
          there[static_cast<std::size_t>(d)] += by;
          Points point(3, 1);
          point.set(0, there);
          double out = 0;
          model.log_likelihoods(n, 1, point, &out);
          return out;
        };
        const double slope = slopes[static_cast<std::size_t>(n * 3 + d)];
        EXPECT_NEAR(difference(value, 1e-3), slope, 1e-7 * (1 + std::abs(slope)));
      }
    }
  }
}

TEST(Regression, TheSumIsTheSumOfTheRows) {
  const Threads executor(2);
  for (const Family family : kFamilies) {
    std::vector<double> multiplicity;
    for (int n = 0; n < 9000; ++n) multiplicity.push_back(0.5 + n % 2);
    const Regression model = regression(family, 9000, 3, 5, multiplicity);
    const std::vector<double> theta = some_theta(3, 6);
    Points point(3, 1);
    point.set(0, theta);
    std::vector<double> each(9000);
    model.log_likelihoods(0, 9000, point, each.data());
    long double sum = 0, size = 0;
    for (std::size_t n = 0; n < each.size(); ++n) {
      sum += static_cast<long double>(multiplicity[n]) * static_cast<long double>(each[n]);
      size += std::abs(static_cast<long double>(multiplicity[n]) * static_cast<long double>(each[n]));
    }
    EXPECT_NEAR(model.evaluate(theta, Order::Value, executor).value, static_cast<double>(sum),
                1e-13 * static_cast<double>(size));
  }
}

TEST(Regression, HasTheSameBitsOnOneThreadAndTwo) {
  const Regression model = regression(Family::PoissonSoftplus, 30000, 4, 7);
  const std::vector<double> theta = some_theta(4, 8);
  const Derivatives one = model.evaluate(theta, Order::Hessian, Threads(1));
  const Derivatives two = model.evaluate(theta, Order::Hessian, Threads(2));
  EXPECT_EQ(one.value, two.value);
  EXPECT_EQ(one.gradient, two.gradient);
  EXPECT_EQ(one.hessian, two.hessian);
}

TEST(Regression, ASubsetCountsItsRowsByTheirWeights) {
  const Threads executor(1);
  const Regression model = regression(Family::BernoulliLogit, 50, 3, 9);
  const std::vector<double> theta = some_theta(3, 10);
  const auto part = model.subset(std::vector<Index>{3, 17, 40}, std::vector<double>{2, 0.5, 7});
  Points point(3, 1);
  point.set(0, theta);
  std::vector<double> each(50);
  model.log_likelihoods(0, 50, point, each.data());
  EXPECT_NEAR(part->evaluate(theta, Order::Value, executor).value,
              2 * each[3] + 0.5 * each[17] + 7 * each[40], 1e-12);
  EXPECT_EQ(part->num_rows(), 3);
  EXPECT_EQ(part->multiplicity(2), 7);
}

TEST(Regression, DerivativesStayFiniteAtFarPredictors) {
  const Threads executor(1);
  for (const Family family : {Family::BernoulliLogit, Family::PoissonSoftplus}) {
    const Regression model({1, 1}, {1, family == Family::BernoulliLogit ? -1.0 : 1e9}, {}, {family});
    for (const double s : {-1e290, -1e4, -40.0, 40.0, 1e4, 1e150}) {
      const std::vector<double> theta = {s};
      const Derivatives at = model.evaluate(theta, Order::Hessian, executor);
      EXPECT_TRUE(std::isfinite(at.value)) << s;
      EXPECT_TRUE(std::isfinite(at.gradient[0])) << s;
      EXPECT_LE(at.hessian[0], 0) << s;
    }
  }
}

TEST(Regression, RefusesArraysThatDoNotFit) {
  EXPECT_THROW(Regression({1, 2, 3}, {1, -1}, {}, {Family::BernoulliLogit}), std::invalid_argument);
  EXPECT_THROW(Regression({1, 2}, {1, -1}, {1}, {Family::BernoulliLogit}), std::invalid_argument);
  EXPECT_THROW(Regression({}, {}, {}, {Family::BernoulliLogit}), std::invalid_argument);
  const Regression model = regression(Family::BernoulliLogit, 5, 2, 1);
  EXPECT_THROW((void)model.evaluate(std::vector<double>{1}, Order::Value, Threads(1)), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
