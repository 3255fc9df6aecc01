// Whether bytes are UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace giga {

/// Where the first byte that does not belong to a well-formed character is; text.size() if all do.
[[nodiscard]] std::size_t invalid_utf8(std::string_view text);

}  // namespace giga
