// What ranks have sent each other, in words.
#pragma once

#include <string>

#include "giga/base/executor.hpp"

namespace giga::tool {

/// "4, which sent 1,234 messages with 5.6 MB to each other"
[[nodiscard]] std::string ranks_text(const Communication& sent);

}  // namespace giga::tool
