// A model that is not a regression goes through every job that a table goes through.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/job/fit.hpp"
#include "giga/job/report.hpp"
#include "giga/job/summary.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/pipeline/sample_posterior.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

namespace fs = std::filesystem;

// y_n ~ N(mu, exp(tau)^2), theta = (mu, tau): neither is a coefficient.
struct NormalRows {
  std::vector<double> y;

  [[nodiscard]] Index num_rows() const { return std::ssize(y); }
  [[nodiscard]] Index num_parameters() const { return 2; }
  [[nodiscard]] double log_likelihood(Index n, const double* theta) const {
    const double r = away(n, theta);
    return -theta[1] - r * r / 2;
  }
  void gradient(Index n, const double* theta, double* out) const {
    const double r = away(n, theta);
    out[0] = r * std::exp(-theta[1]);
    out[1] = r * r - 1;
  }
  void hessian(Index n, const double* theta, double* out) const {
    const double r = away(n, theta), precision = std::exp(-theta[1]);
    out[0] = -precision * precision;
    out[1] = out[2] = -2 * r * precision;
    out[3] = -2 * r * r;
  }

 private:
  [[nodiscard]] double away(Index n, const double* theta) const {
    return (y[static_cast<std::size_t>(n)] - theta[0]) * std::exp(-theta[1]);
  }
};

NormalRows lengths() {
  NormalRows model;
  Stream random = stream(4, "lengths");
  for (int n = 0; n < 800; ++n) model.y.push_back(2.5 + 0.6 * random.normal());
  return model;
}

// The posterior under N(0, 2^2 I), by sums over a grid of 8 standard deviations either way: what is left out
// and the error of the grid are far below the standard errors of chains.
std::vector<Estimate> by_quadrature(const NormalRows& model) {
  constexpr int kHalf = 120;
  constexpr double kReach = 8;
  double sum = 0, squares = 0;
  for (const double y : model.y) sum += y;
  const auto count = static_cast<double>(model.y.size());
  const double mean = sum / count;
  for (const double y : model.y) squares += (y - mean) * (y - mean);
  const double tau_hat = std::log(squares / count) / 2;
  const double mu_step = kReach / kHalf * std::exp(tau_hat) / std::sqrt(count),
               tau_step = kReach / kHalf / std::sqrt(2 * count);
  double total = 0, mu1 = 0, mu2 = 0, tau1 = 0, tau2 = 0;  // moments about the guess
  for (int i = -kHalf; i <= kHalf; ++i) {
    for (int j = -kHalf; j <= kHalf; ++j) {
      const double dmu = i * mu_step, dtau = j * tau_step, mu = mean + dmu, tau = tau_hat + dtau;
      const double log_density = -count * dtau - (squares + count * dmu * dmu) * std::exp(-2 * tau) / 2 +
                                 count / 2 - (mu * mu + tau * tau) / 8;
      const double p = std::exp(log_density);
      total += p;
      mu1 += p * dmu;
      mu2 += p * dmu * dmu;
      tau1 += p * dtau;
      tau2 += p * dtau * dtau;
    }
  }
  const auto estimate = [total](double centre, double first, double second) {
    const double off = first / total;
    return Estimate{.mean = centre + off, .sd = std::sqrt(second / total - off * off)};
  };
  return {estimate(mean, mu1, mu2), estimate(tau_hat, tau1, tau2)};
}

Problem problem_of(const NormalRows& model) {
  return {likelihood_of(model),
          Normal::isotropic(2, 2),
          {.name = "lengths", .description = "normal, both unknown", .parameters = {"mu", "log sigma"}}};
}

// Within 4 standard errors, which are at most a twentieth of the standard deviation.
void expect_posterior(const std::vector<Estimate>& got, const std::vector<Estimate>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t d = 0; d < got.size(); ++d) {
    EXPECT_LE(got[d].mcse_mean, want[d].sd / 20) << d;
    EXPECT_NEAR(got[d].mean, want[d].mean, 4 * got[d].mcse_mean) << d;
    EXPECT_NEAR(got[d].sd, want[d].sd, 4 * got[d].mcse_sd) << d;
  }
}

FitOptions quick() {
  FitOptions options;
  options.sample.warmup = 300;
  options.sample.draws = 500;
  return options;
}

TEST(OwnModel, IsBuiltSampledAndCertifiedStageByStage) {
  const Threads executor(2);
  const NormalRows model = lengths();
  const Problem problem = problem_of(model);
  EXPECT_EQ(problem.table(), nullptr);
  EXPECT_EQ(problem.likelihood().linear_model(), nullptr);
  EXPECT_EQ(problem.scales().names(), (std::vector<std::string>{"mu", "log sigma"}));

  const CoresetResult built = build_coreset(problem, {.norm = Norm::Whitened, .size = 20}, executor);
  EXPECT_LE(built.coreset.size(), 20);
  EXPECT_LE(built.heldout_error, 0.05);
  const auto few = coreset_model(problem, built.coreset);
  const PosteriorSample drawn =
      sample_posterior(*few, problem.prior(), built.pihat, 4, {.warmup = 300, .draws = 1000}, executor);
  const Certificate certificate = certify_coreset(problem, built.coreset, drawn.chains, executor);
  EXPECT_TRUE(certificate.safe()) << name(certificate.doubt);
  EXPECT_EQ(certificate.num_data_rows, 800);
  EXPECT_TRUE(certificate.coreset.quantities_after.empty()) << "there is one scale only";
  expect_posterior(certificate.coreset.after, by_quadrature(model));
}

TEST(OwnModel, HasNoCurvatureToProjectOn) {
  const Problem problem = problem_of(lengths());
  EXPECT_EQ(with_projection(fit_coreset_options(), problem).projection, ProjectionKind::Random);
  EXPECT_THROW((void)build_coreset(problem, {.projection = ProjectionKind::Curvature}, Threads(1)),
               std::invalid_argument);
}

TEST(OwnModel, IsFittedAndReportedInAFolder) {
  const Threads executor(2);
  const NormalRows model = lengths();
  const Problem problem = problem_of(model);
  const FitResult result = fit(problem, quick(), executor);
  ASSERT_TRUE(result.certificate.safe()) << name(result.certificate.doubt);
  expect_posterior(result.certificate.coreset.after, by_quadrature(model));

  const TempDir folder;
  const fs::path out = folder / "lengths-fit";
  write_fit(out, fit_run(problem, quick(), result, executor, {.notes = {"lengths in metres"}}));
  for (const char* file : {"coreset.csv", "draws_1.csv", "draws_4.csv", "summary.csv", "weights.csv",
                           "posterior.csv", "report.html", "run.json"})
    EXPECT_TRUE(fs::exists(out / file)) << file;
  EXPECT_FALSE(fs::exists(out / "coreset.json")) << "there is no table that a companion could speak of";
  EXPECT_TRUE(is_complete_fit(out));

  const std::string page = read_file(out / "report.html");
  for (const char* text : {"giga fit: lengths", "normal, both unknown", "log sigma", "lengths in metres"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  const std::string posterior = read_file(out / "posterior.csv");
  EXPECT_EQ(std::ranges::count(posterior, '\n'), 3) << posterior;
  EXPECT_NE(posterior.find("\nlog sigma,"), std::string::npos) << posterior;
  const std::string coreset = read_file(out / "coreset.csv");
  EXPECT_TRUE(coreset.starts_with("row,weight\n"));
  EXPECT_EQ(std::ranges::count(coreset, '\n'), 1 + result.coreset.coreset.size());
}

TEST(OwnModel, RecordAndDrawsOfItsFitAreReadBack) {
  const Threads executor(2);
  const Problem problem = problem_of(lengths());
  const FitResult result = fit(problem, quick(), executor);
  const TempDir folder;
  const fs::path out = folder / "lengths-fit";
  write_fit(out, fit_run(problem, quick(), result, executor));

  const RunRecord record = read_run(out / "run.json");
  EXPECT_EQ(record.command, "fit");
  EXPECT_EQ(record.model, "normal, both unknown");
  EXPECT_EQ(record.num_rows, 800);
  EXPECT_EQ(record.num_parameters, 2);
  EXPECT_FALSE(record.options.model);
  EXPECT_EQ(record.scales().names(), problem.scales().names());
  EXPECT_TRUE(record.certificate->safe());
  EXPECT_EQ(record.coreset->coreset.rows, result.coreset.coreset.rows);
  EXPECT_EQ(record.laplace.size(), 2U);

  const SummaryRun summary = run_summary({out}, executor);
  ASSERT_EQ(summary.quantities.size(), 3U);
  EXPECT_EQ(summary.quantities[2].name, "log sigma");
  const std::string page = read_file(out / "report.html");
  const fs::path again = run_report({.folder = out, .out = folder / "again.html"}, executor);
  EXPECT_TRUE(read_file(again) == page) << "the page of the folder is that of the fit";
  EXPECT_THROW(write_fit(out, fit_run(problem, quick(), result, executor)), CannotCreate);
}

TEST(OwnModel, NeedsAPriorAndNamesOfItsParameters) {
  EXPECT_THROW(Problem(likelihood_of(lengths()), Normal::isotropic(3)), std::invalid_argument);
  EXPECT_THROW(Problem(likelihood_of(lengths()), Normal::isotropic(2), {.parameters = {"mu"}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
