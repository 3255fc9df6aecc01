// A crew of threads that take the calls of a loop one by one, and the fold in block order.
//
// A loop is published by raising the generation in `door_` and opening it. Workers who see that enter, take
// calls from the shared counter `next_` until none is left, and go out again. The thread that asked for the
// loop takes calls too, closes the door when none is left, and waits for those who are inside, so body and
// count are never touched while a worker may read them. It does not wait for workers who have not come: on a
// busy machine one may sleep for milliseconds after it was woken, and by then the others have done its share.
#include "giga/base/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
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
  Crew(int asked_threads, StopRequest stop)
      : spins_(asked_threads <= available_cores() ? kSpins : 0), stop_(std::move(stop)) {
    const int num_threads = std::min(asked_threads, static_cast<int>(kMostInside / kInside));
    workers_.reserve(static_cast<std::size_t>(num_threads - 1));
    try {
      for (int i = 1; i < num_threads; ++i) workers_.emplace_back([this](std::stop_token end) { work(end); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): those that there are do the work
    }
  }

  // Workers wake up, see the stop request and return; their destructors join.
  ~Crew() {
    for (auto& worker : workers_) worker.request_stop();
    door_.fetch_add(kGeneration, std::memory_order_release);
    door_.notify_all();
  }

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }
  bool stop_requested() const { return stop_ && stop_(); }

  // One loop at a time. Everything a worker reads is written before the door opens (release) and read after
  // the worker has entered (acquire); everything it wrote is there for the caller once it has gone out.
  void run(Index count, const std::function<void(Index)>& body) {
    const std::lock_guard lock(one_loop_);
    body_ = &body;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    failed_at_ = std::numeric_limits<Index>::max();
    failure_ = nullptr;
    const bool together = count > 1 && !workers_.empty();  // one call: nobody need wake up
    if (together) {
      // Closed, and nobody inside: only the generation and the door itself change.
      door_.fetch_add(kGeneration | kOpen, std::memory_order_release);
      door_.notify_all();
    }
    take_calls();
    if (together) {
      door_.fetch_and(~kOpen, std::memory_order_acq_rel);
      wait_for_those_inside();
    }
    body_ = nullptr;
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // door_: whether it is open, how many workers are inside, and the number of the loop. A worker that sleeps
  // through loops, even until their number comes round again, misses work and nothing else.
  using Door = std::uint32_t;  // what the system can wait for by itself
  static constexpr Door kOpen = 1, kInside = 2, kMostInside = 0x1FFE, kGeneration = 0x2000;

  // At first awake, then asleep.
  void wait_for_those_inside() {
    const auto empty = [this] { return (door_.load(std::memory_order_acquire) & kMostInside) == 0; };
    if (spin_until(empty, spins_)) return;
    for (Door seen = door_.load(std::memory_order_acquire); (seen & kMostInside) != 0;
         seen = door_.load(std::memory_order_acquire))
      door_.wait(seen, std::memory_order_acquire);
  }

  // False if the door is closed. `seen` becomes the door as it was found.
  bool enter(Door& seen) {
    seen = door_.load(std::memory_order_acquire);
    while ((seen & kOpen) != 0) {
      if (door_.compare_exchange_weak(seen, seen + kInside, std::memory_order_acq_rel,
                                      std::memory_order_acquire))
        return true;
    }
    return false;
  }

  // A worker: wait for a loop, enter, take calls, go out; the last one out of a closed door wakes the caller.
  void work(const std::stop_token& end) {
    constexpr Door kNumber = ~(kGeneration - 1);
    Door done = 0;  // the door at the last loop that was seen
    while (true) {
      const auto another = [&] { return ((door_.load(std::memory_order_acquire) ^ done) & kNumber) != 0; };
      if (!spin_until(another, spins_)) {
        for (Door seen = door_.load(std::memory_order_acquire); ((seen ^ done) & kNumber) == 0;
             seen = door_.load(std::memory_order_acquire))
          door_.wait(seen, std::memory_order_acquire);
      }
      if (!enter(done)) {
        // Asked only now: whoever asks for the end does so before he changes the door that enter() has seen.
        if (end.stop_requested()) return;
        continue;
      }
      take_calls();
      const Door before = door_.fetch_sub(kInside, std::memory_order_acq_rel);
      if ((before & (kMostInside | kOpen)) == kInside) door_.notify_all();
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
  std::atomic<Door> door_{0};
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
