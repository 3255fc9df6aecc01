// Scripts that teach a shell to complete the command: verbs, options, their values, files and folders.
#pragma once

#include <string>

#include "support/command_tree.hpp"

namespace giga::tool {

/// For bash 4.4 or later; needs no bash-completion package.
[[nodiscard]] std::string bash_completion(const CommandNode& root);
/// For a file named _giga on zsh's fpath.
[[nodiscard]] std::string zsh_completion(const CommandNode& root);
[[nodiscard]] std::string fish_completion(const CommandNode& root);

}  // namespace giga::tool
