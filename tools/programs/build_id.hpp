// Which build of a program this is.
#pragma once

#include <string>

namespace giga::tool {

/// What the linker wrote into this program to tell it from every other build, as hexadecimal digits. Empty
/// where it wrote nothing.
[[nodiscard]] std::string build_id();

}  // namespace giga::tool
