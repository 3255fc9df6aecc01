// A regression whose family has a parameter that is not a coefficient, against the same model written as one
// function of a row: linear regression with noise to be learnt.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/posterior.hpp"
#include "giga/job/build.hpp"
#include "giga/job/check.hpp"
#include "giga/job/sample.hpp"
#include "giga/model/autodiff.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/project/random_projection.hpp"
#include "giga/record/coreset_file.hpp"
#include "support/regressions.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

constexpr Index kRows = 4500, kColumns = 3;  // more than a block
constexpr FamilyParameters kFamily = {Family::Gaussian};

struct ByRow {
  Rows rows;

  [[nodiscard]] Index num_rows() const { return std::ssize(rows.y); }
  [[nodiscard]] Index num_parameters() const { return rows.dim + 1; }
  template <typename T>
  T log_likelihood(Index n, const T* theta) const {
    using namespace giga::math;
    const auto k = static_cast<std::size_t>(n);
    const T r = (rows.y[k] - dot(rows.z.data() + n * rows.dim, theta, rows.dim)) * exp(-theta[rows.dim]);
    return -0.5 * r * r - theta[rows.dim] - 0.5 * std::log(2 * std::numbers::pi);
  }
};

class Extras : public testing::Test {
 protected:
  static std::vector<double> times() {
    std::vector<double> out(static_cast<std::size_t>(kRows), 1.0);
    for (std::size_t n = 0; n < out.size(); n += 3) out[n] = 2.5;
    return out;
  }

  // Points about the mode and far from it.
  static Points points() {
    Points out(kColumns + 1, 21);
    Stream random = stream(5, "points");
    for (Index j = 0; j < out.count(); ++j)
      out.set(j, std::vector{random.normal(), random.normal(), random.normal(), 0.7 * random.normal()});
    return out;
  }

  static void expect_near(std::span<const double> got, std::span<const double> want, double share) {
    ASSERT_EQ(got.size(), want.size());
    double largest = 0;
    for (const double each : want) largest = std::max(largest, std::abs(each));
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], share * largest) << i;
  }

  Threads executor_{2};
  Rows rows_ = made_up(Family::Gaussian, kRows, kColumns, 3);
  Regression model_{rows_.z, rows_.y, times(), kFamily};
  std::unique_ptr<Likelihood> oracle_ = likelihood_of(ByRow{rows_}, times());
};

TEST_F(Extras, ComeAfterTheCoefficientsAndBeginWhereTheFamilySays) {
  EXPECT_EQ(model_.num_columns(), kColumns);
  EXPECT_EQ(model_.num_parameters(), kColumns + 1);
  EXPECT_EQ(model_.parameter_name(kColumns), "log_sigma");
  const std::vector<double> start = model_.start(executor_);
  ASSERT_EQ(std::ssize(start), kColumns + 1);
  double mean = 0, squares = 0, count = 0;
  for (std::size_t n = 0; n < rows_.y.size(); ++n) {
    mean += times()[n] * rows_.y[n];
    squares += times()[n] * rows_.y[n] * rows_.y[n];
    count += times()[n];
  }
  mean /= count;
  EXPECT_NEAR(start.back(), std::log(squares / count - mean * mean) / 2, 1e-9) << "the sd of the response";
  EXPECT_NE(start[kColumns - 1], 0) << "the intercept, which fits the mean response";
}

TEST_F(Extras, SumsAndTheirDerivativesAreThoseOfTheModelWrittenOut) {
  const Points at = points();
  std::vector<double> theta(static_cast<std::size_t>(kColumns + 1));
  for (Index j = 0; j < at.count(); ++j) {
    at.get(j, theta.data());
    const Derivatives got = model_.evaluate(theta, Order::Hessian, executor_);
    const Derivatives want = oracle_->evaluate(theta, Order::Hessian, executor_);
    EXPECT_NEAR(got.value, want.value, 1e-12 * std::abs(want.value));
    expect_near(got.gradient, want.gradient, 1e-11);
    expect_near(got.hessian, want.hessian, 1e-11);
    EXPECT_EQ(model_.evaluate(theta, Order::Gradient, executor_).gradient, got.gradient);
    EXPECT_EQ(model_.evaluate(theta, Order::Value, executor_).value, got.value);
    EXPECT_EQ(model_.evaluate(theta, Order::Hessian, Threads(1)).hessian, got.hessian);
  }
}

TEST_F(Extras, RowsAtManyPointsAreThoseOfTheModelWrittenOut) {
  const Points at = points();
  const Index first = 100, count = 31, num = at.count(), all = kColumns + 1;
  const auto both = [&](Index size, const auto& call) {
    std::vector<double> got(static_cast<std::size_t>(size), 1.0), want = got;
    call(static_cast<const Likelihood&>(model_), got.data());
    call(*oracle_, want.data());
    expect_near(got, want, 1e-12);
  };
  both(count * num,
       [&](const Likelihood& model, double* out) { model.log_likelihoods(first, count, at, out); });
  both(num, [&](const Likelihood& model, double* out) { model.add_log_likelihoods(first, count, at, out); });
  both(all * num,
       [&](const Likelihood& model, double* out) { model.add_gradients(first, count, at, num, out); });
}

TEST_F(Extras, ProjectionsInEveryNormAreThoseOfTheModelWrittenOut) {
  const Normal pihat = laplace(model_, Normal::isotropic(kColumns + 1), executor_).posterior;
  for (const Norm norm : values_of<Norm>()) {
    const RandomProjectionOptions options{.norm = norm, .dim = 40};
    const RandomProjection got(model_, pihat, options), want(*oracle_, pihat, options);
    std::vector<double> one(40 * 25), other = one;
    got.read(7, 25, one.data());
    want.read(7, 25, other.data());
    expect_near(one, other, 1e-11);
  }
}

TEST_F(Extras, TheModeAndThePosteriorAreThoseOfTheModelWrittenOut) {
  const Normal prior = Normal::isotropic(kColumns + 1);
  const LaplaceResult got = laplace(model_, prior, executor_);
  const LaplaceResult want = laplace(*oracle_, prior, executor_);
  EXPECT_EQ(got.end, LaplaceEnd::Converged);
  expect_near(got.posterior.mean(), want.posterior.mean(), 1e-9);
  expect_near(got.posterior.standard_deviations(), want.posterior.standard_deviations(), 1e-9);
  EXPECT_NEAR(got.posterior.mean().back(), std::log(0.7), 0.05) << "the noise that it was simulated with";

  const std::vector<Index> some = {3, 99, 4400};
  const auto part = model_.subset(some, std::vector<double>{1.0, 20.0, 0.5});
  const auto other = oracle_->subset(some, std::vector<double>{1.0, 20.0, 0.5});
  const Posterior packed(*part, prior), plain(*other, prior);
  const std::vector<double> theta = {0.1, -0.2, 0.3, -0.4};
  std::vector<double> one(4), two(4);
  const double density = plain.log_density(theta.data(), two.data());
  EXPECT_NEAR(packed.log_density(theta.data(), one.data()), density, 1e-12 * std::abs(density));
  expect_near(one, two, 1e-12);
}

// A line with noise of a standard deviation of 0.3.
void write_line(const std::filesystem::path& path) {
  std::string text = "a,b,y\n";
  Stream random = stream(6, "table");
  for (int n = 0; n < 2000; ++n) {
    const double a = 5 + 2 * random.normal(), b = random.normal();
    text += shortest(a) + "," + shortest(b) + "," + shortest(0.5 * a - b + 0.3 * random.normal()) + "\n";
  }
  write_file(path, text);
}

// Of coefficients on the scale of the data and the sd of the noise, which has an sd of sigma / sqrt(2 N).
void expect_line(const std::vector<Estimate>& quantities) {
  ASSERT_GE(quantities.size(), 4U);
  EXPECT_NEAR(quantities[0].mean, 0.5, 0.02);
  EXPECT_NEAR(quantities[1].mean, -1, 0.03);
  EXPECT_NEAR(quantities[3].mean, 0.3, 0.03);
  EXPECT_NEAR(quantities[3].sd, 0.3 / std::sqrt(2 * 2000.0), 0.001);
}

const std::vector<std::string> kNames = {"a",     "b",     "(intercept)",     "sigma",
                                         "std_a", "std_b", "std_(intercept)", "log_sigma"};

TEST_F(Extras, AFitOfATableLearnsThem) {
  const TempDir folder;
  write_line(folder / "t.csv");
  const Dataset data = read_dataset(folder / "t.csv", {}, executor_);
  const Problem problem(data, {.family = kFamily}, executor_);
  EXPECT_EQ(problem.scales().names(), kNames);
  FitOptions options;
  options.sample.warmup = 300;
  options.sample.draws = 500;
  const FitResult result = fit(problem, options, executor_);
  EXPECT_TRUE(result.certificate.safe()) << name(result.certificate.doubt);
  expect_line(result.certificate.coreset.quantities_after);
}

TEST_F(Extras, JobsKeepThemInFilesOfDrawsRecordsAndChecks) {
  const TempDir folder;
  write_line(folder / "t.csv");
  BuildJob building;
  building.input = folder / "t.csv";
  building.model.family = kFamily;
  building.coreset = {.projection = ProjectionKind::Auto, .norm = Norm::Whitened, .size = 60};
  building.out = folder / "coreset.csv";
  (void)run_build(building, executor_);
  SampleJob sampling;
  sampling.input = folder / "coreset.csv";
  sampling.coreset = find_coreset(sampling.input);
  sampling.sample = {.warmup = 300, .draws = 500};
  sampling.out = folder / "draws";
  const SampleRun sampled = run_sample(sampling, executor_);
  EXPECT_EQ(sampled.summary.names, kNames);
  EXPECT_EQ(read_run(folder / "draws/run.json").scales().names(), kNames);
  CheckJob checking;
  checking.data = building.input;
  checking.coreset = sampling.input;
  checking.file = *sampling.coreset;
  checking.draws = sampling.out;
  const RunRecord checked = run_check(checking, executor_);
  EXPECT_EQ(checked.certificate_names, kNames);
  EXPECT_TRUE(checked.certificate->safe()) << name(checked.certificate->doubt);
  expect_line(checked.certificate->coreset.quantities_after);
}

}  // namespace
}  // namespace giga::test
