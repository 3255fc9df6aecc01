// The CLI11 application as plain structs. What a value may be is read from its name in the help (DIR, FILE,
// V.npy) or from the list that set_values stored; what words a verb takes, from its usage.
#include "support/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

namespace giga::tool {
namespace {

bool is_small(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0 || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// "fig1" of fig1|vectors is to be typed as it stands; DATA and coreset.csv stand for names of files.
bool is_literal(const std::string& word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return is_small(c) || c == '-' || c == '_'; });
}

bool has_extension(const std::string& word) {
  const std::size_t dot = word.rfind('.');
  return dot != std::string::npos && dot + 1 < word.size() && is_small(word[dot + 1]);
}

// The name of a value says what it is: DIR, FILE, V.npy.
Values values_named(const CLI::Option& option, const std::string& value_name) {
  if (value_name.empty()) return {};
  if (const auto names = values_of(option); !names.empty()) return {Values::Kind::Choice, names};
  if (value_name == "DIR") return {Values::Kind::Folder, {}};
  if (value_name.starts_with("FILE") || has_extension(value_name)) return {Values::Kind::File, {}};
  return {Values::Kind::Text, {}};
}

CommandOption described(const CLI::Option& option) {
  CommandOption out;
  out.name = "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) out.short_name = "-" + option.get_snames().front();
  if (option.get_items_expected_max() > 0) out.value_name = option.get_option_text();
  out.values = values_named(option, out.value_name);
  out.help = option.get_description();
  out.group = option.get_group();
  return out;
}

// The values of a declared argument; otherwise what the usage shows before its options: words in small
// letters are a choice, anything else is a file.
Values words_of(const CLI::App& app, const std::string& arguments) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) return {Values::Kind::Choice, values_of(*option)};
  }
  std::string first = arguments.substr(0, arguments.find(' '));
  if (first.empty() || first == "[options]" || first == "[command]") return {};
  std::erase_if(first, [](char c) { return c == '[' || c == ']'; });
  const std::vector<std::string> names = CLI::detail::split(first, '|');
  if (std::all_of(names.begin(), names.end(), is_literal)) return {Values::Kind::Choice, names};
  return {Values::Kind::File, {}};
}

// "[DATA] [options]" of "Usage: giga build [DATA] [options]".
std::string arguments_of(const CLI::App& app, const std::string& path) {
  const auto& format = dynamic_cast<const CLI::Formatter&>(*app.get_formatter());
  std::string usage = format.make_usage(&app, path);
  usage.erase(0, usage.find(path) + path.size());
  return CLI::detail::trim(usage);
}

CommandNode node_of(const CLI::App& app, const std::string& parent) {
  CommandNode node;
  node.name = app.get_name();
  node.path = parent.empty() ? node.name : parent + " " + node.name;
  node.description = app.get_description();
  node.arguments = arguments_of(app, node.path);
  node.words = words_of(app, node.arguments);
  node.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional() && !option->get_group().empty()) node.options.push_back(described(*option));
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) node.commands.push_back(node_of(*verb, node.path));
  }
  return node;
}

void append(const CommandNode& node, std::vector<const CommandNode*>& all) {
  all.push_back(&node);
  for (const CommandNode& each : node.commands) append(each, all);
}

}  // namespace

void set_values(CLI::Option& option, const std::vector<std::string>& values) {
  option.type_name("{" + CLI::detail::join(values, ",") + "}");
}

std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (!type.starts_with('{') || !type.ends_with('}')) return {};
  return CLI::detail::split(type.substr(1, type.size() - 2), ',');
}

CommandNode command_tree(const CLI::App& root) {
  return node_of(root, "");
}

std::vector<const CommandNode*> all_nodes(const CommandNode& root) {
  std::vector<const CommandNode*> all;
  append(root, all);
  return all;
}

void set_shown_first(CLI::Option& option, bool shown) {
  option.configurable(shown);
}

// CLI11 takes its own options, --help and --version, for ones that no file may set.
bool is_shown_first(const CLI::Option& option) {
  const std::string name = option.get_lnames().empty() ? "" : option.get_lnames().front();
  return option.get_configurable() || name.starts_with("help") || name == "version";
}

std::string one_line(const CommandOption& option) {
  // The help of a choice is often a table of its values, which cannot be read as one line.
  const auto& names = option.values.names;
  const std::string first = option.help.substr(0, option.help.find_first_of(" \n"));
  if (std::find(names.begin(), names.end(), first) != names.end())
    return "One of " + CLI::detail::join(names, ", ");
  std::string line;
  for (const char c : option.help) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace giga::tool
