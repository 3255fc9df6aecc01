// What giga merge tells of a run.
#pragma once

#include <string>

#include "giga/job/merge.hpp"

namespace giga::tool {

/// The table a person reads, a line for each fact.
[[nodiscard]] std::string merge_text(const MergeRun& run);

/// "at most 0.31, usually 0.06 posterior standard deviations per parameter, by what ..."
[[nodiscard]] std::string merged_error_text(const MergedError& error);

}  // namespace giga::tool
