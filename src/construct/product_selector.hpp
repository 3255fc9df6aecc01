// Selection among rows that are known by their products (RowSource::products): one product per row and
// search, and no row is formed but the few that come close.
//
// Memory: 16 bytes per row, for |L_n| and <l_n, l>.
#pragma once

#include <vector>

#include "construct/selector.hpp"

namespace giga {

class ProductSelector final : public Selector {
 public:
  /// `rows` must have products. `target` is l.
  ProductSelector(const RowSource& rows, const Executor& executor, const ExtendedVector& target);

  [[nodiscard]] Pick best(const Query& query, SearchMemory& memory, SearchStats& stats) const override;
  [[nodiscard]] std::vector<Pick> best_several(const Query& query, const Wanted& wanted, SearchMemory& memory,
                                               SearchStats& stats) const override;
  [[nodiscard]] std::size_t bytes() const override {
    return (norms_.size() + along_.size()) * sizeof(double);
  }
  [[nodiscard]] double prepare_bytes_read() const override { return 0; }

 private:
  [[nodiscard]] std::vector<double> scores(const Query& query, SearchStats& stats) const;
  [[nodiscard]] double exact(const Query& query, Index row, SearchStats& stats) const;

  const RowSource& rows_;
  const Executor& executor_;
  std::vector<double> norms_;
  std::vector<double> along_;  // <l_n, l>
};

}  // namespace giga
