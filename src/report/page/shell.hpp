// What every page has: its head, the policy that allows its own script and style alone, and the data of its
// charts.
#pragma once

#include <string>

#include "report/page/charts.hpp"

namespace giga::page {

/// From the doctype to the end of the head.
[[nodiscard]] std::string head(const std::string& title);

/// The sentence at the end of a page, and the room for tooltips.
[[nodiscard]] std::string footer(const std::string& version);

/// The data block, the script and the end of the page. `data` has at least "specs", by name.
[[nodiscard]] std::string script(const Json& data);

}  // namespace giga::page
