#include "options/output.hpp"

namespace giga::tool {

void add_output_options(Arguments& arguments, const OutputHelp& help) {
  arguments.add_value("out", help.out_name, help.out, "Output");
  arguments.add_flag("force", help.force, "Output");
  arguments.add_flag("json", help.json, "Output");
  arguments.add_flag("quiet", help.quiet, "Output");
}

void add_config_option(Arguments& arguments) {
  arguments.add_value("config", "FILE", "Read options from an INI or TOML file", "Output");
}

}  // namespace giga::tool
