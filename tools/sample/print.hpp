// What giga sample tells of a run.
#pragma once

#include <string>

#include "giga/record/run_record.hpp"

namespace giga::tool {

/// Facts of the run, one line each.
[[nodiscard]] std::string sample_facts(const RunRecord& record);

}  // namespace giga::tool
