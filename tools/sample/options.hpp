// What was asked of `giga sample`.
#pragma once

#include <optional>
#include <string>

#include "giga/job/sample.hpp"
#include "options/resources.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct SampleRequest {
  SampleJob job;
  Resources resources;
  bool json = false;
  bool quiet = false;
};

void add_sample_options(Arguments& arguments);

/// Throws UsageError for whatever cannot be, and what find_coreset throws.
[[nodiscard]] SampleRequest sample_request(const Arguments& arguments,
                                           const std::optional<std::string>& data);

}  // namespace giga::tool
