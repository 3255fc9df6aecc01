// The version that CMake knows.
#include "giga/base/version.hpp"

namespace giga {

std::string_view version() {
  return GIGA_VERSION;
}

}  // namespace giga
