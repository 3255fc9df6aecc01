// Time of computation. Trials run side by side, each on one thread, so it is the processor time of that
// thread: what else the machine does hardly changes it.
#pragma once

#include <ctime>

namespace giga::experiments {

class CpuClock {
 public:
  /// Seconds since it was made, on the thread that made it.
  [[nodiscard]] double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double start_ = now();
};

}  // namespace giga::experiments
