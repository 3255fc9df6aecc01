// The samplers against posteriors that are known: by conjugacy, or by integration.
#include "infer/known_posteriors.hpp"

#include <gtest/gtest.h>

namespace giga::test {
namespace {

constexpr Family kIntegrated[] = {Family::BernoulliLogit, Family::PoissonSoftplus, Family::PoissonLog};

void expect_known(const KnownPosterior& known, SamplerKind sampler,
                  MetricKind metric = MetricKind::Diagonal) {
  SampleOptions options = long_run(sampler, std::ssize(known.mean));
  options.metric = metric;
  const Findings findings = check_known(known, options);
  EXPECT_GT(findings.comparisons, 0);
  EXPECT_TRUE(findings.passed()) << name(sampler) << ", " << name(metric) << ", " << known.name << ": "
                                 << findings.text();
}

TEST(KnownPosteriors, NutsHasTheMomentsAndQuantilesOfConjugateOnes) {
  for (const Index dim : {1, 2, 3, 5, 10, 20, 50}) expect_known(conjugate(dim), SamplerKind::Nuts);
}

TEST(KnownPosteriors, NutsWithADenseMetricHasTheMomentsAndQuantilesOfConjugateOnes) {
  for (const Index dim : {1, 2, 3, 5, 10, 20, 50})
    expect_known(conjugate(dim), SamplerKind::Nuts, MetricKind::Dense);
}

TEST(KnownPosteriors, HmcHasTheMomentsAndQuantilesOfConjugateOnes) {
  for (const Index dim : {1, 2, 3, 5, 10, 20, 50}) expect_known(conjugate(dim), SamplerKind::Hmc);
}

TEST(KnownPosteriors, RwmhHasTheMomentsAndQuantilesOfConjugateOnes) {
  for (const Index dim : {1, 2, 3, 5, 10}) expect_known(conjugate(dim), SamplerKind::Rwmh);
}

TEST(KnownPosteriors, EverySamplerHasTheMomentsAndQuantilesOfIntegratedOnes) {
  for (const Family family : kIntegrated) {
    const KnownPosterior known = integrated(family);
    for (const SamplerKind sampler : {SamplerKind::Nuts, SamplerKind::Hmc, SamplerKind::Rwmh})
      expect_known(known, sampler);
    for (const SamplerKind sampler : {SamplerKind::Nuts, SamplerKind::Hmc, SamplerKind::Rwmh})
      expect_known(known, sampler, MetricKind::Dense);
  }
}

TEST(Quadrature, ChangesByLessThanAMillionthOnAFinerAndWiderMesh) {
  for (const Family family : kIntegrated) {
    const KnownPosterior coarse = integrated(family);
    const KnownPosterior fine = integrated(family, {.range = 14, .step = 0.1});
    EXPECT_NEAR(coarse.correlation[1], fine.correlation[1], 1e-6) << coarse.name;
    for (std::size_t d = 0; d < 2; ++d) {
      const double within = 1e-6 * fine.sd[d];
      EXPECT_NEAR(coarse.mean[d], fine.mean[d], within) << coarse.name;
      EXPECT_NEAR(coarse.sd[d], fine.sd[d], within) << coarse.name;
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(coarse.quantiles[d][k], fine.quantiles[d][k], within) << coarse.name;
    }
  }
}

TEST(Quadrature, IsThatOfANormalDistributionWhereItIsOne) {
  // Standard deviations 2 and 0.5, correlation 0.6; a frame that is off.
  const Normal normal = Normal::with_covariance({1, -2}, {4, 0.6, 0.6, 0.25});
  const Normal frame = Normal::with_covariance({1.3, -2.1}, {5, 0.3, 0.3, 0.3});
  const Integrals got = integrate(
      [&](double a, double b) {
        const std::vector<double> theta = {a, b};
        return normal.log_density(theta, Order::Value).value;
      },
      frame);
  EXPECT_NEAR(got.correlation, 0.6, 1e-9);
  for (std::size_t d = 0; d < 2; ++d) {
    const double sd = d == 0 ? 2 : 0.5;
    EXPECT_NEAR(got.mean[d], normal.mean()[d], 1e-9);
    EXPECT_NEAR(got.sd[d], sd, 1e-9);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(got.quantiles[d][k], normal.mean()[d] + sd * normal_quantile(kProbabilities[k]), 1e-8);
  }
}

}  // namespace
}  // namespace giga::test
