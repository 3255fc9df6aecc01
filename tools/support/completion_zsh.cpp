// One function per verb, each a call of zsh's _arguments.
#include <fmt/format.h>

#include "support/completion.hpp"

namespace giga::tool {
namespace {

// For single quotes.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + out + "'";
}

// Brackets and colons end the parts of a specification.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string action(const Values& values) {
  switch (values.kind) {
    case Values::Kind::None:
    case Values::Kind::Text: return " ";
    case Values::Kind::File: return "_files";
    case Values::Kind::Folder: return "_files -/";
    case Values::Kind::Choice: break;
  }
  std::string names;
  for (const std::string& name : values.names) names.append(names.empty() ? "(" : " ").append(name);
  return names + ")";
}

std::string function_name(const CommandNode& node) {
  std::string name = "_" + node.path;
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

std::string specification(const CommandOption& option) {
  const std::string help = "[" + escaped(one_line(option)) + "]";
  if (option.value_name.empty()) return option.name + help;
  return option.name + "=" + help + ":" + escaped(option.value_name) + ":" + action(option.values);
}

std::string options_of(const CommandNode& node) {
  std::string text;
  for (const CommandOption& option : node.options)
    text += fmt::format(" \\\n    {}", quoted(specification(option)));
  return text;
}

std::string leaf(const CommandNode& node) {
  std::string text = fmt::format("{}() {{\n  _arguments{}", function_name(node), options_of(node));
  if (node.words.kind != Values::Kind::None)
    text += fmt::format(" \\\n    {}", quoted("*: :" + action(node.words)));
  return text + "\n}\n\n";
}

std::string branch(const CommandNode& node) {
  std::string text = fmt::format("{}() {{\n  local context state state_descr line\n  typeset -A opt_args\n",
                                 function_name(node));
  text += "  local -a verbs=(\n";
  for (const CommandNode& verb : node.commands)
    text += fmt::format("    {}\n", quoted(verb.name + ":" + escaped(verb.description)));
  text += fmt::format("  )\n  _arguments -C{} \\\n    '1: :->verb' '*:: :->rest'\n", options_of(node));
  text += "  case $state in\n    verb) _describe command verbs ;;\n    rest)\n      case $line[1] in\n";
  for (const CommandNode& verb : node.commands)
    text += fmt::format("        {}) {} ;;\n", verb.name, function_name(verb));
  return text + "      esac\n      ;;\n  esac\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CommandNode& root) {
  std::string script = "#compdef giga\n# zsh completion of giga; made by `giga completion zsh`\n\n";
  for (const CommandNode* node : all_nodes(root))
    script += node->commands.empty() ? leaf(*node) : branch(*node);
  // Loaded from fpath the file is the body of _giga; sourced it only has to make itself known.
  return script + "if [[ $funcstack[1] == _giga ]]; then\n  _giga \"$@\"\nelse\n  compdef _giga giga\nfi\n";
}

}  // namespace giga::tool
