// The work of `giga sample`: from a table or a coreset to chains and what they say.
#pragma once

#include "sample_report.hpp"
#include "support/console.hpp"

namespace giga::tool {

/// Throws ResourceError where draws of that many columns would not fit into memory.
void check_draws_memory(const SampleRequest& request, Index num_columns);

[[nodiscard]] SampleOutcome sample_posterior(const SampleRequest& request, const Notes& note);

}  // namespace giga::tool
