// The vectors as construction sees them: their sum, their norms, "which row scores best against this
// direction", and "row n exactly". A table is made once and serves any number of builds.
//
// Notation: L_n the vector of row n, L their sum, sigma_n = |L_n|, sigma = sum of sigma_n, l = L / |L|.
#pragma once

#include <cstddef>
#include <memory>

#include "giga/base/executor.hpp"
#include "giga/base/names.hpp"
#include "giga/base/types.hpp"
#include "giga/construct/dense_rows.hpp"

namespace giga {

class Selector;

/// How the best row is found. All are exact: they return the same row, always.
enum class SelectorKind {
  Auto,       ///< By the rule in choose_selector.
  Scan,       ///< One pass over all rows in double, or over their products where the source knows these.
  Quantised,  ///< One pass over 8-bit codes; the few rows the codes cannot tell apart are scored in double.
  CapTree,    ///< A tree of spherical caps prunes whole blocks of rows; for vectors that lie near few
              ///< directions.
};
constexpr auto name_table(SelectorKind) {
  using enum SelectorKind;
  return names_are<SelectorKind>(
      {{Auto, "auto"}, {Scan, "scan"}, {Quantised, "quantised"}, {CapTree, "cap_tree"}});
}

/// What is known of all rows where a table has only some of them.
struct KnownSum {
  ExtendedVector sum;   ///< L, of all rows.
  double norm_sum = 0;  ///< sigma, likewise.
};

struct TableOptions {
  SelectorKind selector = SelectorKind::Auto;
  /// The rows of the table are candidates, some of a larger number: what they are to approximate is this. It
  /// need not outlive the call.
  const KnownSum* known = nullptr;
};

class VectorTable {
 public:
  /// Reads all rows once. `rows` and `executor` must outlive the table; nothing depends on which executor it
  /// is. Throws DataError if a component is not finite.
  explicit VectorTable(const RowSource& rows, const Executor& executor, const TableOptions& options = {});
  ~VectorTable();
  VectorTable(const VectorTable&) = delete;
  VectorTable& operator=(const VectorTable&) = delete;

  [[nodiscard]] const RowSource& rows() const { return *rows_; }
  [[nodiscard]] Index num_rows() const { return rows_->num_rows(); }
  [[nodiscard]] Index dim() const { return rows_->dim(); }
  [[nodiscard]] const Executor& executor() const { return *executor_; }

  /// sigma, the sum of the norms. It and what follows are those of all rows, if TableOptions::known gave
  /// them.
  [[nodiscard]] double norm_sum() const { return norm_sum_; }
  /// L.
  [[nodiscard]] const ExtendedVector& sum() const { return sum_; }
  /// |L|.
  [[nodiscard]] Extended target_norm() const { return target_norm_; }
  /// L / |L|; empty when zero_target().
  [[nodiscard]] const ExtendedVector& target() const { return target_; }
  /// |L| <= 8 eps sigma: what is left of L is the rounding of its terms.
  [[nodiscard]] bool zero_target() const { return target_.empty(); }
  /// Rows that are exactly zero. They are never chosen.
  [[nodiscard]] Index num_zero_rows() const { return num_zero_rows_; }

  /// The selector, made on first use (safe from several threads). Its kind is never Auto.
  [[nodiscard]] const Selector& selector() const;
  [[nodiscard]] SelectorKind selector_kind() const { return kind_; }
  /// Bytes held by the selector, and bytes of rows read so far to prepare the table and it.
  [[nodiscard]] std::size_t selector_bytes() const;
  [[nodiscard]] double prepare_bytes_read() const;

 private:
  struct Lazy;

  const RowSource* rows_;
  const Executor* executor_;
  SelectorKind kind_;
  double norm_sum_ = 0;
  ExtendedVector sum_;
  Extended target_norm_ = 0;
  ExtendedVector target_;
  Index num_zero_rows_ = 0;
  bool measured_ = false;  // by products: no row was read
  std::unique_ptr<Lazy> lazy_;
};

/// The rule of SelectorKind::Auto, from the shape and, for large tables, a sample of 256 rows. Rows that are
/// known by their products are scanned by these, whatever is asked for.
///   N J < 2^18                                                          -> Scan
///   N >= 2^17 and 4 directions hold 99.9% of the energy of unit rows    -> CapTree
///   otherwise                                                           -> Quantised
[[nodiscard]] SelectorKind choose_selector(const RowSource& rows);

}  // namespace giga
