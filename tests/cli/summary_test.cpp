// giga summary: a folder, or files that any sampler wrote.
#include <gtest/gtest.h>

#include "cli/data_files.hpp"
#include "giga/record/draws_file.hpp"
#include "report/chains.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

class SummaryCommand : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome summary(std::vector<std::string> more) const {
    more.insert(more.begin(), "summary");
    return run(Launch{.arguments = more, .folder = folder_.path()});
  }

  void write_chains(Index count, Index draws, double apart = 0) const {
    SampleOptions options;
    options.draws = draws;
    for (Index c = 0; c < count; ++c) {
      Chain chain =
          made_up_chain(draws, 2, static_cast<std::uint64_t>(c + 1), apart * static_cast<double>(c));
      for (DrawStats& stats : chain.stats) stats.divergent = false;
      write_file(folder_ / ("draws_" + std::to_string(c + 1) + ".csv"),
                 draws_csv(draws_file({"a", "b"}, options, c, chain)));
    }
  }

  TempDir folder_;
};

TEST_F(SummaryCommand, AFolderAndItsFilesAreTheSame) {
  write_chains(11, 200);
  const Outcome folder = summary({"."});
  EXPECT_EQ(folder.code, 0) << folder.error;
  EXPECT_EQ(folder.error, "");
  EXPECT_NE(folder.out.find("\nlp__ "), std::string::npos) << folder.out;
  std::vector<std::string> files;
  for (int c = 1; c <= 11; ++c) files.push_back("draws_" + std::to_string(c) + ".csv");
  EXPECT_EQ(summary(files).out, folder.out) << "the eleventh chain comes last, not second";
  const json record = json::parse(summary({".", "--json"}).out);
  EXPECT_EQ(record["chains"].size(), 11U);
  EXPECT_EQ(record["chains"][0]["draws"], 200);
  EXPECT_EQ(record["sampler"], "nuts");
  EXPECT_EQ(record["quantities"].size(), 3U);
  EXPECT_EQ(record["quantities"][1]["variable"], "a");
  EXPECT_TRUE(record["warnings"].empty());
  EXPECT_TRUE(summary({".", "--csv"}).out.starts_with("variable,mean,median,"));
}

TEST_F(SummaryCommand, WarnsInWordsUnlessQuiet) {
  write_chains(4, 200, 1);
  const Outcome outcome = summary({"."});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.error.find("note: R-hat is above 1.01 for 'b', 'a', up to 1.5"), std::string::npos)
      << outcome.error;
  EXPECT_EQ(summary({".", "--quiet"}).error, "");
  EXPECT_FALSE(json::parse(summary({".", "--json", "--quiet"}).out)["warnings"].empty());
}

TEST_F(SummaryCommand, ReadsFilesWithoutSamplerColumns) {
  write_file(folder_ / "d.csv", "mu,tau\n1,2\n3,1\n2,4\n5,3\n4,6\n6,5\n");
  const Outcome outcome = summary({"d.csv", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const json record = json::parse(outcome.out);
  EXPECT_EQ(record["quantities"].size(), 2U);
  EXPECT_EQ(record["quantities"][0]["mean"], 3.5);
  EXPECT_EQ(record["sampler"], nullptr);
}

TEST_F(SummaryCommand, SaysWhatIsWrongWithItsInput) {
  EXPECT_EQ(summary({}).code, 64);
  EXPECT_EQ(summary({"none.csv"}).code, 66);
  EXPECT_EQ(summary({"."}).code, 66);
  EXPECT_NE(summary({"."}).error.find("no draws_*.csv"), std::string::npos);
  write_chains(2, 20);
  EXPECT_EQ(summary({".", "draws_1.csv"}).code, 64);
  EXPECT_EQ(summary({".", "--json", "--csv"}).code, 64);
  EXPECT_EQ(summary({".", "--jsn"}).code, 64);
  write_file(folder_ / "draws_3.csv", "a,b\n1,2\n");
  const Outcome lengths = summary({"."});
  EXPECT_EQ(lengths.code, 65);
  EXPECT_NE(lengths.error.find("have 1 and 20 draws"), std::string::npos) << lengths.error;
  write_file(folder_ / "draws_3.csv", "a,b\n1,oops\n");
  EXPECT_NE(summary({"."}).error.find("draws_3.csv: row 1 (line 2), column 'b': 'oops' is not a number"),
            std::string::npos);
  write_file(folder_ / "draws_3.csv", "");
  EXPECT_EQ(summary({"."}).code, 65);
}

TEST_F(SummaryCommand, ARecordThatIsNoneIsLeftAloneWithANote) {
  write_chains(2, 20);
  write_file(folder_ / "run.json", "{\"command\": \"sample\", \"parameters\": 3}");
  const Outcome outcome = summary({"."});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.error.find("not a record of giga sample"), std::string::npos) << outcome.error;
  write_file(folder_ / "run.json",
             R"({"command": "sample", "parameters": [{"column": "a", "name": "the \u001b[31m a"}]})");
  EXPECT_NE(summary({"."}).out.find("the \\x1b[31m a"), std::string::npos)
      << "a name reached the terminal raw";
}

}  // namespace
}  // namespace giga::test
