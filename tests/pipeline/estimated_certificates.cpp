#include "pipeline/estimated_certificates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/row_estimate.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga::test {
namespace {

constexpr Index kChains = 4, kDraws = 500;

Coreset coreset_of(const Problem& problem, Quality quality, const Executor& executor) {
  if (quality == Quality::Good) return build_coreset(problem, fit_coreset_options(), executor).coreset;
  const Index all = problem.num_data_rows(), size = quality == Quality::Poor ? all / 4 : 40;
  Coreset out;
  for (Index k = 0; k < size; ++k) {
    const Index row = k * all / size;
    out.rows.push_back(row);
    out.weights.push_back(problem.likelihood().multiplicity(row) * static_cast<double>(all) /
                          static_cast<double>(size));
  }
  return out;
}

// Draws of the normal approximation of the coreset's posterior, as chains: what matters here is that both
// certificates weigh the same ones.
std::vector<Chain> chains_of(const Normal& normal) {
  std::vector<Chain> chains;
  for (Index c = 0; c < kChains; ++c) {
    Chain chain;
    chain.dim = normal.dim();
    chain.draws.resize(static_cast<std::size_t>(kDraws * normal.dim()));
    chain.stats.resize(static_cast<std::size_t>(kDraws));
    Stream random = stream(5, "draws of a comparison", c);
    for (Index s = 0; s < kDraws; ++s) normal.draw(random, chain.draws.data() + s * normal.dim());
    chains.push_back(std::move(chain));
  }
  return chains;
}

std::vector<double> pooled(const std::vector<Chain>& chains) {
  std::vector<double> out;
  for (const Chain& chain : chains) out.insert(out.end(), chain.draws.begin(), chain.draws.end());
  return out;
}

bool near_limit(const Certificate& certificate) {
  const auto close = [](double value, double limit) { return std::abs(value - limit) <= 0.05; };
  return close(certificate.coreset.k_hat, certificate.coreset.k_limit) ||
         close(certificate.coreset.effective_size / certificate.min_effective_size, 1) ||
         close(certificate.coreset.spread, 0.1);
}

}  // namespace

Comparison compare_certificates(const EstimateCase& which, Quality quality) {
  const Threads executor;
  EstimateProblem made = make(which, executor);
  const Normal prior = made.prior;
  const LaplaceResult found = std::move(made.laplace);
  const Problem problem(std::move(made.model), prior);
  const Coreset coreset = coreset_of(problem, quality, executor);
  const auto part = coreset_model(problem, coreset);
  const std::vector<Chain> chains = chains_of(laplace(*part, prior, executor).posterior);
  const auto certified = [&](RowCount rows) {
    CertificateOptions options{.laplace_draws = 500, .check_rows = rows, .laplace = &found};
    return certify_coreset(problem, coreset, chains, executor, options);
  };
  const Certificate all = certified(RowCount::all()), some = certified({});
  Comparison out{.estimated = some.checked.estimated, .safe = all.safe()};
  if (!out.estimated) return out;
  if (some.doubt != all.doubt && !near_limit(all))
    out.failures.push_back("the verdict differs: k-hat " + std::to_string(some.coreset.k_hat) +
                           ", by all rows " + std::to_string(all.coreset.k_hat));
  for (std::size_t d = 0; d < all.coreset.after.size() && all.safe(); ++d) {
    const double apart = std::abs(some.coreset.after[d].mean - all.coreset.after[d].mean);
    if (!(apart <= 0.01 * all.coreset.after[d].sd))
      out.failures.push_back("corrected mean " + std::to_string(d) + " is " +
                             std::to_string(apart / all.coreset.after[d].sd) + " sd off");
  }
  const std::vector<double> draws = pooled(chains);
  const auto estimate = estimate_rows(problem.likelihood(), part.get(), found, draws, {}, executor).estimate;
  if (estimate) {
    out.beyond = share_beyond(*estimate, problem.likelihood(),
                              spread_points(draws, problem.likelihood().num_parameters(), 256), executor);
  }
  return out;
}

double share_beyond_of_samples(const EstimateCase& which, Quality quality, Index samples) {
  const Threads executor;
  EstimateProblem made = make(which, executor);
  const Normal prior = made.prior;
  const LaplaceResult found = std::move(made.laplace);
  const Problem problem(std::move(made.model), prior);
  const auto part = coreset_model(problem, coreset_of(problem, quality, executor));
  const std::vector<double> draws = pooled(chains_of(laplace(*part, prior, executor).posterior));
  const Index dim = problem.likelihood().num_parameters();
  double beyond = 0;
  for (Index i = 0; i < samples; ++i) {
    const RowEstimateOptions options{.seed = static_cast<std::uint64_t>(i + 1)};
    const auto estimate =
        estimate_rows(problem.likelihood(), part.get(), found, draws, options, executor).estimate;
    if (!estimate) return std::numeric_limits<double>::quiet_NaN();
    beyond += share_beyond(*estimate, problem.likelihood(), spread_points(draws, dim, 256), executor);
  }
  return beyond / static_cast<double>(samples);
}

}  // namespace giga::test
