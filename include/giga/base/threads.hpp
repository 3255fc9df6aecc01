// The executors of one process: a small crew of threads, and the calling thread alone.
#pragma once

#include <functional>
#include <memory>

#include "giga/base/executor.hpp"

namespace giga {

class Threads final : public Executor {
 public:
  /// Asked before every call of a loop's body, on any thread; true ends the work with Stopped.
  using StopRequest = std::function<bool()>;

  /// `num_threads` >= 1, or 0 for one per core the process may run on; 1 starts none. Fewer where the machine
  /// lets no more be started. `memory` must outlive this object.
  explicit Threads(int num_threads = 0, StopRequest stop = {}, RowMemory& memory = RowMemory::unlimited());
  ~Threads() override;

  [[nodiscard]] int num_threads() const override;
  [[nodiscard]] RowMemory& memory() const override { return *memory_; }
  [[nodiscard]] bool stop_requested() const override;
  void for_each(Index count, const std::function<void(Index)>& body) const override;
  void fold(const BlockFold& work, std::byte* total) const override;

 private:
  class Crew;
  std::unique_ptr<Crew> crew_;
  RowMemory* memory_;
};

/// The thread that calls, and nothing else: for work inside a loop of another executor.
class Serial final : public Executor {
 public:
  [[nodiscard]] int num_threads() const override { return 1; }
  void for_each(Index count, const std::function<void(Index)>& body) const override;
  void fold(const BlockFold& work, std::byte* total) const override;
};

/// The number of cores this process may run on, at least 1.
[[nodiscard]] int available_cores();

}  // namespace giga
