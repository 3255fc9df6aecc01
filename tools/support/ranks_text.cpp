// Bytes in the unit that leaves one to three digits before the point.
#include "support/ranks_text.hpp"

#include <fmt/format.h>

#include <array>

#include "giga/base/text.hpp"

namespace giga::tool {

std::string ranks_text(const Communication& sent) {
  if (sent.ranks == 1) return "1";
  constexpr std::array<const char*, 5> kUnits{"bytes", "kB", "MB", "GB", "TB"};
  constexpr double kNext = 1000;
  auto amount = static_cast<double>(sent.bytes);
  std::size_t unit = 0;
  for (; amount >= kNext && unit + 1 < kUnits.size(); ++unit) amount /= kNext;
  return fmt::format("{}, which sent {} messages with {} {} to each other", sent.ranks,
                     grouped(static_cast<Index>(sent.messages)),
                     unit == 0 ? fmt::format("{:.0f}", amount) : fmt::format("{:.1f}", amount), kUnits[unit]);
}

}  // namespace giga::tool
