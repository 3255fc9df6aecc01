// What Linux says about memory and disks: /proc/self/status, sysconf and statvfs.
#include "giga/base/machine.hpp"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace giga {
namespace {

// "VmHWM:     1234 kB" -> 1234.
std::optional<std::uint64_t> kilobytes_in(std::string_view line) {
  const std::size_t first = line.find_first_of("0123456789");
  if (first == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto result = std::from_chars(line.data() + first, line.data() + line.size(), value);
  if (result.ec != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace

std::uint64_t peak_bytes() {
  // VmHWM is the high-water mark of this program; ru_maxrss, the fallback, may also count the process that
  // started it, since exec does not reset that figure.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("VmHWM:")) continue;
    if (const auto kilobytes = kilobytes_in(line)) return *kilobytes * 1024;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// The files of both versions of control groups; within a container they are those of the container.
std::uint64_t available_memory_bytes() {
  std::uint64_t least = physical_memory_bytes();
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t limit = 0;
    if (std::ifstream(file) >> limit && limit > 0) least = std::min(least, limit);
  }
  return least;
}

std::optional<std::uint64_t> free_bytes_beside(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0 || status.f_blocks == 0) return std::nullopt;
  // f_bavail: blocks free to ordinary users; f_bfree would add those reserved for root.
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

}  // namespace giga
