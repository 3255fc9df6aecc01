// giga completion: a script for the shell, made from the command itself.
#include "commands.hpp"
#include "support/completion.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Print a script that completes giga in bash, zsh or fish";

constexpr const char* kExamples = R"(Examples:
  giga completion bash > ~/.local/share/bash-completion/completions/giga
      for every bash to come; . <(giga completion bash) is for this one
  giga completion zsh > ~/.zfunc/_giga
      with fpath=(~/.zfunc $fpath) before compinit in ~/.zshrc
  giga completion fish > ~/.config/fish/completions/giga.fish

cmake --install puts all three where the shells look for them.)";

struct Script {
  const char* shell;
  std::string (*make)(const CommandNode&);
};

constexpr Script kScripts[] = {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const Script& each : kScripts) names.emplace_back(each.shell);
  return names;
}

void run(const Arguments& arguments, const CLI::App& root) {
  const auto shell = arguments.word("SHELL");
  arguments.refuse_leftovers("; give one shell");
  if (!shell) throw UsageError("no shell; give bash, zsh or fish");
  const CommandNode tree = command_tree(root);
  for (const Script& each : kScripts) {
    if (*shell == each.shell) write_stdout(each.make(tree));
  }
}

}  // namespace

Verb declare_completion(CLI::App& root) {
  Arguments arguments = Arguments::of_verb(root, "completion", kDescription, kExamples);
  arguments.add_word("SHELL", "bash|zsh|fish", shells(), "The shell to write for");
  return {arguments.app(), [arguments, &root] { run(arguments, root); }};
}

}  // namespace giga::tool
