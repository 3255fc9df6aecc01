// The rows that came close in a search, kept by their products with the active rows: so that several can be
// chosen, one after the other, before all rows are searched again.
#pragma once

#include <span>
#include <vector>

#include "construct/active_set.hpp"
#include "construct/query.hpp"
#include "giga/construct/vector_table.hpp"

namespace giga {

/// How many rows to look for where up to `most` of them may be chosen: eight times as many. Fewer, but never
/// less than `most`, where 2^22 products with the active rows, or 2^24 numbers of rows that are held (128
/// MB), are not enough for these; `dim` is that of held rows, 0 where their products are known.
[[nodiscard]] Index shortlist_size(Index most, Index num_active, Index dim);

class Shortlist {
 public:
  /// `picks` are rows of the table, and none of the active ones, and up to `most` of them will be taken.
  /// Forms the cosines of each with the active rows.
  Shortlist(const VectorTable& table, ActiveSet& active, std::span<const Pick> picks, Index most);

  /// The row that Algorithm 1 would choose among them, given the shares u of the active rows in x = sum_k u_k
  /// l_k, the least-squares optimum: argmax <d_t, d_tn>. Pick::row is the position in the list; -1 if there
  /// is none with a positive score.
  [[nodiscard]] Pick best(std::span<const Extended> u) const;

  [[nodiscard]] Index row(Index position) const { return rows_[at(position)]; }
  /// With the active rows, in the order of their slots.
  [[nodiscard]] std::span<const double> cosines(Index position) const { return cosines_[at(position)]; }

  /// The row becomes the last of the active ones: its cosines with the others are formed.
  void take(Index position);

 private:
  void ask_products(const ActiveSet& active, const std::vector<double>& l, std::size_t k);
  void read_unit(const std::vector<double>& l, std::size_t k);
  void multiply_units(const ActiveSet& active);

  const VectorTable& table_;
  std::vector<Index> rows_;
  std::vector<double> norms_;
  std::vector<std::vector<double>> units_;    // l_n; empty where the source knows products
  std::vector<std::vector<double>> cosines_;  // with the active rows
  std::vector<double> along_;                 // <l_n, l>
  std::vector<double> active_along_;          // of the active rows
  std::vector<bool> taken_;
};

}  // namespace giga
