// What was asked of `giga fit`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "giga/job/fit.hpp"
#include "options/resources.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct FitRequest {
  FitJob job;
  Resources resources;
  bool json = false, quiet = false, strict = false;
};

/// "giga fit --resume DIR", to be copied into a shell.
[[nodiscard]] std::string resume_command(const std::filesystem::path& folder);

void add_fit_options(Arguments& arguments);

/// Throws UsageError for what cannot be given with --resume.
void check_resumed(const Arguments& arguments, const std::optional<std::string>& data);

/// A new run, or with --resume one that was stopped. Throws UsageError for whatever cannot be; InputMissing
/// and DataError of a stopped run that is not there, or damaged.
[[nodiscard]] FitRequest fit_request(Arguments& arguments, const std::optional<std::string>& data);

}  // namespace giga::tool
