// Where vectors come from. Construction asks four things of its vectors; this is the lowest of them, "give me
// rows exactly", from which a table makes the other three. A source may hold the rows, map them or recompute
// them.
#pragma once

#include <span>
#include <string>

#include "giga/base/types.hpp"

namespace giga {

/// What a source may know of its rows without forming them: for long rows with a structure. Every answer is
/// within 1e-12 of the product of the two norms; calls may come from several threads at once.
class RowProducts {
 public:
  virtual ~RowProducts() = default;

  /// |L_n| of rows [first, first + count).
  virtual void norms(Index first, Index count, double* out) const = 0;
  /// <L_n, direction> of rows [first, first + count), for a direction of dim() numbers.
  virtual void with_direction(Index first, Index count, const double* direction, double* out) const = 0;
  /// <L_n, L_m> for each m of `rows`.
  virtual void with_rows(Index n, std::span<const Index> rows, double* out) const = 0;

  /// The sum of factor L_m over `rows`, to the bits of rows that are read and added one after the other,
  /// every product rounded before it is added; so that nobody need hold them. Components are in
  /// num_parts() parts, of which one call sets one.
  [[nodiscard]] virtual Index num_parts() const = 0;
  virtual void combine(Index part, std::span<const Index> rows, std::span<const double> factors,
                       double* sum) const = 0;
};

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

  /// Products of the rows that are cheaper than reading them; else null.
  [[nodiscard]] virtual const RowProducts* products() const { return nullptr; }

  /// A hint that the last pass over all rows is done with these: few will be asked for again.
  virtual void passed(Index first, Index count) const;

  /// How the user would find component j of row n: "row 17, column 3".
  [[nodiscard]] virtual std::string place(Index n, Index j) const;

  /// The file or object that messages should name.
  [[nodiscard]] virtual std::string name() const { return "the vectors"; }
};

}  // namespace giga
