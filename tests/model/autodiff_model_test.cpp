// Models given by one template of a row, against the same models with derivatives by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/model/autodiff.hpp"
#include "giga/model/gaussian_mean.hpp"
#include "support/weibull.hpp"

namespace giga::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

static_assert(RowModel<WeibullByHand> && DifferentiableRowModel<WeibullByHand>);
static_assert(DifferentiableRowModel<Weibull> && !RowModel<Weibull>);
static_assert(RowModel<GaussianMean> && !DifferentiableRowModel<GaussianMean>);
static_assert(!DifferentiableRowModel<std::vector<double>>);

std::vector<double> random_theta(Index dim, Index trial) {
  Stream random = stream(2, "theta", trial);
  std::vector<double> theta;
  for (Index d = 0; d < dim; ++d) theta.push_back(0.5 * random.normal());
  return theta;
}

Points random_points(Index dim, Index count) {
  Points points(dim, count);
  for (Index s = 0; s < count; ++s) points.set(s, random_theta(dim, s));
  return points;
}

void expect_same(const std::vector<double>& got, const std::vector<double>& want, double size) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-12 * size) << k;
}

TEST(AutodiffModel, ARowOfWeibullTimesHasTheDerivativesByHandToATrillionth) {
  const Threads pool(1);
  for (const Index dim : {2, 5, 20, 70}) {
    const Weibull rows = simulated_weibull(50, dim);
    const auto made = likelihood_of(rows), by_hand = likelihood_of(WeibullByHand{rows});
    for (Index trial = 0; trial < 8; ++trial) {
      const std::vector<double> theta = random_theta(dim, trial);
      for (Index n = 0; n < rows.num_rows(); ++n) {
        const std::vector<Index> one = {n};
        const std::vector<double> once = {1};
        const Derivatives got = made->subset(one, once)->evaluate(theta, Order::Hessian, pool);
        const Derivatives want = by_hand->subset(one, once)->evaluate(theta, Order::Hessian, pool);
        const double size = rows.size_of_terms(n, theta.data());
        EXPECT_NEAR(got.value, want.value, 1e-12 * size);
        expect_same(got.gradient, want.gradient, size);
        expect_same(got.hessian, want.hessian, size);
      }
    }
  }
}

// Three blocks of rows, some counted several times.
struct Pair {
  std::unique_ptr<Likelihood> made, by_hand;
};
Pair make_pair(Index num_rows, Index dim) {
  const Weibull rows = simulated_weibull(num_rows, dim);
  std::vector<double> multiplicity;
  for (Index n = 0; n < num_rows; ++n) multiplicity.push_back(1 + static_cast<double>(n % 3) / 2);
  return {likelihood_of(rows, multiplicity), likelihood_of(WeibullByHand{rows}, multiplicity)};
}

TEST(AutodiffModel, SumsOverRowsAreThoseByHandAndTheSameBitsForAnyNumberOfThreads) {
  const Threads one(1), three(3);
  const auto [made, by_hand] = make_pair(9000, 5);
  const std::vector<double> theta = {0.3, -0.2, 0.1, 0.6, 0.2};
  for (const Order order : {Order::Value, Order::Gradient, Order::Hessian}) {
    const Derivatives got = made->evaluate(theta, order, one), want = by_hand->evaluate(theta, order, one);
    EXPECT_NEAR(got.value, want.value, 1e-12 * std::abs(want.value));
    expect_same(got.gradient, want.gradient, 1e4);
    expect_same(got.hessian, want.hessian, 1e4);
    const Derivatives again = made->evaluate(theta, order, three);
    EXPECT_EQ(got.value, again.value);
    EXPECT_EQ(got.gradient, again.gradient);
    EXPECT_EQ(got.hessian, again.hessian);
  }
  const Derivatives all = made->evaluate(theta, Order::Hessian, one);
  EXPECT_EQ(made->evaluate(theta, Order::Value, one).value, all.value);
  EXPECT_EQ(made->evaluate(theta, Order::Gradient, one).gradient, all.gradient);
  for (std::size_t d = 0; d < 5; ++d)
    for (std::size_t e = 0; e < 5; ++e) EXPECT_EQ(all.hessian[d * 5 + e], all.hessian[e * 5 + d]);
}

TEST(AutodiffModel, GradientsAtManyPointsAreThoseByHandAndAddRowAfterRow) {
  const auto [made, by_hand] = make_pair(40, 6);
  const Points points = random_points(6, 21);
  const Index apart = 24;
  std::vector<double> got(6 * apart, 0.5), want = got, in_two = got;
  made->add_gradients(3, 30, points, apart, got.data());
  by_hand->add_gradients(3, 30, points, apart, want.data());
  double size = 1;
  for (const double each : want) size = std::max(size, std::abs(each));
  expect_same(got, want, size);
  for (Index d = 0; d < 6; ++d)
    for (Index s = 21; s < apart; ++s) EXPECT_EQ(got[static_cast<std::size_t>(d * apart + s)], 0.5);
  made->add_gradients(3, 11, points, apart, in_two.data());
  made->add_gradients(14, 19, points, apart, in_two.data());
  EXPECT_EQ(in_two, got);
}

TEST(AutodiffModel, SlopesAlongCoordinatesAndFramesAreThoseByHand) {
  const auto [made, by_hand] = make_pair(40, 6);
  DirectionalFeatures features{random_points(6, 12), {0, 0, 0, 1, 2, 2, 3, 4, 4, 5, 5, 5}, {}, 0.25};
  for (const bool framed : {false, true}) {
    if (framed) features.frame.emplace(random_points(6, 6));
    std::vector<double> got(360), want(got.size()), single(12);
    made->directional_derivatives(5, 30, features, got.data());
    by_hand->directional_derivatives(5, 30, features, want.data());
    double size = 1;
    for (const double each : want) size = std::max(size, std::abs(each));
    expect_same(got, want, size);
    for (Index i = 0; i < 30; ++i) {  // the bits depend on the row and the point alone
      made->directional_derivatives(5 + i, 1, features, single.data());
      EXPECT_TRUE(std::equal(single.begin(), single.end(), got.begin() + i * 12));
    }
  }
}

TEST(AutodiffModel, ASubsetHasTheRowsAndWeightsItWasGiven) {
  const Threads pool(1);
  const auto [made, by_hand] = make_pair(40, 6);
  const std::vector<Index> rows = {7, 30, 2};
  const std::vector<double> weights = {2.5, 1, 10}, theta = random_theta(6, 1);
  const Derivatives got = made->subset(rows, weights)->evaluate(theta, Order::Hessian, pool);
  const Derivatives want = by_hand->subset(rows, weights)->evaluate(theta, Order::Hessian, pool);
  EXPECT_NEAR(got.value, want.value, 1e-12 * std::abs(want.value));
  expect_same(got.gradient, want.gradient, 100);
  expect_same(got.hessian, want.hessian, 100);
  EXPECT_EQ(made->subset({}, {})->evaluate(theta, Order::Hessian, pool).gradient,
            std::vector<double>(6, 0.0));
}

TEST(AutodiffModel, LaplaceFindsTheModeOfTheModelByHand) {
  const Threads pool(1);
  const auto [made, by_hand] = make_pair(3000, 5);
  const Normal prior = Normal::isotropic(5, 2);
  const LaplaceResult got = laplace(*made, prior, pool), want = laplace(*by_hand, prior, pool);
  EXPECT_EQ(got.end, LaplaceEnd::Converged);
  expect_same(got.posterior.mean(), want.posterior.mean(), 100);
  expect_same(got.posterior.covariance(), want.posterior.covariance(), 100);
}

// y ~ N(0, theta): refuses theta <= 0.
struct Refusing {
  std::vector<double> y;
  std::shared_ptr<std::atomic<int>> refusals = std::make_shared<std::atomic<int>>(0);

  void refuse() const {
    ++*refusals;
    throw std::domain_error("a variance must be positive");
  }
  [[nodiscard]] Index num_rows() const { return std::ssize(y); }
  [[nodiscard]] Index num_parameters() const { return 1; }
  template <typename T>
  [[nodiscard]] T log_likelihood(Index n, const T* theta) const {
    using namespace giga::math;
    if (theta[0] <= 0) refuse();
    const double square = y[static_cast<std::size_t>(n)] * y[static_cast<std::size_t>(n)];
    return -0.5 * (log(theta[0]) + square / theta[0]);
  }
  [[nodiscard]] std::vector<double> start() const { return {2.5}; }
  [[nodiscard]] std::string parameter_name(Index) const { return "variance"; }
};

struct RefusingByHand : Refusing {
  void gradient(Index n, const double* theta, double* out) const {
    const double square = y[static_cast<std::size_t>(n)] * y[static_cast<std::size_t>(n)];
    if (theta[0] <= 0) refuse();
    out[0] = -0.5 * (1 / theta[0] - square / (theta[0] * theta[0]));
  }
  void hessian(Index n, const double* theta, double* out) const {
    const double square = y[static_cast<std::size_t>(n)] * y[static_cast<std::size_t>(n)];
    if (theta[0] <= 0) refuse();
    out[0] = 0.5 / (theta[0] * theta[0]) - square / (theta[0] * theta[0] * theta[0]);
  }
};

TEST(AutodiffModel, WhereAModelThrowsTheLogLikelihoodIsMinusInfinityAndTheModeIsFoundAllTheSame) {
  const Threads pool(2);
  const std::vector<double> y = {0.5, -1.5, 2, 0.25, -0.75};
  const Refusing refusing{y};
  const auto made = likelihood_of(refusing), by_hand = likelihood_of(RefusingByHand{refusing});
  Points points(1, 2);
  points.set(0, std::vector<double>{-1});
  points.set(1, std::vector<double>{1});
  const DirectionalFeatures features{points, {0, 0}, {}, 1};
  for (const Likelihood* model : {made.get(), by_hand.get()}) {
    const Derivatives refused = model->evaluate(std::vector<double>{-1}, Order::Hessian, pool);
    EXPECT_EQ(refused.value, -kInf);
    EXPECT_TRUE(std::isnan(refused.gradient[0]) && std::isnan(refused.hessian[0]));
    EXPECT_EQ(model->evaluate(std::vector<double>{-1}, Order::Value, pool).value, -kInf);
    std::vector<double> out(10), sums(2), gradients(2);
    model->log_likelihoods(0, 5, points, out.data());
    EXPECT_EQ(out[0], -kInf);
    EXPECT_EQ(out[1], -0.125);
    model->directional_derivatives(0, 5, features, out.data());
    EXPECT_TRUE(std::isnan(out[0]));
    EXPECT_EQ(out[1], -0.375);
    model->add_log_likelihoods(0, 5, points, sums.data());
    EXPECT_EQ(sums[0], -kInf);
    model->add_gradients(0, 5, points, 2, gradients.data());
    EXPECT_TRUE(std::isnan(gradients[0]) && std::isfinite(gradients[1]));
    *refusing.refusals = 0;
    const LaplaceResult result = laplace(*model, Normal::isotropic(1, 1e6), pool);
    EXPECT_NEAR(result.posterior.mean()[0], 1.425, 1e-6);  // the mean square
    EXPECT_GT(*refusing.refusals, 0);                      // the first step is too long
  }
}

struct Undefined {
  [[nodiscard]] Index num_rows() const { return 2; }
  [[nodiscard]] Index num_parameters() const { return 2; }
  template <typename T>
  [[nodiscard]] T log_likelihood(Index, const T* theta) const {
    using namespace giga::math;
    return log(theta[0]) - log(theta[1]);
  }
};

TEST(AutodiffModel, AModelThatIsNanIsNanInEveryAnswer) {
  const Threads pool(1);
  const auto model = likelihood_of(Undefined{});
  const std::vector<double> theta = {0, 0};
  const Derivatives at = model->evaluate(theta, Order::Hessian, pool);
  EXPECT_TRUE(std::isnan(at.value));
  EXPECT_EQ(at.gradient[0], kInf);
  EXPECT_THROW((void)laplace(*model, Normal::isotropic(2), pool), std::invalid_argument);
}

TEST(AutodiffModel, NamesAndStartAreThoseOfTheModelIfItHasThem) {
  const auto named = likelihood_of(Refusing{.y = {1, 2}}), plain = likelihood_of(Undefined{});
  EXPECT_EQ(named->start(Threads(1)), std::vector<double>{2.5});
  EXPECT_EQ(named->parameter_name(0), "variance");
  EXPECT_EQ(named->subset(std::vector<Index>{1}, std::vector<double>{2})->parameter_name(0), "variance");
  EXPECT_EQ(plain->start(Threads(1)), (std::vector<double>{0, 0}));
  EXPECT_EQ(plain->parameter_name(1), "theta[2]");
  const auto by_hand = likelihood_of(RefusingByHand{Refusing{.y = {1, 2}}});
  EXPECT_EQ(by_hand->start(Threads(1)), std::vector<double>{2.5});
  EXPECT_EQ(by_hand->parameter_name(0), "variance");
}

struct StartsTooLong : Undefined {
  [[nodiscard]] std::vector<double> start() const { return {1, 2, 3}; }
};

TEST(AutodiffModel, AStartOfAnotherLengthAndFunctionsThatAreMissingAreRefused) {
  EXPECT_THROW((void)likelihood_of(StartsTooLong{})->start(Threads(1)), std::invalid_argument);
  RowFunctions functions{.num_rows = 1, .num_parameters = 1};
  functions.log_likelihood = [](Index, const double*) { return 0.0; };
  functions.gradient = [](Index, const double*, double* out) { out[0] = 0; };
  EXPECT_THROW((void)likelihood_of(functions), std::invalid_argument);
  functions.hessian = functions.gradient;
  EXPECT_NO_THROW((void)likelihood_of(functions));
}

struct OwnGradient : Undefined {
  void gradient(Index, const double*, double* out) const { out[0] = out[1] = 17; }
  void hessian(Index, const double*, double* out) const { std::fill(out, out + 4, 18.0); }
};

TEST(AutodiffModel, DerivativesWrittenByHandAreUsed) {
  const Threads pool(1);
  const auto model = likelihood_of(OwnGradient{});
  const Derivatives at = model->evaluate(std::vector<double>{1, 1}, Order::Hessian, pool);
  EXPECT_EQ(at.gradient, (std::vector<double>{34, 34}));
  EXPECT_EQ(at.hessian, std::vector<double>(4, 36.0));
}

}  // namespace
}  // namespace giga::test
