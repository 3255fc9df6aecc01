// What was asked of `giga reproduce`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/reproduce.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct ReproduceRequest {
  std::vector<experiments::Kind> kinds;
  experiments::Settings settings;
  experiments::RunOptions run;
  bool json = false;
  bool quiet = false;
};

void add_reproduce_options(Arguments& arguments);

/// `word` is the experiment. Throws UsageError for whatever cannot be.
[[nodiscard]] ReproduceRequest reproduce_request(const Arguments& arguments,
                                                 const std::optional<std::string>& word);

}  // namespace giga::tool
