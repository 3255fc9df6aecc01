// What every kind of simulated table gives: rows of features and a response, made when they are asked for.
#pragma once

#include <string>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

class SimulatedTable {
 public:
  virtual ~SimulatedTable() = default;

  [[nodiscard]] virtual Index num_rows() const = 0;
  [[nodiscard]] virtual Index num_features() const = 0;
  /// The headings of the features; the response is "y".
  [[nodiscard]] virtual std::vector<std::string> feature_names() const = 0;

  /// Rows [first, first + count), which may be beyond num_rows(): num_features() features and the response of
  /// each, row-major. Row n has the same bits however it is asked for; calls may come from several threads at
  /// once.
  virtual void read(Index first, Index count, double* out) const = 0;
};

}  // namespace giga
