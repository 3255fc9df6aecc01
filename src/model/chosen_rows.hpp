// All rows of a model that is given by functions, or some of them, and how often each counts.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

/// Row n here is row(n) of the functions.
class ChosenRows {
 public:
  /// All of them; `multiplicity` is empty, or has an entry for each.
  ChosenRows(Index num_rows, std::vector<double> multiplicity)
      : num_rows_(num_rows), multiplicity_(std::move(multiplicity)) {
    if (!multiplicity_.empty() && std::ssize(multiplicity_) != num_rows)
      throw std::invalid_argument("there must be a multiplicity for every row, or none");
  }

  /// Some of these, counted weights[k] times; there may be none. A subset of a subset is one of all rows.
  [[nodiscard]] ChosenRows subset(std::span<const Index> rows, std::span<const double> weights) const {
    if (rows.size() != weights.size()) throw std::invalid_argument("there must be a weight for every row");
    ChosenRows out(std::ssize(rows), {weights.begin(), weights.end()});
    out.rows_.emplace();
    for (const Index n : rows) out.rows_->push_back(row(n));
    return out;
  }

  [[nodiscard]] Index size() const { return num_rows_; }
  [[nodiscard]] Index row(Index n) const { return rows_ ? (*rows_)[at(n)] : n; }
  [[nodiscard]] double multiplicity(Index n) const {
    return multiplicity_.empty() ? 1.0 : multiplicity_[at(n)];
  }

  /// Those numbered first, first + 1, ... here, as the functions number them; and how often they count.
  [[nodiscard]] std::vector<Index> rows(Index first, Index count) const {
    std::vector<Index> rows(at(count));
    for (Index& each : rows) each = row(first++);
    return rows;
  }
  [[nodiscard]] std::vector<double> multiplicities(Index first, Index count) const {
    std::vector<double> times(at(count));
    for (double& each : times) each = multiplicity(first++);
    return times;
  }

 private:
  Index num_rows_;
  std::optional<std::vector<Index>> rows_;  // none: all
  std::vector<double> multiplicity_;        // empty: 1 each
};

}  // namespace giga
