// The completion scripts, in the shells they are for: what they offer is what the help lists and what the
// command understands.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/help_text.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

using Set = std::set<std::string>;

// Words up to the one at the cursor, as bash splits them.
Set in_bash(const Words& words, const std::filesystem::path& folder = "/") {
  static const std::string kScript = R"(. <("$0" completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_giga
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}")";
  const auto outcome =
      run(Launch{.arguments = words, .before = {"/bin/bash", "-c", kScript}, .folder = folder});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  const Words lines = lines_of(outcome.out);
  EXPECT_EQ(Set(lines.begin(), lines.end()).size(), lines.size()) << "something is offered twice";
  return {lines.begin(), lines.end()};
}

Words typed(const Words& verb) {
  Words words = {"giga"};
  words.insert(words.end(), verb.begin(), verb.end());
  return words;
}

// What the command itself says it takes: "--method is '?'; must be one of giga, corrective, ..."
Set values_said(const Words& verb, const std::string& option) {
  const std::string error = run(with(with(verb, option), "?")).error, mark = "must be one of ";
  std::string list = error.substr(error.find(mark) + mark.size());
  Set values;
  for (char& c : list) c = c == ',' ? ' ' : c;
  std::istringstream in(list);
  for (std::string value; in >> value;) values.insert(value);
  return values;
}

TEST(BashCompletion, OffersEveryVerbAndEveryOptionOfTheHelp) {
  const std::vector<Words> verbs = all_verbs();
  EXPECT_GE(verbs.size(), 12U);
  for (const Words& verb : verbs) {
    const std::string help = help_of(verb);
    EXPECT_FALSE(options_in(help).empty()) << help;
    EXPECT_EQ(in_bash(with(typed(verb), "-")), options_in(help)) << help;
    const Set commands = commands_in(help);
    if (!commands.empty()) {
      EXPECT_EQ(in_bash(with(typed(verb), "")), commands) << help;
    }
  }
}

TEST(BashCompletion, CompletesWhatWasBegun) {
  EXPECT_EQ(in_bash({"giga", "bu"}), Set{"build"});
  EXPECT_EQ(in_bash({"giga", "simulate", "po"}), Set{"poisson"});
  EXPECT_EQ(in_bash({"giga", "build", "--proj"}), (Set{"--projection", "--projection-dim"}));
  EXPECT_EQ(in_bash({"giga", "completion", ""}), (Set{"bash", "zsh", "fish"}));
  EXPECT_TRUE(in_bash({"giga", "man", ""}).contains("simulate-vectors"));
  EXPECT_EQ(in_bash({"giga", "nonsense", "--x"}), Set{});
}

TEST(BashCompletion, OffersTheValuesTheCommandUnderstands) {
  // Each with what comes before the value is looked at.
  const TempDir folder;
  const std::string out = folder / "V.npy";
  const std::vector<std::pair<Words, Words>> cases = {
      {{"build", "--vectors", "V.npy"}, {"--method", "--selector"}},
      {{"build", "x.csv"}, {"--family", "--missing"}},
      {{"build", "x.csv", "--family", "poisson"}, {"--link", "--norm", "--pihat", "--projection"}},
      {{"build", "x.csv", "--family", "poisson", "--projection", "curvature"}, {"--expansion"}},
      {{"sample", "x.csv"}, {"--sampler", "--protocol"}},
      {{"simulate", "vectors", "--out", out}, {"--kind"}}};
  for (const auto& [before, options] : cases) {
    for (const std::string& option : options) {
      const Set offered = in_bash(with(with(typed(before), option), ""));
      EXPECT_GE(offered.size(), 2U) << option;
      EXPECT_EQ(offered, values_said(before, option)) << option;
    }
  }
  EXPECT_EQ(in_bash({"giga", "simulate", "poisson", "--link", ""}), (Set{"softplus", "log"}));
}

TEST(BashCompletion, TakesAnEqualsSignForASpace) {
  EXPECT_EQ(in_bash({"giga", "build", "--method", "=", "fr"}), Set{"frank_wolfe"});
  EXPECT_EQ(in_bash({"giga", "build", "--method", "="}), in_bash({"giga", "build", "--method", ""}));
}

TEST(BashCompletion, OffersFilesAndFoldersWhereTheyBelong) {
  const TempDir folder;
  write_file(folder / "my data.csv", "");
  std::filesystem::create_directory(folder / "my draws");
  const auto& here = folder.path();
  for (const Words& words : std::vector<Words>{{"giga", "build", "my"},
                                               {"giga", "build", "--size", "5", "my"},
                                               {"giga", "build", "--out", "my"},
                                               {"giga", "build", "--vectors", "my"},
                                               {"giga", "check", "a.csv", "my"}})
    EXPECT_EQ(in_bash(words, here), (Set{"my data.csv", "my draws"}));
  EXPECT_EQ(in_bash({"giga", "sample", "c.csv", "--out", "my"}, here), Set{"my draws"});
  EXPECT_EQ(in_bash({"giga", "simulate", "vectors", "my"}, here), Set{}) << "it takes no file";
  EXPECT_EQ(in_bash({"giga", "build", "--size", "my"}, here), Set{}) << "it takes a number";
}

TEST(BashCompletion, AValueThatIsCalledLikeAVerbIsNone) {
  EXPECT_EQ(in_bash({"giga", "build", "--out", "sample", "--meth"}), Set{"--method"});
}

TEST(Completion, RefusesWhatIsNoShell) {
  const auto error = [](const Words& words) {
    const auto outcome = run(words);
    EXPECT_EQ(outcome.code, 64);
    EXPECT_EQ(outcome.out, "");
    return outcome.error;
  };
  EXPECT_EQ(error({"completion"}), "giga: error: no shell; give bash, zsh or fish\n");
  EXPECT_EQ(error({"completion", "fisch"}),
            "giga: error: SHELL is 'fisch'; must be one of bash, zsh, fish; did you mean fish?\n");
  EXPECT_EQ(error({"completion", "zsh", "fish"}),
            "giga: error: unexpected argument 'fish'; give one shell\n");
}

// A program with the script of its shell beside it.
class OtherShell : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    shell_ = std::string("/usr/bin/") + GetParam();
    if (!std::filesystem::exists(shell_)) GTEST_SKIP() << GetParam() << " is not installed";
    write_file(folder_ / "script", run({"completion", GetParam()}).out);
  }

  [[nodiscard]] Outcome in_shell(const Words& arguments) const {
    Words before = {shell_};
    before.insert(before.end(), arguments.begin(), arguments.end());
    return run(
        Launch{.arguments = {},
               .environment = {"HOME=" + folder_.path().string(), "XDG_DATA_HOME=" + folder_.path().string(),
                               "XDG_CONFIG_HOME=" + folder_.path().string()},
               .before = before,
               .folder = folder_.path()});
  }

  std::string shell_;
  TempDir folder_;
};

TEST_P(OtherShell, ReadsItsScriptWithoutComplaint) {
  const auto outcome = in_shell({"-n", "script"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error, "");
}

INSTANTIATE_TEST_SUITE_P(Shells, OtherShell, ::testing::Values("zsh", "fish"),
                         [](const auto& shell) { return std::string(shell.param); });

class FishCompletion : public OtherShell {
 protected:
  // What fish offers at the end of a line, without the descriptions.
  [[nodiscard]] Set at(const std::string& line) const {
    const auto outcome = in_shell({"-c", "source script; complete -C '" + line + "'"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(outcome.error, "");
    Set offered;
    for (const std::string& each : lines_of(outcome.out)) offered.insert(each.substr(0, each.find('\t')));
    return offered;
  }
};

TEST_P(FishCompletion, OffersEveryVerbAndEveryOptionOfTheHelp) {
  for (const Words& verb : all_verbs()) {
    std::string line;
    for (const std::string& word : typed(verb)) line += word + " ";
    const std::string help = help_of(verb);
    Set options;
    for (const std::string& each : at(line + "--")) options.insert(each.substr(0, each.find('=')));
    EXPECT_EQ(options, options_in(help)) << line;
    const Set commands = commands_in(help);
    if (!commands.empty()) {
      EXPECT_EQ(at(line), commands) << line;
    }
  }
}

TEST_P(FishCompletion, OffersValuesFilesAndFolders) {
  write_file(folder_ / "my.csv", "");
  std::filesystem::create_directory(folder_ / "mydraws");
  EXPECT_EQ(at("giga build --method "), in_bash({"giga", "build", "--method", ""}));
  EXPECT_EQ(at("giga completion "), (Set{"bash", "zsh", "fish"}));
  EXPECT_EQ(at("giga build my"), (Set{"my.csv", "mydraws/"}));
  EXPECT_EQ(at("giga sample c.csv --out my"), Set{"mydraws/"});
  EXPECT_EQ(at("giga build --out sample --meth"), Set{"--method"});
}

INSTANTIATE_TEST_SUITE_P(Shells, FishCompletion, ::testing::Values("fish"),
                         [](const auto& shell) { return std::string(shell.param); });

}  // namespace
}  // namespace giga::test
