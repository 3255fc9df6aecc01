// What was asked of `giga merge`.
#pragma once

#include <string>
#include <vector>

#include "giga/job/merge.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct MergeRequest {
  MergeJob job;
  int threads = 0;
  bool json = false;
  bool quiet = false;
};

void add_merge_options(Arguments& arguments);

/// Throws UsageError for whatever cannot be.
[[nodiscard]] MergeRequest merge_request(const Arguments& arguments, const std::vector<std::string>& inputs);

}  // namespace giga::tool
