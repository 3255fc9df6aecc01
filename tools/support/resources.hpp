// What the machine has and what the process used of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace giga::tool {

/// The most memory this process ever held, in bytes, mapped pages of files included.
[[nodiscard]] std::uint64_t peak_bytes();

[[nodiscard]] std::uint64_t physical_memory_bytes();

/// Bytes an ordinary user may still write beside `file`; nothing if the system does not say.
[[nodiscard]] std::optional<std::uint64_t> free_bytes_beside(const std::filesystem::path& file);

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
