// The two ways of `giga build`: from a table of observations, and from a matrix of vectors.
#pragma once

#include "build_report.hpp"
#include "support/console.hpp"

namespace giga::tool {

/// `request.size` is resolved on the way.
[[nodiscard]] BuildOutcome build_from_data(BuildRequest& request, const Notes& note);
[[nodiscard]] BuildOutcome build_from_vectors(BuildRequest& request, const Notes& note);

}  // namespace giga::tool
