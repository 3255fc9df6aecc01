#include "giga/job/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/infer/sample.hpp"
#include "giga/job/fit.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/pipeline/full_data_cost.hpp"
#include "report/page/draws_view.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

// 600 rows of two features far from mean 0 and sd 1; the first row is incomplete and dropped.
Dataset made_up_data(const Executor& executor) {
  const TempDir folder;
  std::string text = "speed,height,y\n1,,0\n";
  Stream random = stream(3, "report data");
  for (int n = 0; n < 600; ++n) {
    const double x1 = 100 + 20 * random.normal(), x2 = -3 + 0.5 * random.normal();
    const double s = 0.05 * (x1 - 100) - 2 * (x2 + 3) + 0.5;
    text += shortest(x1) + "," + shortest(x2) + (random.uniform() < 1 / (1 + std::exp(-s)) ? ",1\n" : ",0\n");
  }
  write_file(folder / "data.csv", text);
  return read_dataset(folder / "data.csv", {.missing = Missing::Drop}, executor);
}

// A fit of 15 points and 3 short chains, and its page.
struct WholeRun {
  Threads executor{2};
  Dataset data = made_up_data(executor);
  Problem problem;
  FitResult fit;
  FitRun run;
  ReportData report;

  explicit WholeRun(const ModelOptions& options = {}) : problem(data, options, executor) {
    fit.sample = {.warmup = 200, .draws = 150};
    fit.coreset = build_coreset(problem, {.size = 15}, executor);
    const auto model = coreset_model(problem, fit.coreset.coreset);
    fit.chains = sample(Posterior(*model, problem.prior()), fit.sample,
                        dispersed_starts(fit.coreset.pihat, 3, 1), executor);
    fit.certificate = certify_coreset(problem, fit.coreset.coreset, fit.chains, executor);
    run = fit_run(problem, {.chains = 3}, fit, executor, {.timings = false});
    report = report_data(run.record, run.summary);
  }

  [[nodiscard]] const Standardisation& scale() const { return problem.table()->design->scale(); }
};

TEST(ReportData, DrawsGiveTheSamePredictorOnTheOriginalScale) {
  const WholeRun run;
  ASSERT_EQ(run.report.chains.size(), 3U);
  const Standardisation& scale = run.scale();
  for (Index s = 0; s < 150; s += 10) {
    const double* theta = run.fit.chains[1].draw(s);
    const double* b = run.report.chains[1].draw(s);
    const double* x = run.data.features(17);
    const double standardised = theta[0] * (x[0] - scale.mean[0]) / scale.scale[0] +
                                theta[1] * (x[1] - scale.mean[1]) / scale.scale[1] + theta[2];
    EXPECT_NEAR(b[0] * x[0] + b[1] * x[1] + b[2], standardised, 1e-10);
  }
  EXPECT_EQ(run.report.quantities[0].name, "speed");
  EXPECT_EQ(run.report.quantities[2].name, "(intercept)");
  EXPECT_EQ(run.report.intercept, 2);
  EXPECT_NEAR(run.report.standardised[0].summary.mean, run.report.quantities[0].summary.mean * scale.scale[0],
              1e-10);
}

TEST(ReportData, LaplaceIsCarriedToTheOriginalScale) {
  const WholeRun run;
  const Normal& posterior = run.fit.coreset.laplace->posterior;
  const std::vector<double> covariance = posterior.covariance();
  const Standardisation& scale = run.scale();
  // The intercept is <a, theta> with this a.
  const double a[3] = {-scale.mean[0] / scale.scale[0], -scale.mean[1] / scale.scale[1], 1};
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    mean += a[i] * posterior.mean()[i];
    for (std::size_t j = 0; j < 3; ++j) variance += a[i] * covariance[i * 3 + j] * a[j];
  }
  ASSERT_EQ(run.report.laplace.size(), 3U);
  EXPECT_NEAR(run.report.laplace[2].mean, mean, 1e-10);
  EXPECT_NEAR(run.report.laplace[2].sd, std::sqrt(variance), 1e-10);
  EXPECT_NEAR(run.report.laplace[0].mean, posterior.mean()[0] / scale.scale[0], 1e-12);
  EXPECT_NEAR(run.report.laplace[0].sd, std::sqrt(covariance[0]) / scale.scale[0], 1e-12);
}

TEST(ReportData, WeightsBelongToTheDrawsInOrder) {
  const WholeRun run;
  for (const Index d : {0, 1}) {
    const auto k = static_cast<std::size_t>(d);
    const double corrected = page::spread_of(page::SortedDraws(page::column(run.report.chains, d)),
                                             run.report.certificate->coreset.weights)
                                 .mean;
    EXPECT_NEAR(corrected * run.scale().scale[k], run.fit.certificate.coreset.after[k].mean, 1e-9);
  }
}

TEST(ReportData, RowsAreThoseOfTheInput) {
  const WholeRun run;
  ASSERT_EQ(std::ssize(run.report.coreset), run.fit.coreset.coreset.size());
  EXPECT_EQ(run.report.coreset[0].row, run.fit.coreset.coreset.rows[0] + 1);  // one row before it was dropped
  EXPECT_EQ(run.report.num_rows, 600);
  EXPECT_EQ(run.report.relative_error, run.fit.coreset.build.relative_error);
}

TEST(ReportData, WorksWithoutInterceptAndWithoutStandardisation) {
  for (const bool intercept : {true, false}) {
    for (const bool standardise : {true, false}) {
      const WholeRun run({.family = {}, .intercept = intercept, .standardise = standardise});
      EXPECT_EQ(run.report.quantities.size(), intercept ? 3U : 2U);
      EXPECT_EQ(run.report.intercept, intercept ? 2 : -1);
      EXPECT_EQ(run.report.standardised.empty(), !standardise);
      EXPECT_NE(report_html(run.report).find("speed"), std::string::npos);
    }
  }
}

TEST(FullDataCost, CountsTheGradientsOfAllChains) {
  const WholeRun run;
  const FullDataCost cost = full_data_cost(run.problem, run.fit.chains, 1, run.executor, 100);
  double gradients = 0;
  for (const Chain& chain : run.fit.chains) gradients += static_cast<double>(chain.num_gradients);
  EXPECT_EQ(cost.gradients, gradients);
  EXPECT_EQ(cost.parallel_chains, 2);
  EXPECT_GT(cost.gradient_seconds, 0);
  EXPECT_DOUBLE_EQ(cost.seconds(), gradients * cost.gradient_seconds / 2);
}

TEST(FullDataCost, DoesNotCountWhatThinningLeavesOut) {
  const WholeRun run;
  double kept = 0;
  for (const Chain& chain : run.fit.chains)
    for (const DrawStats& stats : chain.stats) kept += static_cast<double>(stats.num_leapfrog);
  const double whole = full_data_cost(run.problem, run.fit.chains, 1, run.executor, 100).gradients;
  EXPECT_EQ(full_data_cost(run.problem, run.fit.chains, 2, run.executor, 100).gradients, whole - kept);
}

TEST(ReportData, PriorsAreThoseOfTheDataScaleWhetherOrNotTheyWereChosen) {
  for (const bool chosen : {false, true}) {
    ModelOptions options;
    if (chosen) add_prior(options.priors, "speed = normal(1, 1)");
    const WholeRun run(options);
    const Standardisation& scale = run.scale();
    ASSERT_EQ(run.report.priors.size(), 3U);
    for (std::size_t d = 0; d < 2; ++d) {
      EXPECT_EQ(run.report.priors[d]->prior, ScalarPrior::normal(chosen && d == 0 ? 1 : 0, 1));
      EXPECT_EQ(run.report.priors[d]->unit, scale.scale[d]);
    }
    // The intercept, by draws of the prior of all parameters on the scale of the sampler.
    const BothScales scales = run.run.record.scales();
    Stream random = stream(5, "prior of the intercept");
    constexpr int kDraws = 20000;
    double sum = 0, squares = 0;
    for (int s = 0; s < kDraws; ++s) {
      const double theta[3] = {random.normal() + (chosen ? 1 : 0), random.normal(), random.normal()};
      const double b = scales.values(theta)[2];
      sum += b;
      squares += b * b;
    }
    const double mean = sum / kDraws, sd = std::sqrt(squares / kDraws - mean * mean);
    const ScalarPrior& found = run.report.priors[2]->prior;
    EXPECT_NEAR(found.location, mean, 5 * sd / std::sqrt(kDraws));
    EXPECT_NEAR(found.scale / sd, 1, 5 / std::sqrt(2.0 * kDraws));
    EXPECT_NE(report_html(run.report).find("Prior and posterior"), std::string::npos);
  }
}

TEST(ReportData, PriorsOfNoiseAndOfModelsWithoutAnInterceptAreInPlace) {
  for (const bool intercept : {true, false}) {
    const WholeRun run({.family = {Family::Gaussian}, .intercept = intercept});
    ASSERT_EQ(run.report.quantities.back().name, "sigma");
    ASSERT_EQ(run.report.priors.size(), run.report.quantities.size());
    EXPECT_EQ(run.report.priors.back()->prior.kind, PriorKind::Exponential);
    EXPECT_EQ(run.report.num_coefficients, 2);
    EXPECT_EQ(run.report.priors.size(), intercept ? 4U : 3U);
    for (std::size_t k = 0; k + 1 < run.report.priors.size(); ++k)
      EXPECT_EQ(run.report.priors[k]->prior.kind, PriorKind::Normal);
    EXPECT_TRUE(run.report.ratios.name.empty());
  }
  // A prior that is not normal leaves that of the intercept without a name.
  ModelOptions options;
  add_prior(options.priors, "cauchy(0, 1)");
  EXPECT_FALSE(WholeRun(options).report.priors[2]);
}

TEST(ReportData, LogisticCoefficientsHaveOddsRatios) {
  const WholeRun run;
  EXPECT_EQ(run.report.ratios.name, "odds ratio");
  EXPECT_EQ(run.report.ratios.coefficients, (std::set<std::string, std::less<>>{"speed", "height"}));
}

}  // namespace
}  // namespace giga::test
