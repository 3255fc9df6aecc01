// What a job may use of the machine: --threads, --memory and --scratch. None changes a result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "support/arguments.hpp"

namespace giga::tool {

struct Resources {
  int threads = 0;  ///< 0: all cores.
  /// Bytes of arrays over all rows that may be in memory, and the folder for those beyond.
  std::uint64_t memory = UINT64_MAX;
  std::filesystem::path scratch = {};
  bool scratch_given = false;  ///< Then input that could be used where it is is copied there as well.
};

/// The group is a heading of the help.
void add_resource_options(Arguments& arguments, const std::string& group);
/// Throws UsageError for whatever cannot be.
[[nodiscard]] Resources resources_of(const Arguments& arguments);

void add_threads_option(Arguments& arguments, const std::string& group);
[[nodiscard]] int threads_of(const Arguments& arguments);

}  // namespace giga::tool
