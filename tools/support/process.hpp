// This process among those that run the command: the only one (programs/giga.cpp), or a rank of several
// (programs/giga_mpi.cpp). Rank 0 leads: it alone writes and prints.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "giga/base/executor.hpp"

namespace giga::tool {

/// The thread that waits for signals reads the numbers while ranks meet.
struct Process {
  std::atomic<int> rank = 0;
  /// False where there are other ranks and this one is not connected to them yet.
  std::atomic<bool> meets_others = true;
  std::atomic<int> patience_s = 1;  ///< After a signal the work has so many seconds to end by itself.
  /// The executor of a verb that all ranks run, with so many threads in each and this memory; empty: threads
  /// of this process.
  std::function<std::unique_ptr<Executor>(int threads, RowMemory& memory)> make_executor = {};

  [[nodiscard]] bool leads() const { return rank == 0; }
};

/// Each program has its own.
[[nodiscard]] const Process& this_process() noexcept;

}  // namespace giga::tool
