// How many rows a stage may use: as many as it finds it needs, all of them, or a number.
#pragma once

#include <string>

#include "giga/base/types.hpp"

namespace giga {

struct RowCount {
  enum class Kind { Auto, All, Number };
  Kind kind = Kind::Auto;
  Index number = 0;  ///< Of Kind::Number; >= 1.

  [[nodiscard]] static constexpr RowCount all() { return {Kind::All, 0}; }
  [[nodiscard]] static constexpr RowCount of(Index number) { return {Kind::Number, number}; }

  friend constexpr bool operator==(const RowCount&, const RowCount&) = default;
};

/// "auto", "all", or the number.
[[nodiscard]] inline std::string text_of(const RowCount& count) {
  if (count.kind == RowCount::Kind::Number) return std::to_string(count.number);
  return count.kind == RowCount::Kind::All ? "all" : "auto";
}

}  // namespace giga
