// Manual pages, in the man macros of roff.
#pragma once

#include <string>

#include "support/command_tree.hpp"

namespace giga::tool {

/// "giga-simulate-vectors" of "giga simulate vectors".
[[nodiscard]] std::string page_name(const CommandNode& node);

/// The page of one command of the tree. It has no date: the same version gives the same bytes.
[[nodiscard]] std::string man_page(const CommandNode& root, const CommandNode& node,
                                   const std::string& version);

}  // namespace giga::tool
