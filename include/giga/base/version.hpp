// Which giga this is.
#pragma once

#include <string_view>

namespace giga {

/// "0.2.0"
[[nodiscard]] std::string_view version();

}  // namespace giga
