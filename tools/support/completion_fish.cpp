// A line for every verb, option and list of values, each under the condition that the words before the cursor
// have led to its verb.
#include <fmt/format.h>

#include "support/completion.hpp"

namespace giga::tool {
namespace {

std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all.append(all.empty() ? "" : " ").append(word);
  return all;
}

std::string action(const Values& values) {
  switch (values.kind) {
    case Values::Kind::None: return "";
    case Values::Kind::Text: return " -x";
    case Values::Kind::Choice: return " -x -a " + quoted(joined(values.names));
    case Values::Kind::File: return " -r -F";
    case Values::Kind::Folder: return " -x -a '(__fish_complete_directories (commandline -ct))'";
  }
  return "";
}

std::string lines_of(const CommandNode& node) {
  const std::string start = fmt::format("complete -c giga -n '__giga_at {}'", node.path);
  std::string lines = "\n";
  for (const CommandNode& verb : node.commands)
    lines += fmt::format("{} -a {} -d {}\n", start, verb.name, quoted(verb.description));
  if (node.words.kind == Values::Kind::File) lines += start + " -F\n";
  if (node.words.kind == Values::Kind::Choice)
    lines += fmt::format("{} -a {}\n", start, quoted(joined(node.words.names)));
  for (const CommandOption& option : node.options) {
    const std::string letter = option.short_name.empty() ? "" : " -s " + option.short_name.substr(1);
    lines += fmt::format("{} -l {}{}{} -d {}\n", start, option.name.substr(2), letter, action(option.values),
                         quoted(one_line(option)));
  }
  return lines;
}

}  // namespace

std::string fish_completion(const CommandNode& root) {
  std::string verbs, lines;
  for (const CommandNode* node : all_nodes(root)) {
    if (node != &root) verbs += " " + quoted(node->path);
    lines += lines_of(*node);
  }
  return fmt::format(R"(# fish completion of giga; made by `giga completion fish`

# Whether the words before the cursor have led to the verb given.
function __giga_at
    set -l at giga
    for word in (commandline -opc)[2..-1]
        switch "$at $word"
            case{}
                set at "$at $word"
        end
    end
    test "$at" = "$argv"
end

complete -c giga -f
)",
                     verbs) +
         lines;
}

}  // namespace giga::tool
