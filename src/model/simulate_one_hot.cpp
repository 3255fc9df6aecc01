// Row n comes from stream(seed, "data", n) alone: a level of each factor, then the response. The effects of
// factor j come from stream(seed, "effects", j).
#include "giga/model/simulate_one_hot.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/model/family.hpp"

namespace giga {
namespace {

constexpr Index kMostFactors = 12;
constexpr Index kColumnsPerFactor = 3;  // where there are too few columns for that many factors
constexpr double kRatio = 1.5;          // of the levels beyond two, from factor to factor

void require_value(bool holds, const std::string& name, double value, const std::string& relation) {
  if (!holds) throw std::invalid_argument("`" + name + "` is " + shortest(value) + "; must be " + relation);
}

void check(const SimulateOneHotOptions& options) {
  const auto finite = [](double value) { return std::isfinite(value); };
  require_value(options.rows >= 1, "rows", static_cast<double>(options.rows), "at least 1");
  require_value(finite(options.power) && options.power >= 0, "power", options.power, "finite and at least 0");
  require_value(finite(options.effect) && options.effect >= 0, "effect", options.effect,
                "finite and at least 0");
  require_value(finite(options.intercept), "intercept", options.intercept, "finite");
}

// P(l) = l^-power / sum_m m^-power, for l = 1, ..., levels.
std::vector<double> level_probabilities(Index levels, double power) {
  std::vector<double> probabilities;
  double total = 0;
  for (Index l = 1; l <= levels; ++l) {
    probabilities.push_back(std::pow(static_cast<double>(l), -power));
    total += probabilities.back();
  }
  for (double& each : probabilities) each /= total;
  return probabilities;
}

}  // namespace

std::vector<Index> one_hot_levels(Index dim) {
  require_value(dim >= 2, "dim", static_cast<double>(dim), "at least 2");
  const Index factors = std::clamp(dim / kColumnsPerFactor, Index{1}, kMostFactors);
  // Two levels each; the first j factors share (r^j - 1) / (r^K - 1) of the others, a geometric series. The
  // running total is what is rounded, so that the levels sum to `dim`.
  const auto others = static_cast<double>(dim - 2 * factors);
  const double whole = std::pow(kRatio, static_cast<double>(factors)) - 1;
  std::vector<Index> levels;
  Index given = 0;
  for (Index j = 1; j <= factors; ++j) {
    const double share = (std::pow(kRatio, static_cast<double>(j)) - 1) / whole;
    const auto now = static_cast<Index>(std::llround(others * share));
    levels.push_back(2 + now - given);
    given = now;
  }
  std::ranges::sort(levels);  // rounding may swap neighbours
  return levels;
}

SimulatedOneHot::SimulatedOneHot(const SimulateOneHotOptions& options)
    : options_(options), levels_(one_hot_levels(options.dim)) {
  check(options);
  for (Index factor = 0; factor < std::ssize(levels_); ++factor) add_factor(factor);
  theta_.push_back(options.intercept);
}

void SimulatedOneHot::add_factor(Index factor) {
  const std::vector<double> probabilities = level_probabilities(levels_[at(factor)], options_.power);
  Stream random = stream(options_.seed, "effects", factor);
  std::vector<double> effects;
  double mean = 0, cumulative = 0;
  for (const double p : probabilities) {
    effects.push_back(options_.effect * random.normal());
    mean += p * effects.back();
    cumulative_.push_back(cumulative += p);
  }
  cumulative_.back() = 1;  // above every uniform number, whatever the rounding
  for (const double effect : effects) theta_.push_back(effect - mean);
}

std::vector<std::string> SimulatedOneHot::feature_names() const {
  std::vector<std::string> names;
  for (Index factor = 0; factor < std::ssize(levels_); ++factor) {
    const auto letter = static_cast<char>('a' + factor);
    for (Index l = 1; l <= levels_[at(factor)]; ++l) names.push_back(letter + std::to_string(l));
  }
  return names;
}

void SimulatedOneHot::read(Index first, Index count, double* out) const {
  const auto respond = describe(Family::BernoulliLogit).simulation.respond;
  const Index dim = num_features();
  std::fill_n(out, count * (dim + 1), 0.0);
  for (Index n = first; n < first + count; ++n, out += dim + 1) {
    Stream random = stream(options_.seed, "data", n);
    double s = options_.intercept;
    auto begin = cumulative_.begin();
    for (const Index levels : levels_) {
      // The first level whose cumulative probability is above u: level l with probability P(l).
      const auto level = std::upper_bound(begin, begin + levels, random.uniform());
      const Index column = level - cumulative_.begin();
      out[column] = 1;
      s += theta_[at(column)];
      begin += levels;
    }
    out[dim] = respond({Family::BernoulliLogit}, s, random);
  }
}

}  // namespace giga
