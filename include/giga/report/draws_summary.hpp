// What the draws of some chains say, as a table, and what is wrong with them, in words.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/infer/chain.hpp"
#include "giga/infer/diagnostics.hpp"

namespace giga {

struct Quantity {
  std::string name;
  QuantitySummary summary;
  bool constant = false;     ///< All draws are equal.
  Index num_not_finite = 0;  ///< NaN or infinite draws.
};

/// One for each parameter of the chains, and before them the log density as "lp__" if asked for. All chains
/// must have the same number of draws, and there must be a name for every parameter (std::invalid_argument).
[[nodiscard]] std::vector<Quantity> summarise_chains(std::span<const Chain> chains,
                                                     const std::vector<std::string>& names, bool log_density,
                                                     const Executor& executor);

/// The same with mean, sd, median and quantiles of the weighted draws, one weight per draw of all chains in
/// their order (std::invalid_argument). Effective sizes are those of the chains times the share of the draws
/// that the weights leave, (sum w)^2 / (S sum w^2), and standard errors of the means follow from them; R-hat
/// and the rest are still those of the chains. `first`: the column of the chains that the first quantity is.
[[nodiscard]] std::vector<Quantity> weighted_quantities(std::vector<Quantity> quantities,
                                                        std::span<const Chain> chains,
                                                        std::span<const double> weights, Index first = 0);

/// Coefficients whose exponential people report: for one unit more of a column, the odds (rates, means) are
/// multiplied by exp(coefficient). Quantiles go through exp, so the median and the interval of the ratio are
/// exp of those of the coefficient.
struct Ratios {
  std::string name = {};                                 ///< "odds ratio"; empty: there are none.
  std::set<std::string, std::less<>> coefficients = {};  ///< Names of the quantities that have one.

  [[nodiscard]] bool has(const Quantity& quantity) const { return coefficients.contains(quantity.name); }
};

/// A line each: name, mean, sd, 5%, 50%, 95%, mcse, R-hat, bulk and tail ESS. For people: four digits.
[[nodiscard]] std::string summary_text(std::span<const Quantity> quantities);
/// A line for each of the quantities that have a ratio: its median, 5% and 95%. Empty where none has one.
[[nodiscard]] std::string ratios_text(std::span<const Quantity> quantities, const Ratios& ratios);
/// Under the names of R's posterior: variable,mean,median,sd,mad,q5,q95,rhat,ess_bulk,ess_tail,mcse_mean,
/// mcse_sd. All digits; NaN and Inf where a number does not exist. Where there are ratios, the last columns
/// are odds_ratio,odds_ratio_q5,odds_ratio_q95, or as they are called: median and quantiles.
[[nodiscard]] std::string summary_csv(std::span<const Quantity> quantities, const Ratios& ratios = {});
/// The columns that weighted_quantities fills: all except mad, rhat and mcse_sd.
[[nodiscard]] std::string weighted_csv(std::span<const Quantity> quantities, const Ratios& ratios = {});

struct ChainHealth {
  Index num_draws = 0;
  Index num_divergent = 0;
  Index num_at_max_depth = 0;
  double e_bfmi = 0;      ///< NaN for Rwmh, and where there are no energies
  double acceptance = 0;  ///< Mean of accept_stat
  Index num_evaluations = 0, num_not_finite = 0;
};

struct SamplerHealth {
  std::optional<SamplerKind> sampler = {};  ///< Unknown for files of others.
  Index max_depth = 0;                      ///< 0: unknown
  std::vector<ChainHealth> chains = {};
};

[[nodiscard]] SamplerHealth health_of(std::span<const Chain> chains, std::optional<SamplerKind> sampler,
                                      Index max_depth);

/// Whole sentences without a full stop, each with what to do; none when all is well:
///   R-hat > 1.01; bulk or tail ESS < 100 per chain; too few draws for either; divergences; tree depth
///   reached; E-BFMI < 0.3; draws that are constant or not finite; acceptance of Rwmh outside [0.15, 0.7];
///   evaluations of the density that were not finite.
[[nodiscard]] std::vector<std::string> warnings(std::span<const Quantity> quantities,
                                                const SamplerHealth& health);

}  // namespace giga
