// What giga build tells of a run.
#pragma once

#include <string>

#include "giga/job/build.hpp"

namespace giga::tool {

/// The table a person reads, a line for each fact.
[[nodiscard]] std::string build_text(const BuildRun& run);

}  // namespace giga::tool
