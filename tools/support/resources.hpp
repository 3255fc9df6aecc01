// A stopwatch, and what the machine has.
#pragma once

#include <chrono>

#include "giga/base/machine.hpp"

namespace giga::tool {

/// Seconds since it was made or last restarted.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  double restart() {
    const double passed = seconds();
    start_ = Clock::now();
    return passed;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace giga::tool
