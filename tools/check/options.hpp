// What was asked of `giga check`.
#pragma once

#include <string>
#include <vector>

#include "giga/job/check.hpp"
#include "options/resources.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct CheckRequest {
  CheckJob job;
  Resources resources;
  bool json = false;
  bool quiet = false;
};

void add_check_options(Arguments& arguments);

/// `words` are DATA, coreset.csv and, possibly, DIR. Throws UsageError for whatever cannot be, InputMissing
/// if there is no coreset or no companion, and what find_coreset throws.
[[nodiscard]] CheckRequest check_request(const Arguments& arguments, const std::vector<std::string>& words);

}  // namespace giga::tool
