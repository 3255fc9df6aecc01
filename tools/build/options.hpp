// What was asked of `giga build`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "giga/job/build.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct BuildRequest {
  BuildJob job;
  int threads = 0;
  std::optional<std::filesystem::path> config;
  bool json = false;
  bool quiet = false;
};

void add_build_options(Arguments& arguments);

/// Throws UsageError for whatever cannot be.
[[nodiscard]] BuildRequest build_request(const Arguments& arguments, const std::optional<std::string>& data);

}  // namespace giga::tool
