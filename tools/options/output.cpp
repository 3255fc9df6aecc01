#include "options/output.hpp"

#include <fmt/format.h>

#include "support/exit_codes.hpp"

namespace giga::tool {

void add_output_options(Arguments& arguments, const OutputHelp& help) {
  arguments.add_value("out", help.out_name, help.out, "Output");
  arguments.add_flag("force", help.force, "Output");
  arguments.add_flag("json", help.json, "Output");
  arguments.add_flag("quiet", help.quiet, "Output");
}

std::optional<std::filesystem::path> coreset_output(const Arguments& arguments) {
  const auto out = arguments.text("out");
  if (!out) return std::nullopt;
  if (*out == "-") throw UsageError("--out is -; leave out --out to get the coreset on stdout");
  for (const char* other : {".gz", ".tsv"}) {
    if (out->ends_with(other))
      throw UsageError(fmt::format(
          "--out ends in {}, but a coreset is written as plain CSV; give a name that ends in .csv", other));
  }
  return *out;
}

void add_config_option(Arguments& arguments) {
  arguments.add_value("config", "FILE", "Read options from an INI or TOML file", "Output");
}

}  // namespace giga::tool
