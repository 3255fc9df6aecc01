// Names that fit a column of a table or the axis of a chart, and still tell which is which.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace giga {

/// Each name as printable() has it, at most `limit` characters wide (wide letters count twice): of a longer
/// one the beginning and the end, with `ellipsis` between them. Where two would become equal they show the
/// place by which they differ instead of the end, and a number where nothing else tells them apart.
[[nodiscard]] std::vector<std::string> short_names(std::span<const std::string> names, std::size_t limit,
                                                   std::string_view ellipsis = "...");

}  // namespace giga
