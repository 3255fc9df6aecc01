// Predictions against plain loops over draws and rows, and against closed forms.
#include "giga/pipeline/predict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/model/regression.hpp"
#include "giga/pipeline/read_table.hpp"
#include "pipeline/draw_spread.hpp"
#include "support/executors.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

const Standardisation kScale = {.mean = {1, -2}, .scale = {2, 0.5}, .constant = {}};

// a and b, and a response y that fits any family.
std::string table(Index rows) {
  std::string text = "a,b,other,y\n";
  Stream random = stream(7, "table");
  for (Index n = 0; n < rows; ++n)
    text += shortest(random.normal()) + "," + shortest(random.normal() - 2) + ",text,1\n";
  return text;
}

NewRows read_rows(const std::string& text, const ModelOptions& model, bool response = false,
                  const Standardisation& scale = kScale) {
  const TempDir folder;
  write_file(folder / "t.csv", text);
  ReadOptions read;
  if (!model.design) {
    read.response = "y";
    read.features = {"a", "b"};
  }
  return read_new_rows(folder / "t.csv", read, model, scale, response, threads(1));
}

WeightedDraws made_up_draws(Index dim, Index count, bool weighted = true, double spread = 0.3) {
  WeightedDraws out{Points(dim, count)};
  Stream random = stream(2, "draws");
  for (Index s = 0; s < count; ++s) {
    std::vector<double> theta;
    for (Index d = 0; d < dim; ++d) theta.push_back(0.2 + spread * random.normal());
    out.points.set(s, theta);
    if (weighted) out.weights.push_back(0.2 + random.uniform());
  }
  return out;
}

// The smallest value that draws of at least the share p do not exceed.
double plain_quantile(const std::vector<double>& x, const std::vector<double>& w, double p) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t s) { return x[s]; });
  const double total = std::accumulate(w.begin(), w.end(), 0.0);
  double below = 0;
  for (const std::size_t s : order) {
    below += w[s];
    if (below >= p * total * (1 - 1e-9)) return x[s];
  }
  return x[order.back()];
}

void expect_spread(const double* got, const std::vector<double>& x, const std::vector<double>& w) {
  const double total = std::accumulate(w.begin(), w.end(), 0.0);
  double mean = 0, variance = 0, squares = 0;
  for (std::size_t s = 0; s < x.size(); ++s) mean += w[s] / total * x[s];
  for (std::size_t s = 0; s < x.size(); ++s) {
    variance += w[s] / total * (x[s] - mean) * (x[s] - mean);
    squares += w[s] / total * w[s] / total;
  }
  const double sd = std::sqrt(variance / (1 - squares)), close = 1e-12 * (1 + std::abs(mean) + sd);
  EXPECT_NEAR(got[0], mean, close);
  EXPECT_NEAR(got[1], sd, close);
  for (const auto& [k, p] : {std::pair{2, 0.05}, {3, 0.5}, {4, 0.95}})
    EXPECT_NEAR(got[k], plain_quantile(x, w, p), 1e-12 * (1 + std::abs(got[k])));
}

double inverse_link(std::string_view link, double s) {
  if (link == "logit") return 1 / (1 + std::exp(-s));
  if (link == "probit") return std::erfc(-s / std::numbers::sqrt2) / 2;
  if (link == "cloglog") return -std::expm1(-std::exp(s));
  if (link == "softplus") return std::log1p(std::exp(s));
  return link == "log" ? std::exp(s) : s;
}

TEST(DrawSpread, QuantilesAreThoseOfSortedDrawsWhateverTheirShape) {
  Stream random = stream(1, "shapes");
  const std::vector<double> quantiles = {0.05, 0.5, 0.95};
  for (int shape = 0; shape < 7; ++shape) {
    std::vector<double> x, w;
    for (int s = 0; s < 500; ++s) {
      const double u = random.normal();
      const double values[] = {u,   std::exp(8 * u),        std::floor(3 * u), u > 1 ? 1.0 : 0.0,
                               4.0, std::pow(u, 3) * 1e150, 1e-300 * u};
      x.push_back(values[shape]);
      w.push_back(shape % 2 == 0 ? 1 : random.uniform() < 0.1 ? 0 : random.uniform());
    }
    const DrawSpread spread(w, quantiles);
    DrawSpread::Room room;
    double out[5];
    spread.write(x.data(), room, out);
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(out[2 + k], plain_quantile(x, w, quantiles[std::size_t(k)])) << shape;
  }
}

TEST(DrawSpread, RefusesWhatCannotBe) {
  const std::vector<double> half = {0.5}, one = {1}, some = {1, 2}, none = {0, 0}, bad = {1, -1};
  EXPECT_THROW(DrawSpread(none, half), std::invalid_argument);
  EXPECT_THROW(DrawSpread(bad, half), std::invalid_argument);
  EXPECT_THROW(DrawSpread(some, one), std::invalid_argument);
}

// Every family: expected responses against a loop over draws in which the predictor is summed by hand.
TEST(Predict, ExpectedResponsesAreThoseOfAPlainLoop) {
  const std::string text = table(70);
  for (const Family family : all_families()) {
    const FamilyDescription& each = describe(family);
    const NewRows rows = read_rows(text, {.family = {family}});
    const WeightedDraws draws = made_up_draws(3 + each.num_extras(), 150);
    const Predictions got = predict_rows(rows, draws, {.new_observations = false}, threads(2));
    ASSERT_EQ(got.num_rows, 70);
    ASSERT_EQ(got.width, 5);
    EXPECT_TRUE(got.observations.empty());
    for (const Index n : {0, 33, 69}) {
      const double* x = rows.data.features(n);
      std::vector<double> mean;
      for (Index s = 0; s < draws.points.count(); ++s) {
        const Points& t = draws.points;
        const double predictor = t.at(0, s) * (x[0] - 1) / 2 + t.at(1, s) * (x[1] + 2) / 0.5 + t.at(2, s);
        mean.push_back(inverse_link(each.link, predictor));
      }
      expect_spread(got.expected.data() + n * got.width, mean, draws.weights);
    }
  }
}

// With known noise, theta ~ N(m, V): the predictor is N(<z, m>, z'Vz), a new response has the noise besides.
// 20,000 draws, 5 standard errors.
TEST(Predict, OfAGaussianWithKnownNoiseIsTheClosedForm) {
  constexpr Index kDraws = 20000;
  constexpr double kNoise = 0.8, kSpread = 0.3, kMean = 0.2, kQ95 = 1.6448536269514722;
  const NewRows rows =
      read_rows("a,b,y\n1.5,-2.25,0\n-3,-1,2\n", {.family = {Family::GaussianIdentity, kNoise}}, true);
  const Predictions got =
      predict_rows(rows, made_up_draws(3, kDraws, false, kSpread), {.pointwise = true}, threads(2));
  for (Index n = 0; n < 2; ++n) {
    const double* x = rows.data.features(n);
    const double z[] = {(x[0] - 1) / 2, (x[1] + 2) / 0.5, 1};
    const double mean = kMean * (z[0] + z[1] + z[2]);
    const double sd = kSpread * std::sqrt(z[0] * z[0] + z[1] * z[1] + 1), wide = std::hypot(sd, kNoise);
    const double error = 5 / std::sqrt(double(kDraws));
    const double* e = got.expected.data() + n * 5;
    const double* y = got.observations.data() + n * 5;
    EXPECT_NEAR(e[0], mean, sd * error);
    EXPECT_NEAR(e[1], sd, sd * error);
    EXPECT_NEAR(e[4], mean + kQ95 * sd, 2.2 * sd * error);
    EXPECT_NEAR(y[0], mean, wide * error);
    EXPECT_NEAR(y[1], wide, wide * error);
    EXPECT_NEAR(y[2], mean - kQ95 * wide, 2.2 * wide * error);
    const double r = (rows.response[std::size_t(n)] - mean) / wide;
    EXPECT_NEAR(got.log_density[std::size_t(n)],
                -r * r / 2 - std::log(wide * std::sqrt(2 * std::numbers::pi)), 0.05);
  }
}

// New observations of every family: mean and sd by the laws of total expectation and variance.
TEST(Predict, NewObservationsHaveTheMomentsOfTheirFamily) {
  constexpr Index kDraws = 40000;
  const std::string text = "a,b,y\n1.2,-2.1,1\n";
  for (const Family family : all_families()) {
    const FamilyDescription& each = describe(family);
    const NewRows rows = read_rows(text, {.family = {.family = family, .nu = 8}});
    // No spread: theta is 0.2 in every component, and so are the logarithms of the extras, except nu's, 2.
    WeightedDraws draws{Points(3 + each.num_extras(), kDraws)};
    std::vector<double> theta(std::size_t(3 + each.num_extras()), 0.2);
    if (each.num_extras() == 2) theta[4] = 2;
    for (Index s = 0; s < kDraws; ++s) draws.points.set(s, theta);
    const Predictions got = predict_rows(rows, draws, {.seed = 5}, threads(2));
    const double mu = got.expected[0], extra = std::exp(0.2), nu = each.num_extras() == 2 ? std::exp(2) : 8;
    const double variance = each.is_binary || each.has_trials  ? mu * (1 - mu)
                            : each.name == "poisson"           ? mu
                            : each.name == "negative_binomial" ? mu + mu * mu / extra
                            : each.name == "gamma"             ? mu * mu / extra
                            : each.name == "student_t"         ? extra * extra * nu / (nu - 2)
                            : each.num_extras() == 1           ? extra * extra
                                                               : 1;
    EXPECT_NEAR(got.observations[0], mu, 5 * std::sqrt(variance / double(kDraws))) << each.name << each.link;
    EXPECT_NEAR(got.observations[1] / std::sqrt(variance), 1, 0.04) << each.name << each.link;
  }
}

TEST(Predict, HasTheSameBitsOnAnyNumberOfThreads) {
  const std::string text = table(300);
  for (const Family family : {Family::BernoulliLogit, Family::NegativeBinomial}) {
    const NewRows rows = read_rows(text, {.family = {family}}, true);
    const WeightedDraws draws = made_up_draws(family == Family::BernoulliLogit ? 3 : 4, 111);
    const PredictOptions options = {.pointwise = true, .seed = 9};
    const Predictions one = predict_rows(rows, draws, options, threads(1));
    const Predictions three = predict_rows(rows, draws, options, threads(3));
    EXPECT_EQ(one.expected, three.expected);
    EXPECT_EQ(one.observations, three.observations);
    EXPECT_EQ(one.log_density, three.log_density);
    EXPECT_NE(predict_rows(rows, draws, {.seed = 10}, threads(2)).observations, one.observations);
  }
}

TEST(Predict, ARowDoesNotDependOnTheOthers) {
  const std::string text = table(40);
  const NewRows all = read_rows(text, {.family = {Family::PoissonLog}});
  const NewRows few =
      read_rows(text.substr(0, text.find('\n', text.size() / 2) + 1), {.family = {Family::PoissonLog}});
  const WeightedDraws draws = made_up_draws(3, 60);
  const Predictions a = predict_rows(all, draws, {}, threads(1)),
                    b = predict_rows(few, draws, {}, threads(1));
  ASSERT_GT(b.observations.size(), 50U);
  EXPECT_TRUE(std::equal(b.expected.begin(), b.expected.end(), a.expected.begin()));
  EXPECT_TRUE(std::equal(b.observations.begin(), b.observations.end(), a.observations.begin()));
}

// The log density against the log-likelihoods of a Regression of the same rows.
TEST(Predict, LogDensitiesAreLogMeansOfTheLikelihood) {
  const std::string text = table(50);
  for (const Family family : all_families()) {
    if (describe(family).has_trials) continue;  // below
    const Index dim = 3 + describe(family).num_extras();
    const NewRows rows = read_rows(text, {.family = {family}}, true);
    const WeightedDraws draws = made_up_draws(dim, 90);
    const Predictions got =
        predict_rows(rows, draws, {.new_observations = false, .pointwise = true}, threads(1));
    std::vector<double> z(std::size_t(50 * 3));
    for (Index n = 0; n < 50; ++n) {
      const double* x = rows.data.features(n);
      rows.design->write(&x, 1, z.data() + 3 * n, 3, 1);
    }
    const Regression regression(z, rows.response, {}, {family});
    std::vector<double> l(std::size_t(50 * 90));
    regression.log_likelihoods(0, 50, draws.points, l.data());
    const double total = std::accumulate(draws.weights.begin(), draws.weights.end(), 0.0);
    for (std::size_t n = 0; n < 50; ++n) {
      double sum = 0;
      for (std::size_t s = 0; s < 90; ++s) sum += draws.weights[s] / total * std::exp(l[90 * n + s]);
      EXPECT_NEAR(got.log_density[n], std::log(sum), 1e-10) << describe(family).name;
    }
  }
}

class PredictFormula : public ::testing::Test {
 protected:
  ModelOptions model(const std::string& formula, Family family, const std::string& text) const {
    const TempDir folder;
    write_file(folder / "t.csv", text);
    return read_table(folder / "t.csv", {}, {.family = {family}, .formula = formula}, threads(1)).model;
  }
};

TEST_F(PredictFormula, OffsetsAndTrialsAreApplied) {
  const ModelOptions options =
      model("cbind(k, n - k) ~ a + offset(o)", Family::BinomialLogit, "a,o,k,n\n1,0,1,4\n2,1,2,2\n3,0,0,9\n");
  const Standardisation scale = {.mean = {2}, .scale = {1}, .constant = {}};
  WeightedDraws draws{Points(2, 3)};
  for (Index s = 0; s < 3; ++s) draws.points.set(s, std::vector<double>{0.5, 0.1 * double(s)});
  const auto p = [](double s) { return 1 / (1 + std::exp(-s)); };
  const NewRows known = read_rows("n,a,o,k\n10,3,-1,4\n1000,2,0,300\n", options, true, scale);
  const NewRows unknown = read_rows("o,a\n-1,3\n0,2\n", options, false, scale);
  const Predictions of_known =
      predict_rows(known, draws, {.quantiles = {0.5}, .pointwise = true}, threads(1));
  const Predictions of_unknown = predict_rows(unknown, draws, {.quantiles = {0.5}}, threads(1));
  EXPECT_NEAR(of_unknown.expected[2], p(0.5 - 1 + 0.1), 1e-14);
  EXPECT_NEAR(of_unknown.expected[5], p(0.1), 1e-14);
  EXPECT_NEAR(of_known.expected[2], 10 * p(0.5 - 1 + 0.1), 1e-13);
  EXPECT_NEAR(of_known.expected[5], 1000 * p(0.1), 1e-11);
  EXPECT_NEAR(of_known.observations[5], 525, 100);
  double sum = 0;
  for (int s = 0; s < 3; ++s)
    sum += std::pow(p(-0.5 + 0.1 * s), 4) * std::pow(1 - p(-0.5 + 0.1 * s), 6) * 210 / 3;
  EXPECT_NEAR(of_known.log_density[0], std::log(sum), 1e-12);
}

TEST_F(PredictFormula, NeedsTheColumnsOfTheRightSideAndNoOthers) {
  const ModelOptions options = model("log(y) ~ .", Family::GaussianIdentity, "a,g,y\n1,u,1\n2,v,2\n3,u,3\n");
  const Standardisation scale = {.mean = {2, 0}, .scale = {1, 1}, .constant = {}};
  const NewRows rows = read_rows("g,more,a\nv,NA,5\nu,,1\n", options, false, scale);
  WeightedDraws draws{Points(3, 2)};
  for (Index s = 0; s < 2; ++s) draws.points.set(s, std::vector<double>{10, 100, double(s)});
  const Predictions got = predict_rows(rows, draws, {.new_observations = false}, threads(1));
  EXPECT_DOUBLE_EQ(got.expected[0], 10 * 3 + 100 + 0.5);
  EXPECT_DOUBLE_EQ(got.expected[5], 10 * -1 + 0.5);
  EXPECT_THROW((void)read_rows("g\nv\n", options, false, scale), NoSuchColumn);
  EXPECT_THROW((void)read_rows("g,a\nw,1\n", options, false, scale), DataError);
}

TEST(Predict, RefusesDrawsOfAnotherModel) {
  const NewRows rows = read_rows(table(3), {.family = {Family::PoissonLog}});
  EXPECT_THROW((void)predict_rows(rows, made_up_draws(4, 5), {}, threads(1)), std::invalid_argument);
  EXPECT_THROW((void)predict_rows(rows, made_up_draws(3, 5), {.pointwise = true}, threads(1)),
               std::invalid_argument);
  WeightedDraws draws = made_up_draws(3, 5);
  draws.weights.pop_back();
  EXPECT_THROW((void)predict_rows(rows, draws, {}, threads(1)), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
