// Posteriors under priors other than the normal: modes against an optimiser that knows no derivatives, draws
// against quadrature, and flat priors that leave a posterior improper.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/infer/diagnostics.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/infer/sample.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

Prior same(const std::string& text, Index dim) {
  return Prior(std::vector<ScalarPrior>(static_cast<std::size_t>(dim), parse_prior(text)));
}

double log_joint(const Likelihood& model, const Prior& prior, const std::vector<double>& theta) {
  return model.evaluate(theta, Order::Value, Serial()).value + prior.log_density(theta, Order::Value).value;
}

// The place of the maximum of f in [low, high] by golden sections; f has one maximum there.
double highest(const std::function<double(double)>& f, double low, double high) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double a = high - ratio * (high - low), b = low + ratio * (high - low), at_a = f(a), at_b = f(b);
  while (high - low > 1e-10) {
    if (at_a > at_b) {
      high = b;
      b = a;
      at_b = at_a;
      at_a = f(a = high - ratio * (high - low));
    } else {
      low = a;
      a = b;
      at_a = at_b;
      at_b = f(b = low + ratio * (high - low));
    }
  }
  return (low + high) / 2;
}

// One coordinate after the other, by values alone.
std::vector<double> mode_by_coordinates(const Likelihood& model, const Prior& prior,
                                        std::vector<double> theta) {
  for (int sweep = 0; sweep < 60; ++sweep) {
    double moved = 0;
    for (double& value : theta) {
      const double before = value;
      value = highest(
          [&](double x) {
            value = x;
            return log_joint(model, prior, theta);
          },
          before - 1, before + 1);
      moved = std::max(moved, std::abs(value - before));
    }
    if (moved < 1e-9) break;
  }
  return theta;
}

TEST(LaplaceOfPriors, TheModeIsThatOfAnOptimiserWithoutDerivatives) {
  for (const Family family : {Family::BernoulliLogit, Family::PoissonLog}) {
    const Regression model = regression(family, 60, 3, 3);
    for (const char* text :
         {"normal(0.3, 0.4)", "student_t(4, 0, 0.2)", "cauchy(0, 0.1)", "logistic(0, 0.3)", "flat"}) {
      const Prior prior = same(text, 3);
      const LaplaceResult found = laplace(model, prior, Serial());
      ASSERT_EQ(found.end, LaplaceEnd::Converged) << text;
      const std::vector<double> mode = mode_by_coordinates(model, prior, {0.2, 0.2, 0.3});
      for (std::size_t d = 0; d < 3; ++d)
        EXPECT_NEAR(found.posterior.mean()[d], mode[d], 1e-6) << text << " " << d;
      EXPECT_NEAR(found.log_joint, log_joint(model, prior, mode), 1e-9) << text;
    }
  }
}

// Rounding off moves the mode by less than the posterior is wide: x - m by e^2 / (2 (x - m)^2) of the pull.
TEST(LaplaceOfPriors, AKinkMovesTheModeByAFractionOfAnSd) {
  const Regression model = regression(Family::BernoulliLogit, 400, 4, 3);
  for (const double scale : {0.05, 0.5, 5.0}) {
    const Prior prior = same("laplace(0, " + std::to_string(scale) + ")", 4);
    const LaplaceResult found = laplace(model, prior, Serial());
    ASSERT_EQ(found.end, LaplaceEnd::Converged);
    const std::vector<double> mode = mode_by_coordinates(model, prior, {0.5, 0.5, 0.5, 0.5});
    const std::vector<double> sds = found.posterior.standard_deviations();
    for (std::size_t d = 0; d < 4; ++d)
      EXPECT_NEAR(found.posterior.mean()[d], mode[d], 0.2 * sds[d]) << scale;
    // What is reported is of the prior itself, at the mode of the rounded one.
    EXPECT_NEAR(found.log_joint, log_joint(model, prior, found.posterior.mean()), 1e-9);
  }
}

TEST(LaplaceOfPriors, ACoefficientThatAKinkHoldsHasTheWidthOfThePosteriorAndNotOfTheKink) {
  // 30 observations about 0.01 with sd 1 under laplace(0, 0.1): the exact posterior by quadrature.
  const std::vector<double> z(30, 1.0);
  std::vector<double> y(30, 0.01);
  for (std::size_t n = 0; n < 30; ++n) y[n] += n % 2 == 0 ? 1 : -1;
  const Regression model(z, y, {}, {Family::GaussianIdentity, 1});
  const Prior prior = same("laplace(0, 0.1)", 1);
  const LaplaceResult found = laplace(model, prior, Serial());
  double mass = 0, square = 0;
  for (double x = -2; x < 2; x += 1e-3) {
    const double weight = std::exp(log_joint(model, prior, {x}) - found.log_joint);
    mass += weight;
    square += weight * x * x;
  }
  const double sd = std::sqrt(square / mass);
  EXPECT_GT(found.posterior.standard_deviations()[0], 0.5 * sd);
  EXPECT_LT(found.posterior.standard_deviations()[0], 2 * sd);
}

// Data at 10 and a cauchy at 0 of scale 0.1: between the two the Hessian has the wrong sign.
TEST(LaplaceOfPriors, ClimbsToTheDataWhereAHeavyTailIsNotConcave) {
  const Regression model(std::vector<double>(4, 1.0), {9.5, 10.5, 10, 10}, {}, {Family::GaussianIdentity, 2});
  const Prior prior = same("cauchy(0, 0.1)", 1);
  for (const double start : {0.5, 2.0, 5.0, 30.0}) {
    const LaplaceResult found = laplace(model, prior, Serial(), {.start = {start}});
    EXPECT_EQ(found.end, LaplaceEnd::Converged);
    EXPECT_GT(found.posterior.precision()[0], 0);
    const double slope = model.evaluate(found.posterior.mean(), Order::Gradient, Serial()).gradient[0] +
                         prior.log_density(found.posterior.mean(), Order::Gradient).gradient[0];
    EXPECT_NEAR(slope, 0, 1e-9) << start;
  }
}

TEST(LaplaceOfPriors, NormalComponentsHaveTheBitsOfANormal) {
  const Regression model = regression(Family::BernoulliLogit, 3000, 5, 4);
  const Normal normal = Normal::isotropic(5, 2.5);
  const Prior prior = same("normal(0, 2.5)", 5);
  const LaplaceResult one = laplace(model, normal, Threads(1)), two = laplace(model, prior, Threads(2));
  EXPECT_EQ(one.posterior.mean(), two.posterior.mean());
  EXPECT_EQ(one.posterior.precision(), two.posterior.precision());
  EXPECT_EQ(one.log_joint, two.log_joint);
  EXPECT_EQ(one.passes, two.passes);
  const std::vector<double> theta = {0.3, -1, 0.2, 2, 0.1};
  std::vector<double> a(5), b(5);
  EXPECT_EQ(Posterior(model, normal).log_density(theta.data(), a.data()),
            Posterior(model, prior).log_density(theta.data(), b.data()));
  EXPECT_EQ(a, b);
  const SampleOptions options{.warmup = 100, .draws = 50, .seed = 3};
  const Posterior by_normal(model, normal), by_parts(model, prior);
  EXPECT_EQ(sample_about(by_normal, one.posterior, 1, options, Serial())[0].draws,
            sample_about(by_parts, two.posterior, 1, options, Serial())[0].draws);
}

TEST(LaplaceOfPriors, HasTheSameBitsOnOneThreadAndTwo) {
  const Regression model = regression(Family::PoissonLog, 20000, 3, 4);
  const Prior prior({parse_prior("student_t(4, 0, 1)"), parse_prior("laplace(0, 0.1)"), ScalarPrior::flat()});
  const LaplaceResult one = laplace(model, prior, Threads(1)), two = laplace(model, prior, Threads(2));
  EXPECT_EQ(one.posterior.mean(), two.posterior.mean());
  EXPECT_EQ(one.posterior.precision(), two.posterior.precision());
}

// What the message says.
std::string refusal(const Likelihood& model, const Prior& prior) {
  try {
    (void)laplace(model, prior, Serial());
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

TEST(FlatPriors, OfALineGiveLeastSquares) {
  const Regression model = regression(Family::GaussianIdentity, 100, 3, 7);
  const LaplaceResult found = laplace(model, same("flat", 3), Serial());
  const Derivatives at = model.evaluate(found.posterior.mean(), Order::Gradient, Serial());
  for (const double slope : at.gradient) EXPECT_NEAR(slope, 0, 1e-9);
  EXPECT_EQ(found.log_prior, 0);
}

TEST(FlatPriors, AreRefusedWhereLabelsAreSeparable) {
  std::vector<double> z, y;
  for (int n = -10; n < 10; ++n) {
    z.insert(z.end(), {n + 0.5, 1.0});
    y.push_back(n < 0 ? -1.0 : 1.0);
  }
  const Regression model(z, y, {}, {Family::BernoulliLogit});
  EXPECT_NE(refusal(model, same("flat", 2)).find("separable"), std::string::npos);
  EXPECT_NE(refusal(model, same("flat", 2)).find("such as normal(0, 2.5)"), std::string::npos);
  EXPECT_EQ(refusal(model, same("cauchy(0, 2.5)", 2)), "");
  // A proper prior of the slope is enough: the intercept is determined given the slope.
  EXPECT_EQ(refusal(model, Prior({parse_prior("normal(0, 1)"), ScalarPrior::flat()})), "");
}

// A level all of whose labels are alike, beside one with both: the other rows stay on both sides.
TEST(FlatPriors, AreRefusedWhereOneLevelHasOneLabel) {
  std::vector<double> z, y;
  for (int n = 0; n < 60; ++n) {
    const bool level = n < 5;
    z.insert(z.end(), {level ? 1.0 : 0.0, 1.0});
    y.push_back(level || n % 3 == 0 ? 1.0 : -1.0);
  }
  const Regression model(z, y, {}, {Family::BernoulliLogit});
  EXPECT_NE(refusal(model, same("flat", 2)).find("keeps rising"), std::string::npos);
  EXPECT_EQ(refusal(model, Prior({parse_prior("student_t(4, 0, 2.5)"), ScalarPrior::flat()})), "");
}

TEST(FlatPriors, AreRefusedWhereALevelHasNoCounts) {
  std::vector<double> z, y;
  for (int n = 0; n < 40; ++n) {
    z.insert(z.end(), {n < 8 ? 1.0 : 0.0, 1.0});
    y.push_back(n < 8 ? 0 : 1 + n % 4);
  }
  const Regression model(z, y, {}, {Family::PoissonLog});
  EXPECT_NE(refusal(model, same("flat", 2)).find("without counts"), std::string::npos);
}

TEST(FlatPriors, AreRefusedWhereColumnsAreConstantOrCollinear) {
  Rows rows = made_up(Family::GaussianIdentity, 50, 3, 5);
  for (std::size_t n = 0; n < 50; ++n) rows.z[3 * n + 1] = 2 * rows.z[3 * n] - 1;
  const Regression model(rows.z, rows.y, {}, {Family::GaussianIdentity, 0.7});
  EXPECT_NE(refusal(model, same("flat", 3)).find("leave a direction open"), std::string::npos);
  EXPECT_EQ(refusal(model, Prior({parse_prior("normal(0, 1)"), ScalarPrior::flat(), ScalarPrior::flat()})),
            "");
}

TEST(FlatPriors, AreFineForEveryFamilyWhereTheRowsDecide) {
  for (const Family family : kFamilies)
    EXPECT_EQ(refusal(regression(family, 400, 4, 3), same("flat", 4)), "");
}

// Observations with mean x, or with standard deviation e^x about 0.
struct OneParameter {
  std::vector<double> y;
  bool is_scale;

  [[nodiscard]] Index num_rows() const { return std::ssize(y); }
  [[nodiscard]] Index num_parameters() const { return 1; }
  [[nodiscard]] double log_likelihood(Index n, const double* x) const {
    const double value = y[static_cast<std::size_t>(n)];
    if (!is_scale) return -(value - x[0]) * (value - x[0]) / 2;
    return -value * value * std::exp(-2 * x[0]) / 2 - x[0];
  }
  void gradient(Index n, const double* x, double* out) const {
    const double value = y[static_cast<std::size_t>(n)];
    out[0] = is_scale ? value * value * std::exp(-2 * x[0]) - 1 : value - x[0];
  }
  void hessian(Index n, const double* x, double* out) const {
    const double value = y[static_cast<std::size_t>(n)];
    out[0] = is_scale ? -2 * value * value * std::exp(-2 * x[0]) : -1;
  }
};

struct Moments {
  double mean, sd;
};

Moments by_quadrature(const Likelihood& model, const Prior& prior) {
  double mass = 0, first = 0, second = 0;
  for (double x = -12; x < 12; x += 5e-4) {
    const double weight = std::exp(log_joint(model, prior, {x}));
    mass += weight;
    first += weight * x;
    second += weight * x * x;
  }
  const double mean = first / mass;
  return {mean, std::sqrt(second / mass - mean * mean)};
}

TEST(ChainsOfPriors, HaveTheMomentsOfQuadratureWithinFourStandardErrors) {
  for (const char* text : {"normal(1, 0.5)", "student_t(3, 0, 0.3)", "cauchy(0, 0.5)", "laplace(0, 0.4)",
                           "logistic(0, 0.2)", "flat", "lognormal(0, 0.5)", "exponential(1)",
                           "half_normal(0.7)", "half_student_t(3, 1)", "half_cauchy(1)", "gamma(2, 0.5)"}) {
    const ScalarPrior one = parse_prior(text);
    const auto model = likelihood_of(OneParameter{{1.3, 0.4, 2.1}, one.is_positive()});
    const Prior prior({one});
    const Moments exact = by_quadrature(*model, prior);
    const LaplaceResult about = laplace(*model, prior, Serial());
    const Posterior posterior(*model, prior);
    const auto chains =
        sample_about(posterior, about.posterior, 4, {.warmup = 500, .draws = 4000}, Threads(1));
    std::vector<std::vector<double>> draws;
    for (const Chain& chain : chains) draws.push_back(chain.draws);
    const QuantitySummary summary = summarise(draws);
    EXPECT_NEAR(summary.mean, exact.mean, 4 * summary.mcse_mean) << text;
    EXPECT_NEAR(summary.sd, exact.sd, 4 * summary.mcse_sd) << text;
    EXPECT_GT(summary.ess_bulk, 1000) << text;
    EXPECT_LT(summary.mcse_mean, 0.05 * exact.sd) << text;
  }
}

// The certificate corrects draws of the Laplace approximation to the posterior with the prior itself, kink
// and all.
TEST(ChainsOfPriors, TheCertificateCorrectsLaplaceToTheExactPrior) {
  for (const char* text : {"laplace(0, 0.4)", "student_t(3, 0, 0.3)", "exponential(1)"}) {
    const ScalarPrior one = parse_prior(text);
    const auto model = likelihood_of(OneParameter{{1.3, 0.4, 2.1}, one.is_positive()});
    const Prior prior({one});
    const Moments exact = by_quadrature(*model, prior);
    const LaplaceResult about = laplace(*model, prior, Serial());
    const Posterior posterior(*model, prior);
    const auto chains =
        sample_about(posterior, about.posterior, 4, {.warmup = 500, .draws = 1000}, Threads(1));
    const Certificate certificate =
        certify(*model, model.get(), prior, chains, Threads(1), {.laplace_draws = 20000});
    EXPECT_TRUE(certificate.coreset.exact) << text;
    const Estimate& corrected = certificate.laplace.after[0];
    EXPECT_NEAR(corrected.mean, exact.mean, 4 * corrected.mcse_mean) << text;
    EXPECT_NEAR(corrected.sd, exact.sd, 5 * corrected.mcse_sd) << text;
    // ... from which the Laplace approximation itself is told apart.
    const Estimate& normal = certificate.laplace.before[0];
    EXPECT_GT(std::max(std::abs(normal.mean - exact.mean) / corrected.mcse_mean,
                       std::abs(normal.sd - exact.sd) / corrected.mcse_sd),
              6)
        << text;
  }
}

}  // namespace
}  // namespace giga::test
