#include "giga/pipeline/mode_notes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "giga/base/text.hpp"

namespace giga {
namespace {

// 39112.4 as 39100.
std::string three_digits(double value) {
  std::array<char, 32> room{};
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::scientific, 2);
  return shortest(parse_double({room.data(), end.ptr}).value_or(value));
}

// The standard deviation of y - z.theta, equal rows counted as often as they are there. About their mean: an
// intercept that the prior holds back is not noise.
double residual_scale(const Regression& model, std::span<const double> theta) {
  constexpr Index kBlock = 1024;
  std::vector<double> design(static_cast<std::size_t>(kBlock) * theta.size());
  double count = 0, mean = 0, squares = 0;
  for (Index first = 0; first < model.num_rows(); first += kBlock) {
    const Index rows = std::min(kBlock, model.num_rows() - first);
    model.design(first, rows, design.data());
    for (Index n = 0; n < rows; ++n) {
      const double* z = design.data() + static_cast<std::size_t>(n) * theta.size();
      const double residual =
          model.response(first + n) - std::inner_product(theta.begin(), theta.end(), z, 0.0);
      const double times = model.multiplicity(first + n), away = residual - mean;
      count += times;
      mean += away * times / count;
      squares += times * away * (residual - mean);
    }
  }
  return std::sqrt(squares / count);
}

void note_noise(const Problem& problem, std::span<const double> mode, std::vector<std::string>& notes) {
  constexpr double kFar = 1.5;
  const FamilyParameters& family = problem.model().family();
  // With fewer rows the parameters take too much of the noise for this to mean something.
  const bool enough = problem.model().num_rows() >= 10 * std::ssize(mode) + 20;
  if (!describe(family.family).has_noise_scale() || !enough) return;
  const double scale = residual_scale(problem.model(), mode), ratio = scale / family.noise_scale;
  if (scale == 0 || (ratio < kFar && ratio > 1 / kFar)) return;
  notes.push_back("the residuals have a standard deviation of " + three_digits(scale) +
                  " and `noise_scale` is " + three_digits(family.noise_scale) + ": posterior sds are " +
                  three_digits(std::max(ratio, 1 / ratio)) + " times too " + (ratio > 1 ? "small" : "large") +
                  "; set `noise_scale`, or rescale the response");
}

void note_prior(const Problem& problem, std::span<const double> mode, std::vector<std::string>& notes) {
  constexpr double kFar = 5;
  const auto furthest = std::ranges::max_element(mode, {}, [](double theta) { return std::abs(theta); });
  if (furthest == mode.end()) return;
  const double distance = std::abs(*furthest) / problem.options().prior_scale;
  if (distance < kFar) return;
  notes.push_back(
      "the posterior mode of '" + printable(problem.model().parameter_name(furthest - mode.begin()), 40) +
      "' is " + three_digits(distance) +
      " prior standard deviations from 0: prior and data contradict each other; consider a larger "
      "`prior_scale`");
}

}  // namespace

std::vector<std::string> mode_notes(const Problem& problem, std::span<const double> mode) {
  std::vector<std::string> notes;
  note_prior(problem, mode, notes);
  note_noise(problem, mode, notes);
  return notes;
}

}  // namespace giga
