// Draws on both scales, and what they say. Columns are ordered as BothScales orders them: the parameters on
// the scale of the user's columns, then those that were sampled; quantities have lp__ before them.
#include "giga/report/posterior_summary.hpp"

#include <stdexcept>
#include <utility>

#include "giga/pipeline/certify_coreset.hpp"

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

std::vector<LaplaceMarginal> laplace_marginals(const Normal& posterior, const BothScales& scales) {
  std::vector<LaplaceMarginal> all;
  for (const Estimate& each : original_moments(posterior, scales)) all.push_back({each.mean, each.sd});
  return all;
}

}  // namespace giga
