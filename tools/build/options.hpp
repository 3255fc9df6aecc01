// What was asked of `giga build`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "giga/job/build.hpp"
#include "options/resources.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct BuildRequest {
  BuildJob job;
  Resources resources;
  std::optional<std::filesystem::path> config;
  bool json = false;
  bool quiet = false;
};

void add_build_options(Arguments& arguments);

/// Throws UsageError for whatever cannot be.
[[nodiscard]] BuildRequest build_request(const Arguments& arguments, const std::optional<std::string>& data);

}  // namespace giga::tool
