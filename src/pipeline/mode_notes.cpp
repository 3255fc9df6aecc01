// Two checks of the model at the posterior mode: residuals against the noise scale, the mode
// against the prior.
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

// Weight, mean and sum of w (x - mean)^2 of some numbers x.
struct Moments {
  double weight = 0, mean = 0, squares = 0;

  // The moments of both sets together (Chan, Golub and LeVeque): with delta the distance of the means,
  // squares = squares_1 + squares_2 + delta^2 w_1 w_2 / (w_1 + w_2).
  void join(const Moments& other) {
    if (weight == 0) {
      *this = other;
      return;
    }
    const double together = weight + other.weight, apart = other.mean - mean;
    mean += apart * (other.weight / together);
    squares += other.squares + apart * apart * (weight * (other.weight / together));
    weight = together;
  }
};

// The standard deviation of y - z.theta - offset, equal rows counted as often as they occur. It is taken
// about the mean of the residuals: an intercept that the prior holds back is not noise.
double residual_scale(const LinearModel& model, std::span<const double> theta, const Executor& executor) {
  constexpr Index kRowsAtOnce = 64;
  const Index dim = model.num_columns();
  Moments all;
  fold_blocks<Moments>(
      executor, model.num_rows(), 1, std::span(&all, 1),
      [&](Index first, Index count, Index /*piece*/, Moments* part) {
        std::vector<double> design(at(kRowsAtOnce * dim));
        for (Index begin = 0; begin < count; begin += kRowsAtOnce) {
          const Index some = std::min(kRowsAtOnce, count - begin);
          model.design(first + begin, some, design.data());
          for (Index i = 0; i < some; ++i) {
            const Index n = first + begin + i;
            const double fitted =
                std::inner_product(theta.begin(), theta.begin() + dim, design.begin() + i * dim, 0.0);
            part->join({model.multiplicity(n), model.response(n) - model.offset(n) - fitted, 0});
          }
        }
      },
      [](const Moments* part, Moments* total) { total->join(*part); });
  return std::sqrt(all.squares / all.weight);
}

void note_noise(const Problem& problem, std::span<const double> mode, const Executor& executor,
                std::vector<std::string>& notes) {
  // Posterior standard deviations are proportional to the noise scale: a ratio of 1.5 is an error of
  // 50 % in all of them.
  constexpr double kFar = 1.5;
  const LinearModel* linear = problem.likelihood().linear_model();
  if (linear == nullptr) return;
  const FamilyParameters& family = linear->family();
  // With fewer rows the parameters absorb too much of the noise for this to mean anything.
  const bool enough = problem.likelihood().num_rows() >= 10 * std::ssize(mode) + 20;
  if (!describe(family.family).has_noise_scale() || !enough) return;
  const double scale = residual_scale(*linear, mode, executor), ratio = scale / family.noise_scale;
  if (scale == 0 || (ratio < kFar && ratio > 1 / kFar)) return;
  notes.push_back("the residuals have a standard deviation of " + three_digits(scale) +
                  " and `noise_scale` is " + three_digits(family.noise_scale) + ": posterior sds are " +
                  three_digits(std::max(ratio, 1 / ratio)) + " times too " + (ratio > 1 ? "small" : "large") +
                  "; set `noise_scale`, or rescale the response");
}

void note_prior(const Problem& problem, std::span<const double> mode, std::vector<std::string>& notes) {
  constexpr double kFar = 5;
  const std::vector<double> sds = problem.prior().standard_deviations();
  std::size_t furthest = 0;
  double distance = 0;
  for (std::size_t d = 0; d < mode.size(); ++d) {
    // |mode_d - prior mean_d| in prior standard deviations; only the furthest parameter is named.
    const double away = std::abs(mode[d] - problem.prior().mean()[d]) / sds[d];
    if (away > distance) {
      furthest = d;
      distance = away;
    }
  }
  if (distance < kFar) return;
  notes.push_back("the posterior mode of '" +
                  printable(problem.likelihood().parameter_name(static_cast<Index>(furthest)), 40) + "' is " +
                  three_digits(distance) +
                  " prior standard deviations from the prior mean: prior and data contradict each other; "
                  "consider a larger "
                  "`prior_scale`");
}

}  // namespace

std::vector<std::string> mode_notes(const Problem& problem, std::span<const double> mode,
                                    const Executor& executor) {
  std::vector<std::string> notes;
  note_prior(problem, mode, notes);
  note_noise(problem, mode, executor, notes);
  return notes;
}

}  // namespace giga
