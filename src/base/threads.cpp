// A crew of threads that take the calls of a loop one by one, and the fold in block order.
//
// A loop is published by raising `generation_`: workers wait for it to change, take calls from the shared
// counter `next_` until none is left, and count themselves out of `busy_`. The thread that asked for the loop
// takes calls too and then waits for busy_ = 0, so body and count are never touched while a worker may read
// them.
#include "giga/base/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/block_parts.hpp"
#include "giga/base/error.hpp"

namespace giga {

int available_cores() {
  // The affinity mask, not the number of processors: a container or taskset may allow fewer.
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {

// A pass over the codes of a million rows takes two milliseconds: waking a sleeping thread for each would
// cost a few percent, so a worker polls this many times before it sleeps.
constexpr int kSpins = 4000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <typename Condition>
bool spin_until(const Condition& condition, int spins) {
  for (int i = 0; i < spins; ++i) {
    if (condition()) return true;
    pause();
  }
  return condition();
}

// Groups of at most `at_once` blocks: filled side by side, then joined one after the other. The parts are
// joined in block order whatever the size of a group, so neither it nor the number of threads changes the
// bits.
void fold_in_groups(const Executor& executor, const BlockFold& work, std::byte* total) {
  if (work.num_blocks == 0) return;
  const Index held = std::min(work.at_once, work.num_blocks);
  BlockParts parts(work, held);
  // Invariant: `total` holds the parts of blocks [0, begin), joined in their order.
  for (Index begin = 0; begin < work.num_blocks; begin += held) {
    const Index some = std::min(held, work.num_blocks - begin);
    parts.fill(executor, begin, some);
    parts.join(some, total);
    if (work.progress) work.progress(begin + some);
  }
}

}  // namespace

class Threads::Crew {
 public:
  // More threads than cores never spin: they would keep each other from working.
  Crew(int num_threads, StopRequest stop)
      : spins_(num_threads <= available_cores() ? kSpins : 0), stop_(std::move(stop)) {
    workers_.reserve(static_cast<std::size_t>(num_threads - 1));
    try {
      for (int i = 1; i < num_threads; ++i) workers_.emplace_back([this](std::stop_token end) { work(end); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): those that there are do the work
    }
  }

  // Workers wake up, see the stop request and return; their destructors join.
  ~Crew() {
    for (auto& worker : workers_) worker.request_stop();
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
  }

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }
  bool stop_requested() const { return stop_ && stop_(); }

  // One loop at a time. Everything a worker reads is written before generation_ is raised (release) and read
  // after its change is seen (acquire).
  void run(Index count, const std::function<void(Index)>& body) {
    const std::lock_guard lock(one_loop_);
    body_ = &body;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    failed_at_ = std::numeric_limits<Index>::max();
    failure_ = nullptr;
    const int busy = count > 1 ? static_cast<int>(workers_.size()) : 0;  // one call: nobody need wake up
    busy_.store(busy, std::memory_order_relaxed);
    if (busy > 0) {
      generation_.fetch_add(1, std::memory_order_release);
      generation_.notify_all();
    }
    // The caller works as well; then it waits, at first awake, then asleep.
    take_calls();
    const auto all_idle = [this] { return busy_.load(std::memory_order_acquire) == 0; };
    if (!spin_until(all_idle, spins_)) {
      for (int left = busy_.load(std::memory_order_acquire); left != 0;
           left = busy_.load(std::memory_order_acquire))
        busy_.wait(left, std::memory_order_acquire);
    }
    body_ = nullptr;
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // A worker: wait for a loop, take calls, count oneself out; the last one out wakes the caller.
  void work(const std::stop_token& end) {
    std::uint64_t seen = 0;
    while (true) {
      // Every change of generation_ is seen: a loop ends only after all workers have counted themselves out.
      const auto woken = [&] { return generation_.load(std::memory_order_acquire) != seen; };
      if (!spin_until(woken, spins_)) generation_.wait(seen, std::memory_order_acquire);
      seen = generation_.load(std::memory_order_acquire);
      if (end.stop_requested()) return;
      take_calls();
      if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
    }
  }

  // next_ is the lowest call that nobody has taken. A call that throws does not end the loop, unless it
  // throws Stopped; of several exceptions that of the lowest call is kept, so the message does not depend on
  // timing.
  void take_calls() {
    for (Index i = next_.fetch_add(1, std::memory_order_relaxed); i < count_;
         i = next_.fetch_add(1, std::memory_order_relaxed)) {
      try {
        if (stop_requested()) throw Stopped();
        (*body_)(i);
      } catch (const Stopped&) {
        next_.store(count_, std::memory_order_relaxed);  // nobody takes another call
        keep_failure(i);
      } catch (...) {
        keep_failure(i);
      }
    }
  }

  // Inside a catch block.
  void keep_failure(Index i) {
    const std::lock_guard lock(failure_mutex_);
    if (i >= failed_at_) return;
    failed_at_ = i;
    failure_ = std::current_exception();
  }

  // spins_ and stop_ never change; body_ and count_ change between loops only.
  const int spins_;
  const StopRequest stop_;
  std::mutex one_loop_;
  const std::function<void(Index)>* body_ = nullptr;
  Index count_ = 0;
  std::atomic<Index> next_{0};
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<int> busy_{0};
  std::mutex failure_mutex_;
  Index failed_at_ = 0;
  std::exception_ptr failure_;
  std::vector<std::jthread> workers_;  // last: joined before what they use goes
};

Threads::Threads(int num_threads, StopRequest stop, RowMemory& memory) : memory_(&memory) {
  if (num_threads < 0) {
    throw std::invalid_argument("num_threads is " + std::to_string(num_threads) + ", must be at least 0");
  }
  crew_ = std::make_unique<Crew>(num_threads == 0 ? available_cores() : num_threads, std::move(stop));
}
Threads::~Threads() = default;

int Threads::num_threads() const {
  return crew_->num_threads();
}

bool Threads::stop_requested() const {
  return crew_->stop_requested();
}

void Threads::for_each(Index count, const std::function<void(Index)>& body) const {
  crew_->run(count, body);
}

void Threads::fold(const BlockFold& work, std::byte* total) const {
  fold_in_groups(*this, work, total);
}

void Serial::for_each(Index count, const std::function<void(Index)>& body) const {
  for (Index i = 0; i < count; ++i) body(i);
}

void Serial::fold(const BlockFold& work, std::byte* total) const {
  fold_in_groups(*this, work, total);
}

}  // namespace giga
