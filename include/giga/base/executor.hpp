// Who does the work, and the one way in which rows are summed.
//
// Rows are taken in blocks of kBlockRows. Whatever is learnt from all rows (a sum, the best row, a digest) is
// a fold: each block fills a part of its own, and the parts are joined to the total in block order. Who
// fills which block therefore never changes the result, only how soon it is there. Threads is one
// executor (threads.hpp); any other gives the same bits as long as its fold() joins the parts in block order.
//
// The work may be shared by several processes, the ranks (giga/dist). Each of them runs the same program with
// the same arguments and makes the same collective calls in the same order: fold(), spread() and exchange().
// for_each() is of the rank alone. One rank leads: it alone writes files and speaks. Of many rows each rank
// has its own, those whose blocks it fills in a fold; what is kept for every row it keeps for these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "giga/base/row_array.hpp"
#include "giga/base/types.hpp"

namespace giga {

/// Rows in a block.
inline constexpr Index kBlockRows = 4096;

[[nodiscard]] constexpr Index num_blocks(Index num_rows, Index block_rows = kBlockRows) {
  return (num_rows + block_rows - 1) / block_rows;
}

/// A fold over blocks with its types erased, so that an executor may send parts and totals elsewhere:
/// both are plain bytes. fold_blocks() below makes these.
struct BlockFold {
  Index num_blocks = 0;
  Index num_pieces = 1;        ///< Shares of the work of one block; fill() is called for each of them.
  std::size_t part_bytes = 0;  ///< Of one block; fill() gets them set to zero.
  std::size_t total_bytes = 0;
  Index at_once = 0;       ///< Most parts held at a time, >= 1.
  bool backwards = false;  ///< A hint: fill blocks from the last to the first.
  /// Any thread, any order; the pieces of a block write to different places of its part.
  std::function<void(Index block, Index piece, std::byte* part)> fill;
  /// One block after the other, in block order.
  std::function<void(const std::byte* part, std::byte* total)> join;
  /// Blocks joined so far; called now and then from the thread that asked for the fold. May be empty.
  std::function<void(Index blocks_done)> progress;
};

using Bytes = std::vector<std::byte>;

/// What ranks have sent each other so far, all of them together, counted as messages from one to another.
struct Communication {
  int ranks = 1;
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

class Executor {
 public:
  Executor() = default;
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// How many calls run side by side here.
  [[nodiscard]] virtual int num_threads() const = 0;

  /// Where arrays with an entry for every row live.
  [[nodiscard]] virtual RowMemory& memory() const { return RowMemory::unlimited(); }

  /// Whether it was told to stop: for work that spends long within one call.
  [[nodiscard]] virtual bool stop_requested() const { return false; }

  /// Calls body(i) once for every i in [0, count), in any order and on any thread, and returns when all are
  /// done. If calls throw, the exception of the lowest i is thrown here after the loop has ended. Loops asked
  /// for by several threads at once run one after the other; a body must not start a loop on its own
  /// executor. Throws Stopped if the executor was told to stop; a body that throws Stopped ends the loop
  /// early.
  virtual void for_each(Index count, const std::function<void(Index)>& body) const = 0;

  /// Joins the parts of all blocks to `total`, which holds the beginning of the fold when this is called.
  virtual void fold(const BlockFold& work, std::byte* total) const = 0;

  /// Independent pieces of work whose results all ranks need: piece(i) is called once for every i in [0,
  /// count), on one rank and on any of its threads, and all ranks get what the calls returned. Of the same
  /// count a piece always belongs to the same rank, piece 0 to the one that leads. Exceptions as in
  /// for_each(), on all ranks.
  [[nodiscard]] virtual std::vector<Bytes> spread(Index count,
                                                  const std::function<Bytes(Index)>& piece) const;

  /// Each rank gives bytes for every rank, and gets what each of them gave for it, by rank.
  [[nodiscard]] virtual std::vector<Bytes> exchange(std::vector<Bytes> given) const { return given; }

  /// The rows whose blocks a rank fills in a fold over `num_rows` rows: whole blocks, one rank after the
  /// other. All of them, on every rank, where there are few: every rank may then be asked for any.
  [[nodiscard]] virtual RowRange rows_of(int /*rank*/, Index num_rows) const { return {0, num_rows}; }
  [[nodiscard]] RowRange own_rows(Index num_rows) const { return rows_of(rank(), num_rows); }

  /// The processes that share the work, and which of them this is.
  [[nodiscard]] virtual int num_ranks() const { return 1; }
  [[nodiscard]] virtual int rank() const { return 0; }
  /// Whether this process is the one that writes files and speaks.
  [[nodiscard]] virtual bool leads() const { return true; }
  /// The threads of this rank: for work that every rank does by itself.
  [[nodiscard]] virtual const Executor& local() const { return *this; }
  /// Nothing where there is no other process to speak to.
  [[nodiscard]] virtual std::optional<Communication> communication() const { return std::nullopt; }
};

/// Does on the rank that leads what must be done once, such as writing a file. All ranks return when it is
/// done, or throw what it threw.
template <typename Action>
void once(const Executor& executor, const Action& action) {
  (void)executor.spread(1, [&action](Index) {
    action();
    return Bytes();
  });
}

/// What each rank has to say, by rank; called by all of them. An exception of `words`, which runs on the
/// thread that calls and may use its rank's executor, is thrown on all ranks: that of the lowest.
[[nodiscard]] std::vector<Bytes> gathered(const Executor& executor, const std::function<Bytes()>& words);

/// Does something on every rank for itself, with exceptions as in gathered().
template <typename Action>
void on_every_rank(const Executor& executor, const Action& action) {
  if (executor.num_ranks() == 1) return action();
  (void)gathered(executor, [&action] {
    action();
    return Bytes();
  });
}

/// Further options of fold_blocks().
struct FoldOptions {
  Index num_pieces = 1;
  Index at_once = 0;  ///< Most blocks between two calls of `progress`; 0: as many as fit in 64 MB.
  Index block_rows = kBlockRows;
  bool backwards = false;
  std::function<void(Index blocks_done)> progress = {};
};

/// Folds the blocks of `num_rows` rows into `total`: fill(first, count, piece, part) gets the rows from
/// `first` to first + count - 1 and `part_width` zeros, join(part, total) adds a part to the total. Part and
/// Total are plain numbers or structs of them.
template <typename Part, typename Total, typename Fill, typename Join>
void fold_blocks(const Executor& executor, Index num_rows, Index part_width, std::span<Total> total,
                 const Fill& fill, const Join& join, FoldOptions options = {}) {
  static_assert(std::is_trivially_copyable_v<Part> && std::is_trivially_copyable_v<Total>);
  constexpr Index kBytesAtOnce = Index{1} << 26, kFewest = 16, kMost = 4096;
  BlockFold work;
  work.num_blocks = num_blocks(num_rows, options.block_rows);
  work.num_pieces = options.num_pieces;
  work.part_bytes = static_cast<std::size_t>(part_width) * sizeof(Part);
  work.total_bytes = total.size_bytes();
  const Index affordable = kBytesAtOnce / std::max<Index>(1, static_cast<Index>(work.part_bytes));
  work.at_once = options.at_once > 0 ? options.at_once : std::clamp(affordable, kFewest, kMost);
  work.backwards = options.backwards;
  work.fill = [&fill, num_rows, size = options.block_rows](Index block, Index piece, std::byte* part) {
    const Index first = block * size;
    fill(first, std::min(size, num_rows - first), piece, reinterpret_cast<Part*>(part));
  };
  work.join = [&join](const std::byte* part, std::byte* sum) {
    join(reinterpret_cast<const Part*>(part), reinterpret_cast<Total*>(sum));
  };
  work.progress = std::move(options.progress);
  executor.fold(work, reinterpret_cast<std::byte*>(total.data()));
}

/// The same for sums: part[j] is added to total[j] in extended precision. fill(first, count, part).
template <typename Fill>
[[nodiscard]] ExtendedVector sum_blocks(const Executor& executor, Index num_rows, Index width,
                                        const Fill& fill) {
  ExtendedVector total(static_cast<std::size_t>(width), 0);
  fold_blocks<double>(
      executor, num_rows, width, std::span(total),
      [&fill](Index first, Index count, Index /*piece*/, double* part) { fill(first, count, part); },
      [width](const double* part, Extended* sum) {
        for (Index j = 0; j < width; ++j) sum[j] += static_cast<Extended>(part[j]);
      });
  return total;
}

/// Calls visit(first, count) for the rows of every block of some rows, which begin with a block.
template <typename Visit>
void for_each_block(const Executor& executor, const RowRange& rows, const Visit& visit) {
  executor.for_each(num_blocks(rows.size()), [&visit, rows](Index block) {
    const Index first = rows.begin + block * kBlockRows;
    visit(first, std::min(kBlockRows, rows.end - first));
  });
}

/// Of all rows, on every rank: for what is kept per row.
template <typename Visit>
void for_each_block(const Executor& executor, Index num_rows, const Visit& visit) {
  for_each_block(executor, RowRange{0, num_rows}, visit);
}

/// Of the rows that are a rank's own, on every rank: for what each keeps for these. All ranks return when
/// they are done, or throw what the lowest threw.
template <typename Visit>
void for_own_blocks(const Executor& executor, Index num_rows, const Visit& visit) {
  on_every_rank(executor, [&] { for_each_block(executor, executor.own_rows(num_rows), visit); });
}

/// Numbers for every row, of which a rank has those of its own.
template <typename Number>
[[nodiscard]] RowArray<Number> row_array(const Executor& executor, Index num_rows, Index each = 1) {
  return RowArray<Number>(executor.memory(), num_rows, executor.own_rows(num_rows), each);
}

}  // namespace giga
