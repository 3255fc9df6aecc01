// Jobs side by side.
#pragma once

#include <vector>

#include "experiments/settings.hpp"
#include "giga/base/executor.hpp"

namespace giga::experiments {

/// Runs all jobs, in order as threads get free. If one throws, those that run are asked to stop, no other
/// begins, and its exception is thrown here; Interrupted if the watch asked to stop.
void run_jobs(const std::vector<Job>& jobs, const Executor& executor, const Watch& watch);

}  // namespace giga::experiments
