// The diagnostics of diagnostics.hpp, each a map of the draws followed by potential_scale or effective_size
// of the split chains (draw_matrix.hpp):
//
//     rhat          max of the potential scales of normal scores of x and of |x - median|
//     ess_bulk      effective size of normal scores of x
//     ess_quantile  effective size of 1(x <= quantile p); ess_tail the smaller at 5 % and 95 %
//     ess_mean, sd  effective size of x, and of |x - mean|
#include "giga/infer/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "giga/base/text.hpp"
#include "infer/draw_matrix.hpp"
#include "infer/probability.hpp"

namespace giga {
namespace {

void check_probability(double p) {
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("p is " + shortest(p) + ", must lie in [0, 1]");
}

bool any_nan(std::span<const double> x) {
  return std::ranges::any_of(x, [](double value) { return std::isnan(value); });
}

// Nothing when the values cannot be put in order.
std::vector<double> sorted(std::span<const double> x) {
  if (any_nan(x)) return {};
  std::vector<double> values(x.begin(), x.end());
  std::ranges::sort(values);
  return values;
}

double median_of(std::span<const double> ordered) {
  return ordered.empty() ? kNaN : sorted_quantile(ordered, 0.5);
}

// The larger or smaller of two, where NaN wins: std::max and std::min keep the number.
double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? kNaN : std::max(a, b);
}

double smaller(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? kNaN : std::min(a, b);
}

template <class Function>
DrawMatrix mapped(DrawMatrix draws, Function function) {
  for (double& x : draws.values) x = function(x);
  return draws;
}

DrawMatrix distances(const DrawMatrix& draws, double centre) {
  return mapped(draws, [=](double x) { return std::abs(x - centre); });
}

// The scores of all ranks that the halves of the chains may have.
std::vector<double> table_for(const DrawMatrix& draws) {
  return normal_scores(2 * (draws.num_draws / 2) * draws.num_chains());
}

// Normal scores of the halves of the chains; nothing when the draws have no order.
DrawMatrix scores_of(const DrawMatrix& draws, std::span<const double> table) {
  return any_nan(draws.values) ? DrawMatrix{} : rank_normalised(split(draws), table);
}

// What follows takes the draws and what several diagnostics share: the draws in order, and their scores.

// Folded draws |x - median| find chains that agree in their centre and differ in their spread.
double rhat_of(const DrawMatrix& draws, std::span<const double> ordered, const DrawMatrix& scores,
               std::span<const double> table) {
  return larger(potential_scale(scores),
                potential_scale(scores_of(distances(draws, median_of(ordered)), table)));
}

double ess_quantile_of(const DrawMatrix& draws, std::span<const double> ordered, double p) {
  // At p = 1 every draw is at most its quantile and the indicator is constant; half a draw below it is not.
  if (!vary(draws.values)) return kNaN;
  const auto size = static_cast<double>(ordered.size());
  const double value = sorted_quantile(ordered, p == 1 ? (size - 0.5) / size : p);
  return effective_size(split(mapped(draws, [=](double x) { return x <= value ? 1.0 : 0.0; })));
}

// The worse of the two tails.
double ess_tail_of(const DrawMatrix& draws, std::span<const double> ordered) {
  return smaller(ess_quantile_of(draws, ordered, 0.05), ess_quantile_of(draws, ordered, 0.95));
}

// sd / sqrt(ess).
double mcse_mean_of(const DrawMatrix& draws) {
  return sd_of(draws.values) / std::sqrt(effective_size(split(draws)));
}

// By the delta method: var(sd) = var(v) / (4 v) for the variance v, and var(v) = (E (x - mean)^4 - v^2) / ess
// with the effective size of (x - mean)^2. In units of the largest deviation, so that fourth powers do not
// overflow.
double mcse_sd_of(const DrawMatrix& draws) {
  if (!vary(draws.values)) return kNaN;
  const double mean = mean_of(draws.values);
  int exponent = 0;
  std::frexp(std::ranges::max(distances(draws, mean).values), &exponent);
  const double per_unit = std::ldexp(1.0, -exponent);
  const DrawMatrix squares =
      mapped(draws, [=](double x) { return (x - mean) * per_unit * ((x - mean) * per_unit); });
  const double variance = mean_of(squares.values);
  const double fourth = mean_of(mapped(squares, [](double x) { return x * x; }).values);
  const double error = (fourth - variance * variance) / effective_size(split(squares));
  return std::ldexp(std::sqrt(error / variance) / 2, exponent);
}

}  // namespace

double rhat(Chains chains) {
  const DrawMatrix draws = gather(chains);
  const std::vector<double> table = table_for(draws);
  return rhat_of(draws, sorted(draws.values), scores_of(draws, table), table);
}

double rhat_basic(Chains chains) {
  return potential_scale(split(gather(chains)));
}

double ess_bulk(Chains chains) {
  const DrawMatrix draws = gather(chains);
  return effective_size(scores_of(draws, table_for(draws)));
}

double ess_tail(Chains chains) {
  const DrawMatrix draws = gather(chains);
  return ess_tail_of(draws, sorted(draws.values));
}

double ess_mean(Chains chains) {
  return effective_size(split(gather(chains)));
}

double ess_sd(Chains chains) {
  const DrawMatrix draws = gather(chains);
  return effective_size(split(distances(draws, mean_of(draws.values))));
}

double ess_quantile(Chains chains, double p) {
  check_probability(p);
  const DrawMatrix draws = gather(chains);
  return ess_quantile_of(draws, sorted(draws.values), p);
}

double mcse_mean(Chains chains) {
  return mcse_mean_of(gather(chains));
}

double mcse_sd(Chains chains) {
  return mcse_sd_of(gather(chains));
}

// With k of ess independent draws below the quantile, its place has the Beta(ess p + 1, ess (1 - p) + 1)
// distribution; the central 68 % of that, Phi(-1) to Phi(1), reach one standard error to either side.
double mcse_quantile(Chains chains, double p) {
  constexpr double kBelow = 0.15865525393145705;
  check_probability(p);
  const DrawMatrix draws = gather(chains);
  const std::vector<double> ordered = sorted(draws.values);
  const double ess = ess_quantile_of(draws, ordered, p);
  if (std::isnan(ess)) return kNaN;
  const double a = ess * p + 1, b = ess * (1 - p) + 1;
  const auto size = static_cast<double>(ordered.size());
  const double low = std::max(std::floor(beta_quantile(kBelow, a, b) * size), 1.0);
  const double high = std::min(std::ceil(beta_quantile(1 - kBelow, a, b) * size), size);
  const auto at = [&](double rank) { return ordered[static_cast<std::size_t>(rank) - 1]; };
  return (at(high) - at(low)) / 2;
}

double quantile(Chains chains, double p) {
  check_probability(p);
  const std::vector<double> ordered = sorted(gather(chains).values);
  return ordered.empty() ? kNaN : sorted_quantile(ordered, p);
}

std::vector<double> e_bfmi(Chains energies) {
  std::vector<double> fractions;
  for (const std::vector<double>& energy : energies) {
    if (energy.size() < 3 || !vary(energy)) {
      fractions.push_back(kNaN);
      continue;
    }
    // sum_i (E_i - E_(i-1))^2 / sum_i (E_i - mean)^2, in units of the sd so that no square overflows.
    const double sd = sd_of(energy);
    Extended changes = 0;
    for (std::size_t i = 1; i < energy.size(); ++i) {
      const double change = (energy[i] - energy[i - 1]) / sd;
      changes += Extended{change} * change;
    }
    fractions.push_back(static_cast<double>(changes) / static_cast<double>(energy.size() - 1));
  }
  return fractions;
}

// One sort serves the quantiles, the median for folding and the tail indicators; the normal scores serve
// rhat and ess_bulk.
QuantitySummary summarise(Chains chains) {
  const DrawMatrix draws = gather(chains);
  const std::vector<double> ordered = sorted(draws.values);
  const std::vector<double> table = table_for(draws);
  const DrawMatrix scores = scores_of(draws, table);
  const double median = median_of(ordered);
  const auto order_statistic = [&](double p) { return ordered.empty() ? kNaN : sorted_quantile(ordered, p); };
  return {.mean = mean_of(draws.values),
          .sd = sd_of(draws.values),
          .median = median,
          .mad = 1.4826 * median_of(sorted(distances(draws, median).values)),
          .q5 = order_statistic(0.05),
          .q50 = median,
          .q95 = order_statistic(0.95),
          .rhat = rhat_of(draws, ordered, scores, table),
          .ess_bulk = effective_size(scores),
          .ess_tail = ess_tail_of(draws, ordered),
          .mcse_mean = mcse_mean_of(draws),
          .mcse_sd = mcse_sd_of(draws)};
}

}  // namespace giga
