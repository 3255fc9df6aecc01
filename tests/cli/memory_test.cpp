// --memory and --scratch change where the table is, and nothing else.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "cli/fit_command.hpp"

namespace giga::test {
namespace {

class MemoryCommand : public FitCommand {
 protected:
  void SetUp() override { fs::create_directory(folder_ / "scratch"); }
  static std::vector<std::string> little() { return {"--memory", "1M", "--scratch", "scratch"}; }
};

// 30,000 rows of 8 features are 1.9 MB.
TEST_F(MemoryCommand, FitsWhatDoesNotFitIntoMemoryToTheSameBytes) {
  write_table(30'000, 8);
  ASSERT_EQ(fit(usual("whole", {"--no-times"})).code, 0);
  std::vector<std::string> words = usual("little", {"--no-times"});
  for (const std::string& word : little()) words.push_back(word);
  const Outcome outcome = fit(words);
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("2 MB of the table are in files of scratch, as --memory allows 1 MB"),
            std::string::npos)
      << outcome.error;
  expect_same_files("whole", "little");
  EXPECT_TRUE(fs::is_empty(folder_ / "scratch"));
}

TEST_F(MemoryCommand, BuildsFromAllRowsToTheSameBytes) {
  write_table(30'000, 8);
  for (const std::string selector : {"scan", "quantised"}) {
    std::vector<std::string> words = {
        "build",    "t.csv", "--family",     "bernoulli", "--candidates",     "all", "--size",     "20",
        "--method", "giga",  "--projection", "random",    "--projection-dim", "40",  "--selector", selector,
        "--out"};
    std::vector<std::string> others = words;
    words.push_back(selector + "-whole.csv");
    others.push_back(selector + "-little.csv");
    for (const std::string& word : little()) others.push_back(word);
    ASSERT_EQ(command(words).code, 0);
    const Outcome outcome = command(others);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(bytes(selector + "-whole.csv"), bytes(selector + "-little.csv"));
  }
}

// Matrices of either type, as one file and as two: their features stay where they are, unless there is a
// folder for them.
TEST_F(MemoryCommand, FitsMatricesWhereTheyAreToTheSameBytes) {
  const std::vector<std::string> simulate = {"simulate", "logistic", "--dim", "4", "--rows"};
  for (const bool narrow : {false, true}) {
    for (const std::string part : {"0", "40000"}) {
      std::vector<std::string> words = simulate;
      words.insert(words.end(), {"40000", "--after", part, "--out", "p" + part + ".npy", "--force"});
      if (narrow) words.emplace_back("--float32");
      ASSERT_EQ(command(words).code, 0);
    }
    for (const std::string table : {"p0.npy", "p*.npy"}) {
      const auto fit_to = [&](const std::string& out) {
        std::vector<std::string> words = {"fit", table, "--out", out, "--force", "--no-times"};
        for (const auto* part : {&kModel, &kShort}) words.insert(words.end(), part->begin(), part->end());
        return words;
      };
      ASSERT_EQ(command(fit_to("whole")).code, 0);
      for (const bool copied : {false, true}) {
        std::vector<std::string> words = fit_to("little");
        words.insert(words.end(), {"--memory", "1M"});
        if (copied) words.insert(words.end(), {"--scratch", "scratch"});
        const Outcome outcome = command(words);
        ASSERT_EQ(outcome.code, 0) << outcome.error;
        EXPECT_EQ(outcome.error.find("the features stay in " + table) == std::string::npos, copied)
            << outcome.error;
        EXPECT_EQ(outcome.error.find("of the table are in files of scratch") != std::string::npos, copied)
            << outcome.error;
        expect_same_files("whole", "little");
      }
    }
  }
}

// The file is cut when it is said that it must not change, with the whole of the work to come.
TEST_F(MemoryCommand, EndsWhereAFileIsCutAndLeavesNothing) {
  ASSERT_EQ(command({"simulate", "logistic", "--dim", "4", "--rows", "40000", "--out", "t.npy"}).code, 0);
  std::vector<std::string> words = {"fit", "t.npy", "--out", "f"};
  for (const auto* part : {&kModel, &kShort}) words.insert(words.end(), part->begin(), part->end());
  ASSERT_EQ(command(words).code, 0);
  const std::string whole = bytes("t.npy");
  const auto cut = [&] { fs::resize_file(folder_ / "t.npy", 4096); };
  const auto expect_told = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--memory", "1M"});
    const Outcome outcome = run(Launch{.arguments = arguments,
                                       .folder = folder_.path(),
                                       .terminal = true,
                                       .signal_at = "the features stay in t.npy",
                                       .instead = cut});
    EXPECT_EQ(outcome.code, 74) << outcome.error;
    EXPECT_NE(outcome.error.find("t.npy: became shorter or unreadable while it was read; run again"),
              std::string::npos)
        << outcome.error;
    EXPECT_EQ(count_of(outcome.error, "error:"), 1) << outcome.error;
    write_file(folder_ / "t.npy", whole);
    std::set<std::string> left;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      left.insert(entry.path().filename().string());
    EXPECT_EQ(left, (std::set<std::string>{"f", "scratch", "t.npy"}));
  };
  expect_told({"predict", "f", "t.npy", "--draws", "200", "--out", "p.csv"});
  expect_told({"build", "t.npy", "--family", "bernoulli", "--candidates", "all", "--out", "c.csv"});
  expect_told({"check", "t.npy", "f/coreset.csv", "--out", "c.json"});
}

TEST_F(MemoryCommand, TakesSizesAsPeopleWriteThem) {
  write_table(200, 2);
  for (const std::string size : {"auto", "1000000", "2M", "1.5GB", "64GiB", "1T"})
    EXPECT_EQ(fit(usual("ok-" + size, {"--memory", size})).code, 0) << size;
  for (const std::string size : {"", "0", "-4G", "lots", "4X", "4 G", "10K", "inf", "1e30"}) {
    const Outcome outcome = fit(usual("no", {"--memory", size}));
    EXPECT_EQ(outcome.code, 64) << size;
    EXPECT_NE(outcome.error.find("--memory"), std::string::npos) << outcome.error;
  }
}

TEST_F(MemoryCommand, RefusesAScratchFolderThatWillNotDo) {
  write_table(200, 2);
  write_file(folder_ / "file", "x");
  for (const std::string folder : {"none", "file"}) {
    const Outcome outcome = fit(usual("no", {"--scratch", folder}));
    EXPECT_EQ(outcome.code, 64) << folder;
    EXPECT_NE(outcome.error.find("--scratch is '" + folder + "', which is not a folder"), std::string::npos)
        << outcome.error;
  }
}

}  // namespace
}  // namespace giga::test
