#include "giga/project/random_projection.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "giga/infer/laplace.hpp"
#include "giga/model/gaussian_mean.hpp"
#include "giga/project/exact_vectors.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

double dot(const double* a, const double* b, Index size) {
  return std::inner_product(a, a + size, b, 0.0);
}

GaussianMean observations(Index rows, Index dim, std::uint64_t seed) {
  std::vector<double> values;
  Stream random = stream(seed, "observations");
  for (Index i = 0; i < rows * dim; ++i) values.push_back(1 + random.normal());
  return {values, dim};
}

// mean and standard error of the products a_j b_j J, whose sum over j is J times the inner product
struct Estimate {
  double value, error;
};
Estimate product_of(const double* a, const double* b, Index size) {
  const auto count = static_cast<double>(size);
  double mean = 0, square = 0;
  for (Index j = 0; j < size; ++j) mean += a[j] * b[j];
  for (Index j = 0; j < size; ++j) square += std::pow(a[j] * b[j] * count - mean, 2);
  return {mean, std::sqrt(square / (count - 1) / count)};
}

TEST(RandomProjection, InnerProductsOfTheGaussianMeanMeetTheClosedFormWithinFourStandardErrors) {
  constexpr Index kFeatures = 100'000;
  const GaussianMean model = observations(6, 3, 1);
  const Normal pihat = Normal::with_covariance({0.5, -0.2, 1}, {0.5, 0.3, 0, 0.3, 0.4, -0.1, 0, -0.1, 0.2});
  const std::vector<double> exact = exact_vectors(model, pihat);
  const auto likelihood = likelihood_of(model);
  const RandomProjection projection(*likelihood, pihat, {Norm::Fisher, kFeatures, 7});
  std::vector<double> rows(static_cast<std::size_t>(6 * kFeatures));
  projection.read(0, 6, rows.data());
  for (Index n = 0; n < 6; ++n) {
    for (Index m = n; m < 6; ++m) {
      const Estimate got = product_of(rows.data() + n * kFeatures, rows.data() + m * kFeatures, kFeatures);
      const double expected = dot(exact.data() + n * 4, exact.data() + m * 4, 4);
      EXPECT_NEAR(got.value, expected, 4 * got.error) << n << ", " << m;
    }
  }
}

TEST(RandomProjection, InnerProductsOfTheWhitenedNormMeetTheClosedFormWithinFourStandardErrors) {
  constexpr Index kFeatures = 100'000;
  const GaussianMean model = observations(5, 2, 2);
  const Normal pihat = Normal::with_covariance({0.5, -0.2}, {0.5, 0.3, 0.3, 0.4});
  const auto likelihood = likelihood_of(model);
  const RandomProjection projection(*likelihood, pihat, {Norm::Whitened, kFeatures, 8});
  std::vector<double> rows(static_cast<std::size_t>(5 * kFeatures));
  projection.read(0, 5, rows.data());
  const std::vector<double> s = pihat.covariance();
  // E (y_n - theta)' S (y_m - theta) = (y_n - mu)' S (y_m - mu) + tr(S S)
  const double trace = s[0] * s[0] + 2 * s[1] * s[1] + s[3] * s[3];
  for (Index n = 0; n < 5; ++n) {
    for (Index m = n; m < 5; ++m) {
      const double a[2] = {model.observation(n)[0] - 0.5, model.observation(n)[1] + 0.2};
      const double b[2] = {model.observation(m)[0] - 0.5, model.observation(m)[1] + 0.2};
      const double expected = a[0] * (s[0] * b[0] + s[1] * b[1]) + a[1] * (s[2] * b[0] + s[3] * b[1]) + trace;
      const Estimate got = product_of(rows.data() + n * kFeatures, rows.data() + m * kFeatures, kFeatures);
      EXPECT_NEAR(got.value, expected, 4 * got.error) << n << ", " << m;
    }
  }
}

TEST(RandomProjection, NormsConvergeAsOneOverTheRootOfTheirDimension) {
  const GaussianMean model = observations(1, 2, 3);
  const Normal pihat = Normal::isotropic(2, 0.7);
  const std::vector<double> exact = exact_vectors(model, pihat);
  const double expected = dot(exact.data(), exact.data(), 3);
  const auto likelihood = likelihood_of(model);
  const auto root_mean_square = [&](Index features) {
    constexpr int kTrials = 400;
    double sum = 0;
    std::vector<double> row(static_cast<std::size_t>(features));
    for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
      RandomProjection(*likelihood, pihat, {Norm::Fisher, features, seed}).read(0, 1, row.data());
      sum += std::pow(dot(row.data(), row.data(), features) - expected, 2);
    }
    return std::sqrt(sum / kTrials);
  };
  const double few = root_mean_square(50), many = root_mean_square(3200);
  // 64 times the features: an eighth of the error. Each root mean square of 400 is known to 4% or so.
  EXPECT_NEAR(few / many, 8, 1.3);
}

TEST(RandomProjection, L2NormsAreThoseOfTheLogLikelihoods) {
  const Regression model = regression(Family::PoissonSoftplus, 3, 2, 4);
  const Normal pihat = Normal::isotropic(2, 0.1);
  constexpr Index kFeatures = 1000;
  std::vector<double> plain(3 * kFeatures), centred(3 * kFeatures);
  RandomProjection(model, pihat, {Norm::L2, kFeatures, 5}).read(0, 3, plain.data());
  RandomProjection(model, pihat, {Norm::L2Centred, kFeatures, 5}).read(0, 3, centred.data());
  for (Index n = 0; n < 3; ++n) {
    double mean = 0;
    for (Index j = 0; j < kFeatures; ++j)
      mean += plain[static_cast<std::size_t>(n * kFeatures + j)] / kFeatures;
    for (Index j = 0; j < kFeatures; ++j) {
      const auto at = static_cast<std::size_t>(n * kFeatures + j);
      EXPECT_NEAR(centred[at], (plain[at] - mean) * std::sqrt(1000.0 / 999), 1e-12);
    }
  }
}

TEST(RandomProjection, ARowHasTheSameBitsHoweverItIsAskedFor) {
  for (const Family family : kFamilies) {
    for (const Norm norm : values_of<Norm>()) {
      const Regression model = regression(family, 150, 5, 6);
      const Normal pihat = Normal::isotropic(5, 0.2);
      const RandomProjection projection(model, pihat, {norm, 77, 9});
      std::vector<double> all(150 * 77), row(77);
      projection.read(0, 150, all.data());
      for (const Index n : {0, 1, 63, 64, 100, 149}) {
        projection.read(n, 1, row.data());
        EXPECT_TRUE(std::equal(row.begin(), row.end(), all.begin() + n * 77)) << name(norm) << ", row " << n;
      }
      std::vector<double> some(13 * 77);
      projection.read(55, 13, some.data());
      EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 55 * 77)) << name(norm);
    }
  }
}

TEST(RandomProjection, TheFeaturesOfASmallerDimensionAreAmongThoseOfALarger) {
  const Regression model = regression(Family::BernoulliLogit, 1, 3, 7);
  const Normal pihat = Normal::isotropic(3);
  std::vector<double> few(10), many(20);
  RandomProjection(model, pihat, {Norm::Fisher, 10, 2}).read(0, 1, few.data());
  RandomProjection(model, pihat, {Norm::Fisher, 20, 2}).read(0, 1, many.data());
  for (const double value : few) {
    const bool found = std::any_of(many.begin(), many.end(), [&](double other) {
      return std::abs(other * std::sqrt(2.0) - value) <= 1e-12 * std::abs(value);
    });
    EXPECT_TRUE(found) << value;
  }
}

TEST(RandomProjection, RowsThatCountTwiceAreTwiceAsLong) {
  const Regression once = regression(Family::PoissonLog, 4, 3, 8);
  const Regression twice = regression(Family::PoissonLog, 4, 3, 8, {2, 2, 2, 2});
  const Normal pihat = Normal::isotropic(3, 0.3);
  for (const Norm norm : values_of<Norm>()) {
    std::vector<double> a(4 * 30), b(4 * 30);
    RandomProjection(once, pihat, {norm, 30, 2}).read(0, 4, a.data());
    RandomProjection(twice, pihat, {norm, 30, 2}).read(0, 4, b.data());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(2 * a[i], b[i]) << name(norm);
  }
}

TEST(RandomProjection, AModelGivenByRowsHasTheVectorsOfTheRegressionItIs) {
  // The logistic regression again, as a user would write it.
  struct Logistic {
    Rows rows;
    [[nodiscard]] Index num_rows() const { return std::ssize(rows.y); }
    [[nodiscard]] Index num_parameters() const { return rows.dim; }
    [[nodiscard]] double predictor(Index n, const double* theta) const {
      return dot(rows.z.data() + n * rows.dim, theta, rows.dim);
    }
    [[nodiscard]] double log_likelihood(Index n, const double* theta) const {
      return -std::log1p(std::exp(-rows.y[static_cast<std::size_t>(n)] * predictor(n, theta)));
    }
    void gradient(Index n, const double* theta, double* out) const {
      const double y = rows.y[static_cast<std::size_t>(n)];
      const double slope = y / (1 + std::exp(y * predictor(n, theta)));
      for (Index d = 0; d < rows.dim; ++d)
        out[d] = slope * rows.z[static_cast<std::size_t>(n * rows.dim + d)];
    }
    void hessian(Index n, const double* theta, double* out) const {
      const double p = 1 / (1 + std::exp(-predictor(n, theta)));
      const double* z = rows.z.data() + n * rows.dim;
      for (Index d = 0; d < rows.dim; ++d) {
        for (Index e = 0; e < rows.dim; ++e) out[d * rows.dim + e] = -p * (1 - p) * z[d] * z[e];
      }
    }
  };
  const Rows rows = made_up(Family::BernoulliLogit, 40, 4, 11);
  const Regression fast(rows.z, rows.y, {}, {Family::BernoulliLogit});
  const auto plain = likelihood_of(Logistic{rows});
  const Threads executor(1);
  const Normal pihat = laplace(fast, Normal::isotropic(4), executor).posterior;
  const Normal same = laplace(*plain, Normal::isotropic(4), executor).posterior;
  for (std::size_t d = 0; d < 4; ++d) EXPECT_NEAR(pihat.mean()[d], same.mean()[d], 1e-9);
  for (const Norm norm : values_of<Norm>()) {
    std::vector<double> a(40 * 25), b(40 * 25);
    RandomProjection(fast, pihat, {norm, 25, 3}).read(0, 40, a.data());
    RandomProjection(*plain, pihat, {norm, 25, 3}).read(0, 40, b.data());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << name(norm);
  }
}

}  // namespace
}  // namespace giga::test
