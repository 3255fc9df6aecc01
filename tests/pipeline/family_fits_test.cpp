// A fit of every family on 5,000 simulated rows: certified, near the mode of all rows, with the parameters
// under their names.
#include <gtest/gtest.h>

#include <cmath>

#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/pipeline/fit.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

constexpr Index kRows = 5000;

struct Simulated {
  TempDir folder;
  RowTerms terms;
  FamilyParameters family;
  std::unique_ptr<Dataset> data;
};

// Two features; labels as 0 and 1; trials and log exposures are features too, as equal rows are one.
std::unique_ptr<Simulated> simulated(Family family, const Executor& executor, bool offset = false) {
  auto out = std::make_unique<Simulated>();
  out->family = {.family = family, .noise_scale = 0.5, .nu = 4, .phi = 2, .shape = 3};
  const FamilyDescription& description = describe(family);
  std::string text = "a,b,more,y\n";
  Stream random = stream(8, "fits");
  for (Index n = 0; n < kRows; ++n) {
    const double a = 5 + 2 * random.normal(), b = random.normal();
    const double trials = 1 + std::floor(9 * random.uniform()), exposure = 0.4 * random.normal();
    const double s = 0.3 * (a - 5) - 0.5 * b + 0.2 + (offset ? exposure : 0);
    double y = 0;
    if (description.has_trials) {
      for (int k = 0; k < static_cast<int>(trials); ++k)
        y += successes_of(description.simulation.respond(out->family, s, random));
      out->terms.trials.push_back(trials);
    } else {
      y = description.simulation.respond(out->family, s, random);
    }
    if (offset) out->terms.offset.push_back(exposure);
    text += shortest(a) + "," + shortest(b) + "," + shortest(offset ? exposure : trials) + "," + shortest(y) +
            "\n";
  }
  write_file(out->folder / "t.csv", text);
  out->data = std::make_unique<Dataset>(read_dataset(out->folder / "t.csv", {}, executor));
  return out;
}

FitOptions short_chains() {
  FitOptions options;
  options.sample.warmup = 300;
  options.sample.draws = 400;
  return options;
}

std::string label_of(Family family) {
  return std::string(family_name(family)) + " " + std::string(link_name(family));
}

void expect_fitted(const Simulated& made, const Executor& executor) {
  const Family family = made.family.family;
  const Problem problem(*made.data, {.family = made.family}, executor, made.terms);
  const FitResult result = fit(problem, short_chains(), executor);
  EXPECT_EQ(result.coreset.options.projection, ProjectionKind::Curvature) << label_of(family);
  EXPECT_TRUE(result.certificate.safe()) << label_of(family) << ": " << name(result.certificate.doubt);
  const std::vector<Estimate>& found = result.certificate.coreset.quantities_after;
  ASSERT_EQ(std::ssize(found), problem.scales().num_original());
  // In posterior standard deviations, against what the rows were simulated with.
  std::vector<double> truth = {0.3, -0.5, 0, 0.2 - 0.3 * 5};
  if (family == Family::PoissonSoftplus) return;
  if (describe(family).num_extras() > 0) {
    const bool scale = family == Family::Gaussian || describe(family).name == "student_t";
    truth.push_back(scale ? 0.5 : family == Family::GammaLog ? 3 : 2);
    if (family == Family::StudentT) truth.push_back(4);
  }
  ASSERT_EQ(truth.size(), found.size());
  for (std::size_t k = 0; k < truth.size(); ++k)
    EXPECT_NEAR(found[k].mean, truth[k], 4.5 * found[k].sd + 0.01)
        << label_of(family) << " " << problem.scales().names()[k];
}

TEST(FamilyFits, AreCertifiedAndRecoverWhatTheRowsWereMadeWith) {
  const Threads executor(2);
  for (const Family family : all_families()) {
    const auto made = simulated(family, executor);
    expect_fitted(*made, executor);
  }
}

TEST(FamilyFits, WithAnOffsetAreCertifiedToo) {
  const Threads executor(2);
  for (const Family family : {Family::PoissonLog, Family::NegativeBinomial, Family::BinomialLogit}) {
    const auto made = simulated(family, executor, true);
    expect_fitted(*made, executor);
  }
}

TEST(FamilyFits, ShowExtraParametersUnderTheirNames) {
  const Threads executor(2);
  const auto last = [&](Family family, std::size_t count) {
    const auto made = simulated(family, executor);
    const Problem problem(*made->data, {.family = made->family}, executor, made->terms);
    const std::vector<std::string>& all = problem.scales().names();
    const auto end = all.begin() + problem.scales().num_original();
    std::vector<std::string> names(end - static_cast<std::ptrdiff_t>(count), end);
    names.insert(names.end(), all.end() - static_cast<std::ptrdiff_t>(count), all.end());
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(last(Family::Gaussian, 1), (Names{"sigma", "log_sigma"}));
  EXPECT_EQ(last(Family::NegativeBinomial, 1), (Names{"phi", "log_phi"}));
  EXPECT_EQ(last(Family::GammaLog, 1), (Names{"shape", "log_shape"}));
  EXPECT_EQ(last(Family::StudentT, 2), (Names{"sigma", "nu", "log_sigma", "log_nu"}));
  EXPECT_EQ(last(Family::StudentTGiven, 1), (Names{"sigma", "log_sigma"}));
}

// The certificate from some rows is that from all rows: log ratios within their stated errors.
TEST(FamilyFits, RowsThatAreSampledSpeakForAllOfThem) {
  const Threads executor(2);
  for (const Family family :
       {Family::Gaussian, Family::NegativeBinomial, Family::GammaLog, Family::StudentT}) {
    const auto made = simulated(family, executor);
    const Problem problem(*made->data, {.family = made->family}, executor, made->terms);
    const Likelihood& full = problem.likelihood();
    const LaplaceResult mode = laplace(full, problem.prior(), executor);
    const RowArray<float> scores = remainder_scores(full, mode.posterior, executor);
    const RowEstimate estimate(full, mode.posterior.mean(), *mode.at_mode,
                               priority_sample(scores, 1000, 3, executor), 3, executor);
    const Index dim = full.num_parameters();
    std::vector<double> points(at(100 * dim));
    for (Index s = 0; s < 100; ++s) {
      Stream random = stream(9, "points", s);
      mode.posterior.draw(random, points.data() + s * dim);
    }
    const ExtendedVector got = estimate.log_likelihoods(points, executor);
    const EstimateError error = estimate.error(points, executor);
    std::vector<double> apart;
    for (Index s = 0; s < 100; ++s) {
      const std::span<const double> theta(points.data() + s * dim, at(dim));
      apart.push_back(static_cast<double>(got[at(s)]) - full.evaluate(theta, Order::Value, executor).value);
    }
    double mean = 0, squares = 0;
    for (const double each : apart) mean += each / 100;
    for (const double each : apart) squares += (each - mean) * (each - mean) / 100;
    EXPECT_LT(std::sqrt(squares), 3 * error.rms + 1e-9) << label_of(family);
    EXPECT_LT(error.rms, 0.5) << label_of(family);
  }
}

TEST(FamilyFits, ABinomialTableNeedsTrialsThatFit) {
  const Threads executor(1);
  auto made = simulated(Family::BinomialLogit, executor);
  const auto refused = [&](RowTerms terms) {
    try {
      const Problem problem(*made->data, {.family = made->family}, executor, std::move(terms));
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refused({}).find("`trials`"), std::string::npos) << refused({});
  RowTerms few = made->terms;
  few.trials[17] = -1;
  EXPECT_NE(refused(few).find("of -1 trials"), std::string::npos) << refused(few);
}

}  // namespace
}  // namespace giga::test
