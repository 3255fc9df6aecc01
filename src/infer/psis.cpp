// Pareto-smoothed importance sampling (psis.hpp has the sources).
//
// Notation: S draws, M = tail_length of them in the tail, excesses x_1 <= ... <= x_M over the largest weight
// below the tail, k and sigma of the generalised Pareto distribution fitted to them, theta = -k / sigma.
#include "giga/infer/psis.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Excesses x over a threshold have P(X > x) = (1 + k x / sigma)^(-1 / k).
struct ParetoFit {
  double k, sigma;
};

// With theta = -k / sigma, the likelihood is largest over k for given theta at k(theta) = mean log(1 - theta
// x), and its logarithm is then  n (log(-theta / k) - k - 1).
double shape_given(double theta, std::span<const double> x) {
  Extended sum = 0;
  for (const double value : x) sum += std::log1p(-theta * value);
  return static_cast<double>(sum) / static_cast<double>(x.size());
}

// theta = 0 is the limit of an exponential distribution, k = 0, with mean sigma: n (-log(mean) - 1).
double profile_log_likelihood(double theta, std::span<const double> x) {
  const auto n = static_cast<double>(x.size());
  if (theta == 0) return -n * (std::log(std::accumulate(x.begin(), x.end(), 0.0) / n) + 1);
  const double k = shape_given(theta, x);
  return n * (std::log(-theta / k) - k - 1);
}

// The posterior mean of theta on a grid of quantiles of Zhang and Stephens' prior, which knows the largest
// excess and the first quartile. `x` ascends; its first quartile is positive. k is then drawn towards 1/2 as
// if by ten more observations, which steadies it in short tails.
ParetoFit fit_pareto(std::span<const double> x) {
  constexpr double kPriorCount = 10, kPriorShape = 0.5;
  const auto n = static_cast<double>(x.size());
  const double quartile = x[static_cast<std::size_t>(std::floor(n / 4 + 0.5)) - 1];
  const auto num_points = static_cast<std::size_t>(30 + std::floor(std::sqrt(n)));
  std::vector<double> grid, log_likelihood;
  for (std::size_t j = 0; j < num_points; ++j) {
    // theta_j = 1 / x_M + (1 - sqrt(m / (j - 1/2))) / (3 x_(M/4)), j = 1 .. m, m = 30 + floor(sqrt(M)): all
    // below 1 / x_M, as 1 - theta x > 0 needs.
    const double spread = 1 - std::sqrt(static_cast<double>(num_points) / (static_cast<double>(j) + 0.5));
    grid.push_back(1 / x.back() + spread / (3 * quartile));
    log_likelihood.push_back(profile_log_likelihood(grid.back(), x));
  }
  // theta = sum_j theta_j exp(loglik_j) / sum_j exp(loglik_j).
  const double most = std::ranges::max(log_likelihood);
  double total = 0, theta = 0;
  for (std::size_t j = 0; j < num_points; ++j) {
    const double weight = std::exp(log_likelihood[j] - most);
    total += weight;
    theta += weight * grid[j];
  }
  theta /= total;
  const double k = shape_given(theta, x);
  return {(n * k + kPriorCount * kPriorShape) / (n + kPriorCount), -k / theta};
}

// sigma ((1 - p)^-k - 1) / k, and -sigma log(1 - p) for k = 0.
double pareto_quantile(double p, const ParetoFit& fit) {
  const double exponential = -std::log1p(-p);
  return fit.k == 0 ? fit.sigma * exponential : fit.sigma * std::expm1(fit.k * exponential) / fit.k;
}

// Replaces the tail, ascending logarithms of weights of which none exceeds 0, by the logarithms of the fitted
// quantiles; `cutoff` is the largest one below. Touches nothing unless the answer is `Smoothed`.
PsisTail smooth(std::span<double> tail, double cutoff, double& k_hat) {
  const double least = std::exp(tail.front()), most = std::exp(tail.back()), base = std::exp(cutoff);
  if (least == most || tail.back() - tail.front() < std::numeric_limits<double>::epsilon() / 100)
    return PsisTail::Equal;
  std::vector<double> excess;
  for (const double value : tail) excess.push_back(std::exp(value) - base);
  const std::size_t quartile = (excess.size() + 2) / 4 - 1;
  if (!(excess[quartile] > 0)) return PsisTail::Degenerate;
  const ParetoFit fit = fit_pareto(excess);
  if (!std::isfinite(fit.k) || !std::isfinite(fit.sigma)) return PsisTail::Degenerate;
  k_hat = fit.k;
  const auto n = static_cast<double>(tail.size());
  for (std::size_t i = 0; i < tail.size(); ++i) {
    // The i-th weight of the tail becomes cutoff + quantile((i - 1/2) / M), and never more than the largest
    // raw weight, whose logarithm is 0.
    const double p = (static_cast<double>(i) + 0.5) / n;
    tail[i] = std::min(0.0, std::log(base + pareto_quantile(p, fit)));
  }
  return PsisTail::Smoothed;
}

// From logarithms of weights of which the largest is near 0.
void normalise(PsisResult& result, double relative_ess) {
  Extended sum = 0, squares = 0;
  for (const double value : result.log_weights) {
    result.weights.push_back(std::exp(value));
    sum += result.weights.back();
    squares += Extended{result.weights.back()} * result.weights.back();
  }
  for (double& weight : result.weights) weight = static_cast<double>(weight / sum);
  const auto log_sum = static_cast<double>(std::log(sum));
  for (double& value : result.log_weights) value -= log_sum;
  // 1 / sum of the squared normalised weights, times relative_ess.
  result.effective_size = relative_ess * static_cast<double>(sum * sum / squares);
}

// Stable, so that equal ratios are smoothed in the order of their draws.
std::vector<std::size_t> ascending(std::span<const double> x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i]; });
  return order;
}

}  // namespace

PsisResult psis(std::span<const double> log_ratios, double relative_ess) {
  constexpr Index kShortestTail = 5;
  if (!(relative_ess > 0 && std::isfinite(relative_ess)))
    throw std::invalid_argument("relative_ess is " + shortest(relative_ess) +
                                ", must be positive and finite");
  PsisResult result;
  result.k_hat = kInfinity;
  const auto num_draws = static_cast<double>(log_ratios.size());
  result.tail_length =
      static_cast<Index>(std::ceil(std::min(0.2 * num_draws, 3 * std::sqrt(num_draws / relative_ess))));
  std::vector<double>& x = result.log_weights;
  for (const double ratio : log_ratios) {
    x.push_back(std::isnan(ratio) ? -kInfinity : ratio);
    if (x.back() == -kInfinity) ++result.num_impossible;
  }
  const double most = x.empty() ? -kInfinity : std::ranges::max(x);
  if (most == -kInfinity) {
    result.tail = PsisTail::Degenerate;
    result.weights.assign(x.size(), 0);
    return result;
  }
  // Infinite ratios: those draws share all the weight.
  if (most == kInfinity) {
    result.tail = PsisTail::Degenerate;
    for (double& value : x) value = value == kInfinity ? 0 : -kInfinity;
    normalise(result, relative_ess);
    return result;
  }
  // Logarithms less their maximum: the largest weight is 1 and none overflows.
  for (double& value : x) value -= most;
  if (result.tail_length < kShortestTail) {
    result.tail = PsisTail::TooShort;
  } else {
    // The M largest log ratios are replaced by their smoothed values, each at its own draw.
    const std::vector<std::size_t> order = ascending(x);
    const std::size_t begin = order.size() - at(result.tail_length);
    std::vector<double> tail;
    for (std::size_t k = begin; k < order.size(); ++k) tail.push_back(x[order[k]]);
    result.tail = smooth(tail, x[order[begin - 1]], result.k_hat);
    for (std::size_t k = 0; k < tail.size(); ++k) x[order[begin + k]] = tail[k];
  }
  normalise(result, relative_ess);
  return result;
}

WeightedMoments weighted_moments(std::span<const double> values, std::span<const double> weights) {
  if (values.size() != weights.size()) {
    throw std::invalid_argument("there are " + std::to_string(weights.size()) + " weights, must be " +
                                std::to_string(values.size()) + ", one a value");
  }
  Extended total = 0, sum = 0;
  for (std::size_t s = 0; s < values.size(); ++s) {
    if (!(weights[s] >= 0 && weights[s] < kInfinity)) {
      throw std::invalid_argument("weight " + std::to_string(s) + " is " + shortest(weights[s]) +
                                  ", must be finite and not negative");
    }
    total += weights[s];
    if (weights[s] > 0) sum += Extended{weights[s]} * values[s];
  }
  // With w normalised: variance = sum w (x - mean)^2 / (1 - sum w^2), error = sum w^2 (x - mean)^2.
  const Extended mean = sum / total;
  Extended variance = 0, error = 0, squares = 0;
  for (std::size_t s = 0; s < values.size(); ++s) {
    if (weights[s] == 0) continue;
    const Extended w = weights[s] / total, d = values[s] - mean;
    variance += w * d * d;
    error += w * w * d * d;
    squares += w * w;
  }
  return {static_cast<double>(mean), static_cast<double>(std::sqrt(variance / (1 - squares))),
          static_cast<double>(std::sqrt(error))};
}

}  // namespace giga
