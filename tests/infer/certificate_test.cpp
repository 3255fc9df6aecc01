#include "giga/infer/certificate.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

#include "giga/base/random.hpp"
#include "giga/infer/diagnostics.hpp"
#include "giga/model/gaussian_mean.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

// Independent draws, as chains.
std::vector<Chain> chains_of(const Normal& normal, Index num_chains = 4, Index draws = 1000) {
  std::vector<Chain> chains;
  for (Index c = 0; c < num_chains; ++c) {
    Chain chain;
    chain.dim = normal.dim();
    chain.draws.resize(static_cast<std::size_t>(draws * normal.dim()));
    chain.stats.resize(static_cast<std::size_t>(draws));
    Stream random = stream(31, "chains", c);
    for (Index s = 0; s < draws; ++s) normal.draw(random, chain.draws.data() + s * normal.dim());
    chains.push_back(std::move(chain));
  }
  return chains;
}

// N observations of N(theta, I) of which the first alone, counted W times, is the coreset. It lies `away`
// posterior standard deviations from the mean of the others in every component, so that all is known: with a
// the sum of observations less W times the first and c = N - W, grad log pi - grad log pi_w is a - c theta.
class Conjugate {
 public:
  Conjugate(Index dim, Index rows, double weight, double away)
      : dim_(static_cast<std::size_t>(dim)), rows_(static_cast<double>(rows)), weight_(weight) {
    std::vector<double> y(static_cast<std::size_t>(rows * dim));
    Stream random = stream(77, "observations");
    std::vector<double> sum(dim_, 0.0);
    for (std::size_t i = dim_; i < y.size(); ++i) {
      y[i] = 1 + random.normal();
      sum[i % dim_] += y[i];
    }
    for (std::size_t d = 0; d < dim_; ++d) {
      y[d] = sum[d] / (rows_ - 1) + away / std::sqrt(rows_);
      a_.push_back(sum[d] + y[d] - weight * y[d]);
    }
    const GaussianMean model(y, dim);
    std::vector<double> weights(static_cast<std::size_t>(rows), 0.0);
    weights[0] = weight;
    full_posterior.emplace(model.posterior(prior()));
    posterior.emplace(model.posterior(prior(), weights));
    full = likelihood_of(model);
    coreset = full->subset(std::vector<Index>{0}, std::vector<double>{weight});
  }

  [[nodiscard]] Normal prior() const { return Normal::isotropic(static_cast<Index>(dim_)); }

  // E |a - c theta|^2, of which the whitened one is a multiple.
  [[nodiscard]] double fisher(const Normal& under) const {
    const double c = rows_ - weight_;
    double sum = 0;
    for (std::size_t d = 0; d < dim_; ++d)
      sum += std::pow(a_[d] - c * under.mean()[d], 2) + c * c * under.covariance()[d * dim_ + d];
    return sum;
  }
  [[nodiscard]] double whitening() const { return full_posterior->covariance()[0]; }

  std::optional<Normal> full_posterior, posterior;
  std::unique_ptr<Likelihood> full, coreset;

 private:
  std::size_t dim_;
  double rows_, weight_;
  std::vector<double> a_;
};

void expect_within_four_errors(double estimate, double error, double exact, double largest_error) {
  EXPECT_LE(std::abs(estimate - exact), 4 * error) << estimate << " is not " << exact;
  EXPECT_GT(error, 0);
  EXPECT_LE(error, largest_error);
}

// 4 x 1000 independent draws of a coreset that is too wide or too narrow and off the centre.
TEST(Certificate, OfAConjugateModelIsWhatIsKnownInClosedForm) {
  const Threads executor(2);
  for (const double share : {0.8, 1.1}) {
    SCOPED_TRACE(share);
    const Conjugate model(3, 5000, share * 5000, 0.3);
    const Certificate out =
        certify(*model.full, model.coreset.get(), model.prior(), chains_of(*model.posterior), executor);
    EXPECT_TRUE(out.safe()) << name(out.doubt);
    EXPECT_EQ(out.coreset.num_draws, 4000);
    EXPECT_EQ(out.num_gradient_draws, 1000);
    EXPECT_LT(out.coreset.k_hat, 0.5);
    EXPECT_GT(out.coreset.effective_size, 1000);
    EXPECT_LT(out.coreset.effective_size, 4000);
    const std::vector<double> sds = model.full_posterior->standard_deviations();
    for (std::size_t d = 0; d < 3; ++d) {
      const double mean = model.full_posterior->mean()[d], sd = sds[d];
      const Estimate &after = out.coreset.after[d], &before = out.coreset.before[d];
      expect_within_four_errors(after.mean, after.mcse_mean, mean, 0.05 * sd);
      expect_within_four_errors(after.sd, after.mcse_sd, sd, 0.05 * sd);
      expect_within_four_errors(before.mean, before.mcse_mean, model.posterior->mean()[d], 0.03 * sd);
      EXPECT_GT(std::abs(before.mean - mean), 0.15 * sd);  // there was something to correct
      // The Laplace approximation is exact.
      EXPECT_NEAR(out.laplace.before[d].mean, mean, 1e-9);
      EXPECT_NEAR(out.laplace.before[d].sd, sd, 1e-9);
    }
    EXPECT_TRUE(out.laplace.exact);
    EXPECT_TRUE(out.laplace.usable);
    EXPECT_LE(out.disagreement, 0.1);

    const double at_full = model.fisher(*model.full_posterior), at_coreset = model.fisher(*model.posterior);
    const double unit = model.whitening();
    for (const auto& [distance, exact] :
         {std::pair(out.fisher_coreset, at_coreset), std::pair(out.fisher_full, at_full),
          std::pair(out.fisher_laplace, at_full)}) {
      expect_within_four_errors(distance.value, distance.mcse, exact, 0.1 * exact);
      expect_within_four_errors(distance.whitened, distance.whitened_mcse, exact * unit, 0.1 * exact * unit);
    }
  }
}

TEST(Certificate, QuantitiesAreTheLinearFunctionsOfTheCorrectedParameters) {
  const Threads executor(2);
  const Conjugate model(3, 5000, 0.8 * 5000, 0.3);
  CertificateOptions options;
  // A coefficient on another scale, and a sum of all three.
  options.quantities = {2, [](const double* theta) {
                          return std::vector<double>{theta[1] / 4, theta[0] - 2 * theta[1] + theta[2]};
                        }};
  const std::vector<Chain> chains = chains_of(*model.posterior);
  const Certificate out = certify(*model.full, model.coreset.get(), model.prior(), chains, executor, options);
  const Certificate plain = certify(*model.full, model.coreset.get(), model.prior(), chains, executor);
  EXPECT_EQ(out.coreset.k_hat, plain.coreset.k_hat);
  EXPECT_TRUE(plain.coreset.quantities_after.empty());
  EXPECT_TRUE(plain.laplace.quantities_before.empty());
  for (const Correction* one : {&out.coreset, &out.laplace}) {
    ASSERT_EQ(one->quantities_after.size(), 2U);
    ASSERT_EQ(one->quantities_before.size(), 2U);
    for (const auto& [quantity, parameter] : {std::pair(one->quantities_before[0], one->before[1]),
                                              std::pair(one->quantities_after[0], one->after[1])}) {
      EXPECT_NEAR(quantity.mean, parameter.mean / 4, 1e-12);
      EXPECT_NEAR(quantity.sd, parameter.sd / 4, 1e-12);
      EXPECT_NEAR(quantity.mcse_mean, parameter.mcse_mean / 4, 1e-12);
      EXPECT_NEAR(quantity.mcse_sd, parameter.mcse_sd / 4, 1e-12);
    }
  }
  const auto sum_of = [](const Normal& normal) {
    const std::vector<double>& mean = normal.mean();
    return mean[0] - 2 * mean[1] + mean[2];
  };
  // The parameters are independent with equal variances: that of the sum is 6 of them.
  const double sd = std::sqrt(6 * model.full_posterior->covariance()[0]);
  const Estimate &after = out.coreset.quantities_after[1], &before = out.coreset.quantities_before[1];
  expect_within_four_errors(after.mean, after.mcse_mean, sum_of(*model.full_posterior), 0.05 * sd);
  expect_within_four_errors(after.sd, after.mcse_sd, sd, 0.05 * sd);
  expect_within_four_errors(before.mean, before.mcse_mean, sum_of(*model.posterior), 0.05 * sd);
  EXPECT_NEAR(out.laplace.quantities_before[1].mean, sum_of(*model.full_posterior), 1e-9);
  EXPECT_NEAR(out.laplace.quantities_before[1].sd, sd, 1e-9);
}

// Features that are correlated, so that C is not a multiple of I.
TEST(Certificate, TheWhitenedDistanceIsTheMeanOfTheGradientsLengthUnderTheCovariance) {
  const Threads executor(2);
  Rows rows = made_up(Family::BernoulliLogit, 2000, 3, 6);
  for (std::size_t n = 0; n < 2000; ++n) rows.z[n * 3 + 1] += 2 * rows.z[n * 3];
  const Regression model(rows.z, rows.y, {}, {Family::BernoulliLogit});
  const Normal prior = Normal::isotropic(3);
  std::vector<Index> chosen;
  for (Index n = 0; n < 400; ++n) chosen.push_back(5 * n);
  const auto part = model.subset(chosen, std::vector<double>(400, 5.0));
  const std::vector<Chain> chains = chains_of(laplace(*part, prior, executor).posterior, 2, 50);
  const Certificate out = certify(model, part.get(), prior, chains, executor);
  ASSERT_EQ(out.num_gradient_draws, 100);

  const std::vector<double> covariance = laplace(model, prior, executor).posterior.covariance();
  EXPECT_GT(std::abs(covariance[1]), 0.1 * std::sqrt(covariance[0] * covariance[4]));
  double plain = 0, whitened = 0;
  for (const Chain& chain : chains) {
    for (Index s = 0; s < 50; ++s) {
      const std::span theta(chain.draw(s), 3);
      std::vector<double> g = model.evaluate(theta, Order::Gradient, executor).gradient;
      const std::vector<double> few = part->evaluate(theta, Order::Gradient, executor).gradient;
      for (std::size_t d = 0; d < 3; ++d) g[d] -= few[d];
      for (std::size_t d = 0; d < 3; ++d) {
        plain += g[d] * g[d] / 100;
        for (std::size_t e = 0; e < 3; ++e) whitened += g[d] * covariance[d * 3 + e] * g[e] / 100;
      }
    }
  }
  EXPECT_NEAR(out.fisher_coreset.value, plain, 1e-9 * plain);
  EXPECT_NEAR(out.fisher_coreset.whitened, whitened, 1e-9 * whitened);
}

// With few rows the Laplace approximation is off; two parameters allow the truth by a sum over a grid.
TEST(Certificate, TheCorrectedLaplaceApproximationHasTheMomentsOfThePosterior) {
  const Threads executor(2);
  const Regression model = regression(Family::BernoulliLogit, 30, 2, 3);
  const Normal prior = Normal::isotropic(2, 2);
  const Normal normal = laplace(model, prior, executor).posterior;
  const std::vector<double> sds = normal.standard_deviations();
  long double total = 0, mean = 0, square = 0;
  constexpr int kSteps = 120;
  for (int i = -kSteps; i <= kSteps; ++i) {
    for (int j = -kSteps; j <= kSteps; ++j) {
      const std::vector<double> theta = {normal.mean()[0] + 8 * sds[0] * i / kSteps,
                                         normal.mean()[1] + 8 * sds[1] * j / kSteps};
      const long double density = std::exp(model.evaluate(theta, Order::Value, executor).value +
                                           prior.log_density(theta, Order::Value).value + 20.0);
      total += density;
      mean += density * theta[0];
      square += density * theta[0] * theta[0];
    }
  }
  mean /= total;
  const double sd = static_cast<double>(std::sqrt(square / total - mean * mean));
  const Certificate out = certify(model, &model, prior, chains_of(normal), executor);
  EXPECT_FALSE(out.laplace.exact);
  EXPECT_TRUE(out.laplace.usable);
  EXPECT_GT(std::abs(out.laplace.before[0].mean - static_cast<double>(mean)), 0.1 * sd);
  const Estimate& after = out.laplace.after[0];
  expect_within_four_errors(after.mean, after.mcse_mean, static_cast<double>(mean), 0.04 * sd);
  expect_within_four_errors(after.sd, after.mcse_sd, sd, 0.06 * sd);
}

TEST(Certificate, DivergencesAreThoseOfTheTwoNormals) {
  const Threads executor(2);
  const Conjugate model(3, 5000, 4000, 0.3);
  const Certificate out =
      certify(*model.full, model.coreset.get(), model.prior(), chains_of(*model.posterior), executor);
  const double of_coreset = kl_divergence(*model.posterior, *model.full_posterior);
  const double of_full = kl_divergence(*model.full_posterior, *model.posterior);
  EXPECT_NEAR(out.kl_laplace.of_coreset, of_coreset, 1e-7);
  EXPECT_NEAR(out.kl_laplace.of_full, of_full, 1e-7);
  // The errors to first order in the weights x = S w: those of the means of x - log x and of x log x - x (1 +
  // KL).
  long double squares = 0, squares_full = 0;
  const auto count = static_cast<double>(out.coreset.weights.size());
  for (const double w : out.coreset.weights) {
    const double x = count * w;
    squares += std::pow(x - 1 - std::log(x) - of_coreset, 2);
    squares_full += std::pow(x * (std::log(x) - of_full) - (x - 1), 2);
  }
  expect_within_four_errors(out.kl_draws.of_coreset, static_cast<double>(std::sqrt(squares)) / count,
                            of_coreset, 0.1 * of_coreset);
  expect_within_four_errors(out.kl_draws.of_full, static_cast<double>(std::sqrt(squares_full)) / count,
                            of_full, 0.1 * of_full);
}

TEST(Certificate, ABadCoresetIsNotSafeAndALargerOneIsSuggested) {
  const Threads executor(2);
  struct Case {
    double weight, away;
  };
  // Off by 8 standard deviations; 10 times too narrow in variance.
  for (const Case& bad : {Case{1000, 8}, Case{10'000, 0}}) {
    const Conjugate model(3, 1000, bad.weight, bad.away);
    const Certificate out =
        certify(*model.full, model.coreset.get(), model.prior(), chains_of(*model.posterior), executor);
    EXPECT_FALSE(out.safe());
    EXPECT_EQ(out.doubt, Doubt::HighKhat) << out.coreset.k_hat;
    EXPECT_FALSE(out.coreset.usable);
    EXPECT_EQ(out.suggested_size, 6);
    EXPECT_TRUE(out.laplace.usable);
  }
}

// One row whose likelihood is a sum of normal densities of standard deviation 1/2.
struct Modes {
  std::vector<double> at;

  [[nodiscard]] static Index num_rows() { return 1; }
  [[nodiscard]] static Index num_parameters() { return 1; }
  [[nodiscard]] double log_likelihood(Index /*n*/, const double* theta) const {
    double sum = 0;
    for (const double mode : at) sum += std::exp(-2 * (theta[0] - mode) * (theta[0] - mode));
    return std::log(sum);
  }
  void gradient(Index /*n*/, const double* theta, double* out) const {
    double sum = 0, slope = 0;
    for (const double mode : at) {
      const double share = std::exp(-2 * (theta[0] - mode) * (theta[0] - mode));
      sum += share;
      slope -= share * 4 * (theta[0] - mode);
    }
    out[0] = slope / sum;
  }
  void hessian(Index /*n*/, const double* /*theta*/, double* out) const { out[0] = -4; }  // of one mode
};

// Neither set of draws shows that there is another mode; that they differ does.
TEST(Certificate, CorrectionsThatEndInDifferentModesAreNotSafe) {
  const Threads executor(1);
  const auto both = likelihood_of(Modes{{-5, 5}}), one = likelihood_of(Modes{{-5}});
  const LaplaceResult other{Normal::with_precision({5}, {4}), 0, 0, 0, 1, 0, LaplaceEnd::Converged};
  const std::vector<Chain> chains = chains_of(Normal::with_precision({-5}, {4}));
  const Certificate out =
      certify(*both, one.get(), Normal::isotropic(1, 1000), chains, executor, {.laplace = &other});
  EXPECT_TRUE(out.coreset.usable);
  EXPECT_TRUE(out.laplace.usable);
  EXPECT_NEAR(out.disagreement, 20, 1);
  EXPECT_EQ(out.doubt, Doubt::Disagrees);
}

TEST(Certificate, WeightsThatLeaveTooFewDrawsAreNotSafe) {
  const Threads executor(2);
  const Conjugate model(3, 1000, 500, 0);  // half the precision: many draws lie where the posterior is not
  const std::vector<Chain> chains = chains_of(*model.posterior);
  const auto of = [&](double least) {
    return certify(*model.full, model.coreset.get(), model.prior(), chains, executor,
                   {.min_effective_size = least});
  };
  EXPECT_TRUE(of(100).safe());
  const Certificate out = of(3000);
  EXPECT_LT(out.coreset.effective_size, 3000);
  EXPECT_GT(out.min_ess, 3000);
  EXPECT_EQ(out.doubt, Doubt::FewEffective) << name(out.doubt);
}

TEST(Certificate, TheSuggestedSizeDoublesAndStopsAtTheOneThatMatchesCurvature) {
  EXPECT_EQ(next_size(10, 11, 1'000'000), 22);
  EXPECT_EQ(next_size(30, 11, 1'000'000), 60);
  EXPECT_EQ(next_size(60, 11, 1'000'000), 77);
  EXPECT_EQ(next_size(77, 11, 1'000'000), 154);
  EXPECT_EQ(next_size(100, 11, 150), 150);
  EXPECT_EQ(next_size(150, 11, 150), 0);
  EXPECT_EQ(next_size(0, 1, 100), 2);
}

TEST(Certificate, AllRowsAsACoresetAreExact) {
  const Threads executor(2);
  const Conjugate model(2, 500, 500, 0);
  const Certificate out =
      certify(*model.full, model.full.get(), model.prior(), chains_of(*model.full_posterior), executor);
  EXPECT_TRUE(out.safe());
  EXPECT_TRUE(out.coreset.exact);
  EXPECT_EQ(out.coreset.k_hat, 0);
  EXPECT_GT(out.coreset.effective_size, 3000);
  EXPECT_LE(out.coreset.effective_size, 4000);
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_NEAR(out.coreset.after[d].mean, out.coreset.before[d].mean, 1e-12);
    EXPECT_NEAR(out.coreset.after[d].sd, out.coreset.before[d].sd, 1e-4);
  }
  EXPECT_EQ(out.fisher_full.value, 0);
  EXPECT_NEAR(out.kl_draws.of_coreset, 0, 1e-12);
  EXPECT_NEAR(out.kl_laplace.of_full, 0, 1e-12);
}

// The rows in another order: ratios that are constant but for rounding.
TEST(Certificate, RatiosThatDifferByRoundingAreExact) {
  const Threads executor(2);
  const Regression model = regression(Family::BernoulliLogit, 3000, 3, 5);
  const Normal prior = Normal::isotropic(3);
  std::vector<Index> rows;
  for (Index n = 0; n < 3000; ++n) rows.push_back(2999 - n);
  const auto turned = model.subset(rows, std::vector<double>(3000, 1.0));
  const Normal posterior = laplace(model, prior, executor).posterior;
  const Certificate out = certify(model, turned.get(), prior, chains_of(posterior), executor);
  EXPECT_TRUE(out.coreset.exact);
  EXPECT_TRUE(out.safe());
}

TEST(Certificate, TheEmptyCoresetIsThePrior) {
  const Threads executor(1);
  const Conjugate model(1, 3, 1, 0);  // few rows: the prior still covers the posterior
  const Certificate near = certify(*model.full, nullptr, model.prior(), chains_of(model.prior()), executor);
  EXPECT_EQ(near.coreset_size, 0);
  EXPECT_NEAR(near.kl_laplace.of_full, kl_divergence(*model.full_posterior, model.prior()), 1e-9);
  const Estimate& after = near.coreset.after[0];
  expect_within_four_errors(after.mean, after.mcse_mean, model.full_posterior->mean()[0], 0.1);

  const Conjugate many(2, 5000, 1, 0);
  const Certificate far = certify(*many.full, nullptr, many.prior(), chains_of(many.prior()), executor);
  EXPECT_FALSE(far.safe());
  EXPECT_EQ(far.suggested_size, 4);
}

TEST(Certificate, ChainsThatDisagreeAreNotSafe) {
  const Threads executor(1);
  const Conjugate model(2, 500, 500, 0);
  std::vector<Chain> chains = chains_of(*model.posterior);
  for (double& value : chains[3].draws) value += 0.1;  // 2 standard deviations
  const Certificate out = certify(*model.full, model.coreset.get(), model.prior(), chains, executor);
  EXPECT_GT(out.max_rhat, 1.05);
  EXPECT_EQ(out.doubt, Doubt::NotMixed);
  EXPECT_EQ(out.suggested_size, 0);

  for (Chain& chain : chains) std::fill(chain.draws.begin(), chain.draws.end(), 1.0);
  const Certificate stuck = certify(*model.full, model.coreset.get(), model.prior(), chains, executor);
  EXPECT_TRUE(std::isnan(stuck.max_rhat));
  EXPECT_EQ(stuck.doubt, Doubt::NotMixed);
}

TEST(Certificate, DrawsThatAreNotNumbersAreNotSafe) {
  const Threads executor(1);
  const Conjugate model(2, 500, 500, 0);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::vector<Chain> chains = chains_of(*model.posterior);
    chains[1].draws[17] = bad;
    const Certificate out = certify(*model.full, model.coreset.get(), model.prior(), chains, executor);
    EXPECT_EQ(out.doubt, Doubt::DrawsNotFinite);
    EXPECT_EQ(out.num_draws_not_finite, 1);
    EXPECT_EQ(out.coreset.num_impossible, 1);
    EXPECT_TRUE(std::isfinite(out.coreset.after[0].mean));  // by the other draws
  }
}

TEST(Certificate, FewDrawsAreNotSafe) {
  const Threads executor(1);
  const Conjugate model(1, 500, 490, 0);
  for (const Index draws : {1, 3, 5, 20}) {
    const Certificate out = certify(*model.full, model.coreset.get(), model.prior(),
                                    chains_of(*model.posterior, 1, draws), executor);
    EXPECT_EQ(out.doubt, Doubt::TooFewDraws) << draws;
  }
  // No weights are needed, but 80 draws are not worth 100.
  const Certificate exact = certify(*model.full, model.full.get(), model.prior(),
                                    chains_of(*model.full_posterior, 2, 40), executor);
  EXPECT_TRUE(exact.coreset.exact);
  EXPECT_EQ(exact.doubt, Doubt::TooFewDraws);
  const Certificate enough = certify(*model.full, model.coreset.get(), model.prior(),
                                     chains_of(*model.posterior, 1, 2000), executor);
  EXPECT_TRUE(enough.safe()) << name(enough.doubt);
  EXPECT_EQ(enough.num_chains, 1);
}

TEST(Certificate, TheLimitOfKhatFallsWithFewerDraws) {
  const Threads executor(1);
  const Conjugate model(1, 500, 490, 0);
  const auto limit = [&](Index draws) {
    return certify(*model.full, model.coreset.get(), model.prior(), chains_of(*model.posterior, 1, draws),
                   executor)
        .coreset.k_limit;
  };
  EXPECT_DOUBLE_EQ(limit(100), 0.5);
  EXPECT_NEAR(limit(1000), 2.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(limit(4000), 0.7);
}

void expect_same(const Estimate& x, const Estimate& y) {
  EXPECT_EQ(x.mean, y.mean);
  EXPECT_EQ(x.sd, y.sd);
  EXPECT_EQ(x.mcse_mean, y.mcse_mean);
  EXPECT_EQ(x.mcse_sd, y.mcse_sd);
}

TEST(Certificate, HasTheSameBitsOnOneThreadAndTwo) {
  const Regression model = regression(Family::BernoulliLogit, 10'000, 3, 5);
  const Normal prior = Normal::isotropic(3);
  const Threads one(1), two(2);
  std::vector<Index> rows;
  for (Index n = 0; n < 2000; ++n) rows.push_back(n * 5);
  const auto part = model.subset(rows, std::vector<double>(2000, 5.0));
  const std::vector<Chain> chains = chains_of(laplace(*part, prior, one).posterior);
  const Certificate x = certify(model, part.get(), prior, chains, one);
  const Certificate y = certify(model, part.get(), prior, chains, two);
  EXPECT_EQ(x.coreset.weights, y.coreset.weights);
  EXPECT_EQ(x.laplace.weights, y.laplace.weights);
  EXPECT_EQ(x.coreset.k_hat, y.coreset.k_hat);
  EXPECT_EQ(x.laplace.k_hat, y.laplace.k_hat);
  for (std::size_t d = 0; d < 3; ++d) {
    expect_same(x.coreset.after[d], y.coreset.after[d]);
    expect_same(x.coreset.before[d], y.coreset.before[d]);
    expect_same(x.laplace.after[d], y.laplace.after[d]);
  }
  EXPECT_EQ(x.fisher_full.value, y.fisher_full.value);
  EXPECT_EQ(x.fisher_coreset.whitened_mcse, y.fisher_coreset.whitened_mcse);
  EXPECT_EQ(x.fisher_laplace.whitened, y.fisher_laplace.whitened);
  EXPECT_EQ(x.kl_laplace.of_full, y.kl_laplace.of_full);
  EXPECT_EQ(x.kl_draws.of_full, y.kl_draws.of_full);
}

// The draws are 0.1 sd off in each of 200 parameters: little for any of them, much for the weights, of which
// 400 draws leave about fifty.
TEST(Certificate, CorrectionDoesNotPayWhereItsNoiseExceedsTheBias) {
  const Threads executor;
  const Conjugate model(200, 500, 500, 0.1);
  const Certificate certificate =
      certify(*model.full, model.coreset.get(), model.prior(), chains_of(*model.posterior, 4, 100), executor);
  EXPECT_FALSE(certificate.coreset.pays());
  EXPECT_GT(certificate.coreset.error_corrected, 1.0 / 400);
  // What it says of the draws as they are: a bias of 0.1 and the noise of 400 draws.
  EXPECT_NEAR(certificate.coreset.error_plain, 0.01 + 1.5 / 400, 0.006);
  double plain = 0, corrected = 0;
  for (std::size_t d = 0; d < 200; ++d) {
    const double mean = model.full_posterior->mean()[d], sd = model.full_posterior->standard_deviations()[d];
    plain += std::pow((certificate.coreset.before[d].mean - mean) / sd, 2);
    corrected += std::pow((certificate.coreset.after[d].mean - mean) / sd, 2);
  }
  EXPECT_GT(corrected, plain);
}

TEST(Certificate, CorrectionPaysWhereTheDrawsAreBiased) {
  const Threads executor;
  const Conjugate model(2, 500, 500, 1);
  const Certificate certificate =
      certify(*model.full, model.coreset.get(), model.prior(), chains_of(*model.posterior), executor);
  EXPECT_TRUE(certificate.coreset.pays());
  EXPECT_NEAR(certificate.coreset.error_plain, 1, 0.2);
  EXPECT_LT(certificate.coreset.error_corrected, 0.01);
}

TEST(Certificate, RefusesQuantitiesWithoutValuesOrOfAnotherNumber) {
  const Conjugate model(2, 50, 50, 0);
  const Threads executor(1);
  const std::vector<Chain> chains = chains_of(*model.posterior);
  CertificateOptions options;
  const auto certified = [&] {
    (void)certify(*model.full, model.coreset.get(), model.prior(), chains, executor, options);
  };
  options.quantities = {1, {}};
  EXPECT_THROW(certified(), std::invalid_argument);
  options.quantities = {2, [](const double* theta) { return std::vector<double>{theta[0]}; }};
  EXPECT_THROW(certified(), std::invalid_argument);
}

TEST(Certificate, RefusesWhatDoesNotFit) {
  const Threads executor(1);
  const Conjugate model(2, 50, 50, 0);
  std::vector<Chain> chains = chains_of(*model.posterior, 2, 10);
  const auto of = [&](const CertificateOptions& options = {}) {
    return certify(*model.full, model.coreset.get(), model.prior(), chains, executor, options);
  };
  EXPECT_NO_THROW((void)of());
  EXPECT_THROW((void)of({.gradient_draws = 0}), std::invalid_argument);
  EXPECT_THROW((void)of({.laplace_draws = 0}), std::invalid_argument);
  EXPECT_THROW((void)certify(*model.full, nullptr, Normal::isotropic(3), chains, executor),
               std::invalid_argument);
  EXPECT_THROW((void)certify(*model.full, nullptr, model.prior(), {}, executor), std::invalid_argument);
  chains[1].draws.resize(18);
  EXPECT_THROW((void)of(), std::invalid_argument);
  chains = chains_of(Normal::isotropic(3), 2, 10);
  EXPECT_THROW((void)of(), std::invalid_argument);
}

TEST(Certificate, AnObserverSeesTheStagesAndMayEndThem) {
  const Threads executor(1);
  const Conjugate model(1, 500, 490, 0);
  const std::vector<Chain> chains = chains_of(*model.posterior, 1, 100);
  std::vector<CertificatePart> parts;
  (void)certify(*model.full, model.coreset.get(), model.prior(), chains, executor, {},
                [&](const StageProgress& at) {
                  EXPECT_EQ(at.stage, Stage::Certify);
                  if (parts.empty() || parts.back() != at.part) parts.push_back(at.part);
                  EXPECT_GE(at.done, 0);
                  EXPECT_LE(at.done, at.total);
                  EXPECT_EQ(at.total, model.full->num_rows());
                  return Answer::Continue;
                });
  EXPECT_EQ(parts, (std::vector{CertificatePart::Laplace, CertificatePart::Ratios,
                                CertificatePart::LaplaceRatios, CertificatePart::Gradients}));
  const auto angry = [](const StageProgress&) -> Answer { throw std::runtime_error("enough"); };
  EXPECT_THROW((void)certify(*model.full, model.coreset.get(), model.prior(), chains, executor, {}, angry),
               std::runtime_error);
  for (const CertificatePart part : parts) {
    const auto stop = [part](const StageProgress& at) {
      return at.part == part ? Answer::Stop : Answer::Continue;
    };
    EXPECT_THROW((void)certify(*model.full, model.coreset.get(), model.prior(), chains, executor, {}, stop),
                 Stopped);
  }
}

}  // namespace
}  // namespace giga::test
