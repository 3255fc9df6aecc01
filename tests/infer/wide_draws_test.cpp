// Draws that are wider than the Laplace approximation: that they are noticed, in one direction of many as
// well, and what rows are sampled by then.
#include "infer/wide_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "giga/base/random.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/model/block_model.hpp"
#include "infer/estimate_cases.hpp"
#include "support/executors.hpp"
#include "support/pretend_ranks.hpp"

namespace giga::test {
namespace {

constexpr Index kDraws = 1024;

std::vector<double> standard_normal(Index count, Index dim, std::uint64_t seed) {
  std::vector<double> out(at(count * dim));
  Stream random = stream(seed, "wide draws");
  for (double& value : out) value = random.normal();
  return out;
}

// A covariance with correlations of all sizes.
Normal correlated(Index dim) {
  const std::vector<double> factor = standard_normal(dim, dim, 7);
  std::vector<double> covariance(at(dim * dim));
  for (Index d = 0; d < dim; ++d) {
    for (Index e = 0; e < dim; ++e) {
      covariance[at(d * dim + e)] =
          std::inner_product(factor.begin() + d * dim, factor.begin() + (d + 1) * dim,
                             factor.begin() + e * dim, d == e ? 0.1 : 0.0);
    }
  }
  return Normal::with_covariance(std::vector<double>(at(dim), 1.5), covariance);
}

// Of draws of the distribution, the first standard coordinates `times` as far out.
std::vector<double> stretched_draws(const Normal& normal, Index count, double times, std::uint64_t seed,
                                    Index stretched = 1) {
  const Index dim = normal.dim();
  std::vector<double> coordinates = standard_normal(count, dim, seed), out(coordinates.size());
  for (Index s = 0; s < count; ++s) {
    for (Index d = 0; d < stretched; ++d) coordinates[at(s * dim + d)] *= times;
    for (Index d = 0; d < dim; ++d)
      out[at(s * dim + d)] =
          std::inner_product(normal.factor().begin() + d * dim, normal.factor().begin() + (d + 1) * dim,
                             coordinates.begin() + s * dim, normal.mean()[at(d)]);
  }
  return out;
}

std::vector<double> away_from(const Normal& normal, std::vector<double> points) {
  for (std::size_t i = 0; i < points.size(); ++i) points[i] -= normal.mean()[i % at(normal.dim())];
  return points;
}

// Averaged over 100 directions, one that is 9 times as wide makes 1.8.
TEST(WideDraws, AreSeenInOneDirectionOfMany) {
  for (const Index dim : {1, 6, 100, 300}) {
    const Normal pihat = correlated(dim);
    for (const double times : {4.0, 9.0, 1e6}) {
      const std::vector<double> away = away_from(pihat, stretched_draws(pihat, kDraws, times, 1));
      const double widest = widest_moment(away, pihat, threads(2));
      EXPECT_TRUE(is_wide(widest, kDraws, dim)) << dim << ", " << times;
      // The others add their share, D / S of a variance each.
      const double about = times * times + static_cast<double>(dim) / kDraws;
      EXPECT_NEAR(widest / about, 1, 0.3) << dim << ", " << times;
    }
  }
}

TEST(WideDraws, AreNotThoseOfTheApproximationItself) {
  for (const Index dim : {1, 6, 60, 500, 1500}) {
    const Normal pihat = Normal::isotropic(dim);
    for (const Index count : {Index{100}, kDraws}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const double widest = widest_moment(standard_normal(count, dim, seed), pihat, threads(2));
        EXPECT_GT(widest, 0.5) << dim << ", " << count;
        EXPECT_FALSE(is_wide(widest, count, dim)) << dim << ", " << count << ": " << widest;
        // Nor those of a posterior with 1.2 times its standard deviations.
        EXPECT_FALSE(is_wide(1.44 * widest, count, dim)) << dim << ", " << count << ": " << widest;
      }
    }
  }
}

TEST(WideDraws, OfNoSpreadOrBeyondDoubleAreNotWide) {
  const Normal pihat = Normal::isotropic(3);
  EXPECT_EQ(widest_moment(std::vector<double>(30, 0.0), pihat, threads(1)), 0);
  for (const double size : {1e60, 1e150, 1e200, 1e308}) {
    std::vector<double> away = standard_normal(10, 3, 1);
    for (double& value : away) value = std::copysign(size, value);
    EXPECT_FALSE(is_wide(widest_moment(away, pihat, threads(1)), 10, 3)) << size;
  }
}

TEST(WideDraws, HaveTheSameMomentsUnderAnyExecutor) {
  const Normal pihat = correlated(150);
  const std::vector<double> away = away_from(pihat, stretched_draws(pihat, 300, 5, 2));
  const double widest = widest_moment(away, pihat, threads(1));
  const Normal wide = widened(pihat, away, widest, threads(1));
  const PretendRanks ranks(3);
  for (const Executor* executor : std::array<const Executor*, 2>{&threads(2), &ranks}) {
    EXPECT_EQ(widest_moment(away, pihat, *executor), widest);
    EXPECT_EQ(widened(pihat, away, widest, *executor).factor(), wide.factor());
  }
}

TEST(WideDraws, AddTheirSecondMomentsToTheCovariance) {
  const Normal pihat = correlated(40);
  const std::vector<double> away = away_from(pihat, stretched_draws(pihat, 90, 5, 3));
  const Normal wide = widened(pihat, away, widest_moment(away, pihat, threads(2)), threads(2));
  EXPECT_EQ(wide.mean(), pihat.mean());
  const std::vector<double> before = pihat.covariance(), after = wide.covariance();
  for (std::size_t d = 0; d < 40; ++d) {
    for (std::size_t e = 0; e < 40; ++e) {
      double sum = 0;
      for (std::size_t s = 0; s < 90; ++s) sum += away[s * 40 + d] * away[s * 40 + e] / 90;
      EXPECT_NEAR(after[d * 40 + e], before[d * 40 + e] + sum, 1e-10 * std::abs(after[d * 41]));
    }
  }
}

// So far out along one line, which is no axis, that the sum of the covariances is singular in double.
TEST(WideDraws, WidenAllDirectionsWhereTheirCovarianceCannotBeFactored) {
  constexpr Index kDim = 20;
  const Normal pihat = Normal::isotropic(kDim);
  std::vector<double> away(at(10 * kDim));
  for (Index i = 0; i < std::ssize(away); ++i) away[at(i)] = i / kDim % 2 == 0 ? 1e12 : -1e12;
  const double widest = widest_moment(away, pihat, threads(1));
  EXPECT_NEAR(widest, kDim * 1e24, 1e15);
  const Normal wide = widened(pihat, away, widest, threads(1));
  for (const double sd : wide.standard_deviations()) EXPECT_NEAR(sd / std::sqrt(kDim * 1e24), 1, 1e-12);
}

// Whatever sizes scores have; with the numbers beside them.
TEST(JoinedScores, AreInUnitsOfTheirAverages) {
  constexpr Index kRows = 10000;
  const auto scores_of = [](float usual, float special) {
    RowArray<float> out = row_array<float>(threads(1), kRows);
    for (Index n = 0; n < kRows; ++n) out[at(n)] = usual;
    out[5] = special;
    return out;
  };
  const float least = std::numeric_limits<float>::denorm_min(), most = std::numeric_limits<float>::max();
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const RowArray<float> ones = scores_of(1, 1);
  for (const float usual : {least, 1e-38F, 1.0F, 1e30F, most}) {
    const RowArray<float> joined = joined_scores(scores_of(usual, usual), ones, threads(2));
    for (Index n = 0; n < kRows; ++n) ASSERT_NEAR(joined[at(n)], 2, 1e-6) << usual;
  }
  for (const float special : {most, inf}) {
    const RowArray<float> joined = joined_scores(ones, scores_of(least, special), threads(2));
    EXPECT_NEAR(joined[5], 1 + kRows, 1e-2);
    EXPECT_NEAR(joined[6], 1, 1e-6);
  }
  EXPECT_EQ(joined_scores(scores_of(1, nan), scores_of(0, -1), threads(2))[5], 0);
}

// --- estimates at such draws ------------------------------------------------------------------------------

TEST(RowEstimate, ScoresRowsOnceMoreWhereDrawsAreWide) {
  const Executor& executor = threads(2);
  const EstimateProblem problem = make({.kind = RowKind::HeavyTailed, .rows = 9000}, executor);
  const Normal& pihat = problem.laplace.posterior;
  const RowArray<float> scores = remainder_scores(*problem.model, pihat, executor);
  LaplaceResult bare = problem.laplace;
  bare.at_mode.reset();
  for (const bool wide : {false, true}) {
    const std::vector<double> points = stretched_draws(pihat, 500, wide ? 8 : 1, 1);
    const auto found = [&](const LaplaceResult& laplace, const RowEstimateOptions& options) {
      return estimate_rows(*problem.model, nullptr, laplace, points, options, executor);
    };
    const Index more = wide ? 1 : 0;
    const EstimatedRows plain = found(problem.laplace, {}),
                        given = found(problem.laplace, {.scores = &scores});
    EXPECT_EQ(plain.passes, 1 + more);
    EXPECT_TRUE(plain.found_scores);
    EXPECT_EQ(given.passes, more);
    EXPECT_FALSE(given.found_scores);
    EXPECT_EQ(found(bare, {}).passes, 2 + more);
    EXPECT_EQ(found(problem.laplace, {.rows = RowCount::all()}).passes, 0);
    // Scores that are given are those that are found.
    ASSERT_TRUE(plain.estimate && given.estimate);
    EXPECT_EQ(plain.estimate->log_likelihoods(points, executor),
              given.estimate->log_likelihoods(points, executor));
  }
}

// Over five samples of rows, the share of log ratios that are more than three standard errors off, at draws
// whose width has been seen.
void expect_true_errors(const Likelihood& model, const LaplaceResult& laplace,
                        const std::vector<double>& points) {
  const Executor& executor = threads(2);
  const Index dim = laplace.posterior.dim();
  double beyond = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const EstimatedRows found = estimate_rows(model, nullptr, laplace, points, {.seed = seed}, executor);
    EXPECT_EQ(found.passes, 2);
    ASSERT_TRUE(found.estimate);
    beyond += share_beyond(*found.estimate, model, spread_points(points, dim, 100), executor) / 5;
  }
  EXPECT_LE(beyond, 0.02);
}

// One coefficient of 100. The feature is small but in 20 of the rows; at the mode these are certain of their
// labels, and they contradict draws along it that are 9 times too wide.
TEST(RowEstimate, StatesItsErrorWhereOneDirectionOfManyIsWide) {
  constexpr Index kRows = 20000, kFar = 20, kDim = 100;
  std::vector<double> z, y;
  for (Index n = 0; n < kRows; ++n) {
    Stream random = stream(1, "rows far out", n);
    z.push_back(n >= kFar ? 0.12 * random.normal() : (n % 2 == 0 ? 40 : -40));
    double s = z.back();
    for (Index d = 1; d < kDim; ++d) {
      z.push_back(random.normal());
      s += 0.1 * z.back();
    }
    y.push_back(random.uniform() < 1 / (1 + std::exp(-s)) ? 1 : -1);
  }
  const Normal prior = Normal::isotropic(kDim);
  EstimateProblem problem{
      std::make_unique<Regression>(z, y, std::vector<double>{}, FamilyParameters{Family::BernoulliLogit}),
      prior,
      {prior}};
  problem.laplace = laplace(*problem.model, prior, threads(2));
  expect_true_errors(*problem.model, problem.laplace, stretched_draws(problem.laplace.posterior, 600, 9, 1));
}

// Scale and degrees of freedom are parameters beside the predictor: scores are found by probing.
TEST(RowEstimate, StatesItsErrorAtWideDrawsOfAFamilyWithExtras) {
  const EstimateProblem problem =
      make({.family = Family::StudentT, .kind = RowKind::HeavyTailed, .rows = 9000}, threads(2));
  const Index dim = problem.model->num_parameters();
  ASSERT_EQ(dim, 8);
  expect_true_errors(*problem.model, problem.laplace,
                     stretched_draws(problem.laplace.posterior, 600, 16, 1, dim));
}

// A logistic regression on one feature, of a user, who gives `outside` where the slope is `limit` or more.
// The feature is small but in the first 20 of the rows, which are certain of their labels at the mode.
constexpr Index kFarRows = 20;
BlockFunctions limited_model(Index num_rows, const double& limit, double outside) {
  std::vector<double> x, y;
  for (Index n = 0; n < num_rows; ++n) {
    Stream random = stream(1, "rows of a limited model", n);
    x.push_back(n >= kFarRows ? 0.12 * random.normal() : (n % 2 == 0 ? 40 : -40));
    y.push_back(random.uniform() < 1 / (1 + std::exp(-x.back())) ? 1 : -1);
  }
  BlockFunctions functions{.num_rows = num_rows, .num_parameters = 2};
  functions.log_likelihoods = [=, &limit](std::span<const Index> rows, std::span<const double> theta,
                                          double* out) {
    for (const Index n : rows) {
      const double s = y[at(n)] * (theta[0] + theta[1] * x[at(n)]);
      *out++ = theta[1] < limit ? std::min(s, 0.0) - std::log1p(std::exp(-std::abs(s))) : outside;
    }
  };
  functions.gradients = [=](std::span<const Index> rows, std::span<const double> theta, double* out) {
    for (const Index n : rows) {
      const double pull = y[at(n)] / (1 + std::exp(y[at(n)] * (theta[0] + theta[1] * x[at(n)])));
      *out++ = pull;
      *out++ = pull * x[at(n)];
    }
  };
  return functions;
}

// Draws that are wide to one side, of a model that ends a little way beyond the mode to the other.
TEST(RowEstimate, AsksAModelNothingBeyondItsDomainWhereDrawsAreWide) {
  constexpr Index kRows = 20000;
  for (const double outside :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    SCOPED_TRACE(outside);
    double limit = std::numeric_limits<double>::infinity();
    const Normal prior = Normal::isotropic(2);
    const auto model = likelihood_of(limited_model(kRows, limit, outside));
    const LaplaceResult found = laplace(*model, prior, threads(2));
    const Normal& pihat = found.posterior;
    const double sd = pihat.standard_deviations()[1];
    limit = pihat.mean()[1] + 4 * sd;
    std::vector<double> points = standard_normal(600, 2, 1);
    for (std::size_t i = 0; i < points.size(); i += 2) {
      points[i] = pihat.mean()[0] + 0.01 * points[i];
      points[i + 1] = pihat.mean()[1] - std::abs(9 * sd * points[i + 1]);
    }
    const RowArray<float> scores = wide_scores(*model, pihat, points, 50, threads(2));
    const float of_far = *std::min_element(scores.data(), scores.data() + kFarRows),
                of_others = *std::max_element(scores.data() + kFarRows, scores.data() + kRows);
    EXPECT_GT(of_far, 10 * of_others);
    EXPECT_LT(of_far, 1e4);
    expect_true_errors(*model, found, points);
  }
}

// By draws themselves as by a wide normal distribution.
TEST(WideDraws, HaveTheSameScoresUnderAnyExecutor) {
  const PretendRanks ranks(3);
  for (const Family family : {Family::StudentT, Family::BernoulliLogit}) {
    const EstimateProblem problem = make({.family = family, .rows = 9000}, threads(2));
    const Normal& pihat = problem.laplace.posterior;
    const std::vector<double> draws = stretched_draws(pihat, 100, 8, 1);
    const RowArray<float> straight = wide_scores(*problem.model, pihat, draws, 64, threads(1));
    for (const Executor* executor : std::array<const Executor*, 2>{&threads(2), &ranks}) {
      const RowArray<float> scores = wide_scores(*problem.model, pihat, draws, 64, *executor);
      for (Index n = 0; n < 9000; ++n) ASSERT_EQ(scores[at(n)], straight[at(n)]) << n;
    }
  }
}

// Both ways along draws of the Laplace approximation, where some are beyond the domain: the rest tell.
TEST(RemainderScores, LeaveOutPointsWhereNoRowIsPossible) {
  constexpr Index kRows = 9000;
  double limit = std::numeric_limits<double>::infinity();
  const auto model = likelihood_of(limited_model(kRows, limit, -std::numeric_limits<double>::infinity()));
  const Normal pihat = Normal::with_precision({0, 1}, {400, 0, 0, 0.5});
  const RowArray<float> free = remainder_scores(*model, pihat, threads(2));
  limit = 1.5;
  const RowArray<float> limited = remainder_scores(*model, pihat, threads(2));
  EXPECT_NE(limited[0], free[0]);
  for (const RowArray<float>* scores : {&free, &limited})
    EXPECT_GT(*std::min_element(scores->data(), scores->data() + kFarRows),
              10 * *std::max_element(scores->data() + kFarRows, scores->data() + kRows));
  // Where nothing is known, rows are alike.
  limit = -1e9;
  const RowArray<float> none = remainder_scores(*model, pihat, threads(2));
  for (Index n = 0; n < kRows; ++n) ASSERT_EQ(none[at(n)], none[0]);
}

}  // namespace
}  // namespace giga::test
