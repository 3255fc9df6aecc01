// giga man: the manual pages, made from the command itself.
#include "commands.hpp"
#include "giga/base/text.hpp"
#include "giga/data/output_file.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/man_page.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Print a manual page";

constexpr const char* kExamples = R"(Examples:
  giga man build | man -l -
      the page of giga build; without a verb that of giga
  giga man --out man1
      all pages as files: giga.1, giga-build.1, ...

cmake --install puts them where man looks, so that man giga-build finds its page.)";

constexpr const char* kPrefix = "giga-";

// "build", "simulate-vectors": the names of the pages of verbs, without the prefix they all have.
std::vector<std::string> verbs_of(const CommandNode& tree) {
  std::vector<std::string> names;
  for (const CommandNode* node : all_nodes(tree)) {
    if (node != &tree) names.push_back(page_name(*node).substr(std::string_view(kPrefix).size()));
  }
  return names;
}

std::string page_of(const CommandNode& tree, const std::string& page) {
  for (const CommandNode* node : all_nodes(tree)) {
    if (page_name(*node) == page) return man_page(tree, *node, GIGA_VERSION);
  }
  throw std::logic_error("no page " + page);
}

void write_pages(const CommandNode& tree, const std::filesystem::path& folder, bool force) {
  std::error_code ignored;  // without a folder the first file says so
  std::filesystem::create_directories(folder, ignored);
  for (const CommandNode* node : all_nodes(tree)) {
    OutputFile file(folder / (page_name(*node) + ".1"), force);
    file.write(man_page(tree, *node, GIGA_VERSION));
    file.commit();
  }
}

void run(const Arguments& arguments, const CLI::App& root) {
  const auto verb = arguments.word("VERB");
  arguments.refuse_leftovers("; give one verb, as in simulate-vectors");
  const auto out = arguments.text("out");
  const CommandNode tree = command_tree(root);
  if (!out) {
    if (arguments.flag("force")) throw UsageError("--force goes with --out DIR");
    write_stdout(page_of(tree, verb ? kPrefix + *verb : tree.name));
    return;
  }
  if (verb) throw UsageError("--out is for all pages; leave out '" + *verb + "'");
  write_pages(tree, *out, arguments.flag("force"));
}

}  // namespace

Verb declare_man(CLI::App& root) {
  Arguments arguments = Arguments::of_verb(root, "man", kDescription, kExamples);
  arguments.add_word("VERB", "[VERB]", verbs_of(command_tree(root)),
                     "build, simulate-vectors, ... (default: giga itself)");
  const std::string output = "Output";
  arguments.add_value("out", "DIR", "Folder for all pages, made if it does not exist", output);
  arguments.add_flag("force", "Replace pages that exist", output);
  return {arguments.app(), [arguments, &root] { run(arguments, root); }};
}

}  // namespace giga::tool
