#include <gtest/gtest.h>

#include <cmath>

#include "construct/laws.hpp"
#include "giga/construct/simulate.hpp"
#include "support/executors.hpp"
#include "support/oracle.hpp"
#include "support/vector_sets.hpp"

namespace giga {
namespace {

using test::Oracle;
using test::VectorSet;

TEST(Giga, KeepsTheLawsOfThePaperOnAThousandProblems) {
  test::expect_giga_laws(0, 1000);
}

TEST(Giga, IsAlgorithmOneOfThePaper) {
  for (Index seed = 0; seed < 20; ++seed) {
    const VectorSet p = test::gaussian_vectors(60, 1 + seed, seed);
    const DenseRows rows(p.view());
    const VectorTable table(rows, test::threads(1));
    test::expect_path(
        Oracle(rows).giga(12), [&](Index steps) { return giga(table, {.size = steps}); }, p.label());
  }
}

// Step by step along the library's own path, so that ties do not part them.
TEST(Giga, ChoosesARowOfTheLargestAlignmentAndMovesAsThePaperDoes) {
  test::for_each_vector_set(400, [](const DenseRows& rows, const VectorTable& table) {
    const Oracle oracle(rows);
    BuildResult result;
    for (Index t = 1; t <= 8; ++t) {
      const Coreset before = result.coreset;
      const double error_before = t == 1 ? 1 : result.relative_error;
      result = t == 1 ? giga(table, {.size = 1}) : resume(table, std::move(result), GreedyOptions{.size = t});
      if (static_cast<Index>(result.trace.size()) < t) break;
      const StepRecord& record = result.trace.back();
      const std::vector<Extended> scores = oracle.geodesic_scores(before);
      // The direction from l(w) to l is known to eps / error.
      const double slack = 1e-14 / error_before + 1e-12;
      if (slack > 1e-3) break;
      const Extended chosen = scores[static_cast<std::size_t>(record.row)];
      EXPECT_GE(static_cast<double>(chosen), static_cast<double>(oracle.best(scores)) - slack)
          << "step " << t;
      EXPECT_NEAR(record.alignment, static_cast<double>(chosen), slack) << "step " << t;
      const Extended error = oracle.relative_error(oracle.giga_step(before, record.row));
      EXPECT_NEAR(record.relative_error, static_cast<double>(error), 1e-12 + 1e-9 * error_before);
    }
  });
}

TEST(Giga, FindsOneStepEnoughWhereAllVectorsAreParallel) {
  const std::vector<double> data = {1, 2, 3, 6, 0.5, 1};
  const DenseRows rows(MatrixView::of(data.data(), 3, 2));
  const VectorTable table(rows, test::threads(2));
  const BuildResult result = giga(table, {.size = 10});
  EXPECT_EQ(result.coreset.size(), 1);
  EXPECT_LE(result.relative_error, 1e-15);
}

TEST(Giga, TakesASingleNumberAsAnOrdinaryInput) {
  for (const double value : {1.0, -3.0, 1e-300, 1e300, 5e-324}) {
    const DenseRows rows(MatrixView::of(&value, 1, 1));
    const VectorTable table(rows, test::threads(2));
    for (const Method method : test::kAllMethods) {
      const BuildResult result = test::build(table, method, 5);
      ASSERT_EQ(result.coreset.size(), 1) << value << ", " << name(method);
      EXPECT_EQ(result.coreset.weights[0], 1.0) << value << ", " << name(method);
      EXPECT_EQ(result.relative_error, 0.0) << value << ", " << name(method);
    }
  }
}

// To M = 100 in slow_test.cpp.
TEST(Giga, ReachesTheClosedFormErrorOnAxes) {
  constexpr Index kRows = 5000;
  const SimulatedRows rows({.rows = kRows, .dim = kRows, .kind = VectorKind::Axis});
  const VectorTable table(rows, test::threads(1), {.selector = SelectorKind::Quantised});
  const BuildResult result = giga(table, {.size = 20});
  ASSERT_EQ(result.trace.size(), 20U);
  for (const StepRecord& record : result.trace) {
    const double share = static_cast<double>(record.step) / kRows;
    EXPECT_NEAR(record.relative_error, std::sqrt(1 - share), 1e-12) << "step " << record.step;
    EXPECT_EQ(record.row, record.step - 1) << "ties go to the lowest row";
  }
}

TEST(Giga, EndsWithAReasonAfterReachingTheErrorFloor) {
  const VectorSet p = test::gaussian_vectors(20000, 50, 1);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2));
  const BuildResult result = giga(table, {.size = 250});
  EXPECT_EQ(name(result.termination), "numeric_limit");
  EXPECT_LE(result.relative_error, 1e-14);
  EXPECT_LT(result.trace.size(), 250U);
  for (const StepRecord& record : result.trace) {
    EXPECT_TRUE(std::isfinite(record.relative_error) && std::isfinite(record.alignment) &&
                std::isfinite(record.step_length) && std::isfinite(record.bound));
  }
  for (const double weight : result.coreset.weights) EXPECT_TRUE(std::isfinite(weight) && weight > 0);
  EXPECT_LE(Oracle(rows).relative_error(result.coreset), 1.01e-14L);
}

TEST(Giga, BreaksTiesByTheLowestRow) {
  // The four axes of the plane of the first two, each twice, in an order that hides the lowest.
  const std::vector<double> data = {0, 0, 2, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0};
  const DenseRows rows(MatrixView::of(data.data(), 5, 3));
  for (const SelectorKind kind : {SelectorKind::Scan, SelectorKind::Quantised, SelectorKind::CapTree}) {
    const VectorTable table(rows, test::threads(1), {.selector = kind});  // L = (2, 2, 2)
    const BuildResult result = giga(table, {.size = 3});
    ASSERT_EQ(result.trace.size(), 3U);
    EXPECT_EQ(result.trace[0].row, 0) << name(kind);
    EXPECT_EQ(result.trace[1].row, 1) << name(kind);
    EXPECT_EQ(result.trace[2].row, 2) << name(kind);
    EXPECT_LE(result.relative_error, 1e-15);
  }
}

TEST(Giga, MeetsATolerance) {
  const VectorSet p = test::gaussian_vectors(500, 10, 3);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2));
  const BuildResult result = giga(table, {.size = 100, .tolerance = 0.01});
  EXPECT_EQ(name(result.termination), "tolerance_met");
  EXPECT_LE(result.relative_error, 0.01);
  ASSERT_GE(result.trace.size(), 2U);
  EXPECT_GT(result.trace[result.trace.size() - 2].relative_error, 0.01);
}

}  // namespace
}  // namespace giga
