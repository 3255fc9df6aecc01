// What giga fit tells of a run.
#pragma once

#include <filesystem>
#include <string>

#include "giga/job/fit.hpp"

namespace giga::tool {

/// The table of coefficients, then a line for each fact, the verdict among them. No folder: nothing was
/// written.
[[nodiscard]] std::string fit_text(const FitRun& run, const std::filesystem::path& folder);

}  // namespace giga::tool
