// What charts show of the draws of a coefficient: quantiles, densities, rank counts, thinned traces; and
// which coefficients are shown.
//
// Notation: w_s the weights of the draws, W their sum; h the width of a kernel.
#include "report/page/draws_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "giga/infer/psis.hpp"

namespace giga::page {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Draws with weight, in ascending order.
struct Weighted {
  std::vector<double> values, weights;
  double total = 0, squares = 0;

  [[nodiscard]] double effective_size() const { return total * total / squares; }
};

Weighted weighted(const SortedDraws& draws, std::span<const double> weights) {
  Weighted out;
  for (const auto& [value, place] : draws.order()) {
    const double weight = weights.empty() ? 1.0 : weights[place];
    if (!std::isfinite(value) || !(weight > 0)) continue;
    out.values.push_back(value);
    out.weights.push_back(weight);
    out.total += weight;
    out.squares += weight * weight;
  }
  return out;
}

// Linear between the draws, each at the middle of its own weight.
double quantile_of(const Weighted& draws, double p) {
  // Draw s stands at (w_1 + ... + w_(s-1) + w_s / 2) / W in the distribution; between draws the quantile is
  // linear. Invariant: `below` is the weight of the draws before s.
  const double wanted = p * draws.total;
  double below = 0;
  for (std::size_t s = 0; s < draws.values.size(); ++s) {
    const double middle = below + draws.weights[s] / 2;
    if (middle >= wanted) {
      if (s == 0) return draws.values[0];
      const double before = below - draws.weights[s - 1] / 2;
      const double share = (wanted - before) / (middle - before);
      return draws.values[s - 1] + share * (draws.values[s] - draws.values[s - 1]);
    }
    below += draws.weights[s];
  }
  return draws.values.back();
}

Spread spread(const Weighted& draws) {
  if (draws.values.empty()) return {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};
  const WeightedMoments moments = weighted_moments(draws.values, draws.weights);
  return {moments.mean,
          moments.sd,
          quantile_of(draws, 0.05),
          quantile_of(draws, 0.25),
          quantile_of(draws, 0.5),
          quantile_of(draws, 0.75),
          quantile_of(draws, 0.95)};
}

// Silverman's rule: 0.9 min(sd, interquartile range / 1.349) n^(-1/5); 0 where there is no spread.
double kernel_width(const Weighted& draws, const Spread& shape) {
  const double quartiles = (shape.q75 - shape.q25) / 1.349;
  const double scale = quartiles > 0 ? std::min(shape.sd, quartiles) : shape.sd;
  if (!(scale > 0) || !std::isfinite(scale)) return 0;
  return 0.9 * scale * std::pow(draws.effective_size(), -0.2);
}

// An interval that grows to include what it is given; what is not finite is ignored.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(double from, double to) {
    if (!std::isfinite(from) || !std::isfinite(to)) return;
    low = std::min(low, from);
    high = std::max(high, to);
  }
  [[nodiscard]] bool usable() const { return std::isfinite(high - low) && high > low; }
};

constexpr Index kPoints = 81;  // of a curve
constexpr Index kCells = 800;  // that draws are counted in before kernels are laid over them

// The share of the weight in each cell of the range, split between the nearest two.
std::vector<double> cell_shares(const Weighted& draws, const Range& range) {
  // A draw between two cell borders is divided between them in proportion (linear binning), which leaves
  // the mean as it is.
  std::vector<double> shares(at(kCells + 1), 0.0);
  const double width = (range.high - range.low) / kCells;
  for (std::size_t s = 0; s < draws.values.size(); ++s) {
    const double place = (draws.values[s] - range.low) / width;
    if (!(place >= 0 && place < kCells)) continue;
    const double cell = std::floor(place);
    const double share = draws.weights[s] / draws.total;
    shares[static_cast<std::size_t>(cell)] += share * (1 - (place - cell));
    shares[static_cast<std::size_t>(cell) + 1] += share * (place - cell);
  }
  return shares;
}

double normal_density(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return std::exp(-0.5 * z * z) / (sd * std::sqrt(2 * std::numbers::pi));
}

std::vector<double> kernel_curve(const Weighted& draws, double width, const Range& range) {
  if (width <= 0) return {};
  // density(x) = sum_c share_c N(x; centre of cell c, h^2): the draws are first counted in 800 cells, so a
  // curve costs 81 x 800 kernels however many draws there are.
  const std::vector<double> shares = cell_shares(draws, range);
  const double cell = (range.high - range.low) / kCells;
  std::vector<double> curve;
  for (Index i = 0; i < kPoints; ++i) {
    const double x = range.low + (range.high - range.low) * static_cast<double>(i) / (kPoints - 1);
    double height = 0;
    for (std::size_t c = 0; c < shares.size(); ++c) {
      if (shares[c] > 0)
        height += shares[c] * normal_density(x, range.low + cell * static_cast<double>(c), width);
    }
    curve.push_back(height);
  }
  return curve;
}

// The density itself, at the same points as the kernel curves.
std::vector<double> normal_curve(const LaplaceMarginal& laplace, const Range& range) {
  std::vector<double> curve;
  for (Index i = 0; i < kPoints; ++i) {
    const double x = range.low + (range.high - range.low) * static_cast<double>(i) / (kPoints - 1);
    curve.push_back(normal_density(x, laplace.mean, laplace.sd));
  }
  return curve;
}

// log f(v) of the parameter as people know it. Of a positive one log v is sampled, with the density p: f(v) =
// p(log v) / v.
double log_prior(const ScalarPrior& prior, double v) {
  if (!prior.is_positive()) return prior.density(v).value;
  return v > 0 ? prior.density(std::log(v)).value - std::log(v) : -std::numeric_limits<double>::infinity();
}

// Where the prior has nearly all of its mass.
Range prior_range(const ScalarPrior& prior) {
  Range range;
  if (prior.is_positive()) {
    const double high = std::exp(prior.middle() + 2 * prior.width());
    range.take(1e-4 * high, high);  // not from 0, where some densities are infinite
  } else if (prior.is_proper()) {
    range.take(prior.middle() - 3 * prior.width(), prior.middle() + 3 * prior.width());
  }
  return range;
}

// The `count` first of `order` by `key`, descending; ties in the order of the data.
template <class Key>
std::vector<Index> largest(Index size, Index count, const Key& key) {
  std::vector<Index> order(at(size));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater<>(), key);
  order.resize(at(std::min(size, count)));
  return order;
}

double rhat_or_zero(const Quantity& quantity) {
  return std::isnan(quantity.summary.rhat) ? 0 : quantity.summary.rhat;
}

}  // namespace

std::vector<double> column(std::span<const Chain> chains, Index k) {
  std::vector<double> draws;
  for (const Chain& chain : chains) {
    for (Index s = 0; s < chain.num_draws(); ++s) draws.push_back(chain.draw(s)[k]);
  }
  return draws;
}

SortedDraws::SortedDraws(std::span<const double> draws) {
  order_.reserve(draws.size());
  for (std::size_t s = 0; s < draws.size(); ++s)
    if (!std::isnan(draws[s])) order_.push_back({draws[s], s});
  std::ranges::sort(order_, [](const Draw& one, const Draw& other) {
    return one.value != other.value ? one.value < other.value : one.place < other.place;
  });
}

Spread spread_of(const SortedDraws& draws, std::span<const double> weights) {
  return spread(weighted(draws, weights));
}

Spread spread_of(const LaplaceMarginal& laplace) {
  // Quantiles of the standard normal distribution.
  constexpr double kZ75 = 0.6744897501960817, kZ95 = 1.6448536269514722;
  const double mean = laplace.mean, sd = laplace.sd;
  return {mean, sd, mean - kZ95 * sd, mean - kZ75 * sd, mean, mean + kZ75 * sd, mean + kZ95 * sd};
}

Curves curves_of(const SortedDraws& draws, std::span<const double> weights,
                 const std::optional<LaplaceMarginal>& laplace) {
  const Weighted plain = weighted(draws, {});
  const Weighted corrected = weights.empty() ? Weighted{} : weighted(draws, weights);
  const bool normal = laplace && laplace->sd > 0 && std::isfinite(laplace->mean + laplace->sd);

  // The range has nearly all the draws and 3 h beyond them, and 3.3 sd of the Laplace approximation, where it
  // has fallen to half a percent of its height.
  Range range;
  double width = 0, corrected_width = 0;
  if (!plain.values.empty()) {
    width = kernel_width(plain, spread(plain));
    range.take(quantile_of(plain, 0.001) - 3 * width, quantile_of(plain, 0.999) + 3 * width);
  }
  if (!corrected.values.empty()) corrected_width = kernel_width(corrected, spread(corrected));
  if (normal) range.take(laplace->mean - 3.3 * laplace->sd, laplace->mean + 3.3 * laplace->sd);
  if (!range.usable()) return {};

  Curves curves;
  curves.first = range.low;
  curves.step = (range.high - range.low) / (kPoints - 1);
  curves.coreset = kernel_curve(plain, width, range);
  curves.corrected = kernel_curve(corrected, corrected_width, range);
  if (normal) curves.laplace = normal_curve(*laplace, range);
  return curves;
}

PriorCurve prior_curve(const ReportPrior& prior, const Curves& posterior) {
  constexpr Index kPriorPoints = 161;
  const ScalarPrior here = on_data_scale(prior);
  Range range = prior_range(here);
  if (posterior.step > 0) range.take(posterior.first, posterior.first + posterior.step * (kPoints - 1));
  if (!range.usable()) return {};
  PriorCurve curve{range.low, (range.high - range.low) / (kPriorPoints - 1), {}};
  for (Index i = 0; i < kPriorPoints; ++i)
    curve.heights.push_back(log_prior(here, curve.first + curve.step * static_cast<double>(i)));
  const double most = *std::ranges::max_element(curve.heights);
  for (double& height : curve.heights) height = std::exp(height - most);
  return curve;
}

// b has the prior of x = unit b: the location and the scale are those of x over the unit.
ScalarPrior on_data_scale(const ReportPrior& prior) {
  ScalarPrior here = prior.prior;
  if (here.is_positive()) return here;
  here.location /= prior.unit;
  here.scale /= prior.unit;
  return here;
}

double prior_share(const Quantity& quantity, const ReportPrior& prior) {
  const ScalarPrior here = on_data_scale(prior);
  if (!here.is_proper()) return 0;
  // The sd of log v is that of v over its mean, to first order.
  const double sd =
      here.is_positive() ? quantity.summary.sd / std::abs(quantity.summary.mean) : quantity.summary.sd;
  return sd / here.width();
}

double prior_distance(const Quantity& quantity, const ReportPrior& prior) {
  const ScalarPrior here = on_data_scale(prior);
  if (!here.is_proper()) return 0;
  const double mean = here.is_positive() ? std::log(quantity.summary.mean) : quantity.summary.mean;
  return (mean - here.middle()) / here.width();
}

std::vector<std::vector<Index>> rank_counts(const SortedDraws& draws, std::span<const Chain> chains,
                                            Index bins) {
  std::vector<std::size_t> chain_of;  // of a draw, by its place
  for (std::size_t c = 0; c < chains.size(); ++c)
    chain_of.insert(chain_of.end(), at(chains[c].num_draws()), c);
  // Bin b of B has the ranks r with floor(r B / S) = b. Chains that mix have S / (chains B) draws in each.
  std::vector<std::vector<Index>> counts(chains.size(), std::vector<Index>(at(bins), 0));
  const auto& order = draws.order();
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    ++counts[chain_of[order[rank].place]][rank * at(bins) / order.size()];
  return counts;
}

Index trace_step(std::span<const Chain> chains, Index points) {
  Index longest = 1;
  for (const Chain& chain : chains) longest = std::max(longest, chain.num_draws());
  // The smallest step that leaves at most `points` draws of the longest chain.
  return (longest + points - 1) / points;
}

std::vector<std::vector<double>> thinned(std::span<const Chain> chains, Index k, Index step) {
  std::vector<std::vector<double>> kept;
  for (const Chain& chain : chains) {
    auto& values = kept.emplace_back();
    for (Index s = 0; s < chain.num_draws(); s += step) values.push_back(chain.draw(s)[k]);
  }
  return kept;
}

double clarity(const Quantity& quantity) {
  // Infinite for a constant draw that is not zero, NaN for zeros: neither is a clear effect.
  const double ratio = std::abs(quantity.summary.mean) / quantity.summary.sd;
  return std::isfinite(ratio) ? ratio : 0;
}

std::vector<Index> clearest(const std::vector<Quantity>& quantities, Index count) {
  auto chosen = largest(std::ssize(quantities), count, [&](Index k) { return clarity(quantities[at(k)]); });
  std::ranges::sort(chosen);
  return chosen;
}

std::vector<Index> explored(const std::vector<Quantity>& quantities, Index count) {
  if (std::ssize(quantities) <= count) return clearest(quantities, count);
  // First the chains that mix worst, so that they can be inspected; then the clearest effects.
  const Index worst = count / 5;
  auto chosen =
      largest(std::ssize(quantities), worst, [&](Index k) { return rhat_or_zero(quantities[at(k)]); });
  for (const Index k : largest(std::ssize(quantities), std::ssize(quantities),
                               [&](Index q) { return clarity(quantities[at(q)]); })) {
    if (std::ssize(chosen) == count) break;
    if (std::ranges::find(chosen, k) == chosen.end()) chosen.push_back(k);
  }
  std::ranges::sort(chosen);
  return chosen;
}

Index least_mixed(const std::vector<Quantity>& quantities, std::span<const Index> among) {
  return *std::ranges::max_element(among, {}, [&](Index k) { return rhat_or_zero(quantities[at(k)]); });
}

}  // namespace giga::page
