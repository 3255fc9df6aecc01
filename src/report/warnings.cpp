// What is wrong with draws, in words. The limits are those of Vehtari et al. (2021) and of Stan:
//     R-hat > 1.01,  ESS < 100 per chain,  E-BFMI < 0.3,  acceptance of a random walk outside [0.15, 0.7].
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "giga/base/text.hpp"
#include "giga/report/draws_summary.hpp"

namespace giga {
namespace {

constexpr double kMostRhat = 1.01;
constexpr double kLeastEss = 100;  // per chain
constexpr double kLeastBfmi = 0.3;
constexpr double kLeastAccepted = 0.15, kMostAccepted = 0.7;
constexpr Index kLeastDraws = 6;  // per chain, for diagnostics to exist

std::string quoted(const std::string& name) {
  return std::string("'").append(printable(name)).append("'");
}

// Rounded to `digits` significant ones.
std::string rounded(double value, int digits) {
  if (!std::isfinite(value)) return "infinite";
  if (value == 0) return "0";
  // 10^(digits - 1 - exponent) brings the wanted digits before the point.
  const double unit = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
  return shortest(std::round(value * unit) / unit);
}

std::string count_of(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string percent(Index part, Index whole) {
  return rounded(100 * static_cast<double>(part) / static_cast<double>(whole), 2) + "%";
}

// The quantities for which `bad` holds: "'a', 'b', ... (7 in all)".
using Test = std::function<bool(const Quantity&)>;
std::vector<const Quantity*> those(std::span<const Quantity> all, const Test& bad) {
  std::vector<const Quantity*> found;
  for (const Quantity& quantity : all) {
    if (bad(quantity)) found.push_back(&quantity);
  }
  return found;
}

std::string listed(const std::vector<const Quantity*>& found) {
  constexpr std::size_t kMost = 5;
  std::string list;
  for (std::size_t k = 0; k < std::min(found.size(), kMost); ++k)
    list.append(k == 0 ? "" : ", ").append(quoted(found[k]->name));
  return found.size() > kMost ? list + ", ... (" + std::to_string(found.size()) + " in all)" : list;
}

// Quantities that warn_of_draws speaks of are left out of all other warnings.
bool is_ordinary(const Quantity& quantity) {
  return !quantity.constant && quantity.num_not_finite == 0;
}

void warn_of_draws(std::span<const Quantity> all, std::vector<std::string>& out) {
  const auto not_finite = those(all, [](const Quantity& q) { return q.num_not_finite > 0; });
  if (!not_finite.empty())
    out.push_back(
        "draws of " + listed(not_finite) +
        " are NaN or infinite: nothing can be said of them; look for data or a model that overflow");
  const auto constant = those(all, [](const Quantity& q) { return q.constant && q.num_not_finite == 0; });
  if (!constant.empty())
    out.push_back("all draws of " + listed(constant) +
                  " are equal: the chains did not move; run them again with a longer `warmup`, or another "
                  "`sampler`");
}

void warn_of_rhat(std::span<const Quantity> all, std::vector<std::string>& out) {
  auto bad = those(all, [](const Quantity& q) { return is_ordinary(q) && q.summary.rhat > kMostRhat; });
  if (bad.empty()) return;
  std::stable_sort(bad.begin(), bad.end(),
                   [](const Quantity* a, const Quantity* b) { return a->summary.rhat > b->summary.rhat; });
  out.push_back("R-hat is above 1.01 for " + listed(bad) + ", up to " + rounded(bad[0]->summary.rhat, 4) +
                ": the chains do not agree yet; give them a longer `warmup` and more `draws`");
}

void warn_of_ess(std::span<const Quantity> all, const char* which, double QuantitySummary::*ess,
                 std::size_t chains, std::vector<std::string>& out) {
  const double least = kLeastEss * static_cast<double>(chains);
  auto bad = those(all, [&](const Quantity& q) { return is_ordinary(q) && q.summary.*ess < least; });
  if (bad.empty()) return;
  std::stable_sort(bad.begin(), bad.end(),
                   [&](const Quantity* a, const Quantity* b) { return a->summary.*ess < b->summary.*ess; });
  out.push_back("the " + std::string(which) + " effective sample size is below " + rounded(least, 12) +
                " (100 per chain) for " + listed(bad) + ", down to " + rounded(bad[0]->summary.*ess, 3) +
                ": make more `draws`");
}

void warn_of_short_chains(const SamplerHealth& health, std::vector<std::string>& out) {
  const Index draws = health.chains.empty() ? kLeastDraws : health.chains[0].num_draws;
  if (draws < kLeastDraws)
    out.push_back("chains of " + std::to_string(draws) +
                  " draws are too short for R-hat and effective sizes; make 6 or more `draws`");
}

Index total(const SamplerHealth& health, Index ChainHealth::*count) {
  Index sum = 0;
  for (const ChainHealth& chain : health.chains) sum += chain.*count;
  return sum;
}

void warn_of_trajectories(const SamplerHealth& health, std::vector<std::string>& out) {
  const Index draws = total(health, &ChainHealth::num_draws);
  if (const Index divergent = total(health, &ChainHealth::num_divergent); divergent > 0)
    out.push_back(count_of(static_cast<std::size_t>(divergent), "draw", "draws") + " of " +
                  std::to_string(draws) + " (" + percent(divergent, draws) +
                  ") come from a trajectory that diverged: parts of the posterior may be missing; raise "
                  "`target_accept`, as to 0.95");
  if (const Index deep = total(health, &ChainHealth::num_at_max_depth); deep > 0)
    out.push_back(count_of(static_cast<std::size_t>(deep), "draw", "draws") + " of " + std::to_string(draws) +
                  " (" + percent(deep, draws) + ") took the largest tree depth, " +
                  std::to_string(health.max_depth) +
                  ": the chains move slowly; raise `max_depth` or lengthen `warmup`");
}

void warn_of_chains(const SamplerHealth& health, std::vector<std::string>& out) {
  for (std::size_t c = 0; c < health.chains.size(); ++c) {
    const ChainHealth& chain = health.chains[c];
    const std::string name = "chain " + std::to_string(c + 1);
    if (chain.e_bfmi < kLeastBfmi)
      out.push_back("E-BFMI of " + name + " is " + rounded(chain.e_bfmi, 2) +
                    ", below 0.3: the tails are explored slowly; give it a longer `warmup`, or a tighter "
                    "`prior_scale`");
    if (health.sampler == SamplerKind::Rwmh &&
        (chain.acceptance < kLeastAccepted || chain.acceptance > kMostAccepted))
      out.push_back(
          name + " accepted " + rounded(100 * chain.acceptance, 2) +
          "% of its proposals, outside 15% to 70%: give it a longer `warmup`, or use `sampler = nuts`");
  }
  const Index not_finite = total(health, &ChainHealth::num_not_finite);
  if (not_finite > 0)
    out.push_back(
        count_of(static_cast<std::size_t>(not_finite), "evaluation", "evaluations") + " of the density, of " +
        std::to_string(total(health, &ChainHealth::num_evaluations)) +
        ", were not finite and rejected: some are usual early in warm-up; if there are many, look at "
        "the scale of the features and at `prior_scale`");
}

ChainHealth health_of_chain(const Chain& chain, std::optional<SamplerKind> sampler, Index max_depth) {
  ChainHealth health;
  health.num_draws = chain.num_draws();
  health.num_evaluations = chain.num_gradients;
  health.num_not_finite = chain.num_not_finite;
  std::vector<std::vector<double>> energies(1);
  for (const DrawStats& stats : chain.stats) {
    health.num_divergent += stats.divergent ? 1 : 0;
    health.num_at_max_depth += max_depth > 0 && stats.tree_depth >= max_depth ? 1 : 0;
    health.acceptance += stats.accept_stat / static_cast<double>(chain.num_draws());
    energies[0].push_back(stats.energy);
  }
  // A thinned chain brings its own, over all transitions; the energies of its draws are too far apart.
  health.e_bfmi = std::isnan(chain.e_bfmi) ? e_bfmi(energies)[0] : chain.e_bfmi;
  if (sampler == SamplerKind::Rwmh) health.e_bfmi = std::numeric_limits<double>::quiet_NaN();
  return health;
}

}  // namespace

SamplerHealth health_of(std::span<const Chain> chains, std::optional<SamplerKind> sampler, Index max_depth) {
  SamplerHealth health{sampler, max_depth, {}};
  for (const Chain& chain : chains) health.chains.push_back(health_of_chain(chain, sampler, max_depth));
  return health;
}

std::vector<std::string> warnings(std::span<const Quantity> quantities, const SamplerHealth& health) {
  std::vector<std::string> out;
  warn_of_draws(quantities, out);
  warn_of_short_chains(health, out);
  warn_of_rhat(quantities, out);
  const std::size_t chains = std::max<std::size_t>(health.chains.size(), 1);
  warn_of_ess(quantities, "bulk", &QuantitySummary::ess_bulk, chains, out);
  warn_of_ess(quantities, "tail", &QuantitySummary::ess_tail, chains, out);
  warn_of_trajectories(health, out);
  warn_of_chains(health, out);
  return out;
}

}  // namespace giga
