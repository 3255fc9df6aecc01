// The error of a coreset under a projection that it was not built from.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/row_source.hpp"
#include "giga/construct/build.hpp"

namespace giga {

/// Reads all rows once for their sum, unless it is given, and then only those of coresets it is asked about.
class Heldout {
 public:
  /// `rows` must outlive this object.
  Heldout(const RowSource& rows, const Executor& executor);
  /// The same with a sum that was estimated: `noise` is the root mean square of its error.
  Heldout(const RowSource& rows, ExtendedVector sum, double noise);

  /// |V|.
  [[nodiscard]] double norm() const { return static_cast<double>(norm_); }
  /// V, and the root mean square of its error.
  [[nodiscard]] const ExtendedVector& sum() const { return sum_; }
  [[nodiscard]] double noise() const { return static_cast<double>(noise_); }
  /// V - V(w).
  [[nodiscard]] ExtendedVector residual(const Coreset& coreset);
  /// |V(w) - V| / |V|.
  [[nodiscard]] double error(const Coreset& coreset);

  /// The length of a residual without the noise of V, over |V|.
  [[nodiscard]] double relative(const ExtendedVector& residual) const;

 private:
  const std::vector<double>& row(Index n);

  const RowSource& rows_;
  ExtendedVector sum_;
  Extended norm_, noise_ = 0;
  std::unordered_map<Index, std::vector<double>> known_;
};

}  // namespace giga
