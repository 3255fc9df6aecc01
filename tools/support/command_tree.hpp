// What the command line offers, read from the CLI11 application: the one source of completion scripts and
// manual pages, which therefore cannot differ from what the command does.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
class Option;
}  // namespace CLI

namespace giga::tool {

/// What can stand for a value or an argument.
struct Values {
  enum class Kind {
    None,    ///< nothing: a flag, or a verb without arguments
    Text,    ///< anything
    Choice,  ///< one of `names`
    File,
    Folder,
  };
  Kind kind = Kind::None;
  std::vector<std::string> names;
};

struct CommandOption {
  std::string name;        ///< "--size"
  std::string short_name;  ///< "-h", or empty
  std::string value_name;  ///< "M"; empty for a flag
  Values values;
  std::string help;  ///< lines as in the help
  std::string group;
};

struct CommandNode {
  std::string path;  ///< "giga simulate vectors"
  std::string name;  ///< "vectors"
  std::string description;
  std::string arguments;  ///< what follows the path in the usage: "[DATA] [options]"
  Values words;           ///< the arguments that are not options
  std::string footer;
  std::vector<CommandOption> options;
  std::vector<CommandNode> commands;
};

/// All that the help shows; `root` is named "giga".
[[nodiscard]] CommandNode command_tree(const CLI::App& root);

/// The node and those below it, a parent before its children.
[[nodiscard]] std::vector<const CommandNode*> all_nodes(const CommandNode& root);

/// The values an option can have are kept where CLI11 keeps the type of its value, "{scan,quantised}": the
/// help shows another text.
void set_values(CLI::Option& option, const std::vector<std::string>& values);
/// None for an option that takes anything.
[[nodiscard]] std::vector<std::string> values_of(const CLI::Option& option);

/// Whether an option is on the first page of the help, or only in --help-all. It is kept where CLI11 keeps
/// whether its own configuration files may set the option; they are not used here.
void set_shown_first(CLI::Option& option, bool shown);
[[nodiscard]] bool is_shown_first(const CLI::Option& option);

/// The help of an option in one line, for menus.
[[nodiscard]] std::string one_line(const CommandOption& option);

}  // namespace giga::tool
