// Checks of models: against plain calculations, and of models that are wrong in a known way.
#include "giga/pipeline/model_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "giga/base/error.hpp"
#include "pipeline/checked_observations.hpp"
#include "pipeline/model_check_data.hpp"
#include "pipeline/robust_sds.hpp"
#include "support/pretend_ranks.hpp"

namespace giga::test {
namespace {

double at_scale(double s) {
  return std::exp(std::min(s, 20.0));
}

// ---- models that are wrong ----

TEST(WrongModel, CountsOfANegativeBinomialAreTooVariedForPoisson) {
  const Simulated data = right_data(Family::NegativeBinomial, 5000, 4, 1);
  const ModelCheck check = check_of(data, {Family::PoissonLog});
  ASSERT_TRUE(is_amber(check, Misfit::Dispersion)) << words_of(check);
  const Finding& finding = *found(check, Misfit::Dispersion);
  EXPECT_NE(finding.words.find("times as much as Poisson counts"), std::string::npos) << finding.words;
  EXPECT_NE(finding.words.find("`family = negative_binomial`"), std::string::npos) << finding.words;
  EXPECT_GT(finding.size, 1.44);
  EXPECT_EQ(found(check, Misfit::Zeros), nullptr) << "the dispersion says it";
  // Under the family that they are of, nothing is wrong with the same counts.
  EXPECT_FALSE(check_of(data, truth_of(Family::NegativeBinomial)).doubtful());
}

TEST(WrongModel, SuccessesWithChancesOfTheirOwnAreTooVariedForBinomial) {
  Simulated data = features(3000, 3, 4);
  for (Index n = 0; n < data.rows; ++n) {
    Stream random = stream(4, "chances", n);
    const double s = plain_predictor(data.row(n), 3) + 0.8 * random.normal();
    data.trials.push_back(20);
    data.y.push_back(draw_binomial(20, 1 / (1 + std::exp(-s)), random));
  }
  const ModelCheck check = check_of(data, {Family::BinomialLogit});
  EXPECT_TRUE(is_amber(check, Misfit::Dispersion)) << words_of(check);
}

TEST(WrongModel, NoiseOfStudentsTIsSeenInTheTails) {
  const Simulated data = simulated(3000, 4, 2, [](double s, const double*, Stream& random) {
    return describe(Family::StudentT).simulation.respond({.family = Family::StudentT, .nu = 3}, s, random);
  });
  const ModelCheck check = check_of(data, {Family::Gaussian});
  ASSERT_TRUE(is_amber(check, Misfit::Tails)) << words_of(check);
  EXPECT_NE(found(check, Misfit::Tails)->words.find("`family = student_t`"), std::string::npos);
  EXPECT_FALSE(check_of(data, {.family = Family::StudentT, .nu = 3}).doubtful());
}

TEST(WrongModel, ANoiseScaleThatIsNotThatOfTheResidualsIsSaidWithTheFactor) {
  const Simulated data = right_data(Family::GaussianIdentity, 2000, 4, 3);  // noise 0.7
  const ModelCheck small = check_of(data, {Family::GaussianIdentity, 0.35}),
                   large = check_of(data, {Family::GaussianIdentity, 1.4});
  ASSERT_TRUE(is_amber(small, Misfit::NoiseScale)) << words_of(small);
  EXPECT_NEAR(found(small, Misfit::NoiseScale)->size, 2, 0.1);
  EXPECT_NE(found(small, Misfit::NoiseScale)->words.find("times too small"), std::string::npos);
  ASSERT_TRUE(is_amber(large, Misfit::NoiseScale)) << words_of(large);
  EXPECT_NE(found(large, Misfit::NoiseScale)->words.find("times too large"), std::string::npos);
  EXPECT_FALSE(check_of(data, {Family::GaussianIdentity, 0.7}).doubtful());
  EXPECT_FALSE(check_of(data, {Family::GaussianIdentity, 0.77}).doubtful()) << "10% are of little effect";
}

TEST(WrongModel, SkewedNoiseIsToldApartFromHeavyTails) {
  const auto noise = [](double s, const double*, Stream& random) {
    return 20 + s - std::log(1 - random.uniform());
  };
  const ModelCheck check = check_of(simulated(3000, 3, 5, noise), {Family::Gaussian}, 1, 100);
  ASSERT_TRUE(is_amber(check, Misfit::Skewness)) << words_of(check);
  EXPECT_EQ(found(check, Misfit::Tails), nullptr);
  EXPECT_NE(found(check, Misfit::Skewness)->words.find("`family = gamma`"), std::string::npos);
}

TEST(WrongModel, NoiseThatGrowsWithAFeatureIsSeenInThePosteriorSds) {
  // Twice the noise at x = 1.4: sd of the slope by the residuals over that of the model is
  // sqrt(E x^2 v / (E x^2 E v)), v = exp(x): sqrt(2) for normal x.
  const auto noise = [](double s, const double* z, Stream& random) {
    return s + std::exp(z[0] / 2) * random.normal();
  };
  const ModelCheck check = check_of(simulated(20'000, 3, 6, noise), {Family::Gaussian});
  ASSERT_TRUE(is_amber(check, Misfit::Spread)) << words_of(check);
  EXPECT_NEAR(found(check, Misfit::Spread)->size, std::sqrt(2.0), 0.07);
}

TEST(WrongModel, AMissingQuadraticTermIsSeenByCalibration) {
  const Predict curve = [](const double* z) { return 0.5 + 0.8 * z[0] - 0.7 * z[0] * z[0]; };
  for (const Family family : {Family::BernoulliLogit, Family::PoissonLog, Family::Gaussian}) {
    const FamilyParameters truth = truth_of(family);
    const Simulated data = simulated(
        5000, 2, 7,
        [&](double s, const double*, Stream& random) {
          return describe(family).simulation.respond(truth, s, random);
        },
        curve);
    const ModelCheck check = check_of(data, truth);
    EXPECT_TRUE(is_amber(check, Misfit::Calibration)) << family_name(family) << "\n" << words_of(check);
    // With the term, it is not.
    Simulated with{.rows = data.rows, .columns = 3, .y = data.y};
    for (Index n = 0; n < data.rows; ++n) {
      const double x = data.row(n)[0];
      with.z.insert(with.z.end(), {x, x * x, 1});
    }
    EXPECT_FALSE(check_of(with, truth).doubtful()) << family_name(family);
  }
}

TEST(WrongModel, AnotherLinkIsSeenByCalibration) {
  const Simulated data = simulated(
      20'000, 2, 8,
      [](double s, const double*, Stream& random) {
        return describe(Family::BernoulliCloglog)
            .simulation.respond({.family = Family::BernoulliCloglog}, s, random);
      },
      [](const double* z) { return -1 + 1.5 * z[0]; });
  EXPECT_TRUE(is_amber(check_of(data, {Family::BernoulliLogit}), Misfit::Calibration));
  EXPECT_FALSE(check_of(data, {Family::BernoulliCloglog}).doubtful());
}

TEST(WrongModel, ZerosWithACauseOfTheirOwnAreSeen) {
  const Simulated data = simulated(5000, 3, 9, [](double s, const double*, Stream& random) {
    return random.uniform() < 0.25 ? 0 : draw_poisson(at_scale(s + 2), random);
  });
  const ModelCheck check = check_of(data, truth_of(Family::NegativeBinomial));
  ASSERT_TRUE(is_amber(check, Misfit::Zeros)) << words_of(check);
  EXPECT_NE(found(check, Misfit::Zeros)->words.find("zeros have a cause of their own"), std::string::npos);
}

TEST(WrongModel, SeparableLabelsAndATightPriorAreSaid) {
  Simulated data = features(500, 3, 10);
  for (Index n = 0; n < data.rows; ++n) data.y.push_back(data.row(n)[0] > 0 ? 1 : -1);
  const ModelCheck separated = check_of(data, {Family::BernoulliLogit});
  ASSERT_TRUE(is_amber(separated, Misfit::Separation)) << words_of(separated);
  // y = 50 + ...: a prior of sd 1 pulls the intercept, and with it everything.
  const Simulated far =
      simulated(500, 3, 11, [](double s, const double*, Stream& random) { return s + 50 + random.normal(); });
  const ModelCheck tight = check_of(far, {Family::GaussianIdentity, 1}, 1, 0.5);
  ASSERT_TRUE(is_amber(tight, Misfit::Prior)) << words_of(tight);
  EXPECT_GT(found(tight, Misfit::Prior)->size, 1);
  EXPECT_FALSE(is_amber(check_of(far, {Family::GaussianIdentity, 1}, 1, 100), Misfit::Prior));
}

// As after a fit that was stopped: the file has the mode, and not the derivatives there.
TEST(WrongModel, APriorIsSaidInTheSameWordsWhereTheDerivativesAtTheModeAreNotKnown) {
  const Problem problem = problem_of(right_data(Family::PoissonLog, 500, 3, 12), {Family::PoissonLog}, 0.05);
  LaplaceResult mode = laplace(problem.likelihood(), problem.prior(), threads(2));
  const std::vector<Chain> chains = {draws_of(mode.posterior, 100, 1)};
  const auto known = check_model(problem, chains, {}, threads(2), {.mode = &mode});
  ASSERT_TRUE(found(*known, Misfit::Prior)) << words_of(*known);
  mode.at_mode.reset();
  const auto found_anew = check_model(problem, chains, {}, threads(2), {.mode = &mode});
  EXPECT_EQ(words_of(*found_anew), words_of(*known));
  EXPECT_EQ(found(*check_model(problem, chains, {}, threads(2)), Misfit::Prior), nullptr) << "without a mode";
}

// ---- the numbers ----

// Draws that are all alike, so that everything has a plain value.
std::vector<Chain> draws_at(const std::vector<double>& theta, Index count = 10) {
  Chain chain;
  chain.dim = std::ssize(theta);
  chain.stats.resize(at(count));
  for (Index s = 0; s < count; ++s) chain.draws.insert(chain.draws.end(), theta.begin(), theta.end());
  return {chain};
}

TEST(ModelCheckNumbers, DispersionIsPearsonsOfTheDraw) {
  const Simulated data = right_data(Family::NegativeBinomial, 700, 3, 21);
  const Problem problem = problem_of(data, {Family::PoissonLog});
  const std::vector<double> theta = {0.4, -0.2, 0.35};
  const ModelCheck check = *check_model(problem, draws_at(theta), {}, threads(1));
  double chi_square = 0, mean = 0, zeros = 0;
  for (Index n = 0; n < data.rows; ++n) {
    const double* z = data.row(n);
    const double mu = std::exp(std::inner_product(z, z + 3, theta.begin(), 0.0)), y = data.y[at(n)];
    chi_square += (y - mu) * (y - mu) / mu / 700;
    mean += y / 700;
    zeros += y == 0 ? 1.0 / 700 : 0;
  }
  EXPECT_NEAR(statistic(check, Statistic::Dispersion).observed, chi_square, 1e-10);
  EXPECT_NEAR(statistic(check, Statistic::Mean).observed, mean, 1e-12);
  EXPECT_NEAR(statistic(check, Statistic::Zeros).observed, zeros, 1e-12);
  EXPECT_EQ(statistic(check, Statistic::Largest).observed, std::ranges::max(data.y));
  // Of the replicates it is 1, within what 700 rows leave.
  EXPECT_NEAR(statistic(check, Statistic::Dispersion).mean, 1, 0.02);
}

// Over the draws of the posterior it is that of glm, chi^2 / (N - D), as the draws add D to chi^2.
TEST(ModelCheckNumbers, DispersionOverDrawsHasTheDegreesOfFreedomOfAFit) {
  const Simulated data = right_data(Family::NegativeBinomial, 400, 12, 22);
  const Problem problem = problem_of(data, {Family::PoissonLog}, 1000);
  const LaplaceResult mode = laplace(problem.likelihood(), problem.prior(), threads(1));
  const std::vector<double>& theta = mode.posterior.mean();
  double at_mode = 0;
  for (Index n = 0; n < data.rows; ++n) {
    const double* z = data.row(n);
    const double mu = std::exp(std::inner_product(z, z + 12, theta.begin(), 0.0));
    at_mode += (data.y[at(n)] - mu) * (data.y[at(n)] - mu) / mu;
  }
  const ModelCheck check = check_of(problem, 1);
  // To second order in the draws chi^2 grows by about D, more where weights are uneven.
  EXPECT_NEAR(statistic(check, Statistic::Dispersion).observed, (at_mode + 12) / 400, 0.05);
}

TEST(ModelCheckNumbers, SkewnessAndKurtosisAreThoseOfTheResiduals) {
  const Simulated data = right_data(Family::GaussianIdentity, 500, 3, 23);
  const std::vector<double> theta = {0.1, 0.2, 0.9};
  const ModelCheck check =
      *check_model(problem_of(data, {Family::GaussianIdentity, 0.7}), draws_at(theta), {}, threads(1));
  std::vector<double> r;
  for (Index n = 0; n < data.rows; ++n) {
    const double* z = data.row(n);
    r.push_back((data.y[at(n)] - std::inner_product(z, z + 3, theta.begin(), 0.0)) / 0.7);
  }
  const double mean = std::accumulate(r.begin(), r.end(), 0.0) / 500;
  double m2 = 0, m3 = 0, m4 = 0, squares = 0;
  for (const double x : r) {
    const double e = x - mean;
    squares += x * x / 500;
    m2 += e * e / 500;
    m3 += e * e * e / 500;
    m4 += e * e * e * e / 500;
  }
  EXPECT_NEAR(statistic(check, Statistic::Dispersion).observed, squares, 1e-10);
  EXPECT_NEAR(statistic(check, Statistic::Skewness).observed, m3 / std::pow(m2, 1.5), 1e-9);
  EXPECT_NEAR(statistic(check, Statistic::Kurtosis).observed, m4 / (m2 * m2), 1e-9);
}

// Ten bins of fifty: shares, fitted means, and standard errors sqrt(sum p (1 - p)) / n within the noise of
// 400 replicates.
TEST(ModelCheckNumbers, CalibrationBinsAreThoseOfAPlainSort) {
  const Simulated data = right_data(Family::BernoulliLogit, 500, 3, 24);
  const std::vector<double> theta = {0.7, -0.5, 0.1};
  const ModelCheck check =
      *check_model(problem_of(data, {Family::BernoulliLogit}), draws_at(theta), {}, threads(1));
  std::vector<std::pair<double, double>> rows;
  for (Index n = 0; n < data.rows; ++n) {
    const double* z = data.row(n);
    rows.emplace_back(1 / (1 + std::exp(-std::inner_product(z, z + 3, theta.begin(), 0.0))),
                      data.y[at(n)] > 0 ? 1 : 0);
  }
  std::ranges::sort(rows);
  ASSERT_EQ(check.bins.size(), 10U);
  EXPECT_TRUE(check.shares);
  for (std::size_t b = 0; b < 10; ++b) {
    double fitted = 0, observed = 0, variance = 0;
    for (std::size_t i = 50 * b; i < 50 * b + 50; ++i) {
      fitted += rows[i].first / 50;
      observed += rows[i].second / 50;
      variance += rows[i].first * (1 - rows[i].first) / 2500;
    }
    const CalibrationBin& bin = check.bins[b];
    EXPECT_EQ(bin.count, 50);
    EXPECT_NEAR(bin.fitted, fitted, 1e-12);
    EXPECT_NEAR(bin.observed, observed, 1e-12);
    EXPECT_NEAR(bin.error, std::sqrt(variance), 5 * std::sqrt(variance / 800));
    EXPECT_LE(bin.low, bin.fitted);
    EXPECT_GE(bin.high, bin.fitted);
  }
}

TEST(ModelCheckNumbers, BinsOfSuccessesCountTrials) {
  const Simulated data = right_data(Family::BinomialLogit, 600, 2, 27);
  const std::vector<double> theta = {0.4, 0.2};
  const ModelCheck check =
      *check_model(problem_of(data, {Family::BinomialLogit}), draws_at(theta), {}, threads(1));
  double trials = 0, successes = 0, expected = 0, chi_square = 0;
  for (Index n = 0; n < data.rows; ++n) {
    const double m = data.trials[at(n)], y = data.y[at(n)],
                 p = 1 / (1 + std::exp(-0.4 * data.row(n)[0] - 0.2));
    trials += m;
    successes += y;
    expected += m * p;
    chi_square += (y - m * p) * (y - m * p) / (m * p * (1 - p)) / 600;
  }
  double of_trials = 0, of_successes = 0, of_expected = 0;
  for (const CalibrationBin& bin : check.bins) {
    of_trials += bin.count;
    of_successes += bin.count * bin.observed;
    of_expected += bin.count * bin.fitted;
  }
  EXPECT_NEAR(of_trials, trials, 1e-9);
  EXPECT_NEAR(of_successes, successes, 1e-8);
  EXPECT_NEAR(of_expected, expected, 1e-8);
  EXPECT_NEAR(statistic(check, Statistic::Dispersion).observed, chi_square, 1e-10);
  EXPECT_NEAR(statistic(check, Statistic::Mean).observed, successes / 600, 1e-10);
}

TEST(ModelCheckNumbers, OffsetsArePartOfThePredictor) {
  Simulated data = right_data(Family::PoissonLog, 300, 2, 28);
  double mean = 0;
  for (Index n = 0; n < data.rows; ++n) {
    data.offset.push_back(n % 2 == 0 ? 1 : -1);
    mean += std::exp(0.5 * data.row(n)[0] + 0.3 + data.offset.back()) / 300;
  }
  const ModelCheck check =
      *check_model(problem_of(data, {Family::PoissonLog}), draws_at({0.5, 0.3}), {}, threads(1));
  double fitted = 0;
  for (const CalibrationBin& bin : check.bins) fitted += bin.count * bin.fitted / 300;
  EXPECT_NEAR(fitted, mean, 1e-10);
  EXPECT_NEAR(statistic(check, Statistic::Mean).mean, mean, 5 * std::sqrt(mean / 300 / 400));
}

TEST(ModelCheckNumbers, RareOutcomesShareABin) {
  const Simulated data = simulated(
      2000, 2, 25,
      [](double s, const double*, Stream& random) {
        return random.uniform() < 1 / (1 + std::exp(-s)) ? 1.0 : -1.0;
      },
      [](const double* z) { return -4.5 + 0.2 * z[0]; });
  const ModelCheck check =
      *check_model(problem_of(data, {Family::BernoulliLogit}), draws_at({0.2, -4.5}), {}, threads(1));
  ASSERT_FALSE(check.bins.empty());
  EXPECT_LT(check.bins.size(), 6U);
  for (const CalibrationBin& bin : check.bins) EXPECT_GE(bin.count * bin.fitted, 4.9);
}

TEST(ModelCheckNumbers, SandwichOfAPlainLinearFitIsThatOfWhite) {
  const Simulated data = simulated(400, 2, 26, [](double s, const double* z, Stream& random) {
    return s + std::exp(z[0]) * random.normal();
  });
  const Problem problem = problem_of(data, {Family::GaussianIdentity, 1}, 1e6);
  const std::vector<double> theta =
      laplace(problem.likelihood(), problem.prior(), threads(1)).posterior.mean();
  // (Z'Z)^-1 Z' diag(e^2) Z (Z'Z)^-1 N / (N - 2) against (Z'Z)^-1, of the slope.
  double a = 0, b = 0, c = 0, p = 0, q = 0, t = 0;
  for (Index n = 0; n < data.rows; ++n) {
    const double x = data.row(n)[0], e = data.y[at(n)] - theta[0] * x - theta[1];
    a += x * x;
    b += x;
    c += 1;
    p += e * e * x * x;
    q += e * e * x;
    t += e * e;
  }
  const double det = a * c - b * b, i00 = c / det, i01 = -b / det;
  const double white = (i00 * i00 * p + 2 * i00 * i01 * q + i01 * i01 * t) * 400.0 / 398;
  const RobustSd robust = robust_sds(*problem.likelihood().linear_model(), theta, problem.prior(), 1, 2);
  ASSERT_EQ(robust.parameter, 0);
  EXPECT_NEAR(robust.ratio, std::sqrt(white / i00), 1e-9);
}

// ---- which observations and which draws ----

TEST(CheckedObservations, AreAllWhereThereAreFew) {
  Simulated data = right_data(Family::PoissonLog, 900, 2, 31);
  for (Index n = 0; n < data.rows; ++n) data.multiplicity.push_back(1 + static_cast<double>(n % 3));
  const Problem problem = problem_of(data, {Family::PoissonLog});
  const auto all = draw_observations(*problem.likelihood().linear_model(), 20'000, 1, threads(1));
  EXPECT_EQ(all.count, 1800);
  EXPECT_EQ(all.all, 1800);
  ASSERT_EQ(std::ssize(all.rows), 900);
  EXPECT_EQ(all.counts, data.multiplicity);
  const ModelCheck check = *check_model(problem, draws_at({0.5, 0.3}), {}, threads(1));
  double mean = 0;
  for (Index n = 0; n < 900; ++n) mean += data.y[at(n)] * data.multiplicity[at(n)] / 1800;
  EXPECT_NEAR(statistic(check, Statistic::Mean).observed, mean, 1e-12);
  EXPECT_EQ(check.num_checked, 1800);
}

TEST(CheckedObservations, AreSpreadOverManyRowsAndNoneIsDrawnTwice) {
  const Simulated data = right_data(Family::PoissonLog, 30'000, 2, 32);
  const Problem problem = problem_of(data, {Family::PoissonLog});
  const auto some = draw_observations(*problem.likelihood().linear_model(), 7'000, 1, threads(1));
  ASSERT_EQ(some.rows.size(), 7000U) << "none twice";
  for (Index k = 0; k < 7000; ++k) {
    // One of each run of 30000 / 7000 rows.
    EXPECT_GE(some.rows[at(k)], k * 30'000 / 7'000 - 1);
    EXPECT_LE(some.rows[at(k)], (k + 1) * 30'000 / 7'000 + 1);
  }
  EXPECT_NE(draw_observations(*problem.likelihood().linear_model(), 7'000, 2, threads(1)).rows, some.rows);
}

// Rows of weight w are drawn w times as often: of 0.5 and 2, alternating over 10,000 rows, by 4.
TEST(CheckedObservations, AreDrawnByWeight) {
  Simulated data = right_data(Family::PoissonLog, 10'000, 2, 33);
  for (Index n = 0; n < data.rows; ++n) data.multiplicity.push_back(n % 2 == 0 ? 0.5 : 2);
  const Problem problem = problem_of(data, {Family::PoissonLog});
  const auto some = draw_observations(*problem.likelihood().linear_model(), 4'000, 1, threads(1));
  double light = 0, heavy = 0;
  for (std::size_t k = 0; k < some.rows.size(); ++k)
    (some.rows[k] % 2 == 0 ? light : heavy) += some.counts[k];
  EXPECT_EQ(light + heavy, 4000);
  EXPECT_NEAR(light / 4000, 0.2, 4 * std::sqrt(0.2 * 0.8 / 4000));
}

TEST(ModelCheckDraws, CountByTheirWeights) {
  const Simulated data = right_data(Family::PoissonLog, 500, 2, 34);
  const Problem problem = problem_of(data, {Family::PoissonLog});
  // A draw that is right and one that is far off: all weight on the first is as if the other were not there.
  Chain both = draws_at({0.5, 0.3}, 1)[0];
  both.draws.insert(both.draws.end(), {3.0, 2.0});
  both.stats.resize(2);
  const std::vector<double> first = {1, 0};
  const std::vector<Chain> chains = {both};
  const ModelCheck weighted = *check_model(problem, chains, first, threads(1)),
                   alone = *check_model(problem, draws_at({0.5, 0.3}), {}, threads(1)),
                   alike = *check_model(problem, chains, {}, threads(1));
  EXPECT_EQ(statistic(weighted, Statistic::Dispersion).observed,
            statistic(alone, Statistic::Dispersion).observed);
  EXPECT_GT(statistic(alike, Statistic::Dispersion).observed,
            2 * statistic(alone, Statistic::Dispersion).observed);
}

TEST(ModelCheckDraws, ThatAreNotFiniteOrNotOfTheModelAreNotUsed) {
  const Simulated data = right_data(Family::PoissonLog, 100, 2, 35);
  const Problem problem = problem_of(data, {Family::PoissonLog});
  EXPECT_FALSE(check_model(problem, draws_at({std::nan(""), 1}), {}, threads(1)));
  EXPECT_FALSE(check_model(problem, {}, {}, threads(1)));
  EXPECT_THROW((void)check_model(problem, draws_at({1, 2, 3}), {}, threads(1)), std::invalid_argument);
  const std::vector<double> one = {1};
  EXPECT_THROW((void)check_model(problem, draws_at({0, 0}), one, threads(1)), std::invalid_argument);
}

TEST(ModelCheckRuns, HaveTheSameBitsUnderAnyExecutor) {
  const PretendRanks ranks(3);
  for (const Family family : {Family::BernoulliLogit, Family::NegativeBinomial, Family::Gaussian}) {
    Simulated data = right_data(family, 9'000, 3, 36);
    for (Index n = 0; n < data.rows; ++n) data.multiplicity.push_back(n % 5 == 0 ? 2 : 1);
    const Problem problem = problem_of(data, truth_of(family));
    const ModelCheck want = check_of(problem, 3, threads(1), 5'000);
    for (const Executor* executor :
         {static_cast<const Executor*>(&threads(2)), static_cast<const Executor*>(&ranks)}) {
      const ModelCheck got = check_of(problem, 3, *executor, 5'000);
      ASSERT_EQ(got.statistics.size(), want.statistics.size());
      for (std::size_t k = 0; k < want.statistics.size(); ++k) {
        EXPECT_EQ(got.statistics[k].observed, want.statistics[k].observed);
        EXPECT_EQ(got.statistics[k].mean, want.statistics[k].mean);
        EXPECT_EQ(got.statistics[k].sd, want.statistics[k].sd);
        EXPECT_EQ(got.statistics[k].high, want.statistics[k].high);
      }
      ASSERT_EQ(got.bins.size(), want.bins.size());
      for (std::size_t b = 0; b < want.bins.size(); ++b) {
        EXPECT_EQ(got.bins[b].observed, want.bins[b].observed);
        EXPECT_EQ(got.bins[b].error, want.bins[b].error);
      }
      EXPECT_EQ(got.calibration, want.calibration);
      EXPECT_EQ(words_of(got), words_of(want));
    }
  }
}

TEST(ModelCheckRuns, StopWhenTheObserverAsks) {
  const Problem problem = problem_of(right_data(Family::PoissonLog, 20'000, 3, 37), {Family::PoissonLog});
  Index calls = 0;
  const Observer stop = [&](const StageProgress& at) {
    EXPECT_EQ(at.stage, Stage::Certify);
    return ++calls == 2 ? Answer::Stop : Answer::Continue;
  };
  EXPECT_THROW((void)check_model(problem, draws_at({0.1, 0.1, 0.1}), {}, threads(1), {}, stop), Stopped);
  EXPECT_EQ(calls, 2);
}

// A model of one's own has no family.
TEST(ModelCheckRuns, SayNothingOfAModelWithoutALinearPredictor) {
  struct Plain {
    Index num_rows() const { return 3; }
    Index num_parameters() const { return 1; }
    double log_likelihood(Index, const double* theta) const { return -theta[0] * theta[0]; }
    void gradient(Index, const double* theta, double* out) const { out[0] = -2 * theta[0]; }
    void hessian(Index, const double*, double* out) const { out[0] = -2; }
  };
  const Problem problem(likelihood_of(Plain{}), Normal::isotropic(1));
  EXPECT_FALSE(check_model(problem, draws_at({0.5}), {}, threads(1)));
}

}  // namespace
}  // namespace giga::test
