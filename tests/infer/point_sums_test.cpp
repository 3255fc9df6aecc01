#include "infer/point_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/model/gaussian_mean.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

std::vector<double> some_points(Index count, Index dim, double spread = 0.1) {
  std::vector<double> points;
  Stream random = stream(8, "points");
  for (Index i = 0; i < count * dim; ++i) points.push_back(0.5 + spread * random.normal());
  return points;
}

std::span<const double> point(const std::vector<double>& points, Index s, Index dim) {
  return std::span(points).subspan(static_cast<std::size_t>(s * dim), static_cast<std::size_t>(dim));
}

TEST(PointSums, AreTheSumsOfEvaluateAtEveryPoint) {
  const Threads executor(2);
  for (const Family family : kFamilies) {
    std::vector<double> multiplicity;
    for (int n = 0; n < 9000; ++n) multiplicity.push_back(n % 3 == 0 ? 0.5 : n % 3);
    const Regression model = regression(family, 9000, 7, 5, multiplicity);
    const std::vector<double> points = some_points(37, 7);
    const ExtendedVector values = log_likelihood_sums(model, points, executor);
    const ExtendedVector gradients = gradient_sums(model, points, executor);
    ASSERT_EQ(values.size(), 37U);
    ASSERT_EQ(gradients.size(), 37U * 7);
    for (Index s = 0; s < 37; ++s) {
      const Derivatives at = model.evaluate(point(points, s, 7), Order::Gradient, executor);
      EXPECT_NEAR(static_cast<double>(values[static_cast<std::size_t>(s)]), at.value,
                  1e-12 * std::abs(at.value));
      for (Index d = 0; d < 7; ++d) {
        EXPECT_NEAR(static_cast<double>(gradients[static_cast<std::size_t>(s * 7 + d)]),
                    at.gradient[static_cast<std::size_t>(d)], 1e-8);
      }
    }
  }
}

TEST(PointSums, OfAModelGivenByRowsAreTheSumsOfEvaluate) {
  const Threads executor(1);
  const auto model = likelihood_of(GaussianMean(some_points(5000, 2), 2));
  const std::vector<double> points = some_points(3, 2);
  const ExtendedVector values = log_likelihood_sums(*model, points, executor);
  const ExtendedVector gradients = gradient_sums(*model, points, executor);
  for (Index s = 0; s < 3; ++s) {
    const Derivatives at = model->evaluate(point(points, s, 2), Order::Gradient, executor);
    EXPECT_NEAR(static_cast<double>(values[static_cast<std::size_t>(s)]), at.value, 1e-9);
    for (Index d = 0; d < 2; ++d)
      EXPECT_NEAR(static_cast<double>(gradients[static_cast<std::size_t>(s * 2 + d)]),
                  at.gradient[static_cast<std::size_t>(d)], 1e-9);
  }
}

// Differences of sums of 200,000 are as exact as the rows themselves: no digits are lost in adding up.
TEST(PointSums, DifferencesAreThoseOfNaiveLongDoubleSumsToOneInABillion) {
  const Threads executor(2);
  const Rows rows = made_up(Family::BernoulliLogit, 200'000, 4, 11);
  const Regression model(rows.z, rows.y, {}, {Family::BernoulliLogit});
  const std::vector<double> points = some_points(10, 4, 0.01);
  const ExtendedVector values = log_likelihood_sums(model, points, executor);
  std::vector<long double> naive;
  for (Index s = 0; s < 10; ++s) {
    long double sum = 0;
    for (std::size_t n = 0; n < rows.y.size(); ++n) {
      long double predictor = 0;
      for (std::size_t d = 0; d < 4; ++d)
        predictor += static_cast<long double>(rows.z[n * 4 + d]) * point(points, s, 4)[d];
      sum -= std::log1p(std::exp(-static_cast<long double>(rows.y[n]) * predictor));
    }
    naive.push_back(sum);
  }
  for (std::size_t s = 1; s < 10; ++s)
    EXPECT_NEAR(static_cast<double>(values[s] - values[0]), static_cast<double>(naive[s] - naive[0]), 1e-9);
}

TEST(PointSums, DoNotDependOnThreadsNorOnTheOtherPoints) {
  const Regression model = regression(Family::PoissonSoftplus, 10'000, 3, 7);
  const std::vector<double> points = some_points(2100, 3);
  const Threads one(1), two(2);
  const ExtendedVector values = log_likelihood_sums(model, points, one);
  EXPECT_EQ(values, log_likelihood_sums(model, points, two));
  EXPECT_EQ(gradient_sums(model, points, one), gradient_sums(model, points, two));
  for (const Index s : {0, 7, 1007, 1008, 2099}) {
    const auto alone = point(points, s, 3);
    EXPECT_EQ(values[static_cast<std::size_t>(s)], log_likelihood_sums(model, alone, one)[0]) << s;
    EXPECT_EQ(gradient_sums(model, points, two)[static_cast<std::size_t>(s * 3 + 1)],
              gradient_sums(model, alone, one)[1])
        << s;
  }
}

TEST(PointSums, ReportTheirRowsInOrderUpToAll) {
  const Regression model = regression(Family::BernoulliLogit, 600'000, 2, 7);
  std::vector<Index> rows;
  (void)log_likelihood_sums(model, some_points(2, 2), Threads(2), [&](Index done) { rows.push_back(done); });
  ASSERT_GE(rows.size(), 2U);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(rows.back(), 600'000);
}

}  // namespace
}  // namespace giga::test
