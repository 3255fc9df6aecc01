// Manual pages in roff (man(7)), one for the command and one per verb, from the same tree as the
// help and completion.
#include "support/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "support/exit_codes.hpp"
#include "support/footer.hpp"

namespace giga::tool {
namespace {

// Text that roff shows as it is: no escapes, no quotes that turn, and a minus for every hyphen.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '"': out += "\\(dq"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return out;
}

// A line of text; one that begins with a dot would be a request.
std::string line(const std::string& text) {
  std::string out = text.starts_with('.') ? "\\&" : "";
  return out.append(plain(text)).append("\n");
}

std::string verbatim(const std::string& text) {
  std::string out = ".EX\n";
  std::istringstream in(text);
  for (std::string each; std::getline(in, each);) out += line(each);
  return out + ".EE\n";
}

std::string capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string section(const std::string& title) {
  return ".SH " + title + "\n";
}

std::string page_reference(const CommandNode& node) {
  return ".BR " + plain(page_name(node)) + " (1)";
}

std::string description(const CommandNode& node, const Footer& footer) {
  std::string out = section("DESCRIPTION");
  out += line(node.description + (node.description.ends_with('.') ? "" : "."));
  for (const std::string& paragraph : footer.prose) out += ".PP\n" + line(paragraph);
  return out;
}

std::string commands(const CommandNode& node) {
  if (node.commands.empty()) return "";
  std::string out = section("COMMANDS");
  for (const CommandNode& verb : node.commands)
    out += ".TP\n" + page_reference(verb) + "\n" + line(verb.description);
  return out;
}

std::string option(const CommandOption& option) {
  std::string out = ".TP\n.B " + plain(option.short_name.empty() ? "" : option.short_name + ", ");
  out += plain(option.name);
  if (!option.value_name.empty()) out += " \\fI" + plain(option.value_name) + "\\fP";
  // Two spaces within are columns.
  const bool table = option.help.find("  ") != std::string::npos;
  return out + "\n" + (table ? verbatim(option.help) : line(one_line(option)));
}

// By group, in the order of the help, except that the group of --help comes last.
std::string options(const CommandNode& node) {
  std::vector<std::string> groups;
  for (const CommandOption& each : node.options) {
    if (std::find(groups.begin(), groups.end(), each.group) == groups.end()) groups.push_back(each.group);
  }
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != "Options"; });
  std::string out = section("OPTIONS");
  for (const std::string& group : groups) {
    if (groups.size() > 1) out += ".SS " + plain(group == "Options" ? "Other" : group) + "\n";
    for (const CommandOption& each : node.options) {
      if (each.group == group) out += option(each);
    }
  }
  return out;
}

std::string files(const Footer& footer) {
  if (footer.files.empty()) return "";
  std::string out = section("FILES");
  for (const NamedFile& file : footer.files) out += ".TP\n.I " + plain(file.name) + "\n" + line(file.words);
  return out;
}

std::string exit_status() {
  std::string out = section("EXIT STATUS");
  for (const ExitMeaning& each : exit_meanings())
    out += fmt::format(".TP\n.B {}\n", each.code) + line(each.words);
  return out;
}

std::string examples(const Footer& footer) {
  if (footer.examples.empty()) return "";
  std::string out = section("EXAMPLES");
  for (const Example& example : footer.examples) {
    out += ".PP\n" + verbatim(example.command);
    if (!example.words.empty()) out += ".RS 4\n" + line(example.words) + ".RE\n";
  }
  return out;
}

std::string see_also(const CommandNode& root, const CommandNode& node) {
  std::vector<const CommandNode*> others;
  for (const CommandNode* each : all_nodes(root)) {
    if (each != &node) others.push_back(each);
  }
  std::sort(others.begin(), others.end(),
            [](const CommandNode* a, const CommandNode* b) { return a->path < b->path; });
  std::string out = section("SEE ALSO");
  for (const CommandNode* each : others)
    out += page_reference(*each) + (each == others.back() ? "\n" : ",\n");
  return out;
}

}  // namespace

std::string page_name(const CommandNode& node) {
  std::string name = node.path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const CommandNode& root, const CommandNode& node, const std::string& version) {
  const Footer footer = footer_parts(node.footer);
  const std::string name = page_name(node);
  std::string page =
      fmt::format(".TH {} 1 \"\" \"giga {}\" \"giga manual\"\n", plain(capitals(name)), plain(version));
  page += section("NAME") + plain(name) + " \\- " + line(node.description);
  page += section("SYNOPSIS") + ".B " + plain(node.path) + "\n" + line(node.arguments);
  page += description(node, footer) + commands(node) + options(node) + files(footer) + exit_status();
  return page + examples(footer) + see_also(root, node);
}

}  // namespace giga::tool
