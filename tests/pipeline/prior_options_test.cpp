// From the priors that a user chose to those of every parameter.
#include "giga/pipeline/prior_options.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "giga/base/error.hpp"
#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/prior_effect.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

// A column of numbers, and three that belong together.
class Levels final : public Term {
 public:
  [[nodiscard]] Index num_columns() const override { return 3; }
  [[nodiscard]] std::string column_name(Index c) const override {
    return "carrier" + std::string(1, "ABC"[c]);
  }
  [[nodiscard]] std::string label(Index) const override { return "carrier"; }
  void write(const double* const*, Index, const ColumnTarget&) const override {}
};

Design design_of(bool intercept = true) {
  return {
      {std::make_shared<NumericTerm>(0, std::vector<std::string>{"x", "hour"}), std::make_shared<Levels>()},
      Standardisation::identity(5),
      {.intercept = intercept, .prior_scale = 2}};
}

std::vector<std::string> texts(const std::vector<ScalarPrior>& priors) {
  std::vector<std::string> out;
  for (const ScalarPrior& prior : priors) out.push_back(prior.text());
  return out;
}

std::vector<std::string> found(const std::vector<std::string>& given, const PriorUnits& units = {},
                               const std::string& intercept = "") {
  PriorOptions options;
  for (const std::string& text : given) add_prior(options, text);
  if (!intercept.empty()) options.intercept = parse_prior(intercept);
  options.autoscale = !units.column_sds.empty();
  constexpr ExtraParameter kExtras[] = {{"sigma", 0, true, {.autoscale = true}}, {"nu", 0, true}};
  return texts(find_priors(options, 2, design_of(), kExtras, units));
}

using Texts = std::vector<std::string>;

TEST(PriorOptions, WithoutAChoiceAllAreNormalWithThePriorScale) {
  EXPECT_EQ(found({}), (Texts{"normal(0, 2)", "normal(0, 2)", "normal(0, 2)", "normal(0, 2)", "normal(0, 2)",
                              "normal(0, 2)", "lognormal(0, 2)", "lognormal(0, 2)"}));
}

TEST(PriorOptions, AColumnOverridesItsTermAndATermTheRest) {
  EXPECT_EQ(found({"cauchy(0, 1)", "carrierB = flat", "carrier = laplace(0, 3)", "sigma = exponential(1)"}),
            (Texts{"cauchy(0, 1)", "cauchy(0, 1)", "laplace(0, 3)", "flat", "laplace(0, 3)", "cauchy(0, 1)",
                   "exponential(1)", "lognormal(0, 2)"}));
}

TEST(PriorOptions, TheInterceptHasItsOwnByOptionOrByName) {
  EXPECT_EQ(found({"cauchy(0, 1)"}, {}, "normal(3, 4)")[5], "normal(3, 4)");
  EXPECT_EQ(found({"(intercept) = normal(3, 4)"})[5], "normal(3, 4)");
}

TEST(PriorOptions, ScalesInUnitsOfTheDataAreThoseOfRstanarm) {
  const PriorUnits units{.response_mean = 40, .response_sd = 10, .column_sds = {0.5, 2, 1, 1, 1}};
  EXPECT_EQ(
      found({"normal(1, 2.5)", "carrier = laplace(0, 3)", "sigma = exponential(1)", "nu = gamma(2, 0.1)"},
            units),
      (Texts{"normal(1, 50)", "normal(1, 12.5)", "laplace(0, 30)", "laplace(0, 30)", "laplace(0, 30)",
             "normal(41, 25)", "exponential(0.1)", "gamma(2, 0.1)"}));
  // A prior of the intercept that was given keeps its location.
  EXPECT_EQ(found({}, units, "normal(0, 2.5)")[5], "normal(0, 25)");
}

TEST(PriorOptions, ANameThatMatchesNothingIsRefusedWithThoseThatThereAre) {
  const std::string message = message_of<OptionError>([] { (void)found({"carier = flat"}); });
  EXPECT_NE(message.find("there is no 'carier'"), std::string::npos) << message;
  EXPECT_NE(
      message.find("'x', 'hour', 'carrier', '(intercept)', 'carrierA', 'carrierB', 'carrierC', 'sigma'"),
      std::string::npos)
      << message;
}

TEST(PriorOptions, APriorOfTheOtherKindOfParameterIsRefused) {
  EXPECT_NE(message_of<OptionError>([] { (void)found({"exponential(1)"}); }).find("'x' may be negative"),
            std::string::npos);
  EXPECT_NE(message_of<OptionError>([] { (void)found({"sigma = normal(0, 1)"}); }).find("which is positive"),
            std::string::npos);
  EXPECT_NE(message_of<OptionError>([] { (void)found({}, {}, "gamma(1, 1)"); }).find("may be negative"),
            std::string::npos);
}

TEST(PriorOptions, NothingIsGivenTwice) {
  PriorOptions options;
  add_prior(options, "normal(0, 1)");
  add_prior(options, "x = flat");
  EXPECT_THROW(add_prior(options, "flat"), OptionError);
  EXPECT_THROW(add_prior(options, "x = cauchy(0, 1)"), OptionError);
  EXPECT_EQ(prior_texts(options), (Texts{"normal(0, 1)", "x = flat"}));
}

TEST(PriorOptions, AreToldInWords) {
  PriorOptions options;
  EXPECT_EQ(prior_words(options, 2.5), "prior N(0, 2.5^2)");
  add_prior(options, "x = student_t(4, 0, 1)");
  options.intercept = parse_prior("cauchy(0, 10)");
  options.autoscale = true;
  EXPECT_EQ(prior_words(options, 1),
            "prior normal(0, 1), of the intercept cauchy(0, 10), of x student_t(4, 0, 1), scales in units of "
            "the data");
}

// y = 300 + 20 a + noise, a of mean 7 and sd 3.
Dataset prices(int rows, double noise = 4) {
  const TempDir folder;
  std::string text = "a,b,y\n";
  Stream random = stream(3, "prices");
  for (int n = 0; n < rows; ++n) {
    const double a = 7 + 3 * random.normal(), y = 300 + 20 * a + noise * random.normal();
    text += shortest(a) + "," + shortest(random.normal()) + "," + shortest(y) + "\n";
  }
  write_file(folder / "prices.csv", text);
  return read_dataset(folder / "prices.csv", {}, Serial());
}

ModelOptions with_priors(const std::vector<std::string>& given, Family family = Family::GaussianIdentity) {
  ModelOptions model{.family = {family, 4}};
  for (const std::string& text : given) add_prior(model.priors, text);
  return model;
}

TEST(ProblemPriors, TheDefaultHasTheBitsOfAnIsotropicNormal) {
  const Dataset data = prices(50);
  const Problem plain(data, {.family = {Family::GaussianIdentity, 4}, .prior_scale = 2.5}, Serial());
  const Problem chosen(data, with_priors({"normal(0, 2.5)"}), Serial());
  for (const Problem* problem : {&plain, &chosen}) {
    ASSERT_NE(problem->prior().normal(), nullptr);
    const Normal hand_made = Normal::isotropic(3, 2.5);
    EXPECT_EQ(problem->prior().normal()->precision(), hand_made.precision());
    EXPECT_EQ(problem->prior().normal()->factor(), hand_made.factor());
    EXPECT_EQ(problem->prior().normal()->log_determinant(), hand_made.log_determinant());
  }
  EXPECT_TRUE(plain.table()->options.priors.found.empty());
  EXPECT_EQ(chosen.table()->options.priors.found.size(), 3U);
}

TEST(ProblemPriors, AutoscaleIsTheSamePriorHoweverTheColumnsAreTaken) {
  const Dataset data = prices(400);
  ModelOptions model = with_priors({"normal(0, 2.5)"});
  model.priors.autoscale = true;
  const Problem standardised(data, model, Serial());
  model.standardise = false;
  const Problem raw(data, model, Serial());
  const double sd = standardised.table()->design->scale().scale[0];
  // b = theta / sd.
  EXPECT_NEAR(standardised.prior().marginal(0).scale / sd, raw.prior().marginal(0).scale,
              1e-12 * raw.prior().marginal(0).scale);
  double mean = 0, square = 0;
  for (const double y : data.response()) mean += y / 400;
  for (const double y : data.response()) square += (y - mean) * (y - mean) / 400;
  EXPECT_NEAR(standardised.prior().marginal(0).scale, 2.5 * std::sqrt(square), 1e-9);
  EXPECT_NEAR(standardised.prior().marginal(2).location, mean, 1e-9);
  EXPECT_NEAR(standardised.prior().marginal(2).scale, 2.5 * std::sqrt(square), 1e-9);
}

TEST(ProblemPriors, WithoutAnInterceptUnitsAreRootMeanSquares) {
  const Dataset data = prices(400);
  ModelOptions model = with_priors({"normal(0, 2.5)"});
  model.intercept = false;
  model.priors.autoscale = true;
  const Problem standardised(data, model, Serial());
  model.standardise = false;
  const Problem raw(data, model, Serial());
  double square = 0, response = 0;
  for (Index n = 0; n < 400; ++n) square += data.features(n)[0] * data.features(n)[0] / 400;
  for (const double y : data.response()) response += y * y / 400;
  const double rms = std::sqrt(square);
  EXPECT_NEAR(standardised.table()->design->scale().scale[0], rms, 1e-12 * rms);
  EXPECT_NEAR(standardised.prior().marginal(0).scale / rms, raw.prior().marginal(0).scale,
              1e-12 * raw.prior().marginal(0).scale);
  // The default prior, in units of the response: the coefficients make its mean too.
  model = with_priors({}, Family::Gaussian);
  model.intercept = false;
  const double unit = std::sqrt(response);
  EXPECT_NEAR(Problem(data, model, Serial()).prior().marginal(0).scale, unit, 1e-9 * unit);
}

TEST(ProblemPriors, ALineWithoutAnInterceptGoesThroughTheOrigin) {
  const Dataset data = prices(400);
  ModelOptions model = with_priors({});
  model.intercept = false;
  model.prior_scale = 1e6;
  const Problem problem(data, model, Serial());
  const Normal mode = laplace(problem.likelihood(), problem.prior(), Serial()).posterior;
  const BothScales both = problem.table()->design->both_scales();
  EXPECT_EQ(both.constant(), -1);
  const std::vector<double> b = both.values(mode.mean().data());
  // Normal equations of y = x b, without a constant.
  const Index dim = data.num_features();
  for (Index i = 0; i < dim; ++i) {
    double left = 0, size = 0;
    for (Index n = 0; n < data.num_rows(); ++n) {
      const double* x = data.features(n);
      double residual = data.response(n);
      for (Index j = 0; j < dim; ++j) residual -= x[j] * b[at(j)];
      left += x[i] * residual;
      size += std::abs(x[i] * residual);
    }
    EXPECT_LT(std::abs(left), 1e-6 * size) << i;
  }
}

TEST(ProblemPriors, UnitsHaveTheSameBitsOnOneThreadAndTwo) {
  const Dataset data = prices(20000);
  ModelOptions model = with_priors({});
  model.priors.autoscale = true;
  EXPECT_EQ(Problem(data, model, Threads(1)).table()->options.priors.found,
            Problem(data, model, Threads(2)).table()->options.priors.found);
}

// With a known noise the log-likelihood is quadratic, so the expansion is exact: least squares.
TEST(PriorEffect, OfALineIsTheDistanceToLeastSquaresInPosteriorSds) {
  const Dataset data = prices(80);
  const Problem problem(data, with_priors({"normal(0, 5)"}), Serial());
  const LaplaceResult mode = laplace(problem.likelihood(), problem.prior(), Serial());
  const LaplaceResult without = laplace(
      problem.likelihood(), Prior({ScalarPrior::flat(), ScalarPrior::flat(), ScalarPrior::flat()}), Serial());
  const auto effect = prior_effect(mode, problem.prior());
  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->parameter, 2);
  EXPECT_NEAR(effect->without, without.posterior.mean()[2], 1e-4);
  EXPECT_NEAR(effect->shift,
              std::abs(mode.posterior.mean()[2] - without.posterior.mean()[2]) /
                  mode.posterior.standard_deviations()[2],
              1e-4);
  const auto note = prior_effect_note(problem, mode);
  ASSERT_TRUE(note);
  EXPECT_NE(note->find("the prior moves the posterior mode of '(intercept)'"), std::string::npos) << *note;
}

TEST(PriorEffect, OfAWidePriorIsNothingToSpeakOf) {
  const Dataset data = prices(80);
  for (const char* text : {"normal(0, 500)", "cauchy(0, 100)", "flat"}) {
    const Problem problem(data, with_priors({text}), Serial());
    const LaplaceResult mode = laplace(problem.likelihood(), problem.prior(), Serial());
    EXPECT_LT(prior_effect(mode, problem.prior())->shift, 0.2) << text;
    EXPECT_FALSE(prior_effect_note(problem, mode)) << text;
  }
}

TEST(PriorEffect, IsSaidByABuild) {
  const Dataset data = prices(80);
  const Problem problem(data, with_priors({"normal(0, 5)"}), Serial());
  const CoresetResult result = build_coreset(problem, {.size = 5}, Serial());
  EXPECT_TRUE(std::ranges::any_of(result.notes, [](const std::string& note) {
    return note.starts_with("the prior moves the posterior mode");
  }));
}

TEST(ProblemPriors, AFlatPriorHasNoDrawsForPihat) {
  const Dataset data = prices(80);
  const Problem problem(data, with_priors({"flat"}), Serial());
  EXPECT_THROW((void)build_coreset(problem, {.pihat = PihatKind::Prior, .size = 5}, Serial()), OptionError);
  EXPECT_EQ(build_coreset(problem, {.size = 5}, Serial()).coreset.size(), 5);
}

// Certified fits under every prior, with the same bits on one thread and two.
TEST(ProblemPriors, FitsAreCertifiedUnderEveryPrior) {
  const Dataset data = prices(3000);
  for (const char* text :
       {"student_t(4, 0, 50)", "cauchy(0, 20)", "laplace(0, 20)", "logistic(0, 20)", "flat"}) {
    const Problem problem(data, with_priors({text, "b = normal(0, 0.1)"}), Serial());
    FitOptions options;
    options.sample.warmup = 300;
    options.sample.draws = 500;
    const FitResult one = fit(problem, options, Threads(1)), two = fit(problem, options, Threads(2));
    EXPECT_TRUE(one.certificate.safe()) << text << " " << name(one.certificate.doubt);
    EXPECT_EQ(one.coreset.coreset.rows, two.coreset.coreset.rows);
    EXPECT_EQ(one.coreset.coreset.weights, two.coreset.coreset.weights);
    EXPECT_EQ(one.chains[3].draws, two.chains[3].draws);
    EXPECT_EQ(one.certificate.coreset.k_hat, two.certificate.coreset.k_hat);
  }
}

}  // namespace
}  // namespace giga::test
