// The priors of a run in one line.
#pragma once

#include <string>
#include <vector>

#include "giga/record/run_record.hpp"

namespace giga::tool {

/// "normal(0, 2.5) of x1, x2 and 5 others; cauchy(0, 5) of (intercept)": parameters with one prior together.
[[nodiscard]] std::string priors_text(const std::vector<PriorRecord>& priors);

}  // namespace giga::tool
