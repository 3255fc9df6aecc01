// The executor of one rank among several: threads of its own, and folds that pass through all ranks.
//
// A fold gives each rank a contiguous range of blocks, always the same of the same number: the rows that it
// holds. A rank fills the parts of its range; then the total goes from rank to rank, each joining its parts
// in block order, and from the last of them to all. So sums have the order, and the bits, that they have in
// one process.
// Where there are fewer blocks than would keep all ranks busy, but several pieces of each, ranks share the
// pieces: their places in a part are different, so the part is what all of them set, and every rank joins the
// parts for itself. Tables with so few blocks are therefore held by every rank.
// What fill() keeps besides its part is kept by the rank that filled the block: a table whose folds leave
// something behind for every row (VectorTable) belongs to local().
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/dist/ranks.hpp"

namespace giga {

class RankExecutor final : public Executor {
 public:
  static constexpr Index kBytesHeld = Index{1} << 28;

  /// Made by all ranks together; `ranks` must outlive it. All ranks have the same number of threads: the
  /// smallest of what they ask for. 0 asks for a fair share of the machine's cores. Until the total comes by,
  /// a rank keeps the parts of its blocks, up to `bytes_held`; with more of them it fills the rest while
  /// those after it wait.
  explicit RankExecutor(Ranks& ranks, int num_threads = 0, Index bytes_held = kBytesHeld,
                        RowMemory& memory = RowMemory::unlimited());

  [[nodiscard]] int num_threads() const override { return threads_->num_threads(); }
  [[nodiscard]] RowMemory& memory() const override { return threads_->memory(); }
  /// The same answer on all ranks at the same place, except within a piece of spread(), which stops as soon
  /// as its own rank is asked to.
  [[nodiscard]] bool stop_requested() const override;
  void for_each(Index count, const std::function<void(Index)>& body) const override;
  void fold(const BlockFold& work, std::byte* total) const override;
  [[nodiscard]] std::vector<Bytes> spread(Index count,
                                          const std::function<Bytes(Index)>& piece) const override;
  [[nodiscard]] std::vector<Bytes> exchange(std::vector<Bytes> given) const override;
  [[nodiscard]] RowRange rows_of(int rank, Index num_rows) const override;
  [[nodiscard]] int num_ranks() const override { return ranks_.size(); }
  [[nodiscard]] int rank() const override { return ranks_.rank(); }
  [[nodiscard]] bool leads() const override { return ranks_.rank() == 0; }
  [[nodiscard]] const Executor& local() const override { return *threads_; }
  [[nodiscard]] std::optional<Communication> communication() const override { return ranks_.communication(); }

 private:
  void fold_by_pieces(const BlockFold& work, std::byte* total) const;

  Ranks& ranks_;
  Index bytes_held_;
  std::unique_ptr<Threads> threads_;
  mutable std::atomic<bool> spreading_{false};
};

}  // namespace giga
