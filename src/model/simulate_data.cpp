// Row n comes from stream(seed, "data", n) alone: its features, then its response. Poisson draws are by
// counting arrivals for small means and by transformed rejection for large ones, both exact up to rounding.
#include "giga/model/simulate_data.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "giga/model/special.hpp"

namespace giga {
namespace {

// Arrivals of a process of rate 1 before time `mean`: gaps are -log(1 - u), so their number is the number of
// factors 1 - u whose product stays above e^-mean. Takes mean + 1 draws on average.
double count_arrivals(double mean, Stream& random) {
  const double least = std::exp(-mean);
  double product = 1;
  for (double count = 0;; ++count) {
    product *= 1 - random.uniform();
    if (product <= least) return count;
  }
}

// Hormann's transformed rejection (PTRS, 1993), for means of 10 and more; names and constants are those of
// his paper. k is proposed by a transformation of u. The first test is a squeeze that accepts most proposals;
// the last compares the log density, k log mean - mean - log k!, with that of the hat.
double transformed_rejection(double mean, Stream& random) {
  const double log_mean = std::log(mean);
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = random.uniform() - 0.5;
    const double v = 1 - random.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <= k * log_mean - mean - log_factorial(k)) return k;
  }
}

}  // namespace

double draw_poisson(double mean, Stream& random) {
  // Counts near a mean of 1e15 are far below 2^53, so a double holds them exactly.
  constexpr double kMany = 10;
  if (!(mean >= 0) || mean > 1e15) throw std::invalid_argument("a Poisson mean of " + std::to_string(mean));
  return mean < kMany ? count_arrivals(mean, random) : transformed_rejection(mean, random);
}

// Marsaglia and Tsang (2000): d v, v = (1 + c x)^3 with x normal, accepted by the ratio of the densities. A
// shape below 1 is that of shape + 1 times U^(1 / shape).
double draw_gamma(double shape, Stream& random) {
  if (!(shape > 0)) throw std::invalid_argument("a gamma shape of " + std::to_string(shape));
  if (shape < 1) {
    const double larger = draw_gamma(shape + 1, random);
    return larger * std::pow(1 - random.uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = random.normal(), root = 1 + c * x, v = root * root * root;
    if (!(v > 0)) continue;
    if (std::log(1 - random.uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

// The a-th smallest of n uniform numbers has the Beta(a, n + 1 - a) distribution. Where it is below the
// chance, a of them are successes and the others are uniform above it; else only those below it may be.
double draw_binomial(double trials, double chance, Stream& random) {
  if (!(trials >= 0) || !(chance >= 0 && chance <= 1))
    throw std::invalid_argument("a binomial distribution of " + std::to_string(trials) +
                                " trials of chance " + std::to_string(chance));
  constexpr double kFew = 16;
  double successes = 0;
  while (trials > kFew) {
    const double a = 1 + std::floor(trials / 2), b = trials + 1 - a;
    const double low = draw_gamma(a, random), place = low / (low + draw_gamma(b, random));
    if (place < chance) {
      successes += a;
      trials = b - 1;
      chance = std::clamp((chance - place) / (1 - place), 0.0, 1.0);
    } else {
      trials = a - 1;
      chance = std::clamp(chance / place, 0.0, 1.0);
    }
  }
  for (double n = 0; n < trials; ++n) successes += random.uniform() < chance ? 1 : 0;
  return successes;
}

// The numbers of a simulation are in the order of the extras.
FamilyParameters simulated_with(FamilyParameters family, const double* extras) {
  const FamilyDescription& description = describe(family.family);
  for (std::size_t e = 0; e < description.extras.size(); ++e)
    family.*description.simulation.learnt[e].value =
        description.extras[e].is_log ? std::exp(extras[e]) : extras[e];
  return family;
}

Index usual_num_features(Family family) {
  return describe(family).simulation.num_features;
}

std::vector<double> usual_theta(Family family, Index num_features) {
  const double each = describe(family).simulation.coefficient;
  // The predictor has variance (number of features) * coefficient^2, which sqrt(share) keeps the same.
  const double share = static_cast<double>(usual_num_features(family)) / static_cast<double>(num_features);
  std::vector<double> theta(static_cast<std::size_t>(num_features), each * std::sqrt(share));
  theta.push_back(0);
  return theta;
}

SimulatedData::SimulatedData(SimulateDataOptions options) : options_(std::move(options)) {
  if (options_.rows < 1 || options_.theta.empty())
    throw std::invalid_argument("there must be at least one row and the intercept");
  for (const double value : options_.theta) {
    if (!std::isfinite(value)) throw std::invalid_argument("a coefficient is not finite");
  }
}

std::vector<std::string> SimulatedData::feature_names() const {
  std::vector<std::string> names;
  for (Index d = 1; d <= num_features(); ++d) names.push_back(std::string("x").append(std::to_string(d)));
  return names;
}

void SimulatedData::read(Index first, Index count, double* out) const {
  const Index features = num_features();
  const auto respond = describe(options_.family.family).simulation.respond;
  for (Index n = first; n < first + count; ++n, out += features + 1) {
    Stream random = stream(options_.seed, "data", n);
    double s = options_.theta.back();
    for (Index d = 0; d < features; ++d) {
      out[d] = random.normal();
      s += options_.theta[static_cast<std::size_t>(d)] * out[d];
    }
    out[features] = respond(options_.family, s, random);
  }
}

}  // namespace giga
