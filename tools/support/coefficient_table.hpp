// The table of a run on the terminal.
#pragma once

#include <span>
#include <string>

#include "giga/design/both_scales.hpp"
#include "giga/report/draws_summary.hpp"

namespace giga::tool {

/// The quantities on the original scale of `scales`, those of groups left out: their standard deviations come
/// last, then a line that says how many coefficients there are and, in `where`, in which file.
[[nodiscard]] std::string coefficient_table(std::span<const Quantity> original, const BothScales& scales,
                                            const std::string& where);

}  // namespace giga::tool
