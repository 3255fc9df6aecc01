// Preconditions of public functions.
#pragma once

#include <stdexcept>
#include <string>

namespace giga {

/// Throws std::invalid_argument with `message` unless `holds`.
inline void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

}  // namespace giga
