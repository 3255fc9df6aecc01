// Lines that end in CR alone, as those of Mac OS before X: such text is read with LF in their place.
#pragma once

#include <memory>
#include <string_view>

#include "data/byte_source.hpp"

namespace giga {

/// Whether `text` has line ends, and all of them are a CR alone.
[[nodiscard]] bool has_old_line_ends(std::string_view text);

/// `source`, with LF for CR if its first 64 KB have old line ends.
[[nodiscard]] std::unique_ptr<ByteSource> with_newlines(std::unique_ptr<ByteSource> source);

}  // namespace giga
