// The options that speak of what a run writes and prints, which several verbs have.
#pragma once

#include <filesystem>
#include <optional>

#include "support/arguments.hpp"

namespace giga::tool {

/// What the help says of them.
struct OutputHelp {
  const char* out_name;  ///< FILE or DIR.
  const char* out;
  const char* force;
  const char* json = "Print the record of the run on stdout";
  const char* quiet;
};

/// --out, --force, --json and --quiet.
void add_output_options(Arguments& arguments, const OutputHelp& help);
/// --out of a verb that writes a coreset, if it is given. Throws UsageError for a name that it cannot have.
[[nodiscard]] std::optional<std::filesystem::path> coreset_output(const Arguments& arguments);
/// --config, which comes last.
void add_config_option(Arguments& arguments);

}  // namespace giga::tool
