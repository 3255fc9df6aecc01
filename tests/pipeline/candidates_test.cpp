// Coresets chosen from some of the rows for the sum of all, and what is estimated on the way.
#include "pipeline/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/extended.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/vector_table.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/pipeline/problem.hpp"
#include "giga/project/curvature_projection.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

constexpr Index kRows = 30000, kDim = 5;

// A logistic regression with many rows, one of which alone knows of the first column.
Problem problem_with_an_outlier(Family family = Family::BernoulliLogit) {
  Rows made = made_up(family, kRows, kDim, 4);
  for (Index n = 0; n < kRows; ++n) made.z[static_cast<std::size_t>(n * kDim)] = n == 12345 ? 3 : 0;
  return {std::make_unique<Regression>(made.z, made.y, std::vector<double>{}, FamilyParameters{family, 0.7}),
          Normal::isotropic(kDim)};
}

CoresetOptions curvature(RowCount candidates) {
  return {.projection = ProjectionKind::Curvature,
          .norm = Norm::Whitened,
          .projection_dim = 0,
          .candidates = candidates,
          .size = 200,
          .tolerance = 0.05};
}

// Two groups of indicators that add up to 1 each: the rows span one dimension fewer than there are
// parameters. A strong prior makes the whitened Hessian unlike the identity, so that the basis of the span
// matters.
Problem indicators() {
  constexpr Index kLevels = 6, kColumns = 2 * kLevels + 1;
  const Index rows = 9000;
  std::vector<double> z(static_cast<std::size_t>(rows * kColumns), 0.0), y;
  Stream random = stream(6, "indicators");
  for (Index n = 0; n < rows; ++n) {
    const auto first = static_cast<Index>(random.below(kLevels)),
               second = static_cast<Index>(random.below(kLevels));
    z[static_cast<std::size_t>(n * kColumns + first)] = 1;
    z[static_cast<std::size_t>(n * kColumns + kLevels + second)] = 1;
    z[static_cast<std::size_t>((n + 1) * kColumns - 1)] = random.normal();
    y.push_back(random.uniform() < 1 / (1 + std::exp(1 - 0.3 * static_cast<double>(first))) ? 1 : -1);
  }
  return {std::make_unique<Regression>(std::move(z), std::move(y), std::vector<double>{},
                                       FamilyParameters{Family::BernoulliLogit, 1}),
          Normal::isotropic(kColumns, 0.05)};
}

TEST(Candidates, HaveTheirTargetInTheirOwnBasisWhereRowsSpanLess) {
  const Threads executor;
  const Problem problem = indicators();
  for (const Index features : {0, 40}) {
    CoresetOptions options = curvature(RowCount::all());
    options.expansion = Expansion::Hermite;
    options.remainder_dim = features;
    options.tolerance = 0;
    options.size = 60;
    const CoresetResult all = build_coreset(problem, options, executor);
    options.candidates = RowCount::of(600);
    const CoresetResult some = build_coreset(problem, options, executor);
    EXPECT_EQ(some.dim, all.dim);
    EXPECT_LE(some.heldout_error, 1.3 * some.build.relative_error + 0.005) << features;
  }
}

TEST(Candidates, HaveTheSumOfAllRowsForTheirTarget) {
  const Threads executor;
  for (const Family family : kFamilies) {
    const Regression model = regression(family, kRows, kDim, 3);
    const LaplaceResult found = laplace(model, Normal::isotropic(kDim), executor);
    const CurvatureProjection all(model, found.posterior, executor);
    const VectorTable table(all, executor, {.selector = SelectorKind::Scan});

    std::vector<Index> few = {1, 5, 17, 100, 2000, 3000, 29999};
    const auto some = model.subset(few, std::vector<double>(few.size(), 1));
    const CurvatureProjection chosen(*some->linear_model(), found.posterior, executor,
                                     {.all_rows = &*found.at_mode});
    ASSERT_EQ(chosen.dim(), all.dim());
    const ExtendedVector target = chosen.target();
    const Extended length = norm(table.sum());
    for (std::size_t j = 0; j < target.size(); ++j)
      EXPECT_NEAR(static_cast<double>((target[j] - table.sum()[j]) / length), 0, 1e-10) << j;
  }
}

TEST(Candidates, SurveyedNormsAreThoseOfTheVectors) {
  const Threads executor;
  const Regression model = regression(Family::PoissonLog, 5000, kDim, 3);
  const Normal pihat = laplace(model, Normal::isotropic(kDim), executor).posterior;
  const RowSurvey survey = survey_rows(model, pihat, curvature({}), executor);
  const CurvatureProjection vectors(model, pihat, executor);
  std::vector<double> v(static_cast<std::size_t>(vectors.dim()));
  for (const Index n : {0, 77, 4999}) {
    vectors.read(n, 1, v.data());
    double square = 0;
    for (const double x : v) square += x * x;
    EXPECT_NEAR(survey.norms[static_cast<std::size_t>(n)] / std::sqrt(square), 1, 1e-5);
  }
}

TEST(Candidates, HoldTheRowThatNoOtherCanStandInFor) {
  const Threads executor;
  const Problem problem = problem_with_an_outlier();
  const CoresetResult result = build_coreset(problem, curvature(RowCount::of(1000)), executor);
  EXPECT_LE(result.num_candidates, 1000);
  EXPECT_EQ(std::ranges::count(result.coreset.rows, 12345), 1);
  EXPECT_LE(result.heldout_error, 0.05);
}

TEST(Candidates, GiveTheErrorAgainstAllRows) {
  const Threads executor;
  const Problem problem = problem_with_an_outlier();
  const CoresetResult result = build_coreset(problem, curvature(RowCount::of(2000)), executor);
  ASSERT_LT(result.num_candidates, kRows);
  EXPECT_LT(result.heldout_rows, kRows);
  // The same rows and weights, judged by a table of all rows.
  const CurvatureProjection vectors(*problem.likelihood().linear_model(), result.pihat, executor);
  const VectorTable table(vectors, executor, {.selector = SelectorKind::Scan});
  EXPECT_NEAR(relative_error(table, result.build.coreset), result.build.relative_error, 1e-9);
  EXPECT_NEAR(table.norm_sum() / result.norm_sum, 1, 1e-5);
  const RandomProjection heldout(problem.likelihood(), result.pihat, {Norm::Whitened, 500, 1, "heldout"});
  const VectorTable features(heldout, executor, {.selector = SelectorKind::Scan});
  EXPECT_NEAR(relative_error(features, result.build.coreset), result.heldout_error, 0.003);
}

TEST(Candidates, NeedAboutAsManyPointsAsAllRows) {
  const Threads executor;
  for (const Family family : {Family::BernoulliLogit, Family::PoissonSoftplus}) {
    const Problem problem = problem_with_an_outlier(family);
    const CoresetResult all = build_coreset(problem, curvature(RowCount::all()), executor);
    const CoresetResult some = build_coreset(problem, curvature(RowCount::of(5000)), executor);
    EXPECT_EQ(all.num_candidates, kRows);
    EXPECT_EQ(some.build.termination, Termination::ToleranceMet);
    EXPECT_LE(static_cast<double>(some.coreset.size()), 1.25 * static_cast<double>(all.coreset.size()) + 1);
  }
}

TEST(Candidates, AreAllRowsWhereThatCostsLittleAndForThePapersMethods) {
  CoresetOptions options = curvature({});
  EXPECT_EQ(num_candidates(options, 26'733, 500), 26'733);
  EXPECT_EQ(num_candidates(options, 10'000'000, 252), 50'000);
  EXPECT_EQ(num_candidates(options, 10'000'000, 6000), 20'000);
  EXPECT_EQ(num_candidates(options, 15'000, 100'000), 15'000);
  options.method = Method::Giga;
  EXPECT_EQ(num_candidates(options, 10'000'000, 252), 10'000'000);
  options.candidates = RowCount::of(7);
  EXPECT_EQ(num_candidates(options, 10'000'000, 252), 7);
}

TEST(Candidates, ServeRandomProjectionsToo) {
  const Threads executor;
  const Problem problem = problem_with_an_outlier();
  const CoresetResult result = build_coreset(
      problem, {.norm = Norm::Whitened, .projection_dim = 300, .candidates = RowCount::of(3000), .size = 40},
      executor);
  const RandomProjection vectors(problem.likelihood(), result.pihat, {Norm::Whitened, 300, 1, "projection"});
  const VectorTable table(vectors, executor, {.selector = SelectorKind::Scan});
  EXPECT_NEAR(relative_error(table, result.build.coreset), result.build.relative_error, 1e-9);
}

}  // namespace
}  // namespace giga::test
