#include "infer/calibration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "giga/base/threads.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/model/regression.hpp"
#include "giga/model/simulate_data.hpp"

namespace giga::test {
namespace {

constexpr Index kParameters = 3;
constexpr Index kRows = 20;
constexpr double kNoise = 1.3;
using Row = std::array<double, 4>;  // two features, intercept, response

using Data = std::map<Row, double>;  // multiplicities of distinct rows

double predictor(const Row& row, const double* theta) {
  return row[0] * theta[0] + row[1] * theta[1] + row[2] * theta[2];
}

// Counts of a few: the mean of softplus Poisson is near its predictor.
Normal prior_of(Family family) {
  if (family == Family::PoissonSoftplus)
    return Normal::with_covariance({0, 0, 3}, {0.5, 0.1, 0, 0.1, 0.5, 0, 0, 0, 1});
  return Normal::isotropic(kParameters, family == Family::BernoulliLogit ? 1.2 : 0.6);
}

double respond(Family family, double s, Stream& random) {
  if (family == Family::PoissonSoftplus) return draw_poisson(std::log1p(std::exp(s)), random);
  return random.uniform() < 1 / (1 + std::exp(-s)) ? 1 : -1;
}

// Features take few values, so that rows with the same response occur several times and are merged. Gaussian
// responses never do: there a row that counts m times is one whose noise has an m-th of the variance, which
// is the same likelihood.
Data simulate(Family family, const double* theta, Stream& random) {
  constexpr std::array<double, 4> kMultiplicities = {1, 2, 0.5, 3};
  Data data;
  for (Index n = 0; n < kRows; ++n) {
    Row row = {static_cast<double>(random.below(3)) - 1, random.uniform() < 0.5 ? 0.5 : -1, 1, 0};
    const double s = predictor(row, theta);
    double times = 1;
    if (family == Family::GaussianIdentity) {
      times = kMultiplicities[static_cast<std::size_t>(n) % 4];
      row[3] = s + kNoise / std::sqrt(times) * random.normal();
    } else {
      row[3] = respond(family, s, random);
    }
    data[row] += times;
  }
  return data;
}

// Up to a constant; written plainly, without the code that is tested.
double log_likelihood(Family family, const Data& data, const double* theta) {
  double sum = 0;
  for (const auto& [row, times] : data) {
    const double s = predictor(row, theta), y = row[3];
    if (family == Family::BernoulliLogit) sum -= times * std::log1p(std::exp(-y * s));
    if (family == Family::GaussianIdentity) sum -= times * std::pow((y - s) / kNoise, 2) / 2;
    if (family != Family::PoissonSoftplus) continue;
    const double mean = std::log1p(std::exp(s));
    sum += times * (y * std::log(mean) - mean);
  }
  return sum;
}

Regression regression_of(Family family, const Data& data) {
  std::vector<double> design, response, multiplicity;
  for (const auto& [row, times] : data) {
    design.insert(design.end(), row.begin(), row.begin() + kParameters);
    response.push_back(row[3]);
    multiplicity.push_back(times);
  }
  return {std::move(design), std::move(response), std::move(multiplicity), {family, kNoise}};
}

// Short, but with a warm-up of all its phases; thinned until the draws are nearly independent.
SampleOptions short_run(SamplerKind sampler, MetricKind metric) {
  SampleOptions options;
  options.sampler = sampler;
  options.metric = metric;
  options.draws = kRankedDraws;
  options.warmup = sampler == SamplerKind::Rwmh ? 1000 : 250;
  options.thin = sampler == SamplerKind::Rwmh ? 40 : 4;
  return options;
}

std::vector<double> quantities(Family family, const Data& data, const double* theta) {
  return {theta[0], theta[1], theta[2], log_likelihood(family, data, theta)};
}

RankedTruth simulation(const CalibrationOptions& options, Index index) {
  const Family family = options.family;
  const Normal prior = prior_of(family);
  Stream random = stream(options.seed, "calibration", index);
  std::array<double, kParameters> theta{};
  prior.draw(random, theta.data());
  const Data data = simulate(family, theta.data(), random);
  const Regression model = regression_of(family, data);
  const Threads one(1);
  const LaplaceResult about = laplace(model, prior, one);
  SampleOptions run = short_run(options.sampler, options.metric);
  run.seed = random.bits();
  const RegressionPosterior posterior(model, prior);
  const auto chains = sample_about(posterior, about.posterior, 1, run, one);

  std::vector<std::vector<double>> draws;
  for (Index s = 0; s < kRankedDraws; ++s) draws.push_back(quantities(family, data, chains[0].draw(s)));
  return rank_truth(quantities(family, data, theta.data()), draws);
}

}  // namespace

Ranks simulate_ranks(const CalibrationOptions& options) {
  std::vector<RankedTruth> all(static_cast<std::size_t>(options.simulations));
  const Threads executor(options.threads);
  executor.for_each(options.simulations,
                    [&](Index i) { all[static_cast<std::size_t>(i)] = simulation(options, i); });
  return gather_ranks({"parameter 0", "parameter 1", "parameter 2", "log-likelihood"}, all);
}

Findings check_calibration(const CalibrationOptions& options) {
  return check_ranks(simulate_ranks(options), kQuantities * kCombinations);
}

void expect_calibrated(CalibrationOptions options) {
  for (const Family family : {Family::GaussianIdentity, Family::BernoulliLogit, Family::PoissonSoftplus}) {
    options.family = family;
    const Findings findings = check_calibration(options);
    EXPECT_GT(findings.comparisons, 0);
    EXPECT_TRUE(findings.passed()) << name(options.sampler) << ", family " << static_cast<int>(family) << ": "
                                   << findings.text();
  }
}

}  // namespace giga::test
