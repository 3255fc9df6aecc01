// Splines and polynomials against what defines them; their values against R's are in peers/.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "design/basis.hpp"
#include "giga/base/threads.hpp"
#include "support/pretend_ranks.hpp"

namespace giga::test {
namespace {

std::vector<double> row(const Basis& basis, double x) {
  std::vector<double> out(at(basis.num_columns()));
  basis.evaluate(&x, 1, out.data());
  return out;
}

std::vector<double> grid(double from, double to, Index count) {
  std::vector<double> points;
  for (Index i = 0; i < count; ++i)
    points.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1));
  return points;
}

TEST(BSplines, WithAnInterceptTheColumnsSumToOneAndAreNotNegativeInside) {
  for (const Index degree : {1, 2, 3, 5}) {
    const auto basis = b_spline_basis({{1, 2.5, 2.5, 4}, 0, 5, degree, true});
    EXPECT_EQ(basis->num_columns(), 4 + degree + 1);
    for (const double x : grid(0, 5, 101)) {
      const std::vector<double> values = row(*basis, x);
      EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), 1, 1e-14);
      for (const double value : values) EXPECT_GE(value, -1e-15);
    }
  }
}

TEST(BSplines, OfDegreeOneAreTheHatFunctions) {
  const auto basis = b_spline_basis({{1, 3}, 0, 4, 1, false});
  ASSERT_EQ(basis->num_columns(), 3);
  EXPECT_EQ(row(*basis, 0), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(row(*basis, 0.25), (std::vector<double>{0.25, 0, 0}));
  EXPECT_EQ(row(*basis, 1.5), (std::vector<double>{0.75, 0.25, 0}));
  EXPECT_EQ(row(*basis, 4), (std::vector<double>{0, 0, 1}));
}

TEST(BSplines, WithoutKnotsAreTheBernsteinPolynomialsOutsideTheBoundaryToo) {
  const auto basis = b_spline_basis({{}, -1, 1, 3, false});
  for (const double x : {-3.0, -1.0, -0.2, 0.7, 1.0, 2.0}) {
    const double t = (x + 1) / 2, s = 1 - t;
    const std::vector<double> values = row(*basis, x);
    EXPECT_NEAR(values[0], 3 * t * s * s, 1e-13);
    EXPECT_NEAR(values[1], 3 * t * t * s, 1e-13);
    EXPECT_NEAR(values[2], t * t * t, 1e-13);
  }
}

TEST(NaturalSplines, AreStraightOutsideAndSmoothAtTheKnots) {
  const auto basis = natural_spline_basis({{1, 2, 4}, 0, 5, 3, false});
  ASSERT_EQ(basis->num_columns(), 4);
  const double h = 1e-3;
  for (Index c = 0; c < 4; ++c) {
    const auto second = [&](double x) {
      return (row(*basis, x + h)[at(c)] - 2 * row(*basis, x)[at(c)] + row(*basis, x - h)[at(c)]) / (h * h);
    };
    for (const double x : {-3.0, -0.5, 5.5, 9.0}) EXPECT_NEAR(second(x), 0, 1e-8);
    // The second derivative is continuous: over a knot it moves by no more than a step of h makes it.
    for (const double x : {0.0, 1.0, 2.0, 4.0, 5.0}) EXPECT_NEAR(second(x - 2 * h), second(x + 2 * h), 0.05);
  }
}

TEST(NaturalSplines, WithoutKnotsAreAStraightLine) {
  const auto basis = natural_spline_basis({{}, 2, 6, 3, false});
  ASSERT_EQ(basis->num_columns(), 1);
  const double slope = row(*basis, 3)[0] - row(*basis, 2)[0];
  EXPECT_EQ(row(*basis, 2)[0], 0);
  for (const double x : {-5.0, 2.5, 6.0, 20.0}) EXPECT_NEAR(row(*basis, x)[0], slope * (x - 2), 1e-13);
}

TEST(InnerQuantiles, AreThoseOfTheSortedValues) {
  std::mt19937 random(3);
  for (const std::size_t size : {1U, 2U, 7U, 100U, 1001U}) {
    std::vector<double> x;
    for (std::size_t i = 0; i < size; ++i) x.push_back(static_cast<double>(random() % 50));
    std::vector<double> sorted = x;
    std::sort(sorted.begin(), sorted.end());
    for (const Index count : {1, 2, 5, 9}) {
      std::vector<double> shuffled = x;
      const std::vector<double> got = inner_quantiles(shuffled, count);
      for (Index j = 1; j <= count; ++j) {
        const double place =
            static_cast<double>(size - 1) * static_cast<double>(j) / static_cast<double>(count + 1);
        const auto low = static_cast<std::size_t>(std::floor(place + 1e-9));
        const double share = std::max(0.0, place - static_cast<double>(low));
        const double want = sorted[low] + share * (sorted[std::min(low + 1, size - 1)] - sorted[low]);
        EXPECT_NEAR(got[at(j - 1)], want, 1e-12) << size << " values, " << j << " of " << count;
      }
    }
  }
}

TEST(OrthogonalPolynomials, HaveLengthOneAndNoProductsOverTheirValues) {
  std::mt19937 random(5);
  std::vector<double> x;
  for (int i = 0; i < 9000; ++i) x.push_back(1e4 + static_cast<double>(random() % 1000) / 100);
  const Threads executor(2);
  const OrthogonalPolynomials learnt = learn_polynomials(x, 4, executor);
  const auto basis = orthogonal_basis(learnt);
  std::vector<double> p(x.size() * 4);
  basis->evaluate(x.data(), std::ssize(x), p.data());
  for (std::size_t a = 0; a < 4; ++a) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += p[4 * i + a];
    EXPECT_NEAR(sum, 0, 1e-11);
    for (std::size_t b = 0; b <= a; ++b) {
      double product = 0;
      for (std::size_t i = 0; i < x.size(); ++i) product += p[4 * i + a] * p[4 * i + b];
      EXPECT_NEAR(product, a == b ? 1 : 0, 1e-12) << a << " " << b;
    }
  }
}

TEST(OrthogonalPolynomials, HaveTheSameBitsForAnyExecutor) {
  std::vector<double> x;
  for (int i = 0; i < 20'000; ++i) x.push_back(std::sin(i) * 100);
  const OrthogonalPolynomials want = learn_polynomials(x, 3, Threads(1));
  const OrthogonalPolynomials threads = learn_polynomials(x, 3, Threads(3)),
                              ranks = learn_polynomials(x, 3, PretendRanks(3));
  EXPECT_EQ(threads.center, want.center);
  EXPECT_EQ(ranks.center, want.center);
  EXPECT_EQ(threads.alpha, want.alpha);
  EXPECT_EQ(threads.norm2, want.norm2);
  EXPECT_EQ(ranks.alpha, want.alpha);
  EXPECT_EQ(ranks.norm2, want.norm2);
}

TEST(Powers, AreThoseOfTheNumber) {
  EXPECT_EQ(row(*power_basis(3), -1.5), (std::vector<double>{-1.5, 2.25, -3.375}));
}

}  // namespace
}  // namespace giga::test
