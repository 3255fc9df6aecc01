// Numbers in notes.
#pragma once

#include <array>
#include <charconv>
#include <string>

#include "giga/base/text.hpp"

namespace giga {

/// 39112.4 as 39100.
inline std::string three_digits(double value) {
  std::array<char, 32> room{};
  const auto end =
      std::to_chars(room.data(), room.data() + room.size(), value, std::chars_format::scientific, 2);
  return shortest(parse_double({room.data(), end.ptr}).value_or(value));
}

}  // namespace giga
