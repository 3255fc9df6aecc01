// The text after the help, taken apart: paragraphs are divided by empty lines; one that begins with
// "Examples:" or "Files:" is a list, "Exit codes:" is dropped (the manual page has its own), all others are
// prose. Within a list, lines indented by more than two blanks continue the entry above them.
#include "support/footer.hpp"

#include <sstream>

namespace giga::tool {
namespace {

constexpr std::size_t kIndent = 2;

std::vector<std::vector<std::string>> paragraphs(const std::string& text) {
  std::vector<std::vector<std::string>> all(1);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) {
      all.back().push_back(line);
    } else if (!all.back().empty()) {
      all.emplace_back();
    }
  }
  return all;
}

std::size_t indent_of(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == std::string::npos ? line.size() : at;
}

void append_words(std::string& words, const std::string& more) {
  words.append(words.empty() ? "" : " ").append(more);
}

std::vector<Example> examples_of(const std::vector<std::string>& lines) {
  std::vector<Example> all;
  bool continued = false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string text = lines[i].substr(indent_of(lines[i]));
    if (continued) {
      all.back().command += "\n    " + text;
    } else if (all.empty() || indent_of(lines[i]) <= kIndent) {
      all.push_back({text, ""});
    } else {
      append_words(all.back().words, text);
      continue;
    }
    continued = text.ends_with('\\');
  }
  return all;
}

std::vector<NamedFile> files_of(const std::vector<std::string>& lines) {
  std::vector<NamedFile> all;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::string text = lines[i].substr(indent_of(lines[i]));
    if (!all.empty() && indent_of(lines[i]) > kIndent) {
      append_words(all.back().words, text);
      continue;
    }
    const std::size_t end = text.find("  ");
    all.push_back(
        {text.substr(0, end), end == std::string::npos ? "" : text.substr(text.find_first_not_of(' ', end))});
  }
  return all;
}

}  // namespace

Footer footer_parts(const std::string& footer) {
  Footer parts;
  for (const std::vector<std::string>& lines : paragraphs(footer)) {
    if (lines.empty()) continue;
    if (lines[0] == "Examples:") {
      parts.examples = examples_of(lines);
    } else if (lines[0] == "Files:") {
      parts.files = files_of(lines);
    } else if (lines[0] != "Exit codes:") {
      std::string text;
      for (const std::string& line : lines) append_words(text, line);
      parts.prose.push_back(text);
    }
  }
  return parts;
}

}  // namespace giga::tool
