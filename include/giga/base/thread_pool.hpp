// A small pool of threads for loops over blocks of rows.
//
// Blocks have a fixed size and their results are reduced in block order, so what is computed never depends on
// how many threads there are: only how soon it is done.
#pragma once

#include <functional>
#include <memory>

#include "giga/base/types.hpp"

namespace giga {

/// Rows in a block. Every sum over rows is a sum of block sums, in block order.
inline constexpr Index kBlockRows = 4096;

[[nodiscard]] constexpr Index num_blocks(Index num_rows) {
  return (num_rows + kBlockRows - 1) / kBlockRows;
}

class ThreadPool {
 public:
  /// `num_threads` >= 1, or 0 for one per core the process may run on.
  explicit ThreadPool(int num_threads = 0);
  ~ThreadPool();
  ThreadPool(ThreadPool&&) noexcept;
  ThreadPool& operator=(ThreadPool&&) noexcept;

  [[nodiscard]] int num_threads() const;

  /// Calls body(i) once for every i in [0, count), in any order and on any thread, and returns when all are
  /// done. If calls throw, the exception of the lowest i is thrown here after the loop has ended. Loops asked
  /// for by several threads at once run one after the other; a body must not start a loop on its own pool.
  void for_each(Index count, const std::function<void(Index)>& body) const;

 private:
  class Crew;
  std::unique_ptr<Crew> crew_;
};

/// The number of cores this process may run on, at least 1.
[[nodiscard]] int available_cores();

}  // namespace giga
