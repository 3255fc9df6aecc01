#include "giga/model/prior.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "giga/base/error.hpp"

namespace giga::test {
namespace {

// One of every kind; flat alone is not a distribution.
const std::vector<std::string> kProper = {
    "normal(0.5, 2.5)", "student_t(4, -1, 0.5)",    "student_t(2.5, 0, 3)", "cauchy(1, 2)",
    "laplace(0.3, 2)",  "logistic(-2, 0.7)",        "lognormal(0.2, 1.5)",  "exponential(0.25)",
    "half_normal(3)",   "half_student_t(3, 2.5)",   "half_cauchy(0.5)",     "gamma(2, 0.1)",
    "gamma(0.4, 3)",    "half_student_t(30, 0.01)",
};

// The integral of f over the real line, by the trapezium rule in t after x = centre + scale sinh(sinh t),
// which reaches the tails of a cauchy.
double integral(const std::function<double(double)>& f, double centre, double scale) {
  constexpr double kStep = 1.0 / 4096, kEnd = 3.6;
  double sum = 0;
  for (double t = -kEnd; t <= kEnd; t += kStep) {
    const double x = centre + scale * std::sinh(std::sinh(t));
    const double value = f(x) * scale * std::cosh(std::sinh(t)) * std::cosh(t);
    if (std::isfinite(value)) sum += value;
  }
  return sum * kStep;
}

TEST(ScalarPrior, EveryDensityOfTheSampledValueIntegratesToOne) {
  for (const std::string& text : kProper) {
    const ScalarPrior prior = parse_prior(text);
    const auto density = [&](double x) { return std::exp(prior.density(x).value); };
    EXPECT_NEAR(integral(density, prior.mode(), 1), 1, 1e-6) << text;
  }
}

TEST(ScalarPrior, MeanAndSdAreThoseOfTheDensity) {
  for (const std::string& text : kProper) {
    const ScalarPrior prior = parse_prior(text);
    const auto moment = [&](int power, double about) {
      return integral([&](double x) { return std::pow(x - about, power) * std::exp(prior.density(x).value); },
                      prior.mode(), 1);
    };
    if (!prior.mean()) continue;
    EXPECT_NEAR(moment(1, *prior.mean()), 0, 2e-3) << text;
    // Tails of student_t(2.5) are too heavy for the rule to see all of its variance.
    if (prior.sd() && text != "student_t(2.5, 0, 3)") {
      EXPECT_NEAR(std::sqrt(moment(2, *prior.mean())) / *prior.sd(), 1, 1e-3) << text;
    }
  }
  EXPECT_FALSE(parse_prior("cauchy(0, 1)").mean());
  EXPECT_FALSE(parse_prior("student_t(2, 0, 1)").sd());
  EXPECT_FALSE(ScalarPrior::flat().sd());
}

TEST(ScalarPrior, ThePositiveOnesAreTextbookDensitiesTimesTheJacobian) {
  const double v = 1.7, x = std::log(v);
  const auto value = [x](const char* text) { return parse_prior(text).density(x).value - x; };
  EXPECT_NEAR(value("exponential(0.5)"), std::log(0.5) - 0.5 * v, 1e-14);
  EXPECT_NEAR(value("gamma(2, 0.1)"), 2 * std::log(0.1) + std::log(v) - 0.1 * v, 1e-14);
  EXPECT_NEAR(value("half_normal(3)"), std::log(std::sqrt(2 / M_PI) / 3) - v * v / 18, 1e-14);
  EXPECT_NEAR(value("half_cauchy(2)"), std::log(2 / (M_PI * 2 * (1 + v * v / 4))), 1e-14);
  EXPECT_NEAR(value("half_student_t(3, 2)"),
              std::log(2 * 2 / (M_PI * std::sqrt(3) * 2)) - 2 * std::log1p(v * v / 12), 1e-14);
  EXPECT_NEAR(value("lognormal(0.5, 2)"),
              -std::log(2 * std::sqrt(2 * M_PI)) - x - std::pow((x - 0.5) / 2, 2) / 2, 1e-13);
}

TEST(ScalarPrior, SlopeAndCurvatureAreDerivativesOfTheValue) {
  constexpr double kStep = 1e-5;
  for (const std::string& text : kProper) {
    const ScalarPrior prior = parse_prior(text);
    for (const double width : {0.0, 0.4}) {
      for (const double away : {-2.3, -0.6, 0.05, 0.9, 3.1}) {
        const double x = prior.mode() + away;
        const ScalarDensity low = prior.density(x - kStep, width), mid = prior.density(x, width),
                            high = prior.density(x + kStep, width);
        const double size = 1 + std::abs(mid.value) + std::abs(mid.slope) + std::abs(mid.curvature);
        EXPECT_NEAR(mid.slope, (high.value - low.value) / (2 * kStep), 1e-8 * size) << text << " " << away;
        EXPECT_NEAR(mid.curvature, (high.slope - low.slope) / (2 * kStep), 1e-8 * size)
            << text << " " << away;
      }
    }
  }
}

TEST(ScalarPrior, NothingIsHigherThanItsMode) {
  for (const std::string& text : kProper) {
    const ScalarPrior prior = parse_prior(text);
    const double most = prior.density(prior.mode()).value;
    for (const double away : {-5.0, -0.3, -1e-3, 1e-3, 0.3, 5.0})
      EXPECT_LT(prior.density(prior.mode() + away).value, most) << text;
  }
}

// Of draws x the probability integral F(x) is uniform: its mean is 1/2 and its variance 1/12.
TEST(ScalarPrior, DrawsHaveTheDistributionOfTheDensityWithinFourStandardErrors) {
  constexpr int kDraws = 4000;
  for (const std::string& text : kProper) {
    const ScalarPrior prior = parse_prior(text);
    std::vector<double> draws;
    Stream random = stream(11, "prior draws");
    for (int i = 0; i < kDraws; ++i) draws.push_back(prior.draw(random));
    std::ranges::sort(draws);
    // F by the trapezium rule between neighbours of a fine mesh of asinh((x - mode)).
    constexpr double kStep = 1.0 / 2048;
    double below = 0, mean = 0, square = 0;
    std::size_t next = 0;
    for (double t = -60; t < 60 && next < draws.size(); t += kStep) {
      const double x = prior.mode() + std::sinh(t);
      for (; next < draws.size() && draws[next] < x; ++next) {
        mean += below - 0.5;
        square += (below - 0.5) * (below - 0.5);
      }
      const double mass = std::exp(prior.density(x).value) * std::cosh(t) * kStep;
      if (std::isfinite(mass)) below += mass;
    }
    ASSERT_EQ(next, draws.size()) << text;
    EXPECT_NEAR(mean / kDraws, 0, 4 * std::sqrt(1 / 12.0 / kDraws)) << text;
    EXPECT_NEAR(square / kDraws, 1 / 12.0, 4 * std::sqrt(1 / 180.0 / kDraws)) << text;
  }
  Stream random = stream(11, "prior draws");
  EXPECT_THROW((void)ScalarPrior::flat().draw(random), OptionError);
}

TEST(ScalarPrior, SurpriseIsTheDistanceInSdsOfANormalAndSlowerInHeavyTails) {
  EXPECT_NEAR(parse_prior("normal(1, 2)").surprise(-9), 5, 1e-12);
  EXPECT_NEAR(parse_prior("laplace(0, 2)").surprise(-25), 5, 1e-12);
  EXPECT_NEAR(parse_prior("cauchy(0, 1)").surprise(10), std::sqrt(2 * std::log(101)), 1e-12);
  EXPECT_EQ(ScalarPrior::flat().surprise(1e9), 0);
  EXPECT_GT(parse_prior("exponential(1)").surprise(std::log(39100.0)), 100);
  EXPECT_EQ(parse_prior("exponential(2)").surprise(std::log(0.5)), 0);
}

// The distribution of factor v, or of m + factor (x - m), has the density of v at v / factor, over factor.
TEST(ScalarPrior, StretchedIsTheDistributionOfAMultiple) {
  constexpr double kFactor = 3.5;
  for (const std::string& text : kProper) {
    const ScalarPrior prior = parse_prior(text), wide = prior.stretched(kFactor);
    for (const double x : {-1.2, 0.4, 2.0}) {
      const double expected =
          prior.is_positive()
              ? prior.density(x - std::log(kFactor)).value
              : prior.density(prior.location + (x - prior.location) / kFactor).value - std::log(kFactor);
      EXPECT_NEAR(wide.density(x).value, expected, 1e-12) << text;
    }
  }
}

TEST(PriorText, WhatIsWrittenIsReadBackToTheSameBits) {
  for (const std::string& text : kProper) EXPECT_EQ(parse_prior(text).text(), text);
  const ScalarPrior odd{.kind = PriorKind::StudentT, .shape = 1.0 / 3, .location = -0.1, .scale = 1e-300};
  EXPECT_EQ(parse_prior(odd.text()), odd);
  EXPECT_EQ(parse_prior(" normal ( 0 ,2.5 ) "), ScalarPrior::normal(0, 2.5));
  EXPECT_EQ(parse_prior("flat"), ScalarPrior::flat());
  EXPECT_EQ(parse_prior("flat()"), ScalarPrior::flat());
}

TEST(PriorText, ANameEndsAtTheLastEqualsSign) {
  EXPECT_EQ(parse_named_prior("carrier = student_t(4, 0, 1)"),
            (NamedPrior{"carrier", parse_prior("student_t(4, 0, 1)")}));
  EXPECT_EQ(parse_named_prior("I(x == 2)=flat").name, "I(x == 2)");
  EXPECT_EQ(parse_named_prior("`odd name` = flat").name, "odd name");
  EXPECT_EQ(parse_named_prior("normal(0, 1)").name, "");
}

struct Broken {
  const char* text;
  std::size_t caret;  // the column it stands under
  const char* says;
};

TEST(PriorText, WhatIsBrokenIsToldWithACaretUnderThePlace) {
  const Broken all[] = {
      {"", 0, "no distribution"},
      {"gaussian(0, 1)", 0, "'gaussian' is not a prior"},
      {"normal", 6, "must be '('"},
      {"normal(0)", 8, "must be ','"},
      {"normal(0, )", 10, "must be a number"},
      {"normal(0, -1)", 10, "must be positive"},
      {"normal(0, 0)", 10, "must be positive"},
      {"normal(0, 1", 11, "must be ')'"},
      {"normal(0, 1, 2)", 11, "must be ')'"},
      {"normal(0, 1) x", 13, "nothing may follow"},
      {"normal(0, inf)", 10, "must be a number"},
      {"normal(0, 1e999)", 10, "must be a number"},
      {"student_t(0, 0, 1)", 10, "must be positive"},
      {"student_t(4, 0)", 14, "must be ','"},
      {"exponential()", 12, "must be a number"},
      {"flat(1)", 5, "must be ')'"},
      {"carrier = studentt(4, 0, 1)", 10, "'studentt' is not a prior"},
      {"é = normal(0; 1)", 12, "must be ','"},
      {" = normal(0, 1)", 0, "a name before '='"},
  };
  for (const Broken& each : all) {
    try {
      (void)parse_named_prior(each.text);
      ADD_FAILURE() << each.text;
    } catch (const OptionError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(each.says), std::string::npos) << message;
      const std::string last = message.substr(message.rfind('\n') + 1);
      EXPECT_EQ(last, std::string(2 + each.caret, ' ') + "^") << message;
    }
  }
}

TEST(PriorText, EveryKindIsRefusedWithItsOwnForm) {
  for (const std::string_view kind : names_of<PriorKind>()) {
    if (kind == "flat") continue;
    try {
      (void)parse_prior(std::string(kind) + "(x)");
      ADD_FAILURE() << kind;
    } catch (const OptionError& error) {
      EXPECT_NE(std::string(error.what()).find(std::string(kind) + "("), std::string::npos);
    }
  }
}

std::vector<ScalarPrior> components(const std::vector<std::string>& texts) {
  std::vector<ScalarPrior> out;
  for (const std::string& text : texts) out.push_back(parse_prior(text));
  return out;
}

TEST(Prior, ItsLogDensityIsTheSumOverComponents) {
  const Prior prior(components(kProper));
  ASSERT_EQ(prior.dim(), std::ssize(kProper));
  std::vector<double> theta;
  double value = 0;
  for (std::size_t d = 0; d < kProper.size(); ++d) {
    theta.push_back(0.3 * static_cast<double>(d) - 1);
    value += parse_prior(kProper[d]).density(theta[d]).value;
  }
  const Derivatives all = prior.log_density(theta, Order::Hessian);
  EXPECT_NEAR(all.value, value, 1e-12);
  std::vector<double> gradient(theta.size(), 1.0);
  EXPECT_EQ(prior.add_gradient(theta.data(), gradient.data()), all.value);
  for (std::size_t d = 0; d < theta.size(); ++d) {
    const ScalarDensity one = parse_prior(kProper[d]).density(theta[d]);
    EXPECT_EQ(all.gradient[d], one.slope);
    EXPECT_EQ(gradient[d], 1 + one.slope);
    for (std::size_t e = 0; e < theta.size(); ++e)
      EXPECT_EQ(all.hessian[d * theta.size() + e], d == e ? one.curvature : 0);
  }
}

TEST(Prior, NormalComponentsAreTheNormalThatTheyMakeToTheBit) {
  const std::vector<double> scales = {0.5, 3, 40, 1.1, 7}, theta = {0.1, -2, 31, 4, 0.7};
  std::vector<ScalarPrior> parts;
  for (const double scale : scales) parts.push_back(ScalarPrior::normal(0, scale));
  parts[2].kind = PriorKind::LogNormal;  // its logarithm is sampled, and normal
  const Prior prior(parts), same = Normal::independent(scales);
  ASSERT_NE(prior.normal(), nullptr);
  const Derivatives one = prior.log_density(theta, Order::Hessian),
                    other = same.log_density(theta, Order::Hessian);
  EXPECT_EQ(one.value, other.value);
  EXPECT_EQ(one.gradient, other.gradient);
  EXPECT_EQ(one.hessian, other.hessian);
  // ... and those of a precision that is not known to be diagonal.
  const Normal dense = Normal::with_precision(std::vector<double>(5, 0.0), same.normal()->precision());
  const Derivatives third = dense.log_density(theta, Order::Hessian);
  EXPECT_EQ(one.gradient, third.gradient);
  EXPECT_NEAR(one.value, third.value, 1e-14 * std::abs(third.value));
}

TEST(Prior, NormalComponentsMayHaveLocations) {
  const Prior prior({ScalarPrior::normal(3, 2), ScalarPrior::normal(-1, 0.5)});
  const std::vector<double> theta = {2, 0};
  EXPECT_NEAR(prior.log_density(theta, Order::Value).value,
              prior.marginal(0).density(2).value + prior.marginal(1).density(0).value, 1e-14);
  EXPECT_EQ(prior.middle(), (std::vector<double>{3, -1}));
}

TEST(Prior, AFlatComponentCountsNothingAndCannotBeDrawn) {
  const Prior prior({ScalarPrior::flat(), ScalarPrior::normal(1, 2)});
  EXPECT_FALSE(prior.is_proper());
  const Derivatives at = prior.log_density(std::vector<double>{1e6, 1}, Order::Hessian);
  EXPECT_NEAR(at.value, -std::log(2 * std::sqrt(2 * M_PI)), 1e-15);
  EXPECT_EQ(at.gradient[0], 0);
  EXPECT_EQ(at.hessian[0], 0);
  Stream random = stream(1, "draws");
  std::vector<double> theta(2);
  EXPECT_THROW(prior.draw(random, theta.data()), OptionError);
  EXPECT_THROW((void)prior.normal_stand_in(), OptionError);
}

TEST(Prior, TheNormalThatStandsInHasMeanAndSdWhereTheyExist) {
  const Prior prior(components({"laplace(2, 3)", "exponential(2)", "cauchy(1, 2)"}));
  const Normal normal = prior.normal_stand_in();
  EXPECT_NEAR(normal.standard_deviations()[0], 3 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(normal.mean()[1], *parse_prior("exponential(2)").mean(), 1e-12);
  EXPECT_NEAR(normal.standard_deviations()[1], M_PI / std::sqrt(6), 1e-12);
  EXPECT_EQ(normal.mean()[2], 1);
  // A normal with this sd has the quartiles of the cauchy: 1 - 2 and 1 + 2.
  EXPECT_NEAR(std::erf(2 / normal.standard_deviations()[2] / std::sqrt(2)), 0.5, 1e-12);
}

TEST(Prior, SmoothedChangesKinksOnly) {
  const Prior prior(components({"laplace(0, 2)", "student_t(3, 0, 1)"}));
  EXPECT_TRUE(prior.has_kinks());
  const Prior smooth = prior.smoothed({0.5, 0.5});
  const std::vector<double> theta = {0, 1.5};
  const Derivatives a = prior.log_density(theta, Order::Hessian),
                    b = smooth.log_density(theta, Order::Hessian);
  EXPECT_EQ(a.hessian[0], 0);
  EXPECT_NEAR(b.hessian[0], -1 / (2 * 0.5), 1e-15);
  EXPECT_EQ(a.hessian[3], b.hessian[3]);
  EXPECT_NEAR(a.value - b.value, 0.5 / 2, 1e-14);
  EXPECT_THROW((void)prior.smoothed({1}), std::invalid_argument);
}

TEST(Prior, RefusesNumbersOutOfRange) {
  EXPECT_THROW(Prior(std::vector<ScalarPrior>{}), std::invalid_argument);
  EXPECT_THROW(Prior({ScalarPrior::normal(0, 0)}), std::invalid_argument);
  EXPECT_THROW(Prior({ScalarPrior::normal(NAN, 1)}), std::invalid_argument);
  EXPECT_THROW(Prior({ScalarPrior{.kind = PriorKind::Gamma, .shape = -1}}), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
