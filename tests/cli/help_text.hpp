// What `giga ... --help-all` lists, read as a person would: completion scripts and manual pages are held
// against it.
#pragma once

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace giga::test {

using Words = std::vector<std::string>;

inline Words with(Words words, const std::string& more) {
  words.push_back(more);
  return words;
}

inline Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::string help_of(const Words& verb) {
  return run(with(verb, "--help-all")).out;
}

/// "--size" and the like, wherever an option is described: at the start of an indented line.
inline std::set<std::string> options_in(const std::string& help) {
  std::set<std::string> options;
  for (const std::string& line : lines_of(help)) {
    std::size_t at = line.find_first_not_of(' ');
    if (at != 2) continue;
    if (line.compare(at, 3, "-h,") == 0) at += 3;
    if (line.compare(at, 2, "--") == 0) options.insert(line.substr(at, line.find_first_of(" ,", at) - at));
  }
  return options;
}

/// The verbs under "Commands:".
inline std::set<std::string> commands_in(const std::string& help) {
  std::set<std::string> commands;
  bool inside = false;
  for (const std::string& line : lines_of(help)) {
    if (line.empty()) inside = false;
    if (inside && line.find_first_not_of(' ') == 2) commands.insert(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Commands:") inside = true;
  }
  return commands;
}

/// Every verb, the verbs of verbs, and the command alone: {}, {"build"}, {"simulate"}, {"simulate",
/// "vectors"}.
inline std::vector<Words> all_verbs() {
  std::vector<Words> all = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Words verb = all[i];
    for (const std::string& each : commands_in(help_of(verb))) all.push_back(with(verb, each));
  }
  return all;
}

}  // namespace giga::test
