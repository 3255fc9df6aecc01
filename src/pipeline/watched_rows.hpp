// A source of rows that says how many were read.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>

#include "giga/base/row_source.hpp"

namespace giga {

class WatchedRows final : public RowSource {
 public:
  WatchedRows(const RowSource& rows, std::function<void(Index)> watcher)
      : rows_(rows), watcher_(std::move(watcher)) {}

  [[nodiscard]] Index num_rows() const override { return rows_.num_rows(); }
  [[nodiscard]] Index dim() const override { return rows_.dim(); }
  void read(Index first, Index count, double* out) const override {
    rows_.read(first, count, out);
    if (count > 1 && watcher_) watcher_(read_ += count);  // single rows belong to no pass
  }
  [[nodiscard]] std::string place(Index n, Index j) const override { return rows_.place(n, j); }
  [[nodiscard]] std::string name() const override { return rows_.name(); }

  /// A new pass begins.
  void restart() { read_ = 0; }

 private:
  const RowSource& rows_;
  std::function<void(Index)> watcher_;
  mutable std::atomic<Index> read_ = 0;
};

}  // namespace giga
