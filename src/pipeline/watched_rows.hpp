// The vectors of a problem: a source that reports how many were read, and that names rows in messages as the
// user's data has them.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "giga/base/row_source.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

class WatchedRows final : public RowSource {
 public:
  /// `watcher` gets the rows read so far, from any thread; it may throw.
  /// `candidates`, if not null, are the rows of the problem that those of the source are.
  WatchedRows(const RowSource& rows, const Problem& problem, std::function<void(Index)> watcher,
              const std::vector<Index>* candidates = nullptr)
      : rows_(rows), problem_(problem), watcher_(std::move(watcher)), candidates_(candidates) {}

  [[nodiscard]] Index num_rows() const override { return rows_.num_rows(); }
  [[nodiscard]] Index dim() const override { return rows_.dim(); }
  void read(Index first, Index count, double* out) const override {
    rows_.read(first, count, out);
    if (count > 1 && in_pass_ && watcher_) watcher_(read_ += count);  // single rows belong to no pass
  }
  [[nodiscard]] const RowProducts* products() const override { return rows_.products(); }
  [[nodiscard]] std::string place(Index n, Index j) const override {
    return problem_.place(candidates_ != nullptr ? (*candidates_)[static_cast<std::size_t>(n)] : n) +
           ", feature " + std::to_string(j + 1);
  }
  [[nodiscard]] std::string name() const override { return problem_.name() + ": " + rows_.name(); }

  /// The passes to be watched are over: rows read from now on are no longer counted.
  void end_pass() { in_pass_ = false; }

 private:
  const RowSource& rows_;
  const Problem& problem_;
  std::function<void(Index)> watcher_;
  const std::vector<Index>* candidates_;
  bool in_pass_ = true;
  mutable std::atomic<Index> read_ = 0;
};

}  // namespace giga
