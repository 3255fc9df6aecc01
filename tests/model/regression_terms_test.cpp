// Regressions of every family with offsets and, where the family has them, trials: against differences,
// against the same rows without offsets, and packed for sampling.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "giga/base/threads.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/model/regression.hpp"
#include "giga/model/simulate_data.hpp"

namespace giga::test {
namespace {

constexpr Index kRows = 300, kColumns = 3;

struct Made {
  std::vector<double> z, y, times;
  RowTerms terms;
  FamilyParameters family;

  [[nodiscard]] Regression regression(bool offset = true) const {
    return {z, y, times, family, offset ? terms : RowTerms{{}, terms.trials}};
  }
};

// Standard normal columns and an intercept, offsets of sd 0.5, up to 8 trials.
Made made(Family family, Index rows = kRows, double scale = 1) {
  Made out;
  out.family = {.family = family, .noise_scale = 0.7 * scale, .nu = 5, .phi = 2, .shape = 3};
  const FamilyDescription& description = describe(family);
  Stream random = stream(3, "made");
  for (Index n = 0; n < rows; ++n) {
    const double a = random.normal(), b = random.normal(), offset = 0.5 * random.normal() * scale;
    out.z.insert(out.z.end(), {a, b, 1});
    const double s = scale * (0.4 * a - 0.3 * b + 0.5) + offset;
    if (description.has_trials) {
      const double trials = 1 + std::floor(8 * random.uniform());
      double successes = 0;
      for (int k = 0; k < static_cast<int>(trials); ++k)
        successes += successes_of(description.simulation.respond(out.family, s, random));
      out.y.push_back(successes);
      out.terms.trials.push_back(trials);
    } else {
      out.y.push_back(description.simulation.respond(out.family, s, random));
    }
    out.terms.offset.push_back(offset);
    out.times.push_back(n % 5 == 0 ? 2.5 : 1);
  }
  return out;
}

std::vector<double> some_theta(const Likelihood& model) {
  std::vector<double> theta = {0.2, -0.1, 0.3};
  while (std::ssize(theta) < model.num_parameters())
    theta.push_back(0.4 + 0.5 * static_cast<double>(theta.size() - 3));
  return theta;
}

std::string label_of(Family family) {
  return std::string(family_name(family)) + " " + std::string(link_name(family));
}

// Central differences of fourth order.
template <typename Function>
double difference(const Function& f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

double largest(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out = std::max(out, std::abs(value));
  return out;
}

TEST(RegressionTerms, GradientAndHessianOfEveryFamilyMeetDifferencesToOneInTenMillion) {
  const Threads executor(2);
  for (const Family family : all_families()) {
    const Regression model = made(family).regression();
    const std::vector<double> theta = some_theta(model);
    const Derivatives at_theta = model.evaluate(theta, Order::Hessian, executor);
    const std::size_t dim = theta.size();
    for (std::size_t d = 0; d < dim; ++d) {
      const auto moved = [&](double by) {
        std::vector<double> there = theta;
        there[d] += by;
        return model.evaluate(there, Order::Gradient, executor);
      };
      EXPECT_NEAR(difference([&](double h) { return moved(h).value; }, 1e-3), at_theta.gradient[d],
                  1e-7 * largest(at_theta.gradient))
          << label_of(family) << " " << d;
      for (std::size_t e = 0; e < dim; ++e) {
        EXPECT_NEAR(difference([&](double h) { return moved(h).gradient[e]; }, 1e-3),
                    at_theta.hessian[d * dim + e], 1e-7 * largest(at_theta.hessian))
            << label_of(family) << " " << d << " " << e;
      }
    }
    EXPECT_EQ(model.evaluate(theta, Order::Hessian, Threads(1)).hessian, at_theta.hessian);
  }
}

// A column with the coefficient 1 is an offset: everything there is to compute must agree.
TEST(RegressionTerms, AnOffsetIsAColumnWhoseCoefficientIsOne) {
  const Threads executor(1);
  for (const Family family : all_families()) {
    const Made rows = made(family);
    const Regression with = rows.regression();
    std::vector<double> z;
    for (std::size_t n = 0; n < rows.y.size(); ++n)
      z.insert(z.end(), {rows.terms.offset[n], rows.z[3 * n], rows.z[3 * n + 1], 1});
    const Regression wide(z, rows.y, rows.times, rows.family, {{}, rows.terms.trials});
    std::vector<double> theta = some_theta(with), wider = theta;
    wider.insert(wider.begin(), 1);
    const Derivatives got = with.evaluate(theta, Order::Hessian, executor);
    const Derivatives want = wide.evaluate(wider, Order::Hessian, executor);
    EXPECT_NEAR(got.value, want.value, 1e-12 * std::abs(want.value)) << label_of(family);
    for (std::size_t d = 0; d < theta.size(); ++d)
      EXPECT_NEAR(got.gradient[d], want.gradient[d + 1], 1e-11 * largest(want.gradient)) << label_of(family);

    // Rows at many points.
    const Index all = with.num_parameters(), num = 5;
    Points points(all, num), wide_points(all + 1, num);
    Stream random = stream(4, "points");
    for (Index j = 0; j < num; ++j) {
      for (double& value : theta) value += 0.1 * random.normal();
      std::copy(theta.begin(), theta.end(), wider.begin() + 1);
      points.set(j, theta);
      wide_points.set(j, wider);
    }
    const auto both = [&](Index size, const auto& call) {
      std::vector<double> one(static_cast<std::size_t>(size), 0.0), other = one;
      call(with, points, one.data(), 0);
      call(wide, wide_points, other.data(), 1);
      for (std::size_t i = 0; i < one.size(); ++i)
        EXPECT_NEAR(one[i], other[i], 1e-11 * (1 + largest(other))) << label_of(family);
    };
    both(70 * num, [&](const Regression& model, const Points& at_points, double* out, Index) {
      model.log_likelihoods(10, 70, at_points, out);
    });
    both(num, [&](const Regression& model, const Points& at_points, double* out, Index) {
      model.add_log_likelihoods(10, 70, at_points, out);
    });
    both(all * num, [&](const Regression& model, const Points& at_points, double* out, Index more) {
      std::vector<double> sums(static_cast<std::size_t>((all + more) * num), 0.0);
      model.add_gradients(10, 70, at_points, num, sums.data());
      std::copy_n(sums.begin() + more * num, all * num, out);
    });
    both(70 * num, [&](const Regression& model, const Points& at_points, double* out, Index more) {
      const std::vector<Index> along = {more, more, more + 1, more + 2, more + all - 1};
      model.directional_derivatives(10, 70, {at_points, along, {}, 1.5}, out);
    });
  }
}

TEST(RegressionTerms, ASubsetKeepsThem) {
  const Threads executor(1);
  for (const Family family : all_families()) {
    const Made rows = made(family);
    const Regression model = rows.regression();
    std::vector<Index> some;
    std::vector<double> weights;
    for (Index n = 0; n < kRows; ++n) {
      some.push_back(n);
      weights.push_back(model.multiplicity(n));
    }
    const auto part = model.subset(some, weights);
    const std::vector<double> theta = some_theta(model);
    EXPECT_EQ(part->evaluate(theta, Order::Hessian, executor).hessian,
              model.evaluate(theta, Order::Hessian, executor).hessian)
        << label_of(family);
    EXPECT_EQ(part->linear_model()->trials(7), model.trials(7));
    EXPECT_EQ(part->linear_model()->offset(7), rows.terms.offset[7]);
  }
}

TEST(RegressionTerms, ThePackedPosteriorIsThatOfTheRows) {
  const Threads executor(2);
  for (const Family family : all_families()) {
    for (const bool offset : {true, false}) {
      const Regression model = made(family, 4500).regression(offset);
      const Normal prior = Normal::isotropic(model.num_parameters(), 2);
      const std::vector<double> theta = some_theta(model);
      const Derivatives rows = model.evaluate(theta, Order::Gradient, executor);
      const Derivatives before = prior.log_density(theta, Order::Gradient);
      std::vector<double> gradient(theta.size()), threaded = gradient;
      const double value = RegressionPosterior(model, prior).log_density(theta.data(), gradient.data());
      EXPECT_NEAR(value, rows.value + before.value, 1e-11 * std::abs(value)) << label_of(family);
      for (std::size_t d = 0; d < theta.size(); ++d)
        EXPECT_NEAR(gradient[d], rows.gradient[d] + before.gradient[d], 1e-11 * largest(rows.gradient))
            << label_of(family);
      EXPECT_EQ(RegressionPosterior(model, prior, &executor).log_density(theta.data(), threaded.data()),
                value);
      EXPECT_EQ(threaded, gradient);
    }
  }
}

TEST(RegressionTerms, TheModeIsFoundForResponsesOfAnySize) {
  const Threads executor(2);
  for (const Family family : {Family::Gaussian, Family::StudentT, Family::StudentTGiven}) {
    for (const double scale : {1e-6, 1.0, 1e6}) {
      const Made rows = made(family, 3000, scale);
      const Regression model = rows.regression();
      std::vector<double> sds(static_cast<std::size_t>(model.num_parameters()), 10 * scale);
      std::fill(sds.begin() + kColumns, sds.end(), 30.0);
      const LaplaceResult found = laplace(model, Normal::independent(sds), executor);
      EXPECT_EQ(found.end, LaplaceEnd::Converged) << label_of(family) << " " << scale;
      EXPECT_LT(found.iterations, 40) << label_of(family) << " " << scale;
      const std::vector<double>& mode = found.posterior.mean();
      EXPECT_NEAR(mode[0], 0.4 * scale, 0.1 * scale);
      EXPECT_NEAR(mode[2], 0.5 * scale, 0.1 * scale);
      EXPECT_NEAR(mode[3], std::log(0.7 * scale), 0.1);
    }
  }
}

// Least squares has a closed form: with a flat prior sigma^2 is the mean squared residual.
TEST(RegressionTerms, TheModeOfLinearRegressionIsThatOfLeastSquares) {
  const Threads executor(1);
  const Made rows = made(Family::Gaussian, 2000);
  const Regression model = rows.regression();
  const LaplaceResult found = laplace(model, Normal::isotropic(4, 1e6), executor, {.tolerance = 1e-10});
  const std::vector<double>& mode = found.posterior.mean();
  double squares = 0, count = 0, along[3] = {};
  for (std::size_t n = 0; n < rows.y.size(); ++n) {
    double rest = rows.y[n] - rows.terms.offset[n];
    for (std::size_t d = 0; d < 3; ++d) rest -= mode[d] * rows.z[3 * n + d];
    for (std::size_t d = 0; d < 3; ++d) along[d] += rows.times[n] * rest * rows.z[3 * n + d];
    squares += rows.times[n] * rest * rest;
    count += rows.times[n];
  }
  for (const double each : along) EXPECT_NEAR(each / count, 0, 1e-8) << "residuals are orthogonal to columns";
  EXPECT_NEAR(mode[3], std::log(squares / count) / 2, 1e-8);
}

TEST(RegressionTerms, RefusesWhatDoesNotFit) {
  const std::vector<double> z = {1, 1}, y = {1, 0};
  const FamilyParameters binomial = {Family::BinomialLogit}, counts = {Family::PoissonLog};
  EXPECT_THROW(Regression(z, y, {}, binomial), std::invalid_argument);
  EXPECT_THROW(Regression(z, y, {}, binomial, {{}, {1}}), std::invalid_argument);
  EXPECT_THROW(Regression(z, y, {}, binomial, {{}, {0, 1}}), std::invalid_argument);
  EXPECT_THROW(Regression(z, y, {}, counts, {{}, {1, 1}}), std::invalid_argument);
  EXPECT_THROW(Regression(z, y, {}, counts, {{1}, {}}), std::invalid_argument);
  EXPECT_THROW(Regression(z, y, {}, counts, {{1, INFINITY}, {}}), std::invalid_argument);
  EXPECT_NO_THROW(Regression(z, y, {}, binomial, {{0.5, 0}, {1, 1}}));
}

}  // namespace
}  // namespace giga::test
