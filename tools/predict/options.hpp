// What was asked of `giga predict`.
#pragma once

#include <string>
#include <vector>

#include "giga/job/predict.hpp"
#include "options/resources.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct PredictRequest {
  PredictJob job;
  Resources resources;
  bool json = false;
  bool quiet = false;
};

void add_predict_options(Arguments& arguments);

/// `words` are DIR and DATA. Throws UsageError for whatever cannot be.
[[nodiscard]] PredictRequest predict_request(const Arguments& arguments,
                                             const std::vector<std::string>& words);

}  // namespace giga::tool
