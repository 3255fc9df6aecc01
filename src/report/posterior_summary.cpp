// Draws on both scales, and what they say. Columns are ordered as BothScales orders them: the parameters on
// the scale of the user's columns, then those that were sampled; quantities have lp__ before them.
#include "giga/report/posterior_summary.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace giga {

std::span<const Quantity> PosteriorSummary::original() const {
  return std::span(quantities).subspan(1, static_cast<std::size_t>(num_original));
}

Chain on_both_scales(const Chain& chain, const BothScales& scales) {
  if (chain.dim != scales.num_parameters())
    throw std::invalid_argument("the chain has another number of parameters");
  Chain out = chain;
  out.dim = std::ssize(scales.names());
  out.draws.clear();
  out.draws.reserve(chain.stats.size() * scales.names().size());
  for (Index s = 0; s < chain.num_draws(); ++s) {
    const std::vector<double> all = scales.values(chain.draw(s));
    out.draws.insert(out.draws.end(), all.begin(), all.end());
  }
  return out;
}

PosteriorSummary posterior_summary(const BothScales& scales, std::span<const Chain> chains,
                                   const SampleOptions& options, const Executor& executor) {
  PosteriorSummary out;
  out.names = scales.names();
  out.num_original = scales.num_original();
  for (const Chain& chain : chains) out.chains.push_back(on_both_scales(chain, scales));
  out.quantities = summarise_chains(out.chains, out.names, true, executor);
  out.health =
      health_of(out.chains, options.sampler, options.sampler == SamplerKind::Nuts ? options.max_depth : 0);
  // What is wrong with a coefficient is wrong with it on both scales: it is said once.
  const auto told = 1 + static_cast<std::size_t>(out.num_original);
  out.warnings = warnings(std::span(out.quantities).first(told), out.health);
  return out;
}

std::vector<Quantity> best_quantities(const PosteriorSummary& summary, const Correction& correction) {
  std::vector<Quantity> all(summary.quantities.begin() + 1, summary.quantities.end());
  if (!correction.pays()) return all;
  all = weighted_quantities(std::move(all), summary.chains, correction.weights);
  // The certificate has standard errors from the autocorrelation of the weighted draws: better than
  // those of weighted_quantities, which it replaces. Its quantities are the original scale, so the
  // order is that of `all`.
  std::vector<Estimate> estimates = correction.quantities_after;
  estimates.insert(estimates.end(), correction.after.begin(), correction.after.end());
  for (std::size_t k = 0; k < all.size() && k < estimates.size(); ++k)
    all[k].summary.mcse_mean = estimates[k].mcse_mean;
  return all;
}

// The values of BothScales are affine in theta: A theta + b. With C C' the covariance of theta the marginal
// of value k has the variance |A_k C|^2.
std::vector<LaplaceMarginal> laplace_marginals(const Normal& posterior, const BothScales& scales) {
  const auto dim = static_cast<std::size_t>(posterior.dim());
  const std::vector<double> centre = scales.values(posterior.mean().data());
  std::vector<double> variance(centre.size(), 0.0), theta(dim);
  for (std::size_t column = 0; column < dim; ++column) {
    for (std::size_t d = 0; d < dim; ++d)
      // A (mean + c) + b less A mean + b is A c, for each column c of C.
      theta[d] = posterior.mean()[d] + posterior.factor()[d * dim + column];
    const std::vector<double> moved = scales.values(theta.data());
    for (std::size_t k = 0; k < centre.size(); ++k)
      variance[k] += (moved[k] - centre[k]) * (moved[k] - centre[k]);
  }
  std::vector<LaplaceMarginal> all;
  for (std::size_t k = 0; k < static_cast<std::size_t>(scales.num_original()); ++k)
    all.push_back({centre[k], std::sqrt(variance[k])});
  return all;
}

}  // namespace giga
