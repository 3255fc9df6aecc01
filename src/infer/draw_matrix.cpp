// Potential scale and effective size of chains, from their means, variances and autocovariances.
//
// Notation: m chains of n draws, S = m n; B the variance of the chain means, W the mean of the chain
// variances, a(t) the autocovariance at lag t averaged over chains, var+ = (n - 1) / n W + B the estimate of
// the variance that pools both. Sources: Vehtari et al. (2021) and Geyer (1992), as in diagnostics.hpp.
#include "infer/draw_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "infer/autocovariance.hpp"

namespace giga {
namespace {

// max - min: 0 if and only if all are equal, without rounding.
double range(std::span<const double> x) {
  const auto [least, most] = std::ranges::minmax(x);
  return most - least;
}

// The chains of `draws` less their means, in units of a power of two near the largest deviation: their
// squares neither overflow nor vanish. Chains of equal draws are zeros, without the rounding of their mean.
struct Centred {
  std::vector<double> means;  // in the units of the draws
  std::vector<double> deviations;
  int exponent = 0;  // of the unit
};

Centred centre(const DrawMatrix& draws) {
  Centred result{{}, draws.values, 0};
  const auto n = static_cast<std::size_t>(draws.num_draws);
  double largest = 0;
  for (Index c = 0; c < draws.num_chains(); ++c) {
    const std::span<const double> chain = draws.chain(c);
    const double mean = range(chain) > 0 ? mean_of(chain) : chain.front();
    for (double& x : std::span(result.deviations).subspan(static_cast<std::size_t>(c) * n, n)) {
      x -= mean;
      largest = std::max(largest, std::abs(x));
    }
    result.means.push_back(mean);
  }
  // Scaling by a power of two changes no digit of a deviation; the ratios B / W and rho(t) do not depend on
  // the unit.
  if (largest > 0 && std::isfinite(largest)) std::frexp(largest, &result.exponent);
  const double per_unit = std::ldexp(1.0, -result.exponent);
  for (double& x : result.deviations) x *= per_unit;
  return result;
}

// The variance of the chain means in squared units, dividing by one less than their number; 0 for one chain.
double variance_between(const Centred& centred) {
  if (centred.means.size() < 2) return 0;
  std::vector<double> scaled;
  for (const double mean : centred.means) scaled.push_back(std::ldexp(mean, -centred.exponent));
  const double sd = range(scaled) > 0 ? sd_of(scaled) : 0;
  return sd * sd;
}

// Pairs of autocorrelations (rho_2k, rho_2k+1) have a positive, falling sum for a reversible chain. Takes the
// pairs up to the first with a negative sum, makes their sums monotone, and returns
//   tau = -1 + 2 (rho_0 + ... + rho_{T-1}) + rho_T
// where T is the first lag of that last pair and rho_T counts only if positive, which helps antithetic
// chains.
template <class Autocorrelation>
double autocorrelation_time(Autocorrelation rho, Index num_draws) {
  std::vector<double> kept{1, rho(1)};
  Index last = 0;
  double even = kept[0], odd = kept[1];
  while (last < num_draws - 5 && even + odd > 0) {
    last += 2;
    even = rho(last);
    odd = rho(last + 1);
    // Invariant: kept has rho_0 .. rho_(last + 1), in which every pair except perhaps the last has a positive
    // sum.
    kept.push_back(even + odd >= 0 ? even : std::max(even, 0.0));
    kept.push_back(even + odd >= 0 ? odd : 0);
  }
  if (last == 0) return 2;  // too short for a second pair: rho_0 stands for both sums
  const auto end = static_cast<std::size_t>(last);
  // Geyer's initial monotone sequence: a pair whose sum exceeds that of the pair before gets
  // half that sum each.
  for (std::size_t t = 2; t < end; t += 2) {
    const double before = kept[t - 2] + kept[t - 1];
    if (kept[t] + kept[t + 1] > before) kept[t] = kept[t + 1] = before / 2;
  }
  return -1 + 2 * std::accumulate(kept.begin(), kept.begin() + last, 0.0) + kept[end];
}

}  // namespace

DrawMatrix gather(Chains chains) {
  DrawMatrix draws;
  if (chains.empty()) return draws;
  draws.num_draws = std::ssize(chains.front());
  draws.values.reserve(chains.size() * chains.front().size());
  for (std::size_t c = 0; c < chains.size(); ++c) {
    if (std::ssize(chains[c]) != draws.num_draws) {
      throw std::invalid_argument("chain " + std::to_string(c) + " has " + std::to_string(chains[c].size()) +
                                  " draws, must have as many as chain 0: " + std::to_string(draws.num_draws));
    }
    draws.values.insert(draws.values.end(), chains[c].begin(), chains[c].end());
  }
  return draws;
}

// A chain that drifts has halves which disagree, so that one chain suffices for R-hat.
DrawMatrix split(const DrawMatrix& draws) {
  DrawMatrix halves{draws.num_draws / 2, {}};
  if (halves.num_draws == 0) return halves;
  const auto half = static_cast<std::size_t>(halves.num_draws);
  halves.values.reserve(draws.values.size());
  for (Index c = 0; c < draws.num_chains(); ++c) {
    for (const auto part : {draws.chain(c).first(half), draws.chain(c).last(half)})
      halves.values.insert(halves.values.end(), part.begin(), part.end());
  }
  return halves;
}

DrawMatrix rank_normalised(DrawMatrix draws, std::span<const double> scores) {
  // Values beside their places, so that sorting reads memory in order.
  std::vector<std::pair<double, std::uint32_t>> order;
  order.reserve(draws.values.size());
  for (const double x : draws.values) order.emplace_back(x, static_cast<std::uint32_t>(order.size()));
  std::ranges::sort(order, {}, &std::pair<double, std::uint32_t>::first);
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && order[end].first == order[first].first) ++end;
    // The mean of the ranks first + 1 .. end is 1 + (first + end - 1) / 2.
    for (std::size_t k = first; k < end; ++k) draws.values[order[k].second] = scores[first + end - 1];
  }
  return draws;
}

double potential_scale(const DrawMatrix& draws) {
  if (draws.num_draws < 2 || !vary(draws.values)) return kNaN;
  const Centred centred = centre(draws);
  const auto n = static_cast<double>(draws.num_draws);
  Extended squares = 0;
  for (const double x : centred.deviations) squares += Extended{x} * x;
  // sqrt(var+ / W) = sqrt((n - 1) / n + B / W).
  const double within = static_cast<double>(squares) / (static_cast<double>(draws.num_chains()) * (n - 1));
  return std::sqrt((n - 1) / n + variance_between(centred) / within);
}

double effective_size(const DrawMatrix& draws) {
  if (draws.num_draws < 3 || !vary(draws.values)) return kNaN;
  const Centred centred = centre(draws);
  const auto n = static_cast<double>(draws.num_draws);
  MeanAutocovariance covariance(centred.deviations, draws.num_draws);
  // rho(t) = 1 - (W - a(t)) / var+, where W = a(0) n / (n - 1) and so var+ = a(0) + B.
  const double variance = covariance.at(0), within = variance * n / (n - 1);
  const double total = variance + variance_between(centred);
  const auto rho = [&](Index lag) { return 1 - (within - covariance.at(lag)) / total; };
  // S / tau, but at most S log10(S): antithetic chains may have a tau near 0 that the draws
  // cannot tell from 0.
  const auto size = static_cast<double>(draws.values.size());
  return size / std::max(autocorrelation_time(rho, draws.num_draws), 1 / std::log10(size));
}

bool vary(std::span<const double> x) {
  if (x.empty() || !std::ranges::all_of(x, [](double v) { return std::isfinite(v); })) return false;
  const auto [least, most] = std::ranges::minmax(x);
  const double largest = std::max(std::abs(least), std::abs(most));
  return most > least && most - least >= std::numeric_limits<double>::epsilon() * largest;
}

double mean_of(std::span<const double> x) {
  // In extended precision: the mean is subtracted from draws that may all be close to it.
  const Extended sum = std::accumulate(x.begin(), x.end(), Extended{0});
  return static_cast<double>(sum / static_cast<Extended>(x.size()));
}

double sd_of(std::span<const double> x) {
  if (x.size() < 2) return kNaN;
  const double mean = mean_of(x);
  Extended squares = 0;
  for (const double value : x) squares += (Extended{value} - mean) * (Extended{value} - mean);
  return static_cast<double>(std::sqrt(squares / static_cast<Extended>(x.size() - 1)));
}

double sorted_quantile(std::span<const double> sorted, double p) {
  // Linear between the order statistics at floor(1 + (S - 1) p) and the next.
  const double position = 1 + static_cast<double>(sorted.size() - 1) * p;
  const double below = std::floor(position), share = position - below;
  const double low = sorted[static_cast<std::size_t>(below) - 1];
  if (share == 0) return low;
  const double high = sorted[static_cast<std::size_t>(below)];
  return low == high ? low : (1 - share) * low + share * high;
}

}  // namespace giga
