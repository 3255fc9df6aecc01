// What the posterior mode says of a model that does not fit its data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "giga/pipeline/problem.hpp"

namespace giga {

/// Sentences for the user; none where nothing is odd:
/// - gaussian: the residuals are much larger or smaller than the noise scale, which is taken as known, so
///   that all standard deviations of the posterior are wrong by that factor.
/// - a parameter that is many prior standard deviations from 0, so that prior and data contradict each other.
[[nodiscard]] std::vector<std::string> mode_notes(const Problem& problem, std::span<const double> mode,
                                                  const Executor& executor);

/// The second of them alone.
[[nodiscard]] std::optional<std::string> prior_note(const Problem& problem, std::span<const double> mode);

}  // namespace giga
