// Estimates of sums over all rows: samples, estimates where they must be exact, and where a plain sample
// fails.
#include "giga/infer/row_estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/model/autodiff.hpp"
#include "giga/model/block_model.hpp"
#include "giga/model/simulate_data.hpp"
#include "infer/estimate_cases.hpp"
#include "infer/point_sums.hpp"

namespace giga::test {
namespace {

std::vector<float> uneven_scores(Index count) {
  std::vector<float> scores;
  Stream random = stream(5, "scores");
  for (Index n = 0; n < count; ++n) scores.push_back(static_cast<float>(std::exp(2 * random.normal())));
  return scores;
}

// Features far out may make scores that are no numbers, or too large for a float.
TEST(PrioritySample, EndsWhateverTheScoresAre) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  std::vector<float> scores(5000, 1);
  scores[7] = kNan;
  scores[8] = kInf;
  scores[9] = -1;
  for (const int power : {1, 2}) {
    const RowSample sample = priority_sample(scores, 50, 1, Serial(), power);
    EXPECT_EQ(sample.rows.size(), 50U);
    EXPECT_TRUE(std::ranges::binary_search(sample.rows, Index{8})) << "the largest is certain";
    for (const double count : sample.counts) EXPECT_TRUE(std::isfinite(count) && count >= 1);
  }
  EXPECT_EQ(priority_sample(std::vector<float>(100, kNan), 10, 1).rows.size(), 10U);
}

TEST(PrioritySample, IsUnbiasedForAnySum) {
  const std::vector<float> scores = uneven_scores(500);
  double exact = 0;
  std::vector<double> x;
  for (std::size_t n = 0; n < scores.size(); ++n) {
    x.push_back(std::sin(static_cast<double>(n)) * scores[n] + 0.1);
    exact += x.back();
  }
  constexpr int kRepeats = 4000;
  double sum = 0, squares = 0;
  for (int k = 0; k < kRepeats; ++k) {
    const RowSample sample = priority_sample(scores, 50, static_cast<std::uint64_t>(k));
    double estimate = 0;
    for (std::size_t i = 0; i < sample.rows.size(); ++i)
      estimate += sample.counts[i] * x[static_cast<std::size_t>(sample.rows[i])];
    sum += estimate - exact;
    squares += (estimate - exact) * (estimate - exact);
  }
  EXPECT_LE(std::abs(sum / kRepeats), 4 * std::sqrt(squares) / kRepeats);
}

TEST(PrioritySample, TakesTheLargestForCertainAndGrowsBySuperset) {
  std::vector<float> scores(1000, 1.0F);
  scores[17] = scores[400] = 1e4F;
  RowSample smaller = priority_sample(scores, 20, 3);
  EXPECT_EQ(smaller.num_certain, 2);
  for (const Index row : {17, 400}) {
    const auto found = std::ranges::find(smaller.rows, row) - smaller.rows.begin();
    ASSERT_LT(found, std::ssize(smaller.rows));
    EXPECT_EQ(smaller.counts[static_cast<std::size_t>(found)], 1);
  }
  const RowSample larger = priority_sample(scores, 200, 3);
  EXPECT_TRUE(std::ranges::includes(larger.rows, smaller.rows));
  const RowSample all = priority_sample(scores, 1000, 3);
  EXPECT_EQ(all.num_certain, 1000);
  EXPECT_TRUE(std::ranges::all_of(all.counts, [](double count) { return count == 1; }));
}

TEST(RowEstimate, OfAllRowsIsTheSum) {
  const Threads executor;
  const EstimateProblem problem = make({.rows = 500}, executor);
  const Normal& pihat = problem.laplace.posterior;
  const RowArray<float> scores = remainder_scores(*problem.model, pihat, executor);
  const RowEstimate estimate(*problem.model, pihat.mean(),
                             problem.model->evaluate(pihat.mean(), Order::Hessian, executor),
                             priority_sample(scores, 500, 1), 1, executor);
  std::vector<double> points(60);
  Stream random = stream(1, "points");
  for (int s = 0; s < 10; ++s) pihat.draw(random, points.data() + 6 * s);
  const ExtendedVector exact = log_likelihood_sums(*problem.model, points, executor),
                       made = estimate.log_likelihoods(points, executor),
                       exact_gradient = gradient_sums(*problem.model, points, executor),
                       made_gradient = estimate.gradients(points, executor);
  for (std::size_t s = 0; s < exact.size(); ++s)
    EXPECT_NEAR(static_cast<double>(made[s]), static_cast<double>(exact[s]), 1e-9);
  for (std::size_t i = 0; i < exact_gradient.size(); ++i)
    EXPECT_NEAR(static_cast<double>(made_gradient[i]), static_cast<double>(exact_gradient[i]), 1e-8);
  EXPECT_EQ(estimate.error(points, executor).most, 0);
}

// A model of blocks costs a call however few the rows are. The same regression, asked for by blocks: its
// error is that of the regression, whose groups are summed apart, with a call for each point and not one for
// each group as well.
TEST(RowEstimate, AsksAModelOfBlocksOnceForEachPoint) {
  const Threads executor;
  const EstimateProblem problem = make({.rows = 5000}, executor);
  const Likelihood& regression = *problem.model;
  std::atomic<Index> calls = 0;
  BlockFunctions functions{.num_rows = regression.num_rows(), .num_parameters = regression.num_parameters()};
  functions.log_likelihoods = [&](std::span<const Index> rows, std::span<const double> theta, double* out) {
    ++calls;
    Points point(std::ssize(theta), 1);
    point.set(0, theta);
    for (const Index n : rows) regression.log_likelihoods(n, 1, point, out++);
  };
  functions.gradients = [&](std::span<const Index> rows, std::span<const double> theta, double* out) {
    Points point(std::ssize(theta), 1);
    point.set(0, theta);
    std::fill_n(out, rows.size() * theta.size(), 0.0);
    for (const Index n : rows) {
      regression.add_gradients(n, 1, point, 1, out);
      for (std::size_t d = 0; d < theta.size(); ++d) *out++ /= regression.multiplicity(n);
    }
  };
  std::vector<double> times;
  for (Index n = 0; n < regression.num_rows(); ++n) times.push_back(regression.multiplicity(n));
  const auto blocks = likelihood_of(functions, times);

  const Normal& pihat = problem.laplace.posterior;
  const RowArray<float> scores = remainder_scores(regression, pihat, executor);
  const RowSample sample = priority_sample(scores, 1000, 1);
  const auto estimate_of = [&](const Likelihood& model) {
    return RowEstimate(model, pihat.mean(), model.evaluate(pihat.mean(), Order::Hessian, executor), sample, 1,
                       executor);
  };
  constexpr Index kPoints = 40;
  std::vector<double> points(at(kPoints * pihat.dim()));
  Stream random = stream(1, "points");
  for (Index s = 0; s < kPoints; ++s) pihat.draw(random, points.data() + s * pihat.dim());
  const EstimateError wanted = estimate_of(regression).error(points, executor);
  const RowEstimate by_blocks = estimate_of(*blocks);
  calls = 0;
  const EstimateError found = by_blocks.error(points, executor);
  EXPECT_EQ(calls, kPoints);
  // Second derivatives of blocks are differences.
  for (std::size_t s = 0; s < at(kPoints); ++s)
    EXPECT_NEAR(found.each[s], wanted.each[s], 1e-5 * wanted.most);
  // All rows at 33 points, a block of 4,096 rows at a time.
  calls = 0;
  (void)remainder_scores(*blocks, pihat, executor);
  EXPECT_EQ(calls, 2 * 33);
}

// One row bends the posterior: the only one that knows of a column. A uniform sample of a tenth misses it
// nine times of ten, and its own standard error with it.
TEST(RowEstimate, TakesTheRowThatBendsThePosteriorForCertain) {
  const Threads executor;
  const EstimateProblem problem =
      make({.family = Family::BernoulliLogit, .kind = RowKind::Alone, .rows = 20000}, executor);
  const Normal& pihat = problem.laplace.posterior;
  const RowArray<float> scores = remainder_scores(*problem.model, pihat, executor);
  EXPECT_EQ(std::ranges::max_element(scores) - scores.begin(), 10000);

  const Derivatives at_mode = problem.model->evaluate(pihat.mean(), Order::Hessian, executor);
  std::vector<double> points(6 * 100);
  Stream random = stream(1, "points");
  for (int s = 0; s < 100; ++s) pihat.draw(random, points.data() + 6 * s);
  const ExtendedVector exact = log_likelihood_sums(*problem.model, points, executor);
  const auto off = [&](const RowEstimate& estimate) {
    const ExtendedVector made = estimate.log_likelihoods(points, executor);
    double mean = 0, squares = 0;
    for (std::size_t s = 0; s < made.size(); ++s) mean += static_cast<double>(made[s] - exact[s]) / 100;
    for (std::size_t s = 0; s < made.size(); ++s)
      squares += std::pow(static_cast<double>(made[s] - exact[s]) - mean, 2) / 100;
    return std::sqrt(squares);
  };
  const RowEstimate ours(*problem.model, pihat.mean(), at_mode, priority_sample(scores, 2000, 1), 1,
                         executor);
  const std::vector<float> equal(scores.size(), 1.0F);
  const RowEstimate uniform(*problem.model, pihat.mean(), at_mode, priority_sample(equal, 2000, 1), 1,
                            executor);
  EXPECT_LE(off(ours), 3 * ours.error(points, executor).rms);
  EXPECT_GE(off(uniform), 5 * uniform.error(points, executor).rms);
}

// Poisson counts with a log link and one parameter: every R_n is -exp(theta0)(exp(d) - 1 - d - d^2/2) and so
// of one sign, in proportion to the score. Nearly all of the error is then in how much of the total was
// drawn.
TEST(RowEstimate, StatesItsErrorWhereAllRemaindersHaveOneSign) {
  std::vector<double> z, y;
  Stream random = stream(8, "counts");
  for (int n = 0; n < 20000; ++n) {
    z.push_back(1);
    y.push_back(draw_poisson(0.02, random));
  }
  const Regression model(z, y, {}, {Family::PoissonLog});
  const Threads executor;
  const Normal pihat = laplace(model, Normal::isotropic(1, 5), executor).posterior;
  const Derivatives at_mode = model.evaluate(pihat.mean(), Order::Hessian, executor);
  const RowArray<float> scores = remainder_scores(model, pihat, executor);
  const std::vector<double> points = {pihat.mean()[0] - 0.1, pihat.mean()[0], pihat.mean()[0] + 0.1};
  const ExtendedVector exact = log_likelihood_sums(model, points, executor);
  double off = 0, stated = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const RowEstimate estimate(model, pihat.mean(), at_mode, priority_sample(scores, 500, seed), seed,
                               executor);
    const ExtendedVector made = estimate.log_likelihoods(points, executor);
    Extended mean = 0;
    for (std::size_t s = 0; s < 3; ++s) mean += (made[s] - exact[s]) / 3;
    off += std::pow(static_cast<double>(made[2] - exact[2] - mean), 2) / 200;
    stated += std::pow(estimate.error(points, executor).each[2], 2) / 200;
  }
  EXPECT_NEAR(std::sqrt(off / stated), 1, 0.15);
}

TEST(RowEstimate, DoesNotKnowItsErrorFromAHandfulOfRows) {
  const Threads executor;
  const EstimateProblem problem = make({.rows = 500}, executor);
  const Normal& pihat = problem.laplace.posterior;
  const RowEstimate estimate(
      *problem.model, pihat.mean(), problem.model->evaluate(pihat.mean(), Order::Hessian, executor),
      priority_sample(remainder_scores(*problem.model, pihat, executor), 4, 1), 1, executor);
  EXPECT_TRUE(std::isinf(estimate.error(pihat.mean(), executor).rms));
}

TEST(RowEstimate, TakesMoreRowsThanAskedForUntilItsErrorIsKnownAndSmall) {
  const Threads executor;
  const EstimateProblem problem = make({.rows = 60000}, executor);
  const Normal& pihat = problem.laplace.posterior;
  std::vector<double> points(6 * 100);
  Stream random = stream(1, "points");
  for (int s = 0; s < 100; ++s) pihat.draw(random, points.data() + 6 * s);
  const auto estimate =
      estimate_rows(*problem.model, nullptr, problem.laplace, points, {.rows = RowCount::of(4)}, executor)
          .estimate;
  ASSERT_TRUE(estimate.has_value());
  EXPECT_GT(estimate->num_rows(), 4);
  const EstimateError error = estimate->error(points, executor);
  EXPECT_GT(error.rms, 0);
  EXPECT_TRUE(std::isfinite(error.rms));
}

// Times t_n with the rate exp(theta_0 + theta_1 x_n), as models of one's own are written.
struct Exponential {
  std::vector<double> x, t;
  [[nodiscard]] Index num_rows() const { return std::ssize(t); }
  [[nodiscard]] Index num_parameters() const { return 2; }
  template <typename Number>
  Number log_likelihood(Index n, const Number* theta) const {
    using namespace giga::math;
    const Number rate = theta[0] + theta[1] * x[static_cast<std::size_t>(n)];
    return rate - t[static_cast<std::size_t>(n)] * exp(rate);
  }
};

TEST(RowEstimate, KnowsAModelOfOnesOwn) {
  Exponential model;
  Stream random = stream(2, "times");
  for (int n = 0; n < 5000; ++n) {
    model.x.push_back(n == 77 ? 40 : random.normal());
    model.t.push_back(-std::log1p(-random.uniform()));
  }
  const auto likelihood = likelihood_of(model);
  const Threads executor;
  const Normal pihat = laplace(*likelihood, Normal::isotropic(2), executor).posterior;
  const RowArray<float> scores = remainder_scores(*likelihood, pihat, executor);
  EXPECT_EQ(std::ranges::max_element(scores) - scores.begin(), 77);
  // Against the definition, by the row's own derivatives, over many draws.
  for (const Index n : {0, 77, 1234}) {
    const auto row = likelihood->subset(std::vector<Index>{n}, std::vector<double>{1});
    const Quadratic q{pihat.mean(), row->evaluate(pihat.mean(), Order::Hessian, executor)};
    double squares = 0;
    std::vector<double> theta(2);
    constexpr int kDraws = 2000;
    for (int s = 0; s < kDraws; ++s) {
      pihat.draw(random, theta.data());
      const double rest =
          static_cast<double>(row->evaluate(theta, Order::Value, executor).value - q.value(theta));
      squares += rest * rest / kDraws;
    }
    const double ratio = scores[static_cast<std::size_t>(n)] / std::sqrt(squares);
    EXPECT_GT(ratio, 0.1) << n;
    EXPECT_LT(ratio, 10) << n;
  }
}

}  // namespace
}  // namespace giga::test
