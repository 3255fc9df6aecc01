// What the library should have computed, written plainly: no blocks, no selectors, no up-dates. L and
// L(w) - L are summed in 113-bit floating point, so the oracle is sound where they nearly cancel.
#pragma once

#include <vector>

#include "giga/base/row_source.hpp"
#include "giga/base/types.hpp"
#include "giga/construct/build.hpp"

namespace giga::test {

__extension__ typedef __float128 Quad;  // NOLINT(modernize-use-using): __extension__ takes no using

/// All rows of a problem, normalised once.
class Oracle {
 public:
  explicit Oracle(const RowSource& source);

  [[nodiscard]] Index num_rows() const { return num_rows_; }
  [[nodiscard]] Index dim() const { return dim_; }
  /// |L| and sigma.
  [[nodiscard]] Extended target_norm() const { return target_norm_; }
  [[nodiscard]] Extended norm_sum() const { return norm_sum_; }
  [[nodiscard]] Extended norm_of(Index n) const { return norms_[static_cast<std::size_t>(n)]; }

  /// |L(w) - L| / |L|.
  [[nodiscard]] Extended relative_error(const Coreset& coreset) const;

  /// The largest |<l_n, l - L(w)/|L|>| over the rows of the coreset.
  [[nodiscard]] Extended worst_stationarity(const Coreset& coreset) const;

  /// <l_n, l>, and <d_t, d_tn> or <l_n, residual>/|residual| for the weights of a coreset.
  [[nodiscard]] std::vector<Extended> first_scores() const;
  [[nodiscard]] std::vector<Extended> geodesic_scores(const Coreset& coreset) const;
  [[nodiscard]] std::vector<Extended> residual_scores(const Coreset& coreset) const;

  /// The largest score of a row that is not too short: one below 1e-305 sigma, whose weight might overflow,
  /// is taken as zero.
  [[nodiscard]] Extended best(const std::vector<Extended>& scores) const;

  /// One step of Algorithm 1 towards `row` from weights in the scale of the output, and the same of
  /// Frank-Wolfe. An empty coreset is w_0 = 0.
  [[nodiscard]] Coreset giga_step(const Coreset& coreset, Index row) const;
  [[nodiscard]] Coreset frank_wolfe_step(const Coreset& coreset, Index row) const;

  /// Algorithm 1 and Frank-Wolfe, `steps` steps; ties to the lowest row.
  [[nodiscard]] std::vector<Coreset> giga(Index steps) const;
  [[nodiscard]] std::vector<Coreset> frank_wolfe(Index steps) const;

  /// The least relative error of any nonnegative weights of these rows.
  [[nodiscard]] Extended best_error(const std::vector<Index>& rows) const;

  [[nodiscard]] const ExtendedVector& unit_row(Index n) const { return units_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] const ExtendedVector& target() const { return target_; }

 private:
  [[nodiscard]] ExtendedVector combined(const Coreset& coreset) const;
  [[nodiscard]] ExtendedVector residual(const Coreset& coreset) const;

  Index num_rows_, dim_;
  std::vector<double> data_;
  std::vector<Extended> norms_;
  std::vector<ExtendedVector> units_;  // zero for a zero row
  std::vector<Quad> total_;
  Extended target_norm_ = 0, norm_sum_ = 0;
  ExtendedVector target_;
};

/// The position of the largest, the first of equals.
[[nodiscard]] Index argmax(const std::vector<Extended>& scores);

using Columns = std::vector<ExtendedVector>;

/// |A u - b| / |b|.
[[nodiscard]] Extended nnls_residual(const Columns& columns, const ExtendedVector& b,
                                     const std::vector<Extended>& u);

/// The worst violations of the KKT conditions, with a_i and b scaled to norm 1: |<a_i, r>| where u_i > 0, and
/// <a_i, r> where u_i = 0. Infinite if some u_i < 0.
struct Kkt {
  Extended inside = 0, outside = 0;
  [[nodiscard]] Extended worst() const { return inside > outside ? inside : outside; }
};
[[nodiscard]] Kkt kkt_violation(const Columns& columns, const ExtendedVector& b,
                                const std::vector<Extended>& u);

/// NNLS by trying every support: at most 14 columns.
[[nodiscard]] std::vector<Extended> nnls_by_enumeration(const Columns& columns, const ExtendedVector& b);

/// NNLS by cyclic coordinate descent until the KKT conditions hold to `tolerance` or `max_sweeps` are done.
[[nodiscard]] std::vector<Extended> nnls_by_descent(const Columns& columns, const ExtendedVector& b,
                                                    Extended tolerance, Index max_sweeps);

}  // namespace giga::test
