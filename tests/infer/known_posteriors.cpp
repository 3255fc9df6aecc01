#include "infer/known_posteriors.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "giga/base/threads.hpp"
#include "giga/infer/diagnostics.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr double kNoise = 0.7;
constexpr double kMultiplicities[] = {1, 2, 0.5};

std::vector<double> multiplicities(Index rows) {
  std::vector<double> out;
  for (Index n = 0; n < rows; ++n) out.push_back(kMultiplicities[n % 3]);
  return out;
}

// Written plainly, without the code that is tested.
double log_likelihood(Family family, double y, double s) {
  switch (family) {
    case Family::BernoulliLogit: return -std::log1p(std::exp(-y * s));
    case Family::PoissonSoftplus: return y * std::log(std::log1p(std::exp(s))) - std::log1p(std::exp(s));
    case Family::PoissonLog: return y * s - std::exp(s);
    case Family::GaussianIdentity: return -0.5 * std::pow((y - s) / kNoise, 2);
    default: throw std::invalid_argument("a family without a known posterior");
  }
}

// "softplus poisson".
std::string label_of(Family family) {
  return std::string(link_name(family)) + " " + std::string(family_name(family));
}

}  // namespace

KnownPosterior conjugate(Index dim) {
  const Index rows = 2 * dim + 10;
  Rows made = made_up(Family::GaussianIdentity, rows, dim, 11);
  for (Index n = 0; n < rows; ++n) {
    double* z = made.z.data() + n * dim;
    for (Index d = 1; d < dim; ++d) z[d] += 0.5 * z[d - 1];
  }
  const std::vector<double> times = multiplicities(rows);
  const Normal prior = Normal::isotropic(dim, 0.5);
  Eigen::MatrixXd precision = Eigen::Map<const Matrix>(prior.precision().data(), dim, dim);
  Eigen::VectorXd pull = Eigen::VectorXd::Zero(dim);
  for (Index n = 0; n < rows; ++n) {
    const Eigen::Map<const Eigen::VectorXd> z(made.z.data() + n * dim, dim);
    const double each = times[static_cast<std::size_t>(n)] / (kNoise * kNoise);
    precision += each * z * z.transpose();
    pull += each * made.y[static_cast<std::size_t>(n)] * z;
  }
  const Eigen::MatrixXd covariance = precision.inverse();
  const Eigen::VectorXd mean = covariance * pull;
  KnownPosterior out{"gaussian, D = " + std::to_string(dim),
                     std::make_shared<const Regression>(made.z, made.y, times,
                                                        FamilyParameters{Family::GaussianIdentity, kNoise}),
                     prior,
                     {},
                     {},
                     {},
                     {}};
  for (Index d = 0; d < dim; ++d) {
    const double sd = std::sqrt(covariance(d, d));
    out.mean.push_back(mean[d]);
    out.sd.push_back(sd);
    out.quantiles.emplace_back();
    for (std::size_t k = 0; k < 3; ++k)
      out.quantiles.back()[k] = mean[d] + sd * normal_quantile(kProbabilities[k]);
    for (Index e = 0; e < dim; ++e)
      out.correlation.push_back(covariance(d, e) / (sd * std::sqrt(covariance(e, e))));
  }
  return out;
}

KnownPosterior integrated(Family family, const Mesh& mesh) {
  const Index rows = 20;
  const Rows made = made_up(family, rows, 2, 12);
  const std::vector<double> times = multiplicities(rows);
  const double centre = family == Family::PoissonSoftplus ? 3 : 0;
  const Normal prior = Normal::with_precision({0, centre}, {1, 0.2, 0.2, 0.5});
  const auto model = std::make_shared<const Regression>(made.z, made.y, times, FamilyParameters{family, 1});
  const auto log_density = [&](double a, double b) {
    double value = -0.5 * (a * a + 0.4 * a * (b - centre) + 0.5 * (b - centre) * (b - centre));
    for (std::size_t n = 0; n < times.size(); ++n)
      value += times[n] * log_likelihood(family, made.y[n], made.z[2 * n] * a + made.z[2 * n + 1] * b);
    return value;
  };
  const Integrals exact = integrate(log_density, laplace(*model, prior, Threads(1)).posterior, mesh);
  KnownPosterior out{label_of(family), model, prior, {}, {}, {}, {}};
  out.mean.assign(exact.mean.begin(), exact.mean.end());
  out.sd.assign(exact.sd.begin(), exact.sd.end());
  out.correlation = {1, exact.correlation, exact.correlation, 1};
  out.quantiles.assign(exact.quantiles.begin(), exact.quantiles.end());
  return out;
}

SampleOptions long_run(SamplerKind sampler, Index dim) {
  SampleOptions options;
  options.sampler = sampler;
  options.metric = MetricKind::Diagonal;
  options.draws = dim <= 20 ? 30000 : 20000;
  options.seed = 21;
  if (sampler == SamplerKind::Rwmh) {
    options.warmup = 10000;
    options.draws = 15000;
    options.thin = 4 * dim + 4;
  }
  return options;
}

namespace {

// The draws of one parameter, or of a function of the draws, by chain.
template <typename Function>
std::vector<std::vector<double>> series(const std::vector<Chain>& chains, const Function& function) {
  std::vector<std::vector<double>> out;
  for (const Chain& chain : chains) {
    out.emplace_back();
    for (Index s = 0; s < chain.num_draws(); ++s) out.back().push_back(function(chain.draw(s)));
  }
  return out;
}

struct MeanAndSd {
  double mean, sd;
};
MeanAndSd moments(Chains chains) {
  double count = 0, sum = 0, squares = 0;
  for (const std::vector<double>& chain : chains) {
    for (const double value : chain) ++count, sum += value;
  }
  const double mean = sum / count;
  for (const std::vector<double>& chain : chains) {
    for (const double value : chain) squares += (value - mean) * (value - mean);
  }
  return {mean, std::sqrt(squares / (count - 1))};
}

// Of larger dimensions only neighbours and those with the last parameter, the intercept.
std::vector<std::pair<std::size_t, std::size_t>> pairs(std::size_t dim) {
  constexpr std::size_t kAll = 5;
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t d = 0; d < dim; ++d) {
    for (std::size_t e = d + 1; e < dim; ++e) {
      if (dim <= kAll || e == d + 1) out.emplace_back(d, e);
    }
  }
  return out;
}

void check_parameter(const KnownPosterior& known, std::size_t d, const std::vector<Chain>& chains,
                     Findings& findings) {
  const std::string what = known.name + ", parameter " + std::to_string(d);
  const double sd = known.sd[d];
  const auto draws = series(chains, [d](const double* draw) { return draw[d]; });
  const double size_mean = ess_mean(draws), size_sd = ess_sd(draws);
  findings.least_size = std::min({findings.least_size, size_mean, size_sd});
  findings.require(size_mean >= kLeastEssMean,
                   what + ": effective size for the mean " + std::to_string(size_mean));
  findings.require(size_sd >= kLeastEssSd, what + ": effective size for the sd " + std::to_string(size_sd));
  const MeanAndSd got = moments(draws);
  findings.require(std::abs(got.mean - known.mean[d]) <= kMeanBound * sd,
                   what + ": mean off by " + std::to_string((got.mean - known.mean[d]) / sd) + " sd");
  findings.require(std::abs(got.sd / sd - 1) <= kSdBound, what + ": sd is " + std::to_string(got.sd / sd));
  findings.compare((got.mean - known.mean[d]) / mcse_mean(draws), what + ", mean");
  findings.compare((got.sd - sd) / mcse_sd(draws), what + ", sd");
  for (std::size_t k = 0; k < 3; ++k) {
    const double p = kProbabilities[k];
    findings.compare((quantile(draws, p) - known.quantiles[d][k]) / mcse_quantile(draws, p),
                     what + ", quantile " + std::to_string(p));
  }
}

// With u and v standardised, the error of the sample correlation is to first order the mean of
// u v - rho (u^2 + v^2) / 2.
void check_correlation(const KnownPosterior& known, std::size_t d, std::size_t e,
                       const std::vector<Chain>& chains, Findings& findings) {
  const double rho = known.correlation[d * known.mean.size() + e];
  const auto errors = series(chains, [&](const double* draw) {
    const double u = (draw[d] - known.mean[d]) / known.sd[d], v = (draw[e] - known.mean[e]) / known.sd[e];
    return u * v - rho * (u * u + v * v) / 2;
  });
  findings.compare(moments(errors).mean / mcse_mean(errors),
                   known.name + ", correlation of " + std::to_string(d) + " and " + std::to_string(e));
}

}  // namespace

Findings check_known(const KnownPosterior& known, const SampleOptions& options) {
  constexpr Index kChains = 4, kPerParameter = 5;
  const RegressionPosterior posterior(*known.model, known.prior);
  const LaplaceResult about = laplace(*known.model, known.prior, Threads(1));
  const auto chains = sample_about(posterior, about.posterior, kChains, options, Threads());
  const auto both = pairs(known.mean.size());
  Findings findings;
  findings.bound = bonferroni_bound(kPerParameter * std::ssize(known.mean) + std::ssize(both), kFalseAlarm);
  for (std::size_t d = 0; d < known.mean.size(); ++d) check_parameter(known, d, chains, findings);
  for (const auto& [d, e] : both) check_correlation(known, d, e, chains, findings);
  return findings;
}

}  // namespace giga::test
