// Wrong usage: exit code 64, one line that says what is allowed, and nothing done.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/command.hpp"
#include "cli/help_text.hpp"
#include "cli/npy_files.hpp"

namespace giga::test {
namespace {

// One input for all of them: usage is looked at first, so most never open it.
class Usage : public ::testing::Test {
 protected:
  Usage() { write_file(folder_ / "V.npy", npy_of(whole_numbers(20, 5, -9, 9))); }

  [[nodiscard]] Outcome build(std::vector<std::string> more) const {
    std::vector<std::string> all = {"build", "--vectors", (folder_ / "V.npy").string(), "--out",
                                    (folder_ / "out.csv").string()};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  void expect_refused(const Outcome& outcome, const std::string& message) const {
    EXPECT_EQ(outcome.code, 64) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error, "giga: error: " + message + "\n");
    EXPECT_EQ(folder_.size(), 1) << "something beside the input is left";
  }

  TempDir folder_;
};

TEST_F(Usage, SizeOutOfRangeIsRefusedWithTheRange) {
  const std::string rule = "; must be a whole number from 1 to 1000000000";
  for (const char* value : {"0", "-5", "1e3", "2.5", "99999999999999999999", "1000000001"})
    expect_refused(build({"--size", value}), std::string("--size is ") + value + rule);
  for (const char* value : {"abc", " 5", "5 ", "0x10", "nan", "5,5"})
    expect_refused(build({"--size", value}), std::string("--size is '") + value + "'" + rule);
  expect_refused(build({"--size=-5"}), "--size is -5" + rule);
}

TEST_F(Usage, SeedOutOfRangeIsRefusedWithTheRange) {
  const std::string rule = "; must be a whole number from 0 to 18446744073709551615";
  expect_refused(build({"--seed", "-1"}), "--seed is -1" + rule);
  expect_refused(build({"--seed", "18446744073709551616"}), "--seed is 18446744073709551616" + rule);
  EXPECT_EQ(build({"--seed", "18446744073709551615"}).code, 0);
}

TEST_F(Usage, OtherNumbersOutOfRangeAreRefusedWithTheRange) {
  expect_refused(build({"--threads", "1025"}), "--threads is 1025; must be a whole number from 0 to 1024");
  expect_refused(build({"--max-steps", "0"}),
                 "--max-steps is 0; must be a whole number from 1 to 1000000000");
  for (const char* value : {"-0.1", "1.5", "1e400"}) {
    expect_refused(build({"--tolerance", value}),
                   std::string("--tolerance is ") + value + "; must be a number from 0 to 1");
  }
  expect_refused(build({"--tolerance", "nan"}), "--tolerance is 'nan'; must be a number from 0 to 1");
  expect_refused(build({"--tolerance", "0,5"}), "--tolerance is '0,5'; must be a number from 0 to 1");
}

TEST_F(Usage, UnknownOptionGetsASuggestion) {
  expect_refused(build({"--sise", "10"}), "unknown option '--sise'; did you mean --size?");
  expect_refused(build({"--sise=10"}), "unknown option '--sise'; did you mean --size?");
  expect_refused(build({"--max_steps", "10"}), "unknown option '--max_steps'; did you mean --max-steps?");
  expect_refused(build({"--toler", "0"}), "unknown option '--toler'; did you mean --tolerance?");
  expect_refused(build({"--ezis"}), "unknown option '--ezis'; see --help-all for the options");
  expect_refused(build({"-x"}), "unknown option '-x'; see --help-all for the options");
}

TEST_F(Usage, UnknownNameListsTheNames) {
  expect_refused(build({"--method", "gigga"}),
                 "--method is 'gigga'; must be one of giga, corrective, frank_wolfe, importance, uniform, "
                 "pursuit; did you mean giga?");
  expect_refused(build({"--selector", "tree"}),
                 "--selector is 'tree'; must be one of auto, scan, quantised, cap_tree");
}

TEST_F(Usage, NamesMayBeHyphenated) {
  EXPECT_EQ(build({"--method", "frank-wolfe", "--selector", "cap-tree"}).code, 0);
}

TEST_F(Usage, RepeatedOptionIsRefused) {
  expect_refused(build({"--size", "3", "--size", "4"}), "--size is given 2 times; give it once");
}

TEST_F(Usage, OptionWithoutValueIsRefused) {
  expect_refused(build({"--size"}), "--size needs a value");
  expect_refused(build({"--config", ""}), "--config is empty; give it a value");
}

TEST_F(Usage, ExactlyOneInputIsAsked) {
  expect_refused(run({"build"}), "no input; give DATA, --sql QUERY, --vectors V.npy or --loglik LL.npy");
  expect_refused(build({"--loglik", "LL.npy"}), "--vectors and --loglik are both given; give one of them");
  expect_refused(build({"data.csv"}), "both DATA and vectors are given; give one of them");
}

TEST_F(Usage, OptionsThatMeanNothingToAMethodAreRefused) {
  expect_refused(build({"--method", "uniform", "--tolerance", "0.1"}),
                 "--tolerance has no effect with uniform, which makes --size draws; leave it out");
  expect_refused(build({"--method", "importance", "--max-steps", "3"}),
                 "--max-steps has no effect with importance, which makes --size draws; leave it out");
}

TEST_F(Usage, UnknownCommandGetsASuggestion) {
  expect_refused(run({"biuld"}), "unknown command 'biuld'; did you mean build?");
  expect_refused(run({"forecast", "data.csv"}), "unknown command 'forecast'; see giga --help");
  expect_refused(run({"simulate", "vector"}), "unknown command 'vector'; did you mean vectors?");
  expect_refused(run({"--versoin"}), "unknown option '--versoin'; see giga --help");
}

TEST_F(Usage, UnknownCommandIsRefusedEvenIfHelpIsAsked) {
  for (const char* help : {"--help", "-h"}) {
    expect_refused(run({"biuld", help}), "unknown command 'biuld'; did you mean build?");
    expect_refused(run({"simulate", "vector", help}), "unknown command 'vector'; did you mean vectors?");
  }
  expect_refused(run({"--help", "biuld"}), "unknown command 'biuld'; did you mean build?");
}

TEST_F(Usage, NoWordIsEverIgnored) {
  expect_refused(build({"--", "word"}), "both DATA and vectors are given; give one of them");
  expect_refused(run({"--fast", "build", "--vectors", "V.npy"}),
                 "unexpected argument '--fast'; see giga --help");
  expect_refused(run({"simulate", "--fast", "vectors", "--out", (folder_ / "W.npy").string()}),
                 "unexpected argument '--fast'; see giga --help");
}

TEST(Help, EveryVerbHasOneWithExamplesOnStdout) {
  const std::vector<std::vector<std::string>> verbs = {{}, {"build"}, {"simulate"}, {"simulate", "vectors"}};
  for (std::vector<std::string> words : verbs) {
    words.emplace_back("--help");
    const auto outcome = run(words);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.error, "");
    EXPECT_NE(outcome.out.find("Usage: giga"), std::string::npos);
    EXPECT_NE(outcome.out.find("Example"), std::string::npos);
  }
}

TEST(Help, FirstPageHasTheOptionsPeopleUseAndAllOfThemAreAFlagAway) {
  for (const char* verb : {"fit", "build", "sample"}) {
    const std::set<std::string> first = options_in(run({verb, "--help"}).out),
                                all = options_in(help_of({verb}));
    EXPECT_TRUE(std::ranges::includes(all, first)) << verb;
    EXPECT_LE(first.size(), 16U) << verb;
    EXPECT_GE(all.size(), 2 * first.size()) << verb;
    for (const char* option : {"--family", "--out", "--help-all"})
      EXPECT_TRUE(first.contains(option)) << option;
    EXPECT_FALSE(first.contains("--step-jitter")) << verb;
  }
}

TEST(Help, IsAVerbToo) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "fit"}).out, run({"fit", "--help"}).out);
  EXPECT_EQ(run({"help", "simulate", "vectors"}).out, run({"simulate", "vectors", "--help"}).out);
  EXPECT_EQ(run({"help", "biuld"}).error, "giga: error: unknown command 'biuld'; did you mean build?\n");
  EXPECT_EQ(run({"help", "fit", "me"}).code, 64);
}

TEST(Help, NothingAtAllPrintsTheHelpAsAnError) {
  const auto outcome = run(std::vector<std::string>{});
  EXPECT_EQ(outcome.code, 64);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error, run({"--help"}).out);
}

TEST(Help, VersionIsOneLine) {
  const auto outcome = run({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("giga 0."));
  EXPECT_EQ(count_of(outcome.out, "\n"), 1);
}

}  // namespace
}  // namespace giga::test
