// The bounds of the paper's appendix C against points sampled in caps, and the tree's work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "construct/cap_tree_selector.hpp"
#include "construct/laws.hpp"
#include "giga/base/random.hpp"
#include "giga/construct/simulate.hpp"
#include "support/executors.hpp"

namespace giga {
namespace {

using Point = std::vector<double>;

double inner(const Point& x, const Point& y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

Point combination(double a, const Point& x, double b, const Point& y) {
  Point out(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) out[j] = a * x[j] + b * y[j];
  return out;
}

Point unit(const Point& x) {
  return combination(1 / std::sqrt(inner(x, x)), x, 0, x);
}

Point random_unit(Stream& random, Index dim) {
  Point out(static_cast<std::size_t>(dim));
  for (double& value : out) value = random.normal();
  return unit(out);
}

// A unit vector orthogonal to x.
Point random_across(Stream& random, const Point& x) {
  const Point y = random_unit(random, static_cast<Index>(x.size()));
  return unit(combination(1, y, -inner(x, y), x));
}

// A point of the cap <., centre> >= r: half of them on its rim.
Point in_cap(Stream& random, const Point& centre, double r) {
  const double along = random.uniform() < 0.5 ? r : r + (1 - r) * random.uniform();
  return combination(along, centre, std::sqrt(1 - along * along), random_across(random, centre));
}

struct Search {
  Point u, v;  // orthonormal
  double geodesic(const Point& x) const {
    const double c = inner(x, v);
    return std::abs(c) < 1 - 1e-12 ? inner(x, u) / std::sqrt((1 - c) * (1 + c)) : 0;
  }
};

// The best point near `start`: random steps that stay in the cap, smaller and smaller.
template <typename Score>
double climbed(Stream& random, const Point& centre, double r, const Score& score) {
  Point best = centre;
  double most = score(best);
  for (int start = 0; start < 400; ++start) {
    const Point point = in_cap(random, centre, r);
    if (score(point) > most) most = score(best = point);
  }
  for (double size = 0.5; size > 1e-5; size *= 0.9) {
    for (int step = 0; step < 30; ++step) {
      Point next = unit(combination(1, best, size, random_unit(random, static_cast<Index>(best.size()))));
      const double along = inner(next, centre);
      if (along < r) {  // back to the rim
        const Point across = unit(combination(1, next, -along, centre));
        next = combination(r, centre, std::sqrt(1 - r * r), across);
      }
      if (score(next) > most) most = score(best = next);
    }
  }
  return most;
}

TEST(CapBound, IsAboveEveryScoreInTheCapAndNearlyAttained) {
  Stream random = stream(21, "caps");
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    const Index dim = 2 + i % 5;
    const Point u = random_unit(random, dim);
    const Search search{u, random_across(random, u)};
    const Point centre = random_unit(random, dim);
    // From caps of a few degrees to more than half of the sphere.
    const double r = i % 3 == 0 ? 1 - std::pow(10.0, -4 * random.uniform()) : 2 * random.uniform() - 1;
    const double beta_u = inner(centre, search.u), beta_v = inner(centre, search.v);
    const double geodesic = geodesic_cap_bound(beta_u, beta_v, r);
    const double linear = linear_cap_bound(beta_u, r);
    const auto geodesic_score = [&](const Point& x) { return search.geodesic(x); };
    const auto linear_score = [&](const Point& x) { return inner(x, search.u); };
    for (int k = 0; k < 300; ++k) {
      const Point x = in_cap(random, centre, r);
      ASSERT_LE(geodesic_score(x), geodesic + 1e-9) << "dim " << dim << ", r " << r;
      ASSERT_LE(linear_score(x), linear + 1e-9) << "dim " << dim << ", r " << r;
    }
    // In the plane every point but +-v has the score 1 or -1: the supremum is not approached smoothly.
    if (dim == 2) continue;
    const double geodesic_top = climbed(random, centre, r, geodesic_score);
    EXPECT_LE(geodesic_top, geodesic + 1e-9);
    EXPECT_GE(geodesic_top, geodesic - 0.02)
        << "dim " << dim << ", r " << r << ", beta " << beta_u << ' ' << beta_v;
    const double linear_top = climbed(random, centre, r, linear_score);
    EXPECT_LE(linear_top, linear + 1e-9);
    EXPECT_GE(linear_top, linear - 0.001) << "dim " << dim << ", r " << r;
  }
}

TEST(CapBound, IsOneWhereTheCapHoldsTheDirectionOrAPole) {
  EXPECT_EQ(geodesic_cap_bound(0.9, 0.1, 0.8), 1);    // holds u
  EXPECT_EQ(geodesic_cap_bound(-0.1, 0.95, 0.9), 1);  // holds v: any direction is near
  EXPECT_EQ(geodesic_cap_bound(-0.1, -0.95, 0.9), 1);
  EXPECT_EQ(geodesic_cap_bound(-0.5, 0, -0.2), 1);  // more than half of the sphere
  EXPECT_EQ(linear_cap_bound(0.9, 0.8), 1);
  EXPECT_EQ(linear_cap_bound(-1, -1), 1);
}

TEST(CapBound, IsTheScoreItselfForACapOfOnePoint) {
  EXPECT_NEAR(geodesic_cap_bound(0.6, 0, 1), 0.6, 1e-15);
  EXPECT_NEAR(geodesic_cap_bound(0.3, 0.8, 1), 0.3 / 0.6, 1e-15);
  EXPECT_NEAR(geodesic_cap_bound(-0.3, 0.8, 1), -0.3 / 0.6, 1e-15);
  EXPECT_NEAR(linear_cap_bound(-0.3, 1), -0.3, 1e-15);
}

TEST(CapTree, TouchesFewRowsOfFewDimensions) {
  const SimulatedRows made({.rows = 100000, .dim = 30, .kind = VectorKind::LowRank, .rank = 3});
  std::vector<double> data(100000 * 30);
  made.read(0, 100000, data.data());
  const DenseRows rows(MatrixView::of(data.data(), 100000, 30));
  const VectorTable tree(rows, test::threads(2), {.selector = SelectorKind::CapTree});
  const BuildResult result = giga(tree, {.size = 30});
  EXPECT_LT(result.search.rows_touched, 0.2 * 100000 * static_cast<double>(result.trace.size()));
  EXPECT_GT(tree.selector_bytes(), 0U);
  const VectorTable scan(rows, test::threads(2), {.selector = SelectorKind::Scan});
  test::expect_same_bits(giga(scan, {.size = 30}), result, "low rank");
}

}  // namespace
}  // namespace giga
