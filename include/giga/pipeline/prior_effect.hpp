// How far the prior moves the posterior: the mode with it against the mode without, in posterior sds.
//
// With g and H the gradient of the log-likelihood and minus its Hessian at the mode theta* of the posterior,
// which laplace() has found, a Newton step of the likelihood alone goes to
//
//   theta* + (H + P)^-1 (g - P (theta* - m)),
//
// P the precision of a prior a thousand times as wide as the one given and m its middle, which keeps
// directions that the rows leave open where they are. This is the mode without the prior as far as the
// log-likelihood is quadratic between the two: exact for a known noise and good while the shift is a few sds.
// Where it is more, that it is large is what matters. No row is visited.
#pragma once

#include <optional>
#include <string>

#include "giga/infer/laplace.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// Of the parameter that moves most.
struct PriorEffect {
  Index parameter = 0;
  double with = 0, without = 0;  ///< Its mode, on the scale that is sampled.
  double shift = 0;              ///< |with - without| in posterior standard deviations.
};

/// Nothing where the derivatives of the likelihood are not known (LaplaceResult::at_mode), or where it has no
/// mode of its own near that of the posterior.
[[nodiscard]] std::optional<PriorEffect> prior_effect(const LaplaceResult& mode, const Prior& prior);

/// A sentence for the user where the shift is above 0.5.
[[nodiscard]] std::optional<std::string> prior_effect_note(const Problem& problem, const LaplaceResult& mode);

}  // namespace giga
