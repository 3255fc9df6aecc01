#include "giga/construct/nnls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/extended.hpp"
#include "giga/base/random.hpp"
#include "support/oracle.hpp"

namespace giga {
namespace {

using test::Columns;

ExtendedVector normals(Stream& random, Index count) {
  ExtendedVector out(static_cast<std::size_t>(count));
  for (Extended& value : out) value = static_cast<Extended>(random.normal());
  return out;
}

// Its components are doubles, so that its norm is 1 up to their rounding.
ExtendedVector unit(ExtendedVector x) {
  scale(x, 1 / norm(x));
  for (Extended& value : x) value = static_cast<Extended>(static_cast<double>(value));
  return x;
}

std::vector<double> in_double(const ExtendedVector& x) {
  return {x.begin(), x.end()};
}

// The weights of the columns as they are, whose norms are 1 up to rounding.
std::vector<Extended> weights(const NnlsSolver& solver, const Columns& columns) {
  std::vector<Extended> out = solver.solution();
  for (std::size_t k = 0; k < out.size(); ++k) out[k] /= norm(columns[k]);
  return out;
}

struct Random {
  Columns columns;
  ExtendedVector b;
};

// Unit columns: Gaussian, near-duplicates, dependent, all on the far side of b, or b in their cone.
Random random_problem(Index i, Index most_columns) {
  Stream random = stream(11, "nnls", i);
  const auto dim = static_cast<Index>(1 + random.below(12));
  const auto count = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(most_columns)));
  Random out;
  out.b = unit(normals(random, dim));
  const ExtendedVector base = normals(random, dim);
  const Extended spread = std::pow(10.0L, -6 * static_cast<Extended>(random.uniform()));
  for (Index k = 0; k < count; ++k) {
    ExtendedVector column = normals(random, dim);
    if (i % 5 == 1) {
      scale(column, spread);
      add_scaled(column, 1, base);
    }
    if (i % 5 == 2 && k % 3 == 2) {
      column = out.columns[static_cast<std::size_t>(random.below(out.columns.size()))];
      add_scaled(column, 0.5L, out.columns[static_cast<std::size_t>(random.below(out.columns.size()))]);
    }
    if (i % 5 == 3 && dot(column, out.b) > 0) scale(column, -1);
    out.columns.push_back(unit(column));
  }
  if (i % 5 == 4) {
    ExtendedVector sum(out.b.size(), 0);
    for (const auto& column : out.columns) add_scaled(sum, static_cast<Extended>(random.uniform()), column);
    if (norm(sum) > 0.01L) out.b = unit(sum);
  }
  return out;
}

void expect_kkt(const Columns& columns, const NnlsSolver& solver, const ExtendedVector& b, Index problem) {
  const test::Kkt kkt = test::kkt_violation(columns, b, weights(solver, columns));
  EXPECT_LE(kkt.inside, 1e-12L) << "problem " << problem;
  EXPECT_LE(kkt.outside, 1e-10L * norm(solver.residual()) + 1e-17L) << "problem " << problem;
}

TEST(Nnls, ReachesTheResidualOfEveryPossibleSupport) {
  for (Index i = 0; i < 400 && !HasFailure(); ++i) {
    const Random p = random_problem(i, 9);
    NnlsSolver solver(p.b);
    for (const auto& column : p.columns) solver.add(in_double(column));
    solver.solve();
    const auto best = test::nnls_by_enumeration(p.columns, p.b);
    EXPECT_NEAR(static_cast<double>(test::nnls_residual(p.columns, p.b, weights(solver, p.columns))),
                static_cast<double>(test::nnls_residual(p.columns, p.b, best)), 1e-9)
        << "problem " << i;
    expect_kkt(p.columns, solver, p.b, i);
  }
}

TEST(Nnls, AgreesWithCoordinateDescentOnManyColumns) {
  for (Index i = 0; i < 100 && !HasFailure(); ++i) {
    Stream random = stream(12, "nnls descent", i);
    const auto dim = static_cast<Index>(20 + random.below(30));
    const auto count = static_cast<Index>(1 + random.below(15));
    Columns columns;
    for (Index k = 0; k < count; ++k) columns.push_back(unit(normals(random, dim)));
    const ExtendedVector b = unit(normals(random, dim));
    NnlsSolver solver(b);
    for (const auto& column : columns) solver.add(in_double(column));
    solver.solve();
    const auto slow = test::nnls_by_descent(columns, b, 1e-14L, 20000);
    ASSERT_LE(test::kkt_violation(columns, b, slow).worst(), 1e-14L) << "the oracle did not converge";
    for (std::size_t k = 0; k < columns.size(); ++k)
      EXPECT_NEAR(static_cast<double>(solver.solution()[k]), static_cast<double>(slow[k]), 1e-11);
  }
}

TEST(Nnls, EndsOnTheKktConditionsAfterEveryColumnAdded) {
  Index dropped = 0;
  for (Index i = 0; i < 300 && !HasFailure(); ++i) {
    const Random p = random_problem(i, 40);
    NnlsSolver solver(p.b);
    Columns held;
    Extended before = 1;
    for (const auto& column : p.columns) {
      held.push_back(column);
      solver.add(in_double(column));
      solver.solve();
      expect_kkt(held, solver, p.b, i);
      const Extended residual = norm(solver.residual());
      EXPECT_LE(residual, before + 1e-15L) << "problem " << i;
      EXPECT_NEAR(static_cast<double>(residual),
                  static_cast<double>(test::nnls_residual(held, p.b, weights(solver, held))), 1e-15);
      before = residual;
      Columns left;
      std::vector<bool> keep;
      for (std::size_t k = 0; k < held.size(); ++k) {
        keep.push_back(solver.solution()[k] > 0);
        if (keep.back()) left.push_back(held[k]);
      }
      dropped += static_cast<Index>(held.size() - left.size());
      held = left;
      solver.retain(keep);
      ASSERT_EQ(solver.num_columns(), static_cast<Index>(held.size()));
      EXPECT_NEAR(static_cast<double>(test::nnls_residual(held, p.b, weights(solver, held))),
                  static_cast<double>(residual), 1e-15);
    }
  }
  EXPECT_GT(dropped, 1000) << "the problems should make columns leave";
}

// Columns leave from every place of the factorisation; what is left must still be the best on its support.
TEST(Nnls, WarmStartsReachTheSameResidualAsAColdOne) {
  for (Index i = 0; i < 300 && !HasFailure(); ++i) {
    const Random p = random_problem(i, 40);
    NnlsSolver warm(p.b), cold(p.b);
    for (const auto& column : p.columns) {
      warm.add(in_double(column));
      warm.solve();
      cold.add(in_double(column));
    }
    cold.solve();
    EXPECT_NEAR(static_cast<double>(norm(warm.residual())), static_cast<double>(norm(cold.residual())), 1e-9)
        << "problem " << i;
  }
}

// Any column may be taken away, those with weight included; the rest is solved as if it had never been there.
TEST(Nnls, ForgetsColumnsThatAreNotRetained) {
  for (Index i = 0; i < 300 && !HasFailure(); ++i) {
    const Random p = random_problem(i, 40);
    Stream random = stream(13, "retain", i);
    NnlsSolver solver(p.b), fresh(p.b);
    for (const auto& column : p.columns) solver.add(in_double(column));
    solver.solve();
    std::vector<bool> keep;
    Columns held;
    for (const auto& column : p.columns) {
      keep.push_back(random.uniform() < 0.6);
      if (!keep.back()) continue;
      held.push_back(column);
      fresh.add(in_double(column));
    }
    solver.retain(keep);
    solver.solve();
    fresh.solve();
    ASSERT_EQ(solver.num_columns(), static_cast<Index>(held.size()));
    expect_kkt(held, solver, p.b, i);
    EXPECT_NEAR(static_cast<double>(norm(solver.residual())), static_cast<double>(norm(fresh.residual())),
                1e-9)
        << "problem " << i;
  }
}

// Also past double precision, where they are read again.
TEST(Nnls, ColumnsThatAreNotKeptGiveTheSameBits) {
  Index extended = 0;
  for (Index i = 0; i < 200 && !HasFailure(); ++i) {
    const Random p = random_problem(i, 40);
    NnlsSolver kept(p.b), passing(p.b);
    std::vector<std::vector<double>> held;
    for (const auto& column : p.columns) {
      held.push_back(in_double(column));
      std::vector<double> products;
      for (std::size_t k = 0; k + 1 < held.size(); ++k)
        products.push_back(
            static_cast<double>(dot(column, p.columns[k]) / (norm(column) * norm(p.columns[k]))));
      kept.add(held.back(), products);
      passing.add_passing(held.back(), products);
      kept.solve();
      passing.solve(Serial(), [&](Index k) { return held[static_cast<std::size_t>(k)]; });
      ASSERT_EQ(kept.solution(), passing.solution()) << "problem " << i;
    }
    extended += passing.in_extended() ? 1 : 0;
  }
  EXPECT_GT(extended, 0) << "some problems should go past double precision";
}

// 60 columns in 200 dimensions: far from dependent, and b is not in their cone.
TEST(Nnls, StaysInDoubleWhereThatIsEnough) {
  for (Index i = 0; i < 20 && !HasFailure(); ++i) {
    Stream random = stream(14, "nnls double", i);
    const ExtendedVector b = unit(normals(random, 200));
    NnlsSolver solver(b);
    Columns columns;
    for (Index k = 0; k < 60; ++k) {
      columns.push_back(unit(normals(random, 200)));
      solver.add(in_double(columns.back()));
      if (k % 7 == 0) solver.solve();
    }
    solver.solve();
    EXPECT_FALSE(solver.in_extended());
    expect_kkt(columns, solver, b, i);
  }
}

// Columns 1e-7 apart: their Gram matrix is singular in double, and the test that tells must say so.
TEST(Nnls, TurnsToExtendedPrecisionWhereColumnsNearlyCoincide) {
  for (Index i = 0; i < 20 && !HasFailure(); ++i) {
    Stream random = stream(15, "nnls close", i);
    const ExtendedVector base = unit(normals(random, 12));
    NnlsSolver solver(base);
    Columns columns;
    for (Index k = 0; k < 10; ++k) {
      ExtendedVector column = normals(random, 12);
      scale(column, 1e-7L);
      add_scaled(column, 1, base);
      columns.push_back(unit(column));
      solver.add(in_double(columns.back()));
    }
    solver.solve();
    EXPECT_TRUE(solver.in_extended());
    expect_kkt(columns, solver, base, i);
  }
}

TEST(Nnls, TakesProductsThatAreKnownAsItsOwn) {
  Stream random = stream(16, "nnls products");
  const ExtendedVector b = unit(normals(random, 80));
  NnlsSolver own(b), given(b);
  Columns columns;
  for (Index k = 0; k < 50; ++k) {
    std::vector<double> products;
    const ExtendedVector column = unit(normals(random, 80));
    for (const ExtendedVector& other : columns) products.push_back(static_cast<double>(dot(column, other)));
    columns.push_back(column);
    own.add(in_double(column));
    given.add(in_double(column), products);
    own.solve();
    given.solve();
  }
  for (std::size_t k = 0; k < columns.size(); ++k)
    EXPECT_NEAR(static_cast<double>(own.solution()[k]), static_cast<double>(given.solution()[k]), 1e-12);
}

TEST(Nnls, RefusesAColumnOfZeros) {
  NnlsSolver solver({1, 0});
  EXPECT_THROW(solver.add({0, 0}), std::invalid_argument);
}

TEST(Nnls, GivesZeroWhereEveryColumnPointsAway) {
  const auto u = nnls({{-1, 0}, {-1, 1}, {0, -1}}, {1, 0});
  EXPECT_EQ(u, (std::vector<double>{0, 0, 0}));
}

TEST(Nnls, SolvesExactlyWhatIsExact) {
  const auto u = nnls({{1, 0, 0}, {0, 2, 0}, {0, 0, -1}}, {3, 4, 5});
  EXPECT_EQ(u, (std::vector<double>{3, 2, 0}));
}

TEST(Nnls, TakesColumnsOfAnyNorm) {
  const auto u = nnls({{1e-200, 0}, {0, 1e200}}, {1e50, 1e50});
  EXPECT_NEAR(u[0] / 1e250, 1, 1e-15);
  EXPECT_NEAR(u[1] / 1e-150, 1, 1e-15);
}

TEST(Nnls, GivesZeroColumnsNoWeight) {
  EXPECT_EQ(nnls({{0, 0}, {1, 0}}, {2, 1}), (std::vector<double>{0, 2}));
  EXPECT_EQ(nnls({{1, 0}, {0, 1}}, {0, 0}), (std::vector<double>{0, 0}));
  EXPECT_TRUE(nnls({}, {1, 2}).empty());
}

TEST(Nnls, SharesNothingBetweenIdenticalColumns) {
  const auto u = nnls({{1, 1}, {1, 1}, {1, 1}}, {2, 2});
  EXPECT_EQ(std::count(u.begin(), u.end(), 0.0), 2);
  EXPECT_NEAR(u[0] + u[1] + u[2], 2, 1e-15);
}

TEST(Nnls, RefusesColumnsOfAnotherLength) {
  NnlsSolver solver({1, 0});
  EXPECT_THROW(solver.add({1, 0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace giga
