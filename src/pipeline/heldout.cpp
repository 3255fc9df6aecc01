// V is summed once, over all rows; an error then needs only the vectors of the coreset's rows, which are
// kept, since a greedy build asks for nearly the same rows at every step.
#include "pipeline/heldout.hpp"

#include <cmath>
#include <utility>

#include "base/extended.hpp"

namespace giga {

RandomProjectionOptions heldout_options(const CoresetOptions& options) {
  const bool curvature = options.projection == ProjectionKind::Curvature;
  return {curvature ? Norm::Whitened : options.norm, options.heldout_dim, options.seed, "heldout"};
}

Heldout::Heldout(const RowSource& rows, const Executor& executor) : rows_(rows) {
  const VectorTable table(rows, executor.local(), {.selector = SelectorKind::Scan});
  sum_ = table.sum();
  norm_ = table.target_norm();
}

Heldout::Heldout(const RowSource& rows, ExtendedVector sum, double noise)
    : rows_(rows), sum_(std::move(sum)), norm_(giga::norm(sum_)), noise_(noise) {}

const std::vector<double>& Heldout::row(Index n) {
  const auto [found, is_new] = known_.try_emplace(n);
  if (is_new) {
    found->second.resize(static_cast<std::size_t>(rows_.dim()));
    rows_.read(n, 1, found->second.data());
  }
  return found->second;
}

ExtendedVector Heldout::residual(const Coreset& coreset) {
  ExtendedVector residual = sum_;
  for (std::size_t i = 0; i < coreset.rows.size(); ++i)
    add_scaled(residual, -static_cast<Extended>(coreset.weights[i]), row(coreset.rows[i]));
  return residual;
}

double Heldout::error(const Coreset& coreset) {
  // |V - sum_n w_n V_n| / |V|; infinite if V is zero and V(w) is not. The noise of the sum is independent of
  // the coreset, and lengthens the residual in the mean square.
  const Extended length = giga::norm(residual(coreset));
  const Extended distance = length > noise_ ? std::sqrt(length * length - noise_ * noise_) : 0;
  return distance == 0 ? 0.0 : static_cast<double>(distance / norm_);
}

}  // namespace giga
