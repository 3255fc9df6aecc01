// The error of a coreset under a projection that it was not built from.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/row_source.hpp"
#include "giga/construct/build.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "giga/project/random_projection.hpp"

namespace giga {

/// Of a build with these options: in the norm of the build, for an error in another norm would not be
/// comparable.
[[nodiscard]] RandomProjectionOptions heldout_options(const CoresetOptions& options);

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

 private:
  const std::vector<double>& row(Index n);

  const RowSource& rows_;
  ExtendedVector sum_;
  Extended norm_, noise_ = 0;
  std::unordered_map<Index, std::vector<double>> known_;
};

}  // namespace giga
