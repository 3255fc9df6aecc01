#include "giga/infer/sample.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "giga/infer/diagnostics.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "infer/adaptation.hpp"
#include "infer/faults.hpp"
#include "infer/hamiltonian.hpp"
#include "infer/standard_coordinates.hpp"
#include "support/executors.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

static_assert(!fault(Fault::HmcAcceptsAll), "the library has no seeded faults");

// A normal distribution as a density, for which everything is known.
struct Gaussian {
  Normal normal;
  [[nodiscard]] Index dim() const { return normal.dim(); }
  double log_density(const double* theta, double* gradient) const {
    const Derivatives at = normal.log_density({theta, static_cast<std::size_t>(dim())}, Order::Gradient);
    std::copy(at.gradient.begin(), at.gradient.end(), gradient);
    return at.value;
  }
};

// Standard deviations from 0.2 to 5 and neighbours correlated.
Gaussian correlated(Index dim) {
  const auto size = static_cast<std::size_t>(dim);
  std::vector<double> mean(size), covariance(size * size);
  const auto sd = [&](std::size_t d) {
    return 0.2 * std::pow(25.0, static_cast<double>(d) / static_cast<double>(size));
  };
  for (std::size_t d = 0; d < size; ++d) {
    mean[d] = static_cast<double>(d) - 1;
    for (std::size_t e = 0; e < size; ++e)
      covariance[d * size + e] =
          sd(d) * sd(e) * std::pow(0.6, std::abs(static_cast<double>(d) - static_cast<double>(e)));
  }
  return {Normal::with_covariance(mean, covariance)};
}

struct Moments {
  std::vector<double> mean, variance;
};
Moments moments_of(const std::vector<Chain>& chains) {
  const auto dim = static_cast<std::size_t>(chains[0].dim);
  Moments out{std::vector<double>(dim, 0.0), std::vector<double>(dim, 0.0)};
  double count = 0;
  for (const Chain& chain : chains) {
    for (Index s = 0; s < chain.num_draws(); ++s, ++count) {
      for (std::size_t d = 0; d < dim; ++d) out.mean[d] += chain.draw(s)[d];
    }
  }
  for (double& value : out.mean) value /= count;
  for (const Chain& chain : chains) {
    for (Index s = 0; s < chain.num_draws(); ++s) {
      for (std::size_t d = 0; d < dim; ++d)
        out.variance[d] += std::pow(chain.draw(s)[d] - out.mean[d], 2) / count;
    }
  }
  return out;
}

// Of at least 5000 effective draws: four standard errors are 0.057 sd and 4% of a standard deviation.
void expect_moments(const std::vector<Chain>& chains, const Normal& want, SamplerKind kind) {
  const Moments got = moments_of(chains);
  const std::vector<double> sds = want.standard_deviations();
  for (std::size_t d = 0; d < sds.size(); ++d) {
    EXPECT_NEAR(got.mean[d], want.mean()[d], 0.057 * sds[d]) << name(kind) << " " << d;
    EXPECT_NEAR(std::sqrt(got.variance[d]), sds[d], 0.04 * sds[d]) << name(kind) << " " << d;
  }
}

TEST(Leapfrog, RunsBackToWhereItCameFromAfterAThousandSteps) {
  const Regression model = regression(Family::BernoulliLogit, 200, 4, 1);
  const RegressionPosterior posterior(model, Normal::isotropic(4));
  Hamiltonian hamiltonian{DensityView(posterior)};
  PhasePoint point;
  point.q = {0.1, -0.2, 0.3, 0.4};
  hamiltonian.evaluate(point);
  Stream random = stream(1, "momentum");
  hamiltonian.draw_momentum(point, random);
  const PhasePoint start = point;
  for (int i = 0; i < 1000; ++i) hamiltonian.leapfrog(point, 0.02);
  EXPECT_GT(std::abs(point.q[0] - start.q[0]), 1e-3);
  for (double& p : point.p) p = -p;
  for (int i = 0; i < 1000; ++i) hamiltonian.leapfrog(point, 0.02);
  for (std::size_t d = 0; d < 4; ++d) {
    EXPECT_NEAR(point.q[d], start.q[d], 1e-12 * std::abs(start.q[d]));
    EXPECT_NEAR(-point.p[d], start.p[d], 1e-12 * std::abs(start.p[d]));
  }
}

TEST(Leapfrog, HasAnEnergyErrorOfSecondOrder) {
  const Regression model = regression(Family::PoissonSoftplus, 100, 3, 2);
  const RegressionPosterior posterior(model, Normal::isotropic(3));
  const auto worst_error = [&](double step) {
    Hamiltonian hamiltonian{DensityView(posterior)};
    PhasePoint point;
    point.q = {0.5, 0.5, 3};
    hamiltonian.evaluate(point);
    point.p = {1, -1, 0.5};
    const double before = hamiltonian.energy(point);
    double worst = 0;
    for (double time = 0; time < 2; time += step) {
      hamiltonian.leapfrog(point, step);
      worst = std::max(worst, std::abs(hamiltonian.energy(point) - before));
    }
    return worst;
  };
  EXPECT_NEAR(worst_error(0.008) / worst_error(0.004), 4, 0.4);
  EXPECT_NEAR(worst_error(0.004) / worst_error(0.002), 4, 0.4);
}

TEST(Sample, RecoversTheMomentsOfAGaussian) {
  for (const SamplerKind kind : {SamplerKind::Nuts, SamplerKind::Hmc, SamplerKind::Rwmh}) {
    const Gaussian target = correlated(kind == SamplerKind::Rwmh ? 3 : 10);
    SampleOptions options;
    options.sampler = kind;
    options.warmup = kind == SamplerKind::Rwmh ? 10000 : 1000;
    options.draws = kind == SamplerKind::Rwmh ? 20000 : 4000;
    options.thin = kind == SamplerKind::Rwmh ? 10 : 1;
    options.metric = MetricKind::Diagonal;
    const auto chains = sample(target, options, dispersed_starts(target.normal, 4, 3), threads(2));
    expect_moments(chains, target.normal, kind);
  }
}

TEST(Sample, GivesTheSameDrawsForAnyNumberOfThreads) {
  const Gaussian target = correlated(4);
  for (const SamplerKind kind : {SamplerKind::Nuts, SamplerKind::Hmc, SamplerKind::Rwmh}) {
    SampleOptions options;
    options.sampler = kind;
    options.warmup = 200;
    options.draws = 100;
    const auto one = sample(target, options, dispersed_starts(target.normal, 3, 5), threads(1));
    const auto two = sample(target, options, dispersed_starts(target.normal, 3, 5), threads(2));
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(one[c].draws, two[c].draws) << name(kind);
    EXPECT_NE(one[0].draws, one[1].draws);
    const auto about_two = sample_about(target, target.normal, 3, options, threads(2));
    const auto about_one = sample_about(target, target.normal, 3, options, threads(1));
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(about_one[c].draws, about_two[c].draws) << name(kind);
  }
}

// What is not quite the density: another centre, other scales, other correlations.
Normal near(const Gaussian& target) {
  std::vector<double> mean = target.normal.mean(), covariance = target.normal.covariance();
  const auto size = mean.size();
  for (std::size_t d = 0; d < size; ++d) {
    mean[d] += 0.5;
    covariance[d * size + d] *= d % 2 == 0 ? 3 : 1.5;
  }
  return Normal::with_covariance(std::move(mean), covariance);
}

TEST(SampleAbout, RecoversTheMomentsOfAGaussianThatTheApproximationMisses) {
  const Gaussian target = correlated(10);
  for (const SamplerKind kind : {SamplerKind::Nuts, SamplerKind::Hmc}) {
    SampleOptions options;
    options.sampler = kind;
    options.draws = 4000;
    options.seed = 3;
    expect_moments(sample_about(target, near(target), 4, options, threads(2)), target.normal, kind);
  }
}

TEST(SampleAbout, WithoutADenseMetricIsSampleFromDispersedStarts) {
  const Gaussian target = correlated(3);
  for (const MetricKind metric : {MetricKind::Diagonal, MetricKind::Unit}) {
    const SampleOptions options = {.warmup = 100, .draws = 20, .metric = metric, .seed = 4};
    const auto chains = sample_about(target, near(target), 2, options, threads(2));
    const auto plain = sample(target, options, dispersed_starts(near(target), 2, 4), threads(2));
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_EQ(chains[c].draws, plain[c].draws);
      EXPECT_EQ(chains[c].metric, metric);
      EXPECT_EQ(chains[c].inverse_metric.size(), 3U);
    }
  }
}

// Phishing in small: directions that the data fix a hundred times as well as others, along no axis.
TEST(SampleAbout, TakesFewStepsWhereVariancesAloneTakeMany) {
  Gaussian target = correlated(6);
  std::vector<double> covariance(36, 1.0);
  for (std::size_t d = 0; d < 6; ++d) covariance[d * 6 + d] += 1e-5;
  target.normal = Normal::with_covariance(target.normal.mean(), covariance);
  SampleOptions options = {.warmup = 500, .draws = 500, .seed = 1};
  const auto dense = sample_about(target, target.normal, 1, options, threads(2));
  options.metric = MetricKind::Diagonal;
  const auto diagonal = sample_about(target, target.normal, 1, options, threads(2));
  EXPECT_LT(20 * dense[0].num_gradients, diagonal[0].num_gradients);
  EXPECT_THROW((void)sample_about(target, Normal::isotropic(2), 1, options, threads(2)),
               std::invalid_argument);
}

TEST(StandardCoordinates, HaveTheDensityOfTheParametersAndItsGradient) {
  const Regression model = regression(Family::PoissonSoftplus, 50, 3, 2);
  const RegressionPosterior posterior(model, Normal::isotropic(3));
  for (const Normal& about :
       {near(correlated(3)), laplace(model, Normal::isotropic(3), Threads(1)).posterior}) {
    const StandardCoordinates standard(posterior, about);
    const std::vector<double> z = {0.3, -0.7, 1.1};
    std::vector<double> theta(3), gradient(3), ignored(3);
    standard.to_parameters(z.data(), theta.data());
    for (std::size_t d = 0; d < 3; ++d) {
      double want = about.mean()[d];
      for (std::size_t e = 0; e < 3; ++e) want += about.factor()[d * 3 + e] * z[e];
      EXPECT_NEAR(theta[d], want, 1e-14 * (1 + std::abs(want)));
    }
    const double value = standard.log_density(z.data(), gradient.data());
    EXPECT_EQ(value, posterior.log_density(theta.data(), ignored.data()));
    constexpr double kStep = 1e-5;
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<double> up = z, down = z;
      up[d] += kStep;
      down[d] -= kStep;
      const double slope = (standard.log_density(up.data(), ignored.data()) -
                            standard.log_density(down.data(), ignored.data())) /
                           (2 * kStep);
      EXPECT_NEAR(gradient[d], slope, 1e-6 * (1 + std::abs(slope)));
    }
  }
}

// C M C', symmetric to the bit.
void expect_metric(const std::vector<double>& got, const Normal& about, const std::vector<double>& matrix) {
  ASSERT_EQ(got.size(), 9U);
  const std::vector<double>& c = about.factor();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double want = 0;
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l) want += c[i * 3 + k] * matrix[k * 3 + l] * c[j * 3 + l];
      EXPECT_NEAR(got[i * 3 + j], want, 1e-12 * (1 + std::abs(want)));
      EXPECT_EQ(got[i * 3 + j], got[j * 3 + i]);
    }
  }
}

TEST(StandardCoordinates, TakeBackDrawsAndMetrics) {
  const Gaussian target = correlated(3);
  const Normal about = near(target);
  const StandardCoordinates standard(target, about);
  const std::vector<double> z = {1, 2, -1};
  std::vector<double> theta(3);
  standard.to_parameters(z.data(), theta.data());
  Chain chain;
  chain.dim = 3;
  chain.draws = z;
  chain.stats.resize(1);
  chain.inverse_metric = {1, 4, 9};
  standard.take_back(chain);
  EXPECT_EQ(chain.draws, theta);
  EXPECT_EQ(chain.metric, MetricKind::Dense);
  expect_metric(chain.inverse_metric, about, {1, 0, 0, 0, 4, 0, 0, 0, 9});
  Chain walk = chain;  // whose metric is a matrix before
  const std::vector<double> matrix = {2, 0.5, -0.3, 0.5, 3, 0.2, -0.3, 0.2, 4};
  walk.inverse_metric = matrix;
  standard.take_back(walk);
  expect_metric(walk.inverse_metric, about, matrix);
}

// Trajectories diverge beyond a wall now and then.
struct Walled {
  [[nodiscard]] Index dim() const { return 1; }
  double log_density(const double* theta, double* gradient) const {
    const double beyond = std::max(0.0, std::abs(theta[0]) - 2);
    gradient[0] = -theta[0] - (theta[0] > 0 ? 1e5 : -1e5) * beyond;
    return -0.5 * theta[0] * theta[0] - 0.5e5 * beyond * beyond;
  }
};

TEST(Sample, AThinnedChainTellsOfTheTransitionsItLeavesOut) {
  SampleOptions options = {.warmup = 100, .draws = 600, .target_accept = 0.5, .seed = 2};
  const Chain whole = sample(Walled{}, options, {{0.1}}, threads(1))[0];
  options.draws = 200;
  options.thin = 3;
  const Chain thinned = sample(Walled{}, options, {{0.1}}, threads(1))[0];
  Index left_out = 0;
  std::vector<std::vector<double>> energies(1);
  for (Index s = 0; s < 600; s += 3) {
    const DrawStats* three = whole.stats.data() + s;
    const DrawStats& kept = thinned.stats[static_cast<std::size_t>(s / 3)];
    ASSERT_EQ(thinned.draw(s / 3)[0], whole.draw(s + 2)[0]);
    EXPECT_EQ(kept.divergent, three[0].divergent || three[1].divergent || three[2].divergent);
    EXPECT_EQ(kept.tree_depth, std::max({three[0].tree_depth, three[1].tree_depth, three[2].tree_depth}));
    EXPECT_EQ(kept.energy, three[2].energy);
    left_out += kept.divergent && !three[2].divergent ? 1 : 0;
    for (int k = 0; k < 3; ++k) energies[0].push_back(three[k].energy);
  }
  EXPECT_GT(left_out, 0) << "or this says nothing";
  EXPECT_EQ(thinned.e_bfmi, e_bfmi(energies)[0]);
  EXPECT_TRUE(std::isnan(whole.e_bfmi)) << "its draws tell";
}

// Zero beyond 1 of the centre; starts are drawn about it with a standard deviation of 200.
struct Narrow {
  [[nodiscard]] Index dim() const { return 1; }
  double log_density(const double* theta, double* gradient) const {
    gradient[0] = 0;
    return std::abs(theta[0] - 5) < 1 ? 0 : -std::numeric_limits<double>::infinity();
  }
};

TEST(SampleAbout, StartsWhereTheDensityIsNotZero) {
  for (const MetricKind metric : {MetricKind::Dense, MetricKind::Unit}) {
    const SampleOptions options = {.warmup = 20, .draws = 20, .metric = metric};
    const auto chains = sample_about(Narrow{}, Normal::with_covariance({5}, {1e4}), 4, options, threads(2));
    for (const Chain& chain : chains) EXPECT_NEAR(chain.draw(0)[0], 5, 1);
  }
}

// A half-line that throws beyond its end, and a gap where it is not a number.
struct Awkward {
  [[nodiscard]] Index dim() const { return 1; }
  double log_density(const double* theta, double* gradient) const {
    if (theta[0] < 0) throw std::domain_error("negative");
    gradient[0] = -1;
    return theta[0] > 3 && theta[0] < 3.1 ? std::nan("") : -theta[0];
  }
};

TEST(Sample, RejectsAndCountsProposalsWhereTheDensityThrowsOrIsNotFinite) {
  for (const SamplerKind kind : {SamplerKind::Nuts, SamplerKind::Hmc, SamplerKind::Rwmh}) {
    SampleOptions options;
    options.sampler = kind;
    options.warmup = 500;
    options.draws = 2000;
    const auto chains = sample(Awkward{}, options, {{1.0}, {2.0}}, threads(2));
    for (const Chain& chain : chains) {
      EXPECT_GT(chain.num_not_finite, 0) << name(kind);
      for (Index s = 0; s < chain.num_draws(); ++s) {
        ASSERT_GE(chain.draw(s)[0], 0);
        ASSERT_FALSE(chain.draw(s)[0] > 3 && chain.draw(s)[0] < 3.1);
      }
    }
  }
}

TEST(Sample, StopsWhenTheObserverSaysSoAndKeepsWhatItHas) {
  const Gaussian target = correlated(2);
  SampleOptions options;
  options.warmup = 50;
  options.draws = 1000;
  const auto chains =
      sample(target, options, dispersed_starts(target.normal, 2, 1), threads(2),
             [](const StageProgress& at) { return at.done >= 60 ? Answer::Stop : Answer::Continue; });
  for (const Chain& chain : chains) {
    EXPECT_TRUE(chain.stopped);
    EXPECT_EQ(chain.num_draws(), 10);
  }
}

TEST(Sample, RefusesWhatCannotBe) {
  const Gaussian target = correlated(2);
  const auto starts = dispersed_starts(target.normal, 1, 1);
  EXPECT_THROW((void)sample(target, {.draws = 0}, starts, threads(1)), std::invalid_argument);
  EXPECT_THROW((void)sample(target, {.target_accept = 1.5}, starts, threads(1)), std::invalid_argument);
  EXPECT_THROW((void)sample(target, {.step_jitter = 1}, starts, threads(1)), std::invalid_argument);
  EXPECT_THROW((void)sample(target, {}, {}, threads(1)), std::invalid_argument);
  EXPECT_THROW((void)sample(target, {}, {{1.0}}, threads(1)), std::invalid_argument);
  EXPECT_THROW((void)sample(Awkward{}, {}, {{-1.0}}, threads(1)), std::invalid_argument);
}

TEST(Windows, ADefaultWarmUpIsDividedAsStansUsersKnowIt) {
  const Windows windows(1000);
  std::vector<Index> ends;
  for (Index i = 0; i < 1000; ++i) {
    if (windows.ends_window(i)) ends.push_back(i);
  }
  EXPECT_EQ(ends, (std::vector<Index>{99, 149, 249, 449, 949}));
  EXPECT_FALSE(windows.learns(74));
  EXPECT_TRUE(windows.learns(75));
  EXPECT_TRUE(windows.learns(949));
  EXPECT_FALSE(windows.learns(950));
}

}  // namespace
}  // namespace giga::test
