// Two checks of the model at the posterior mode: residuals against the noise scale, the mode
// against the prior.
#include "giga/pipeline/mode_notes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "giga/base/text.hpp"
#include "pipeline/moments.hpp"
#include "pipeline/three_digits.hpp"

namespace giga {
namespace {

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

}  // namespace

std::optional<std::string> prior_note(const Problem& problem, std::span<const double> mode) {
  constexpr double kFar = 5;
  const Prior& prior = problem.prior();
  const Normal* normal = prior.normal();
  const std::vector<double> sds = normal != nullptr ? normal->standard_deviations() : std::vector<double>{};
  std::size_t furthest = 0;
  double distance = 0;
  for (std::size_t d = 0; d < mode.size(); ++d) {
    // |mode_d - prior mean_d| in prior standard deviations, or as many of a normal prior as would make the
    // density fall by as much; only the furthest parameter is named.
    const double away = normal != nullptr ? std::abs(mode[d] - normal->mean()[d]) / sds[d]
                                          : prior.surprise(static_cast<Index>(d), mode[d]);
    if (away > distance) {
      furthest = d;
      distance = away;
    }
  }
  if (distance < kFar) return std::nullopt;
  const bool chosen = problem.table() != nullptr && !problem.table()->options.priors.is_default();
  const std::string how_far = normal != nullptr
                                  ? " prior standard deviations from the prior mean"
                                  : " standard deviations out, were its prior normal with the same density";
  return "the posterior mode of '" +
         printable(problem.likelihood().parameter_name(static_cast<Index>(furthest)), 40) + "' is " +
         three_digits(distance) + how_far +
         ": prior and data contradict each other; "
         "consider a " +
         (chosen ? "wider `prior`" : "larger `prior_scale`");
}

std::vector<std::string> mode_notes(const Problem& problem, std::span<const double> mode,
                                    const Executor& executor) {
  std::vector<std::string> notes;
  if (auto note = prior_note(problem, mode)) notes.push_back(*std::move(note));
  note_noise(problem, mode, executor, notes);
  return notes;
}

}  // namespace giga
