// How the command spells what the library calls by the names of fields.
//
// Messages of the library name options as C++ and Python do, in backticks; users of the command read
//   `max_depth`          --max-depth
//   `missing = drop`     --missing drop
//   `header = false`     --no-header
// Applied where notes, warnings and errors are printed or put into records, once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace giga::tool {

/// Makes an option known, by its name without dashes. Arguments does this for every one that is added.
void know_option(const std::string& name);

/// The option of a field: "noise-scale" of noise_scale.
[[nodiscard]] std::string option_name(std::string_view field);

/// The text with such options in place of fields. Words in backticks that are not options, as parts of file
/// names may be, stay.
[[nodiscard]] std::string spelled(std::string_view text);
[[nodiscard]] std::vector<std::string> spelled(std::vector<std::string> texts);

}  // namespace giga::tool
