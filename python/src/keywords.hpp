// How Python spells options, and what it knows of them: the tree of the command with keywords for names.
//
//   `max_depth`        --max-depth        max_depth=
//   `missing = drop`   --missing drop     missing="drop"
//   `header = false`   --no-header        header=False
#pragma once

#include <string>
#include <string_view>

#include "support/command_tree.hpp"

namespace giga::python {

/// The verbs that Python has, with their options and help.
[[nodiscard]] const tool::CommandNode& verb_tree();

/// A sentence of the library or of the command with options as Python spells them.
[[nodiscard]] std::string keyword_text(std::string_view sentence);

/// A sentence of the library with options as the command spells them.
[[nodiscard]] std::string option_text(const std::string& text);

/// The keyword of an option, without the =: max_depth, and header of no-header.
[[nodiscard]] std::string keyword(std::string_view option);

}  // namespace giga::python
