#include "giga/construct/build.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "construct/laws.hpp"
#include "support/executors.hpp"
#include "support/oracle.hpp"
#include "support/temp_dir.hpp"

namespace giga {
namespace {

using test::Oracle;
using test::VectorSet;

TEST(Build, EveryMethodIsResumableAndSoundOnTwoHundredProblems) {
  test::expect_resumable(0, 200);
}

TEST(Build, ResumesOnATableOfAnotherSelectorAndThreadCount) {
  const VectorSet p = test::gaussian_vectors(6000, 9, 1);
  const DenseRows rows(p.view());
  const VectorTable scan(rows, test::threads(1), {.selector = SelectorKind::Scan});
  const VectorTable codes(rows, test::threads(2), {.selector = SelectorKind::Quantised});
  for (const Method method : test::kAllMethods) {
    const BuildResult straight = test::build(scan, method, 25);
    const BuildResult mixed = test::build_on(codes, test::build(scan, method, 10), 25);
    test::expect_same_bits(mixed, straight, std::string(name(method)));
  }
}

TEST(Build, ResumesPastAnErrorToleranceThatEndedIt) {
  const VectorSet p = test::gaussian_vectors(400, 9, 2);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(1));
  const BuildResult loose = giga(table, {.size = 20, .tolerance = 0.3});
  ASSERT_EQ(name(loose.termination), "tolerance_met");
  test::expect_same_bits(resume(table, loose, GreedyOptions{.size = 20}), giga(table, {.size = 20}), "giga");
}

TEST(Build, LeavesAFinishedResultAsItIs) {
  const VectorSet p = test::gaussian_vectors(400, 9, 2);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(1));
  for (const Method method : test::kAllMethods) {
    const BuildResult result = test::build(table, method, 10);
    test::expect_same_bits(test::build_on(table, result, 10), result, std::string(name(method)));
    BuildResult smaller = test::build_on(table, result, 5);
    test::expect_same_bits(smaller, result, std::string(name(method)) + ", to a smaller size");
  }
}

TEST(Observer, SeesEveryRecordInOrder) {
  const VectorSet p = test::gaussian_vectors(300, 8, 3);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(1));
  for (const Method method : test::kAllMethods) {
    std::vector<Index> steps;
    const BuildResult result = test::build(table, method, 12, [&](const StageProgress& at) {
      EXPECT_EQ(at.stage, Stage::Construct);
      EXPECT_EQ(at.done, is_greedy(method) ? at.step->size : at.step->step);
      EXPECT_EQ(at.total, 12);
      EXPECT_EQ(at.dim, 8);
      steps.push_back(at.step->step);
      return Answer::Continue;
    });
    ASSERT_EQ(steps.size(), result.trace.size());
    for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], static_cast<Index>(i) + 1);
  }
}

TEST(Observer, StopsABuildThatCanBeResumed) {
  const VectorSet p = test::gaussian_vectors(300, 8, 3);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(1));
  for (const Method method : test::kAllMethods) {
    const BuildResult stopped = test::build(table, method, 12, [](const StageProgress& at) {
      return at.step->step == 5 ? Answer::Stop : Answer::Continue;
    });
    EXPECT_EQ(name(stopped.termination), "stopped") << name(method);
    EXPECT_EQ(stopped.trace.size(), 5U);
    EXPECT_GE(stopped.coreset.size(), 1);
    EXPECT_NEAR(stopped.relative_error, static_cast<double>(Oracle(rows).relative_error(stopped.coreset)),
                1e-12);
    test::expect_same_bits(test::build_on(table, stopped, 12), test::build(table, method, 12),
                           std::string(name(method)));
  }
}

TEST(Observer, MayThrowThroughTheBuild) {
  const VectorSet p = test::gaussian_vectors(30, 3, 3);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(1));
  const Observer angry = [](const StageProgress&) -> Answer { throw std::runtime_error("enough"); };
  EXPECT_EQ(test::message_of<std::runtime_error>([&] { (void)giga(table, {.size = 5}, angry); }), "enough");
  EXPECT_EQ(giga(table, {.size = 5}).trace.size(), 5U);
}

TEST(Resume, RefusesWhatItCannotGoOnFrom) {
  const VectorSet p = test::gaussian_vectors(30, 3, 3), q = test::gaussian_vectors(31, 3, 3);
  const DenseRows rows(p.view()), other_rows(q.view());
  const VectorTable table(rows, test::threads(2)), other(other_rows, test::threads(2));
  const BuildResult greedy = giga(table, {.size = 3});
  const BuildResult sampled = uniform(table, {.size = 3});
  EXPECT_THROW((void)resume(table, BuildResult{}, GreedyOptions{}), std::invalid_argument);
  EXPECT_THROW((void)resume(table, BuildResult{}, SubsampleOptions{}), std::invalid_argument);
  EXPECT_THROW((void)resume(other, greedy, GreedyOptions{}), std::invalid_argument);
  EXPECT_THROW((void)resume(other, sampled, SubsampleOptions{}), std::invalid_argument);
  EXPECT_THROW((void)resume(table, greedy, SubsampleOptions{}), std::invalid_argument);
  EXPECT_THROW((void)resume(table, sampled, GreedyOptions{}), std::invalid_argument);
  EXPECT_THROW((void)resume(table, greedy, GreedyOptions{.size = 0}), std::invalid_argument);
}

TEST(Options, OutOfRangeAreRefusedByNameAndValue) {
  const VectorSet p = test::gaussian_vectors(30, 3, 3);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2));
  const auto message = [&](const GreedyOptions& options) {
    return test::message_of<std::invalid_argument>([&] { (void)giga(table, options); });
  };
  EXPECT_NE(message({.size = 0}).find("size is 0"), std::string::npos);
  EXPECT_NE(message({.size = -3}).find("size is -3"), std::string::npos);
  EXPECT_NE(message({.max_steps = -1}).find("max_steps is -1"), std::string::npos);
  EXPECT_NE(message({.tolerance = -0.5}).find("tolerance is -0.5"), std::string::npos);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message({.tolerance = kNan}).find("tolerance is"), std::string::npos);
  EXPECT_THROW((void)importance(table, {.size = 0}), std::invalid_argument);
  EXPECT_THROW((void)uniform(table, {.size = -1}), std::invalid_argument);
}

TEST(Options, HugeSizesAreNoError) {
  const VectorSet p = test::gaussian_vectors(30, 3, 3);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2));
  constexpr Index kHuge = std::numeric_limits<Index>::max();
  for (const Method method : test::kGreedyMethods) {
    if (method == Method::FrankWolfe) continue;  // ends only at rounding, which takes it long
    const BuildResult result = test::build(table, method, kHuge);
    EXPECT_LE(result.relative_error, 1e-12) << name(method);
  }
}

TEST(Options, MaxStepsEndsABuild) {
  const VectorSet p = test::gaussian_vectors(300, 8, 3);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2));
  for (const auto method : {&giga::giga, &giga::corrective, &giga::frank_wolfe, &giga::pursuit}) {
    const BuildResult result = method(table, {.size = 50, .max_steps = 4}, {});
    EXPECT_EQ(result.trace.size(), 4U);
    EXPECT_EQ(name(result.termination), "size_reached");
  }
}

TEST(RelativeError, IsThatOfAnyWeights) {
  const VectorSet p = test::gaussian_vectors(40, 6, 4);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2));
  const Oracle oracle(rows);
  Coreset all;
  for (Index n = 0; n < p.rows; ++n) {
    all.rows.push_back(n);
    all.weights.push_back(1);
  }
  EXPECT_LE(relative_error(table, all), 1e-17);
  EXPECT_EQ(relative_error(table, {}), 1);
  const Coreset some{{3, 17, 30}, {2.5, 0, 1e3}};
  EXPECT_NEAR(relative_error(table, some) / static_cast<double>(oracle.relative_error(some)), 1, 1e-15);
  const Coreset repeated{{3, 3}, {1, 1.5}}, once{{3}, {2.5}};
  EXPECT_EQ(relative_error(table, repeated), relative_error(table, once));
}

TEST(RelativeError, CountsNegativeWeightsToo) {
  const std::vector<double> data = {1, 0, 0, 1};
  const DenseRows rows(MatrixView::of(data.data(), 2, 2));
  const VectorTable table(rows, test::threads(2));
  EXPECT_NEAR(relative_error(table, {{0, 1}, {-1, 1}}), 2 / std::sqrt(2.0), 1e-15);
}

TEST(RelativeError, IsInfiniteForWeightsWhereTheSumIsZero) {
  const std::vector<double> data = {1, -1};
  const DenseRows rows(MatrixView::of(data.data(), 2, 1));
  const VectorTable table(rows, test::threads(2));
  EXPECT_EQ(relative_error(table, {}), 0);
  EXPECT_GT(relative_error(table, {{0}, {1}}), 1e300);
}

TEST(RelativeError, RefusesRowsBeyondTheTable) {
  const VectorSet p = test::gaussian_vectors(5, 2, 4);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2));
  EXPECT_THROW((void)relative_error(table, {{5}, {1}}), std::invalid_argument);
  EXPECT_THROW((void)relative_error(table, {{-1}, {1}}), std::invalid_argument);
}

TEST(Method, NamesReadBack) {
  for (const Method method : test::kAllMethods) EXPECT_EQ(named<Method>(name(method)), method);
  EXPECT_EQ(named<Method>("giga "), std::nullopt);
}

}  // namespace
}  // namespace giga
