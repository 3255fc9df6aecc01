// Selection by one fused pass over all rows in double.
#pragma once

#include "construct/selector.hpp"

namespace giga {

class ScanSelector final : public Selector {
 public:
  ScanSelector(const RowSource& rows, const Executor& executor) : rows_(rows), executor_(executor) {}

  [[nodiscard]] Pick best(const Query& query, SearchMemory& memory, SearchStats& stats) const override;
  [[nodiscard]] std::vector<Pick> best_several(const Query& query, const Wanted& wanted,
                                               SearchMemory& /*memory*/, SearchStats& stats) const override {
    return best_of_all(query, wanted, rows_, executor_, stats);
  }
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  [[nodiscard]] double prepare_bytes_read() const override { return 0; }

 private:
  const RowSource& rows_;
  const Executor& executor_;
};

}  // namespace giga
