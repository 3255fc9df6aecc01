// What was asked of `giga fit`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "build_request.hpp"
#include "giga/pipeline/fit.hpp"
#include "sample_request.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

struct FitRequest {
  BuildRequest build;    ///< input, reading, model, coreset; its size is 0 where none was given
  SampleRequest sample;  ///< sampler and chains
  std::filesystem::path out;
  std::vector<Setting> settings;  ///< as given, by which the run can be asked for again
  bool times = true;              ///< whether measured times are written
  bool force = false, json = false, quiet = false, strict = false;

  [[nodiscard]] FitOptions options() const;
  /// "giga fit flights.csv --family bernoulli", without --out and what changes no number.
  [[nodiscard]] std::string command_line() const;
};

/// A word of a command line, quoted if a shell would not take it for one.
[[nodiscard]] std::string shell_word(const std::string& text);

void add_fit_options(Arguments& arguments);

/// Throws UsageError for whatever cannot be.
[[nodiscard]] FitRequest fit_request(const Arguments& arguments, const std::optional<std::string>& data);

}  // namespace giga::tool
