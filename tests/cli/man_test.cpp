// The manual pages: complete, and clean to roff.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/help_text.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

std::string page_name_of(const Words& verb) {
  std::string name = "giga";
  for (const std::string& word : verb) name += "-" + word;
  return name;
}

Words lookup(const Words& verb) {
  return verb.empty() ? Words{"man"} : Words{"man", page_name_of(verb).substr(5)};
}

std::string without(std::string text, const std::string& part, const std::string& instead) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + instead.size()))
    text.replace(at, part.size(), instead);
  return text;
}

TEST(Man, EveryVerbHasAPageWithAllItsOptions) {
  for (const Words& verb : all_verbs()) {
    const auto outcome = run(lookup(verb));
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.error, "");
    for (const char* section :
         {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"})
      EXPECT_EQ(count_of(outcome.out, std::string("\n.SH ") + section + "\n"), 1)
          << section << page_name_of(verb);
    const std::string page = without(outcome.out, "\\-", "-");
    EXPECT_NE(page.find("\n" + page_name_of(verb) + " - "), std::string::npos) << page;
    for (const std::string& option : options_in(help_of(verb))) {
      const std::string tag = "\n.B " + std::string(option == "--help" ? "-h, " : "") + option;
      EXPECT_EQ(count_of(page, tag + "\n") + count_of(page, tag + " \\fI"), 1) << tag << page_name_of(verb);
    }
    for (const std::string& command : commands_in(help_of(verb)))
      EXPECT_GE(count_of(page, page_name_of(with(verb, command)) + " (1)"), 1) << command;
  }
}

TEST(Man, ExamplesAreThoseOfTheHelp) {
  for (const Words& verb : all_verbs()) {
    const std::string help = help_of(verb), page = without(run(lookup(verb)).out, "\\-", "-");
    std::ptrdiff_t examples = 0;
    for (const std::string& line : lines_of(help)) examples += line.starts_with("  giga ") ? 1 : 0;
    EXPECT_GT(examples, 0) << help;
    EXPECT_EQ(count_of(page, "\n.PP\n.EX\ngiga "), examples) << page;
  }
}

TEST(Man, FilesAndExitCodesAreListed) {
  const std::string page = without(run({"man", "sample"}).out, "\\-", "-");
  EXPECT_NE(page.find("\n.SH FILES\n"), std::string::npos);
  EXPECT_NE(page.find("\n.I DIR/draws_1.csv\nand so on, a chain each\n"), std::string::npos) << page;
  for (const char* code : {"0", "1", "64", "65", "66", "70", "71", "73", "74", "130", "143"})
    EXPECT_EQ(count_of(page, std::string("\n.B ") + code + "\n"), 1) << code;
  EXPECT_EQ(count_of(run({"man"}).out, "Exit codes"), 0) << "they have a section of their own";
}

TEST(Man, PagesAreCleanToRoff) {
  constexpr const char* kGroff = "/usr/bin/groff";
  if (!std::filesystem::exists(kGroff)) GTEST_SKIP() << "groff is not installed";
  const TempDir folder;
  ASSERT_EQ(run({"man", "--out", (folder / "man1").string()}).code, 0);
  std::size_t pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "man1")) {
    ++pages;
    for (const char* device : {"-Tutf8", "-Tps"}) {
      const auto outcome = run(Launch{
          .arguments = {},
          .before = {"/bin/sh", "-c",
                     std::string(kGroff) + " -ww -z -man " + device + " '" + entry.path().string() + "'"}});
      EXPECT_EQ(outcome.code, 0) << entry.path();
      EXPECT_EQ(outcome.error, "") << entry.path();
    }
  }
  EXPECT_EQ(pages, all_verbs().size());
}

TEST(Man, WritesAllPagesOnceUnlessForced) {
  const TempDir folder;
  const std::string out = folder / "man1";
  EXPECT_EQ(run({"man", "--out", out}).code, 0);
  EXPECT_EQ(read_file(folder / "man1/giga-build.1"), run({"man", "build"}).out);
  EXPECT_EQ(read_file(folder / "man1/giga.1"), run({"man"}).out);
  EXPECT_EQ(run({"man", "--out", out}).code, 73);
  EXPECT_EQ(run({"man", "--out", out, "--force"}).code, 0);
}

TEST(Man, RefusesWhatIsNoVerb) {
  const auto outcome = run({"man", "biuld"});
  EXPECT_EQ(outcome.code, 64);
  EXPECT_TRUE(outcome.error.starts_with("giga: error: VERB is 'biuld'; must be one of fit, build, sample,"))
      << outcome.error;
  EXPECT_TRUE(outcome.error.ends_with("did you mean build?\n")) << outcome.error;
  EXPECT_EQ(run({"man", "build", "sample"}).code, 64);
  EXPECT_EQ(run({"man", "build", "--out", "x"}).code, 64);
}

}  // namespace
}  // namespace giga::test
