// The terms c(y) of a log-likelihood that no parameter enters (log y! of counts), of all rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "giga/base/types.hpp"
#include "giga/model/family.hpp"

namespace giga {

class RowConstants {
 public:
  /// Counts are small numbers as a rule: then there is a constant for each value, else one for each row.
  RowConstants(const FamilyParameters& family, std::span<const double> y) {
    if (describe(family.family).row_constants == nullptr || y.empty()) return;
    constexpr double kMost = 1 << 16;
    const double most = *std::ranges::max_element(y);
    const auto is_count = [](double value) { return value >= 0 && value == std::floor(value); };
    by_value_ = most < std::min(kMost, static_cast<double>(y.size())) && std::ranges::all_of(y, is_count);
    if (!by_value_) {
      numbers_ = row_constants(family, y);
      return;
    }
    std::vector<double> values(static_cast<std::size_t>(most) + 1);
    std::iota(values.begin(), values.end(), 0.0);
    numbers_ = row_constants(family, values);
  }

  /// Whether the family has none: all are 0.
  [[nodiscard]] bool empty() const { return numbers_.empty(); }
  /// Of row n, whose response is y.
  [[nodiscard]] double of(Index n, double y) const {
    return numbers_.empty() ? 0.0 : numbers_[by_value_ ? static_cast<std::size_t>(y) : at(n)];
  }

 private:
  bool by_value_ = false;
  std::vector<double> numbers_;
};

}  // namespace giga
