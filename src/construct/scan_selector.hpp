// Selection by one fused pass over all rows in double.
#pragma once

#include "construct/selector.hpp"

namespace giga {

class ScanSelector final : public Selector {
 public:
  ScanSelector(const RowSource& rows, const ThreadPool& pool) : rows_(rows), pool_(pool) {}

  [[nodiscard]] Pick best(const Query& query, SearchMemory& memory, SearchStats& stats) const override;
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  [[nodiscard]] double prepare_bytes_read() const override { return 0; }

 private:
  const RowSource& rows_;
  const ThreadPool& pool_;
};

}  // namespace giga
