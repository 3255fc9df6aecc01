// The text at the end of a help, in its parts. Paragraphs that begin with "Examples:" or "Files:" are lists;
// one with "Exit codes:" is left out, since exit_meanings() has them; all others are prose.
#pragma once

#include <string>
#include <vector>

namespace giga::tool {

struct Example {
  std::string command;  ///< lines as they are typed
  std::string words;    ///< what it does; may be empty
};

struct NamedFile {
  std::string name;
  std::string words;
};

struct Footer {
  std::vector<Example> examples;
  std::vector<NamedFile> files;
  std::vector<std::string> prose;  ///< paragraphs, each in one line
};

/// Examples: a command on lines indented by two, continued after a backslash; what it does indented by more.
/// Files: a name indented by two, two spaces, words; more words on lines indented by more.
[[nodiscard]] Footer footer_parts(const std::string& footer);

}  // namespace giga::tool
