#include "infer/family_calibration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "giga/base/threads.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/infer/sample.hpp"
#include "giga/model/regression.hpp"

namespace giga::test {
namespace {

constexpr Index kColumns = 3;
constexpr Index kRows = 20;
constexpr double kNu = 4;  // where it is given

// The priors of three coefficients, the last of them the intercept, and of the extras. Narrow where the mean
// is an exponential. The shape of gamma responses is kept from 0, where they are too small for a double.
const std::map<Family, std::vector<std::string>>& priors() {
  static const std::map<Family, std::vector<std::string>> kPriors = {
      {Family::PoissonLog, {"normal(0, 0.4)", "logistic(0, 0.2)", "normal(0.5, 0.5)"}},
      {Family::Gaussian, {"normal(0, 1)", "student_t(4, 0, 0.7)", "normal(1, 2)", "exponential(1)"}},
      {Family::StudentT,
       {"normal(0, 1)", "laplace(0, 0.7)", "normal(1, 2)", "exponential(1)", "gamma(2, 0.1)"}},
      {Family::StudentTGiven, {"normal(0, 1)", "normal(0.5, 1)", "cauchy(0, 1)", "half_student_t(3, 1)"}},
      {Family::NegativeBinomial, {"normal(0, 0.4)", "laplace(0, 0.3)", "normal(1, 0.5)", "exponential(1)"}},
      {Family::GammaLog, {"normal(0, 0.5)", "student_t(5, 0, 0.4)", "normal(0, 1)", "gamma(2, 1)"}},
      {Family::BinomialLogit, {"normal(0, 1)", "student_t(4, 0, 0.7)", "logistic(0, 0.5)"}},
      {Family::BinomialProbit, {"normal(0, 0.6)", "normal(0, 0.6)", "normal(0, 0.6)"}},
      {Family::BinomialCloglog, {"normal(0, 0.6)", "normal(0, 0.6)", "normal(-0.5, 0.6)"}},
      {Family::BernoulliProbit, {"normal(0, 0.8)", "student_t(4, 0, 0.7)", "normal(0, 0.8)"}},
      {Family::BernoulliCloglog, {"normal(0, 0.8)", "laplace(0, 0.5)", "normal(-0.5, 0.8)"}}};
  return kPriors;
}

Prior prior_of(Family family, bool other) {
  std::vector<ScalarPrior> out;
  for (const std::string& text : priors().at(family)) out.push_back(parse_prior(text));
  if (other) out.back() = out.back().stretched(2);
  return Prior(std::move(out));
}

// theta on its natural scale.
FamilyParameters parameters_of(Family family, const double* theta) {
  FamilyParameters out{.family = family, .nu = kNu};
  const double* extras = theta + kColumns;
  if (family == Family::Gaussian || describe(family).name == "student_t")
    out.noise_scale = std::exp(extras[0]);
  if (family == Family::StudentT) out.nu = std::exp(extras[1]);
  if (family == Family::NegativeBinomial) out.phi = std::exp(extras[0]);
  if (family == Family::GammaLog) out.shape = std::exp(extras[0]);
  return out;
}

struct Row {
  std::array<double, kColumns> z{};
  double offset = 0, trials = 0, y = 0;

  auto operator<=>(const Row&) const = default;  // NOLINT(modernize-use-nullptr): of its own code
};
using Data = std::map<Row, double>;  // multiplicities of distinct rows

double predictor(const Row& row, const double* theta) {
  return row.z[0] * theta[0] + row.z[1] * theta[1] + row.z[2] * theta[2] + row.offset;
}

// Features, offsets and trials take few values, so that rows with the same response are merged.
Data simulate(Family family, const double* theta, Stream& random) {
  const FamilyParameters with = parameters_of(family, theta);
  const FamilyDescription& about = describe(family);
  Data data;
  for (Index n = 0; n < kRows; ++n) {
    Row row;
    row.z = {static_cast<double>(random.below(3)) - 1, random.uniform() < 0.5 ? 0.5 : -1, 1};
    row.offset = random.uniform() < 0.5 ? 0 : 0.75;
    const double s = predictor(row, theta);
    if (about.has_trials) {
      row.trials = 1 + static_cast<double>(random.below(4));
      for (double k = 0; k < row.trials; ++k)
        row.y += successes_of(about.simulation.respond(with, s, random));
    } else {
      row.y = about.simulation.respond(with, s, random);
    }
    data[row] += 1;
  }
  return data;
}

// log P(success) and log P(failure), by link.
std::array<double, 2> log_chances(Family family, double s) {
  if (family == Family::BinomialLogit) return {-std::log1p(std::exp(-s)), -std::log1p(std::exp(s))};
  if (family == Family::BinomialProbit || family == Family::BernoulliProbit)
    return {std::log(std::erfc(-s / std::numbers::sqrt2) / 2),
            std::log(std::erfc(s / std::numbers::sqrt2) / 2)};
  return {std::log(-std::expm1(-std::exp(s))), -std::exp(s)};
}

// Up to a term of y alone; written plainly, without the code that is tested.
double log_likelihood(Family family, const Row& row, const double* theta) {
  const FamilyParameters with = parameters_of(family, theta);
  const double s = predictor(row, theta), y = row.y, mean = std::exp(s);
  const double sigma = with.noise_scale, nu = with.nu, phi = with.phi, shape = with.shape;
  switch (family) {
    case Family::PoissonLog: return y * s - mean;
    case Family::Gaussian: return -std::pow((y - s) / sigma, 2) / 2 - std::log(sigma);
    case Family::StudentT:
    case Family::StudentTGiven:
      return std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2) - std::log(nu) / 2 - std::log(sigma) -
             (nu + 1) / 2 * std::log1p(std::pow((y - s) / sigma, 2) / nu);
    case Family::NegativeBinomial:
      return std::lgamma(y + phi) - std::lgamma(phi) + phi * std::log(phi / (mean + phi)) +
             y * std::log(mean / (mean + phi));
    case Family::GammaLog:
      return shape * std::log(shape / mean) - std::lgamma(shape) + (shape - 1) * std::log(y) -
             shape * y / mean;
    default: break;
  }
  const auto [success, failure] = log_chances(family, s);
  if (describe(family).has_trials) return y * success + (row.trials - y) * failure;
  return y > 0 ? success : failure;
}

std::vector<double> quantities(Family family, const Data& data, const double* theta) {
  std::vector<double> out(theta, theta + kColumns + describe(family).num_extras());
  double sum = 0;
  for (const auto& [row, times] : data) sum += times * log_likelihood(family, row, theta);
  out.push_back(sum);
  return out;
}

Regression regression_of(const FamilyCalibration& options, const Data& data) {
  std::vector<double> design, response, multiplicity;
  RowTerms terms;
  for (const auto& [row, times] : data) {
    design.insert(design.end(), row.z.begin(), row.z.end());
    response.push_back(row.y);
    multiplicity.push_back(times);
    if (options.fault != FamilyFault::NoOffset) terms.offset.push_back(row.offset);
    if (describe(options.family).has_trials)
      terms.trials.push_back(row.trials + (options.fault == FamilyFault::OneMoreTrial ? 1 : 0));
  }
  return {std::move(design),
          std::move(response),
          std::move(multiplicity),
          {.family = options.family, .nu = kNu},
          std::move(terms)};
}

RankedTruth simulation(const FamilyCalibration& options, Index index) {
  const Family family = options.family;
  Stream random = stream(options.seed, "family calibration", index);
  std::vector<double> theta(static_cast<std::size_t>(kColumns + describe(family).num_extras()));
  prior_of(family, false).draw(random, theta.data());
  const Data data = simulate(family, theta.data(), random);
  const Regression model = regression_of(options, data);
  const Prior prior = prior_of(family, options.fault == FamilyFault::OtherPrior);
  const Threads one(1);
  const LaplaceResult about = laplace(model, prior, one);
  const Posterior posterior(model, prior);
  const SampleOptions run = {.warmup = 300, .draws = kRankedDraws, .thin = 5, .seed = random.bits()};
  const auto chains = sample_about(posterior, about.posterior, 1, run, one);

  std::vector<std::vector<double>> draws;
  for (Index s = 0; s < kRankedDraws; ++s) draws.push_back(quantities(family, data, chains[0].draw(s)));
  return rank_truth(quantities(family, data, theta.data()), draws);
}

std::vector<std::string> names_of(Family family) {
  std::vector<std::string> out = {"coefficient 0", "coefficient 1", "intercept"};
  for (const ExtraParameter& extra : describe(family).extras) out.push_back(sampled_name(extra));
  out.emplace_back("log-likelihood");
  return out;
}

}  // namespace

std::vector<Family> calibrated_families() {
  std::vector<Family> out;
  for (const auto& [family, texts] : priors()) out.push_back(family);
  return out;
}

Ranks simulate_family_ranks(const FamilyCalibration& options) {
  std::vector<RankedTruth> all(static_cast<std::size_t>(options.simulations));
  const Threads executor(options.threads);
  executor.for_each(options.simulations,
                    [&](Index i) { all[static_cast<std::size_t>(i)] = simulation(options, i); });
  return gather_ranks(names_of(options.family), all);
}

Findings check_family(const FamilyCalibration& options) {
  Index quantities = 0;
  for (const Family family : calibrated_families()) quantities += std::ssize(names_of(family));
  return check_ranks(simulate_family_ranks(options), quantities);
}

std::string words_for(Family family) {
  return std::string(family_name(family)) + " " + std::string(link_name(family)) +
         (describe(family).is_given ? ", given" : "");
}

void expect_family_calibrated(const FamilyCalibration& options) {
  const Findings findings = check_family(options);
  EXPECT_GT(findings.comparisons, 0);
  EXPECT_TRUE(findings.passed()) << words_for(options.family) << ": " << findings.text();
  ::testing::Test::RecordProperty("largest_z", std::to_string(findings.worst));
}

}  // namespace giga::test
