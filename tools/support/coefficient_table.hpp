// The table of a run on the terminal.
#pragma once

#include <span>
#include <string>

#include "giga/record/run_record.hpp"
#include "giga/report/draws_summary.hpp"

namespace giga::tool {

/// The quantities of a run on the original scale, those of groups left out: their standard deviations come
/// last, then a line that says how many coefficients there are and, in `where`, in which file. Ratios follow
/// where the model has them.
[[nodiscard]] std::string coefficient_table(std::span<const Quantity> original, const RunRecord& record,
                                            const std::string& where);

}  // namespace giga::tool
