#include <gtest/gtest.h>

#include <cmath>

#include "construct/laws.hpp"
#include "giga/construct/simulate.hpp"
#include "support/executors.hpp"
#include "support/oracle.hpp"

namespace giga {
namespace {

using test::Oracle;
using test::VectorSet;

TEST(FrankWolfe, IsThePlainAlgorithm) {
  for (Index seed = 0; seed < 20; ++seed) {
    const VectorSet p = test::gaussian_vectors(60, 2 + seed, seed);
    const DenseRows rows(p.view());
    const VectorTable table(rows, test::threads(1));
    test::expect_path(
        Oracle(rows).frank_wolfe(15),
        [&](Index steps) { return frank_wolfe(table, {.size = 1000, .max_steps = steps}); }, p.label());
  }
}

TEST(FrankWolfe, StaysOnTheSimplexAndNeverRises) {
  test::for_each_vector_set(400, [](const DenseRows& rows, const VectorTable& table) {
    const BuildResult result = frank_wolfe(table, {.size = 20});
    const Oracle oracle(rows);
    Extended total = 0;
    for (std::size_t k = 0; k < result.coreset.rows.size(); ++k)
      total += static_cast<Extended>(result.coreset.weights[k]) * oracle.norm_of(result.coreset.rows[k]);
    EXPECT_NEAR(static_cast<double>(total / oracle.norm_sum()), 1, 1e-12);
    for (std::size_t t = 1; t < result.trace.size(); ++t) {
      EXPECT_LT(result.trace[t].relative_error, result.trace[t - 1].relative_error);
      EXPECT_GE(result.trace[t].step_length, 0);
      EXPECT_LE(result.trace[t].step_length, 1);
    }
    for (const StepRecord& record : result.trace) EXPECT_TRUE(std::isnan(record.bound));
  });
}

// To M = 100 in slow_test.cpp.
TEST(FrankWolfe, ReachesTheClosedFormErrorOnAxes) {
  constexpr Index kRows = 5000;
  const SimulatedRows rows({.rows = kRows, .dim = kRows, .kind = VectorKind::Axis});
  const VectorTable table(rows, test::threads(1), {.selector = SelectorKind::Quantised});
  const BuildResult result = frank_wolfe(table, {.size = 20});
  ASSERT_EQ(result.trace.size(), 20U);
  for (const StepRecord& record : result.trace) {
    const double ratio = static_cast<double>(kRows) / static_cast<double>(record.step);
    EXPECT_NEAR(record.relative_error, std::sqrt(ratio - 1), 1e-12) << "step " << record.step;
  }
}

}  // namespace
}  // namespace giga
