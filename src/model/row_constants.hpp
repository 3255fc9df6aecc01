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
  /// Of rows `first` on, whose responses are y. Counts are small numbers as a rule: then there is a constant
  /// for each value, else one for each row.
  RowConstants(const FamilyParameters& family, std::span<const double> y, Index first = 0)
      : family_(family), any_(describe(family.family).row_constants != nullptr), first_(first) {
    if (!any_ || y.empty()) return;
    constexpr double kMost = 1 << 16;
    const double most = *std::ranges::max_element(y);
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
  [[nodiscard]] bool empty() const { return !any_; }
  /// Of row n, whose response is y.
  [[nodiscard]] double of(Index n, double y) const {
    if (!any_) return 0.0;
    const auto size = std::ssize(numbers_);
    if (by_value_ && is_count(y) && y < static_cast<double>(size))
      return numbers_[static_cast<std::size_t>(y)];
    if (!by_value_ && n >= first_ && n < first_ + size) return numbers_[at(n - first_)];
    return row_constants(family_, std::span(&y, 1))[0];  // of a row that another rank holds
  }

 private:
  static bool is_count(double value) { return value >= 0 && value == std::floor(value); }

  FamilyParameters family_;
  bool any_;
  bool by_value_ = false;
  Index first_;
  std::vector<double> numbers_;
};

}  // namespace giga
