#include "giga/base/thread_pool.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace giga {

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

namespace {

// A pass over the codes of a million rows takes two milliseconds: waking a sleeping thread for each would
// cost a few percent, so a worker looks this often before it sleeps.
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

}  // namespace

class ThreadPool::Crew {
 public:
  // More threads than cores never spin: they would keep each other from working.
  explicit Crew(int num_threads) : spins_(num_threads <= available_cores() ? kSpins : 0) {
    workers_.reserve(static_cast<std::size_t>(num_threads - 1));
    for (int i = 1; i < num_threads; ++i) workers_.emplace_back([this](std::stop_token stop) { work(stop); });
  }

  ~Crew() {
    for (auto& worker : workers_) worker.request_stop();
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
  }

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  void run(Index count, const std::function<void(Index)>& body) {
    const std::lock_guard lock(one_loop_);
    body_ = &body;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    failed_at_ = std::numeric_limits<Index>::max();
    failure_ = nullptr;
    const auto busy = static_cast<int>(workers_.size());
    busy_.store(busy, std::memory_order_relaxed);
    if (busy > 0) {
      generation_.fetch_add(1, std::memory_order_release);
      generation_.notify_all();
    }
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
  void work(const std::stop_token& stop) {
    std::uint64_t seen = 0;
    while (true) {
      const auto woken = [&] { return generation_.load(std::memory_order_acquire) != seen; };
      if (!spin_until(woken, spins_)) generation_.wait(seen, std::memory_order_acquire);
      seen = generation_.load(std::memory_order_acquire);
      if (stop.stop_requested()) return;
      take_calls();
      if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
    }
  }

  void take_calls() {
    for (Index i = next_.fetch_add(1, std::memory_order_relaxed); i < count_;
         i = next_.fetch_add(1, std::memory_order_relaxed)) {
      try {
        (*body_)(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex_);
        if (i < failed_at_) {
          failed_at_ = i;
          failure_ = std::current_exception();
        }
      }
    }
  }

  const int spins_;
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

ThreadPool::ThreadPool(int num_threads) {
  if (num_threads < 0) {
    throw std::invalid_argument("num_threads is " + std::to_string(num_threads) + ", must be at least 0");
  }
  crew_ = std::make_unique<Crew>(num_threads == 0 ? available_cores() : num_threads);
}
ThreadPool::~ThreadPool() = default;
ThreadPool::ThreadPool(ThreadPool&&) noexcept = default;
ThreadPool& ThreadPool::operator=(ThreadPool&&) noexcept = default;

int ThreadPool::num_threads() const {
  return crew_->num_threads();
}

void ThreadPool::for_each(Index count, const std::function<void(Index)>& body) const {
  crew_->run(count, body);
}

}  // namespace giga
