// How close the posterior of a coreset is to that of all rows, on a dataset of the paper.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/problem.hpp"
#include "pipeline/ds1.hpp"
#include "support/shared_data.hpp"

namespace giga::test {
namespace {

struct Distance {
  double mean = 0;  // largest difference of means, in posterior standard deviations
  double sd = 0;    // largest relative difference of standard deviations
};

// Of the Laplace approximation of the coreset's posterior from that of all rows.
Distance distance(const Problem& problem, const CoresetResult& result, const Normal& full,
                  const Executor& executor) {
  std::vector<double> weights;
  const Coreset& built = result.build.coreset;
  for (std::size_t i = 0; i < built.rows.size(); ++i)
    weights.push_back(built.weights[i] * problem.likelihood().multiplicity(built.rows[i]));
  const auto part = problem.likelihood().subset(built.rows, weights);
  const Normal coreset = laplace(*part, problem.prior(), executor).posterior;
  const std::vector<double> sds = full.standard_deviations(), other = coreset.standard_deviations();
  Distance out;
  for (std::size_t d = 0; d < sds.size(); ++d) {
    out.mean = std::max(out.mean, std::abs(coreset.mean()[d] - full.mean()[d]) / sds[d]);
    out.sd = std::max(out.sd, std::abs(other[d] / sds[d] - 1));
  }
  return out;
}

class Ds1 : public Ds1Problem {
 protected:
  void SetUp() override {
    Ds1Problem::SetUp();
    if (problem_) full_.emplace(laplace(problem_->likelihood(), problem_->prior(), executor_).posterior);
  }

  std::optional<Normal> full_;
};

TEST_F(Ds1, AHundredPointsFromRandomFeaturesCarryThePosterior) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CoresetResult result =
        build_coreset(*problem_, {.projection_dim = 500, .size = 100, .seed = seed}, executor_);
    EXPECT_EQ(result.coreset.size(), 100);
    EXPECT_LE(result.heldout_error, 0.03) << seed;
    const Distance away = distance(*problem_, result, *full_, executor_);
    EXPECT_LE(away.mean, 0.05) << seed;
    EXPECT_LE(away.sd, 0.02) << seed;
  }
}

TEST_F(Ds1, SeventyFivePointsFromCurvatureCarryThePosteriorTenTimesBetter) {
  const CoresetResult result =
      build_coreset(*problem_, {.projection = ProjectionKind::Curvature, .size = 75}, executor_);
  const Distance away = distance(*problem_, result, *full_, executor_);
  EXPECT_LE(away.mean, 0.005);
  EXPECT_LE(away.sd, 0.001);
}

TEST(Phishing, AutomaticDimensionBringsTheHeldoutErrorWithinHalfOfTheProjected) {
  GIGA_NEEDS_SHARED("phishing.npz");
  const Threads executor;
  const Dataset data = read_dataset(shared_data("phishing.npz"), {}, executor);
  const Problem problem(data, {.family = {Family::BernoulliLogit}}, executor);
  const CoresetResult result = build_coreset(problem, {.projection_dim = 0, .size = 300}, executor);
  EXPECT_EQ(result.coreset.size(), 300);
  EXPECT_GT(result.trials.size(), 1U);
  EXPECT_LE(result.heldout_error, 1.5 * result.build.relative_error);
}

}  // namespace
}  // namespace giga::test
