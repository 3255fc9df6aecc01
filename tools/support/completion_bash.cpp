// The script looks for the verb among the words before the cursor, then for an option that waits for its
// value, and offers what the two allow.
#include <fmt/format.h>

#include "support/completion.hpp"

namespace giga::tool {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string all;
  for (const std::string& word : words) all.append(all.empty() ? "" : between).append(word);
  return all;
}

// What `case` compares with: "giga build"|"giga sample".
std::string pattern(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back("\"" + text + "\"");
  return joined(quoted, " | ");
}

// The shell commands that offer these values.
std::string offer(const Values& values) {
  switch (values.kind) {
    case Values::Kind::None:
    case Values::Kind::Text: return ":";
    case Values::Kind::Choice: return "words=\"" + joined(values.names, " ") + "\"";
    case Values::Kind::File: return "files=-f";
    case Values::Kind::Folder: return "files=-d";
  }
  return ":";
}

std::string value_cases(const CommandNode& node) {
  std::string cases;
  for (const CommandOption& option : node.options) {
    if (option.values.kind == Values::Kind::None) continue;
    cases += fmt::format("    \"{} {}\") {} ;;\n", node.path, option.name, offer(option.values));
  }
  return cases;
}

// What can come where no value is awaited.
std::string word_case(const CommandNode& node) {
  std::vector<std::string> options, words = node.words.names;
  for (const CommandOption& option : node.options) options.push_back(option.name);
  for (const CommandNode& verb : node.commands) words.push_back(verb.name);
  std::string text = fmt::format("      \"{}\")\n", node.path);
  text += fmt::format("        options=\"{}\"\n", joined(options, " "));
  text += words.empty() ? "        " + offer(node.words) + "\n"
                        : fmt::format("        words=\"{}\"\n", joined(words, " "));
  return text + "        ;;\n";
}

constexpr const char* kHead = R"(# bash completion of giga; made by `giga completion bash`

_giga() {
  local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}
  local at=giga i words= files= options=

  # Bash takes --size=5 for three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  fi

  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at ${COMP_WORDS[i]}" in
)";

constexpr const char* kTail = R"(      esac
      ;;
  esac

  [[ $cur == -* ]] && words=$options files=
  COMPREPLY=()
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$files" -- "$cur")
  elif [[ $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  fi
}

complete -F _giga giga
)";

}  // namespace

std::string bash_completion(const CommandNode& root) {
  std::vector<std::string> verbs;
  std::string values, words;
  for (const CommandNode* node : all_nodes(root)) {
    if (node != &root) verbs.push_back(node->path);
    values += value_cases(*node);
    words += word_case(*node);
  }
  std::string script = kHead;
  script += fmt::format("      {})\n        at=\"$at ${{COMP_WORDS[i]}}\"\n        ;;\n    esac\n  done\n\n",
                        pattern(verbs));
  script += "  case \"$at $option\" in\n" + values;
  script += "    *)\n      case $at in\n" + words;
  return script + kTail;
}

}  // namespace giga::tool
