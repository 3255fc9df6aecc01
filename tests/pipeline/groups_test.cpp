// Fits with group effects: the same bits under any executor, and the posterior of all rows.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/prior_effect.hpp"
#include "giga/pipeline/read_table.hpp"
#include "giga/pipeline/sample_posterior.hpp"
#include "giga/report/posterior_summary.hpp"
#include "support/executors.hpp"
#include "support/pretend_ranks.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

// Labels by x and by 12 groups of different sizes.
std::string labels(int rows) {
  std::string text = "y,x,g\n";
  Stream random = stream(23, "groups");
  std::vector<double> b;
  for (int j = 0; j < 12; ++j) b.push_back(0.8 * random.normal());
  for (int n = 0; n < rows; ++n) {
    const auto j = static_cast<std::size_t>(12 * random.uniform() * random.uniform());
    const double x = 2 + random.normal(), s = 0.6 * (x - 2) + b[j];
    text += (random.uniform() < 1 / (1 + std::exp(-s)) ? "1," : "0,") + shortest(x) + ",g" +
            std::to_string(j) + "\n";
  }
  return text;
}

struct Read {
  Read(int rows, const std::string& formula, const Executor& executor) {
    const TempDir folder;
    write_file(folder / "t.csv", labels(rows));
    ModelTable read =
        read_table(folder / "t.csv", {}, {.family = {Family::BernoulliLogit}, .formula = formula}, executor);
    data = std::make_unique<Dataset>(std::move(read.data));
    problem = std::make_unique<Problem>(*data, read.model, executor);
  }
  std::unique_ptr<Dataset> data;
  std::unique_ptr<Problem> problem;
};

TEST(Groups, AFitHasTheSameBitsOnTwoThreadsAndThreeRanks) {
  FitOptions options;
  options.sample.warmup = 100;
  options.sample.draws = 100;
  options.max_rounds = 1;
  const PretendRanks ranks(3);
  const std::string formula = "y ~ x + (1 + x | g)";
  const auto run = [&](const Executor& executor) {
    const Read read(9000, formula, executor);
    return fit(*read.problem, options, executor);
  };
  const FitResult one = run(threads(1));
  ASSERT_GT(one.coreset.coreset.size(), 20);
  EXPECT_GT(one.passes.laplace, 0);
  for (const Executor* other :
       {static_cast<const Executor*>(&threads(2)), static_cast<const Executor*>(&ranks)}) {
    const FitResult same = run(*other);
    EXPECT_EQ(one.coreset.coreset.rows, same.coreset.coreset.rows);
    EXPECT_EQ(one.coreset.coreset.weights, same.coreset.coreset.weights);
    EXPECT_EQ(one.coreset.laplace->posterior.mean(), same.coreset.laplace->posterior.mean());
    for (std::size_t c = 0; c < one.chains.size(); ++c) EXPECT_EQ(one.chains[c].draws, same.chains[c].draws);
    EXPECT_EQ(one.certificate.coreset.k_hat, same.certificate.coreset.k_hat);
    EXPECT_EQ(one.certificate.coreset.weights, same.certificate.coreset.weights);
    EXPECT_EQ(one.passes.laplace, same.passes.laplace);
  }
}

// Means within 0.05 sd and sds within 5 %, and four standard errors of both runs more.
TEST(Groups, ACertifiedFitIsThePosteriorOfAllRows) {
  const Read read(4000, "y ~ x + (1 | g)", threads(2));
  const Problem& problem = *read.problem;
  const FitResult fitted = fit(problem, {}, threads(2));
  ASSERT_TRUE(fitted.certificate.safe());
  const LaplaceResult mode = laplace(problem.likelihood(), problem.prior(), threads(2));
  SampleOptions options{.draws = 2000, .seed = 9};
  const PosteriorSample all =
      sample_posterior(problem.likelihood(), problem.prior(), mode.posterior, 4, options, threads(2));
  const PosteriorSummary exact = posterior_summary(problem.scales(), all.chains, options, threads(2));
  EXPECT_TRUE(exact.warnings.empty()) << exact.warnings.front();
  const std::vector<Quantity> found =
      best_quantities(posterior_summary(problem.scales(), fitted.chains, fitted.sample, threads(2)),
                      fitted.certificate.coreset);
  for (Index k = 0; k < exact.num_original; ++k) {
    const QuantitySummary &a = exact.original()[at(k)].summary, &b = found[at(k)].summary;
    const double noise = 4 * std::hypot(a.mcse_mean, b.mcse_mean);
    EXPECT_NEAR(b.mean, a.mean, 0.05 * a.sd + noise) << exact.names[at(k)];
    EXPECT_NEAR(b.sd / a.sd, 1, 0.05 + 4 * std::hypot(a.mcse_sd, 1.5 * a.mcse_sd) / a.sd)
        << exact.names[at(k)];
  }
}

TEST(Groups, ThePriorOfGroupsIsNotTakenForOneThatMovesTheMode) {
  const Read read(4000, "y ~ x + (1 | g)", threads(1));
  const LaplaceResult mode = laplace(read.problem->likelihood(), read.problem->prior(), threads(1));
  const auto effect = prior_effect(mode, read.problem->prior());
  ASSERT_TRUE(effect);
  EXPECT_LT(effect->shift, 0.5);
}

TEST(Groups, AreMultipliedByTheNumbersAsTheyAre) {
  const Read read(2000, "y ~ x + (0 + x | g)", threads(1));
  const Standardisation& scale = read.problem->table()->design->scale();
  EXPECT_EQ(scale.group_sds, (std::vector<Index>{1}));
  EXPECT_NE(scale.mean[0], 0);
  for (std::size_t d = 1; d < scale.mean.size(); ++d) {
    EXPECT_EQ(scale.mean[d], 0);
    EXPECT_EQ(scale.scale[d], 1);
  }
  ASSERT_EQ(read.problem->prior().groups().size(), 1U);
  // exponential(1) for one standard deviation of x.
  const ScalarPrior sd = read.problem->prior().marginal(1);
  EXPECT_EQ(sd.kind, PriorKind::Exponential);
  EXPECT_NEAR(sd.scale, scale.scale[0], 1e-12);
}

}  // namespace
}  // namespace giga::test
