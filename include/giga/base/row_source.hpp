// Where vectors come from. Construction asks four things of its vectors; this is the lowest of them, "give me
// rows exactly", from which a table makes the other three. A source may hold the rows, map them or recompute
// them.
#pragma once

#include <string>

#include "giga/base/types.hpp"

namespace giga {

class RowSource {
 public:
  virtual ~RowSource() = default;

  [[nodiscard]] virtual Index num_rows() const = 0;
  [[nodiscard]] virtual Index dim() const = 0;

  /// Rows [first, first + count), row-major. Row n has the same bits however it is asked for; calls may come
  /// from several threads at once.
  virtual void read(Index first, Index count, double* out) const = 0;

  /// The rows themselves, where they lie in memory as row-major doubles; else null.
  [[nodiscard]] virtual const double* contiguous() const { return nullptr; }

  /// A hint that the last pass over all rows is done with these: few will be asked for again.
  virtual void passed(Index first, Index count) const;

  /// How the user would find component j of row n: "row 17, column 3".
  [[nodiscard]] virtual std::string place(Index n, Index j) const;

  /// The file or object that messages should name.
  [[nodiscard]] virtual std::string name() const { return "the vectors"; }
};

}  // namespace giga
