// A model of blocks of rows beside its twin, which is one function of a row: Student t noise with 4 degrees
// of freedom, theta = (beta, log sigma).
#include "giga/model/block_model.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/model/autodiff.hpp"
#include "giga/model/normal.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {
namespace {

constexpr Index kRows = 9000, kDim = 3;  // three blocks
constexpr double kNu = 4;

struct Rows {
  std::vector<double> x = {}, y = {};
  Rows() {
    Stream random = stream(3, "robust");
    for (Index n = 0; n < kRows; ++n) {
      x.push_back(random.normal());
      const double heavy = random.normal() / std::sqrt(-std::log(1 - random.uniform()));
      y.push_back(0.5 + 2 * x.back() + 0.3 * heavy);
    }
  }
};

struct Twin : Rows {
  [[nodiscard]] Index num_rows() const { return kRows; }
  [[nodiscard]] Index num_parameters() const { return kDim; }
  template <typename T>
  [[nodiscard]] T log_likelihood(Index n, const T* theta) const {
    using namespace giga::math;
    const auto i = static_cast<std::size_t>(n);
    const T u = (y[i] - theta[0] - theta[1] * x[i]) * exp(-theta[2]);
    return -(kNu + 1) / 2 * log(1 + u * u / kNu) - theta[2];
  }
};

BlockFunctions by_blocks(const Rows& rows, std::atomic<Index>* calls = nullptr) {
  BlockFunctions functions{.num_rows = kRows, .num_parameters = kDim};
  functions.log_likelihoods = [&rows, calls](std::span<const Index> which, std::span<const double> theta,
                                             double* out) {
    if (calls != nullptr) ++*calls;
    for (const Index n : which) {
      const auto i = static_cast<std::size_t>(n);
      const double u = (rows.y[i] - theta[0] - theta[1] * rows.x[i]) * std::exp(-theta[2]);
      *out++ = -(kNu + 1) / 2 * std::log1p(u * u / kNu) - theta[2];
    }
  };
  functions.gradients = [&rows, calls](std::span<const Index> which, std::span<const double> theta,
                                       double* out) {
    if (calls != nullptr) ++*calls;
    for (const Index n : which) {
      const auto i = static_cast<std::size_t>(n);
      const double u = (rows.y[i] - theta[0] - theta[1] * rows.x[i]) * std::exp(-theta[2]);
      const double pull = (kNu + 1) * u / (kNu + u * u);
      *out++ = pull * std::exp(-theta[2]);
      *out++ = pull * rows.x[i] * std::exp(-theta[2]);
      *out++ = pull * u - 1;
    }
  };
  return functions;
}

const std::vector<double> kTheta = {0.4, 1.9, -0.7};

TEST(BlockModel, HasTheSumsAndDerivativesOfTheSameModelByRows) {
  const Rows rows;
  const auto blocks = likelihood_of(by_blocks(rows)), twin = likelihood_of(Twin{});
  const Threads threads(2);
  const Derivatives a = blocks->evaluate(kTheta, Order::Hessian, threads);
  const Derivatives b = twin->evaluate(kTheta, Order::Hessian, threads);
  EXPECT_NEAR(a.value, b.value, 1e-12 * std::abs(b.value));
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(a.gradient[d], b.gradient[d], 1e-12 * kRows);
  // The Hessian is made of differences.
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(a.hessian[k], b.hessian[k], 1e-8 * kRows);
}

TEST(BlockModel, HasTheDirectionalDerivativesOfTheSameModelByRows) {
  const Rows rows;
  const auto blocks = likelihood_of(by_blocks(rows)), twin = likelihood_of(Twin{});
  DirectionalFeatures features{Points(kDim, 4), {0, 1, 1, 2}, Points(kDim, kDim), 0.5};
  Stream random = stream(5, "features");
  for (Index j = 0; j < 4; ++j)
    features.points.set(j, std::vector{random.normal(), random.normal(), 0.1 * random.normal()});
  for (Index k = 0; k < kDim; ++k)
    features.frame->set(k, std::vector{random.normal(), random.normal(), random.normal()});
  std::vector<double> a(40), b(40);
  blocks->directional_derivatives(4090, 10, features, a.data());
  twin->directional_derivatives(4090, 10, features, b.data());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-12 * (1 + std::abs(b[k])));
}

TEST(BlockModel, SumsOfASubsetCountEachRowAsOftenAsItsWeight) {
  const Rows rows;
  const auto all = likelihood_of(by_blocks(rows));
  const std::vector<Index> some = {8000, 5, 77};
  const std::vector<double> weights = {2, 0.5, 3};
  const auto subset = all->subset(some, weights)->subset(std::vector<Index>{2, 0}, std::vector<double>{3, 2});
  Points points(kDim, 1);
  points.set(0, kTheta);
  double expected = 0, found = 0;
  for (const auto& [row, weight] : {std::pair<Index, double>(77, 3), {8000, 2}}) {
    double value = 0;
    all->log_likelihoods(row, 1, points, &value);
    expected += weight * value;
  }
  subset->add_log_likelihoods(0, 2, points, &found);
  EXPECT_DOUBLE_EQ(found, expected);
  EXPECT_NEAR(subset->evaluate(kTheta, Order::Value, Threads(1)).value, expected, 1e-13);
}

TEST(BlockModel, HasTheSameBitsOnAnyNumberOfThreads) {
  const Rows rows;
  const auto model = likelihood_of(by_blocks(rows));
  const Derivatives one = model->evaluate(kTheta, Order::Hessian, Threads(1));
  const Derivatives three = model->evaluate(kTheta, Order::Hessian, Threads(3));
  EXPECT_EQ(one.value, three.value);
  EXPECT_EQ(one.gradient, three.gradient);
  EXPECT_EQ(one.hessian, three.hessian);
}

TEST(BlockModel, IsCalledOnceABlockForAGradientAndTwiceAParameterForAHessian) {
  const Rows rows;
  std::atomic<Index> calls = 0;
  const auto model = likelihood_of(by_blocks(rows, &calls));
  (void)model->evaluate(kTheta, Order::Gradient, Threads(2));
  EXPECT_EQ(calls, 2 * 3);  // log_likelihoods and gradients, three blocks
  calls = 0;
  (void)model->evaluate(kTheta, Order::Hessian, Threads(2));
  EXPECT_EQ(calls, (2 + 2 * kDim) * 3);
}

TEST(BlockModel, IsFittedAndCertifiedWithThePosteriorOfItsTwin) {
  const Rows rows;
  const Threads threads(2);
  const Problem blocks(likelihood_of(by_blocks(rows)), Normal::isotropic(kDim, 10), {.name = "blocks"});
  const Problem twin(likelihood_of(Twin{}), Normal::isotropic(kDim, 10), {.name = "rows"});
  FitOptions options;
  options.sample.draws = 1000;
  const FitResult a = fit(blocks, options, threads), b = fit(twin, options, threads);
  ASSERT_TRUE(a.certificate.safe());
  ASSERT_TRUE(b.certificate.safe());
  for (std::size_t d = 0; d < 3; ++d) {
    const double sd = b.certificate.coreset.after[d].sd;
    EXPECT_NEAR(a.coreset.pihat.mean()[d], b.coreset.pihat.mean()[d], 1e-6 * sd);
    EXPECT_NEAR(a.certificate.coreset.after[d].mean, b.certificate.coreset.after[d].mean, 0.15 * sd);
  }
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(BlockModel, TellsTheRowAndThetaOfWhatIsNotANumber) {
  const Rows rows;
  BlockFunctions functions = by_blocks(rows);
  const auto good = functions;
  functions.log_likelihoods = [&](std::span<const Index> which, std::span<const double> theta, double* out) {
    good.log_likelihoods(which, theta, out);
    for (std::size_t i = 0; i < which.size(); ++i)
      if (which[i] == 5000) out[i] = std::numeric_limits<double>::quiet_NaN();
  };
  const auto bad_value = likelihood_of(functions);
  EXPECT_EQ(message_of([&] { (void)bad_value->evaluate(kTheta, Order::Value, Threads(2)); }),
            "log_likelihood is NaN for row 5000 at theta = (0.400000, 1.900000, -0.700000); where a row is "
            "impossible, -infinity is the value to give");

  functions = good;
  functions.gradients = [&](std::span<const Index> which, std::span<const double> theta, double* out) {
    good.gradients(which, theta, out);
    for (std::size_t i = 0; i < which.size(); ++i)
      if (which[i] == 8999) out[3 * i + 1] = -std::numeric_limits<double>::infinity();
  };
  const auto bad_gradient = likelihood_of(functions);
  EXPECT_EQ(message_of([&] { (void)bad_gradient->evaluate(kTheta, Order::Gradient, Threads(2)); }),
            "gradient is -infinity for row 8999 at theta = (0.400000, 1.900000, -0.700000), where "
            "log_likelihood is a number");
}

TEST(BlockModel, AcceptsAnyGradientWhereARowIsImpossible) {
  BlockFunctions functions{.num_rows = 2, .num_parameters = 1};
  functions.log_likelihoods = [](std::span<const Index> rows, std::span<const double> theta, double* out) {
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = std::log(theta[0]);  // -inf at 0
  };
  functions.gradients = [](std::span<const Index> rows, std::span<const double> theta, double* out) {
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = 1 / theta[0];
  };
  const auto model = likelihood_of(functions);
  const double zero = 0;
  const Derivatives at_zero = model->evaluate({&zero, 1}, Order::Gradient, Threads(1));
  EXPECT_EQ(at_zero.value, -std::numeric_limits<double>::infinity());
}

TEST(BlockModel, WhatAFunctionThrowsReachesTheCaller) {
  BlockFunctions functions = {.num_rows = kRows, .num_parameters = 1};
  functions.log_likelihoods = [](auto, auto, double*) { throw std::runtime_error("mine"); };
  functions.gradients = functions.log_likelihoods;
  const Problem problem(likelihood_of(functions), Normal::isotropic(1, 1));
  try {
    (void)fit(problem, {}, Threads(2));
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "mine");
  }
}

TEST(BlockModel, FindsWhichGradientIsWrong) {
  const Rows rows;
  BlockFunctions functions = by_blocks(rows);
  std::vector<Index> some(50);
  std::iota(some.begin(), some.end(), Index{100});
  EXPECT_LT(check_gradients(functions, some, kTheta).error, 1e-9);

  const auto good = functions;
  functions.gradients = [&](std::span<const Index> which, std::span<const double> theta, double* out) {
    good.gradients(which, theta, out);
    for (std::size_t i = 0; i < which.size(); ++i)
      if (which[i] == 120) out[3 * i + 2] += 0.01;
  };
  const GradientCheck check = check_gradients(functions, some, kTheta);
  EXPECT_EQ(check.row, 120);
  EXPECT_EQ(check.parameter, 2);
  EXPECT_NEAR(check.given - check.found, 0.01, 1e-8);
  EXPECT_GT(check.error, 1e-4);
}

TEST(BlockModel, IsRefusedWithoutRowsParametersOrFunctions) {
  const Rows rows;
  BlockFunctions functions = by_blocks(rows);
  EXPECT_THROW((void)likelihood_of(functions, {1, 2}), std::invalid_argument);
  functions.gradients = {};
  EXPECT_THROW((void)likelihood_of(functions), std::invalid_argument);
  functions = by_blocks(rows);
  functions.num_rows = 0;
  EXPECT_THROW((void)likelihood_of(functions), std::invalid_argument);
}

// Whoever passes over rows asks for 64 at a time, and for single ones again.
TEST(BlockModel, ReadsFeaturesOfManyRowsWithOneCallForEach) {
  const Rows rows;
  std::atomic<Index> calls = 0;
  BlockFunctions functions = by_blocks(rows);
  functions.gradients = [inner = functions.gradients, &calls](std::span<const Index> which,
                                                              std::span<const double> theta, double* out) {
    ++calls;
    inner(which, theta, out);
  };
  const auto likelihood = likelihood_of(functions);
  const auto twin = likelihood_of(Twin{});
  constexpr Index kFeatures = 40, kTile = 64;
  DirectionalFeatures features{Points(kDim, kFeatures), {}, {}, 0.5};
  Stream random = stream(1, "features");
  for (Index j = 0; j < kFeatures; ++j) {
    features.points.set(j, std::vector{random.normal(), random.normal(), random.normal()});
    features.coordinate.push_back(j * kDim / kFeatures);
  }
  std::vector<double> found(kTile * kFeatures), wanted(kTile * kFeatures);
  for (int pass = 0; pass < 2; ++pass) {
    for (Index first = 0; first < kRows; first += kTile) {
      const Index some = std::min(kTile, kRows - first);
      likelihood->directional_derivatives(first, some, features, found.data());
      twin->directional_derivatives(first, some, features, wanted.data());
      for (Index k = 0; k < some * kFeatures; ++k) ASSERT_NEAR(found[at(k)], wanted[at(k)], 1e-10);
    }
  }
  likelihood->directional_derivatives(kRows - 1, 1, features, found.data());
  EXPECT_EQ(calls, 3 * kFeatures);  // of three blocks

  features.scale = 1;  // other features, though they are where those were
  likelihood->directional_derivatives(5, 2, features, found.data());
  twin->directional_derivatives(5, 2, features, wanted.data());
  EXPECT_NEAR(found[0], wanted[0], 1e-10);
  EXPECT_EQ(calls, 4 * kFeatures);
}

}  // namespace
}  // namespace giga
