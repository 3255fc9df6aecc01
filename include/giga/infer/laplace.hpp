// The mode of a posterior, and the normal distribution that has its curvature there.
#pragma once

#include <optional>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/names.hpp"
#include "giga/base/observer.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/prior.hpp"

namespace giga {

struct LaplaceOptions {
  Index max_iterations = 200;  ///< >= 1
  double tolerance = 1e-6;  ///< Ends one step after g'H^-1 g <= tolerance^2: that many posterior sds to go.
  std::vector<double> start = {};  ///< Where to begin; empty: Likelihood::start().
  /// The derivatives of the log-likelihood at `start`, to second order, where they are known.
  const Derivatives* known = nullptr;
};

enum class LaplaceEnd {
  Converged,
  IterationLimit,
  NoProgress,  ///< No step along the Newton direction raises the log joint, and the gradient is not near
               ///< rounding.
};
constexpr auto name_table(LaplaceEnd) {
  using enum LaplaceEnd;
  return names_are<LaplaceEnd>(
      {{Converged, "converged"}, {IterationLimit, "iteration_limit"}, {NoProgress, "no_progress"}});
}

struct LaplaceResult {
  Normal posterior;  ///< N(theta_MAP, inverse of the negative Hessian there)
  double log_joint = 0, log_likelihood = 0, log_prior = 0;
  Index iterations = 0;
  double decrement = 0;
  LaplaceEnd end = LaplaceEnd::Converged;
  /// Of the log-likelihood at the mean, to second order; not there where the rest is of an older file.
  std::optional<Derivatives> at_mode = {};
  Index passes = 0;  ///< Over all rows: one for every place where their derivatives were asked for.
};

/// Damped Newton from Likelihood::start(). Every step raises the log joint, and the search along a step ends
/// after at most 60 halvings; where the Hessian is not negative definite it is shifted until it is. The
/// observer is asked before every iteration. Where the last step changes the curvature by less than a
/// thousandth of the tolerance, derivatives at its end are those of the second-order expansion at its start.
///
/// Where the prior has a kink (laplace), |x - m| is rounded off to sqrt((x - m)^2 + e^2), e the conditional
/// posterior standard deviation that the rows alone would give the parameter, at most the scale of its prior:
/// mode and curvature are those of the rounded density, log_prior and log_joint of the prior itself.
/// Where the prior has group effects, their standard deviations are found first (group_laplace.hpp).
/// Where the prior is flat, OptionError is thrown unless the likelihood makes the posterior proper: no
/// direction may be left open by the rows, or one along which the likelihood keeps rising.
[[nodiscard]] LaplaceResult laplace(const Likelihood& likelihood, const Prior& prior,
                                    const Executor& executor, const LaplaceOptions& options = {},
                                    const Observer& observer = {});

}  // namespace giga
