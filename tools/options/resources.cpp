#include "options/resources.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "giga/base/machine.hpp"
#include "giga/base/text.hpp"
#include "giga/data/folders.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

constexpr Index kMostThreads = 1024;
constexpr double kLeastMemory = 1e6;

// "500M", "1.5G", "64GiB", "4000000000" as bytes.
std::optional<double> bytes_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 12> kUnits = {{{"KiB", 0x1p10},
                                                                           {"MiB", 0x1p20},
                                                                           {"GiB", 0x1p30},
                                                                           {"TiB", 0x1p40},
                                                                           {"KB", 1e3},
                                                                           {"MB", 1e6},
                                                                           {"GB", 1e9},
                                                                           {"TB", 1e12},
                                                                           {"K", 1e3},
                                                                           {"M", 1e6},
                                                                           {"G", 1e9},
                                                                           {"T", 1e12}}};
  double unit = 1;
  for (const auto& [name, size] : kUnits) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(name.size());
    unit = size;
    break;
  }
  const auto number = parse_double(text);
  if (!number || !(*number > 0)) return std::nullopt;
  return *number * unit;
}

std::uint64_t memory_of(const Arguments& arguments) {
  constexpr double kMost = 0x1p60;
  const auto text = arguments.text("memory");
  if (!text || *text == "auto") return available_memory_bytes() / 4 * 3;
  const auto bytes = bytes_of(*text);
  if (!bytes || *bytes < kLeastMemory || *bytes > kMost)
    throw UsageError("--memory is '" + printable(*text) +
                     "', must be auto or a size of at least 1M, such as 500M, 4G or 64GiB");
  return static_cast<std::uint64_t>(*bytes);
}

// /var/tmp is on a disk where /tmp is often memory.
std::filesystem::path scratch_of(const Arguments& arguments) {
  if (const auto folder = arguments.text("scratch")) {
    if (!is_folder(*folder))
      throw UsageError("--scratch is '" + printable(*folder) + "', which is not a folder");
    require_writable(*folder);
    return *folder;
  }
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/var/tmp";
}

}  // namespace

void add_threads_option(Arguments& arguments, const std::string& group) {
  arguments.add_value("threads", "T", "0 to 1024, 0 for all cores (default 0); same result", group);
}

int threads_of(const Arguments& arguments) {
  return static_cast<int>(arguments.count("threads", 0, 0, kMostThreads));
}

void add_resource_options(Arguments& arguments, const std::string& group) {
  add_threads_option(arguments, group);
  arguments.add_value("memory", "SIZE",
                      "Memory for the table and what is kept of every row, such as 500M\n"
                      "or 4G; what exceeds it is in files of --scratch, and the result is\n"
                      "the same (default: three quarters of the machine's)",
                      group);
  arguments.add_value("scratch", "DIR",
                      "Folder for these files, which have no names and vanish with the\n"
                      "process (default $TMPDIR, or /var/tmp); if given, features of .npy\n"
                      "files, which would stay where they are, are copied there too",
                      group);
}

Resources resources_of(const Arguments& arguments) {
  return {threads_of(arguments), memory_of(arguments), scratch_of(arguments),
          arguments.text("scratch").has_value()};
}

}  // namespace giga::tool
