// Options to keywords. The value of an option belongs to it where it is one of its choices, a number, or a
// word in capitals that stands for one.
#include "keywords.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "commands.hpp"
#include "support/help_format.hpp"
#include "support/spelling.hpp"

namespace giga::python {
namespace {

struct Known {
  bool flag = false;
  std::set<std::string, std::less<>> choices = {};
};
using KnownOptions = std::map<std::string, Known, std::less<>>;

bool is_name_sign(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789.e+-") == std::string_view::npos &&
         word.find_first_of("0123456789") != std::string_view::npos;
}

bool stands_for_value(std::string_view word) {
  return word.size() > 1 && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

KnownOptions options_of(const tool::CommandNode& tree) {
  KnownOptions known;
  for (const tool::CommandNode* node : all_nodes(tree)) {
    for (const tool::CommandOption& option : node->options) {
      Known& each = known[option.name.substr(2)];
      each.flag = option.value_name.empty();
      each.choices.insert(option.values.names.begin(), option.values.names.end());
    }
  }
  return known;
}

const KnownOptions& known_options() {
  static const KnownOptions kKnown = options_of(verb_tree());
  return kKnown;
}

std::string_view word_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && text[end] != ' ' && text[end] != '\n') ++end;
  while (end > begin && std::string_view(",;:).").find(text[end - 1]) != std::string_view::npos) --end;
  return text.substr(begin, end - begin);
}

// The keyword for the option `name`, which ends at `end` of the text; moves `end` behind its value.
std::string spelled_at(std::string_view text, std::string_view name, const Known& option, std::size_t& end) {
  if (name.starts_with("no-")) return keyword(name) + "=False";
  if (option.flag) return keyword(name) + "=True";
  if (end >= text.size() || text[end] != ' ') return keyword(name) + "=";
  const std::string_view word = word_at(text, end + 1);
  const bool choice = option.choices.contains(word);
  if (!choice && !is_number(word) && !stands_for_value(word)) return keyword(name) + "=";
  end += 1 + word.size();
  const std::string quote = choice ? "\"" : "";
  return keyword(name) + "=" + quote + std::string(word) + quote;
}

tool::CommandNode read_tree() {
  CLI::App root("");
  root.name("giga");
  root.formatter(std::make_shared<tool::HelpFormat>());
  (void)tool::declare_fit(root);
  (void)tool::declare_build(root);
  (void)tool::declare_sample(root);
  (void)tool::declare_summary(root);
  (void)tool::declare_check(root);
  (void)tool::declare_merge(root);
  (void)tool::declare_predict(root);
  (void)tool::declare_report(root);
  CLI::App* simulate = root.add_subcommand("simulate", "Make up data to try things on");
  (void)tool::declare_simulate_data(*simulate);
  (void)tool::declare_simulate_one_hot(*simulate);
  (void)tool::declare_simulate_vectors(*simulate);
  return tool::command_tree(root);
}

}  // namespace

const tool::CommandNode& verb_tree() {
  static const tool::CommandNode kTree = read_tree();
  return kTree;
}

std::string keyword(std::string_view option) {
  std::string name(option.starts_with("no-") ? option.substr(3) : option);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string option_text(const std::string& text) {
  return tool::spelled(text);
}

std::string keyword_text(std::string_view sentence) {
  const std::string text = tool::spelled(sentence);
  std::string out;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = text.find("--", at);
    if (begin == std::string::npos) return out.append(text, at);
    const bool alone = begin == 0 || std::string_view(" (\n'").find(text[begin - 1]) != std::string::npos;
    std::size_t end = begin + 2;
    while (end < text.size() && is_name_sign(text[end])) ++end;
    const std::string_view name = std::string_view(text).substr(begin + 2, end - begin - 2);
    const auto found = known_options().find(name);
    out.append(text, at, begin - at);
    if (alone && found != known_options().end()) {
      out += spelled_at(text, name, found->second, end);
    } else {
      out.append(text, begin, end - begin);
    }
    at = end;
  }
}

}  // namespace giga::python
