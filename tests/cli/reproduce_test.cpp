// giga reproduce: what it refuses, writes and keeps.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

TEST(Reproduce, RefusesWhatCannotBeAndSaysWhy) {
  const TempDir folder;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), "reproduce");
    const Outcome outcome = run(Launch{.arguments = arguments, .folder = folder.path()});
    EXPECT_EQ(outcome.code, 64) << outcome.error;
    EXPECT_NE(outcome.error.find(part), std::string::npos) << outcome.error;
  };
  refused({"--out", "o"}, "no experiment; give fig1, vectors, axis, regression or all");
  refused({"fig2", "--out", "o"}, "no experiment 'fig2'");
  refused({"fig1"}, "no output; give --out DIR");
  refused({"axis", "--out", "o", "--trials", "0"}, "from 1 to 1000");
  refused({"fig1", "--out", "o", "--trials", "5"}, "--trials has no effect with fig1");
  refused({"fig1", "--out", "o", "--sampler", "hmc"}, "--sampler has no effect with fig1");
  refused({"axis", "--out", "o", "--data", "d"}, "--data has no effect with axis");
  refused({"regression", "--out", "o", "--sampler", "gibbs"}, "one of nuts, hmc, rwmh");
  refused({"fig1", "--out", "o", "--resume", "--force"}, "give one of them");
  refused({"fig1", "--out", "o", "--trails", "3"}, "did you mean --trials");
  EXPECT_EQ(folder.size(), 0);
}

TEST(Reproduce, WritesResultsFiguresAndVerdicts) {
  const TempDir folder;
  const Outcome outcome =
      run(Launch{.arguments = {"reproduce", "fig1", "--out", "o", "--json"}, .folder = folder.path()});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const json record = json::parse(outcome.out);
  EXPECT_EQ(record["seed"], 1);
  EXPECT_TRUE(record.contains("data"));
  EXPECT_TRUE(record["data"].is_null());
  EXPECT_EQ(record["experiments"][0]["name"], "fig1");
  EXPECT_EQ(record["experiments"][0]["verdicts"].size(), 4U);
  EXPECT_EQ(json::parse(read_file(folder / "o/run.json")), record);
  for (const char* file : {"fig1/picture.svg", "fig1/picture.csv", "fig1/verdicts.md", "fig1/verdicts.json",
                           "fig1/figures.html", "fig1/trials/replications.json", "verdicts.md"})
    EXPECT_FALSE(read_file(folder.path() / "o" / file).empty()) << file;
  EXPECT_NE(read_file(folder / "o/fig1/figures.html").find("Content-Security-Policy"), std::string::npos);
}

TEST(Reproduce, AnEarlierRunIsLeftAloneUnlessAskedFor) {
  const TempDir folder;
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"reproduce", "fig1", "--out", "o"});
    return run(Launch{.arguments = more, .folder = folder.path()});
  };
  ASSERT_EQ(with({}).code, 0);
  const std::string first = read_file(folder / "o/fig1/trials/replications.json");
  const Outcome again = with({});
  EXPECT_EQ(again.code, 73);
  EXPECT_NE(again.error.find("--resume goes on with it, --force begins anew"), std::string::npos)
      << again.error;
  const Outcome other = with({"--resume", "--seed", "2"});
  EXPECT_EQ(other.code, 73);
  EXPECT_NE(other.error.find("seed: 1 before, 2 now"), std::string::npos) << other.error;
  EXPECT_EQ(read_file(folder / "o/fig1/trials/replications.json"), first);
  EXPECT_EQ(with({"--resume"}).code, 0);
  EXPECT_EQ(with({"--force", "--seed", "2"}).code, 0);
  EXPECT_NE(read_file(folder / "o/fig1/trials/replications.json"), first);
}

TEST(Reproduce, FoldersThatCannotBeAreRefused) {
  const TempDir folder;
  write_file(folder / "file", "mine");
  for (const char* out : {"no/such/folder", "file"}) {
    const Outcome outcome =
        run(Launch{.arguments = {"reproduce", "fig1", "--out", out}, .folder = folder.path()});
    EXPECT_EQ(outcome.code, 73) << outcome.error;
  }
  EXPECT_EQ(read_file(folder / "file"), "mine");
  const Outcome missing = run(Launch{
      .arguments = {"reproduce", "regression", "--out", "o", "--data", "nowhere"}, .folder = folder.path()});
  EXPECT_EQ(missing.code, 66);
  EXPECT_NE(missing.error.find("nowhere: no such folder"), std::string::npos) << missing.error;
  EXPECT_NE(missing.error.find("scripts/convert-data"), std::string::npos) << missing.error;
}

TEST(Reproduce, InterruptKeepsFinishedTrialsAndSaysSo) {
  const TempDir folder;
  const Outcome outcome = run(Launch{.arguments = {"reproduce", "all", "--out", "o", "--trials", "1"},
                                     .folder = folder.path(),
                                     .signal = SIGINT,
                                     .signal_after_s = 2});
  EXPECT_EQ(outcome.code, 130);
  EXPECT_LT(outcome.seconds_after_signal, 2);
  EXPECT_TRUE(outcome.error.ends_with("giga: stopped; finished trials are kept, --resume goes on\n"))
      << outcome.error;
  EXPECT_TRUE(std::filesystem::exists(folder / "o/fig1/trials/replications.json"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace giga::test
