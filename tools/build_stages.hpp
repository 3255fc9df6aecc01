// The two ways of `giga build`: from a table of observations, and from a matrix of vectors.
#pragma once

#include <optional>
#include <string>

#include "build_report.hpp"
#include "support/console.hpp"

namespace giga::tool {

/// `request.size` is resolved on the way.
[[nodiscard]] BuildOutcome build_from_data(BuildRequest& request, const Notes& note);
/// What came of a build of a problem, by rows of the input.
[[nodiscard]] BuildOutcome build_outcome(const Problem& problem, CoresetResult result,
                                         const Executor& executor);
/// A note where the held-out error did not come down to the tolerance.
[[nodiscard]] std::optional<std::string> missed_tolerance(const CoresetOptions& options,
                                                          const CoresetResult& result);
/// Throws ResourceError where the codes of the rows would not fit into memory.
void check_memory(const CoresetOptions& options, const Problem& problem);
[[nodiscard]] BuildOutcome build_from_vectors(BuildRequest& request, const Notes& note);

}  // namespace giga::tool
