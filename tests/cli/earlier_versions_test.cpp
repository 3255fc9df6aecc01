// Files that giga 0.1.0 wrote, in files_of_0.1: labels.csv, numbers.csv are tables, and of them are
//   fit                 giga fit labels.csv --family bernoulli --projection random --size 40, safe
//   numbers.coreset.*   giga build numbers.csv --family gaussian --noise-scale 2
//   draws               giga sample numbers.coreset.csv
//   certificate.json    giga check numbers.csv numbers.coreset.csv draws
//   stopped             what a fit left that was ended by SIGTERM
#include <gtest/gtest.h>

#include <sstream>

#include "cli/data_files.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

class FilesOf01 : public ::testing::Test {
 protected:
  FilesOf01() {
    std::filesystem::copy(GIGA_FILES_OF_0_1, folder_.path(), std::filesystem::copy_options::recursive);
  }

  [[nodiscard]] Outcome giga(const std::vector<std::string>& arguments) const {
    return run(Launch{.arguments = arguments, .folder = folder_.path()});
  }

  TempDir folder_;
};

TEST_F(FilesOf01, ACoresetKeepsItsKnownNoise) {
  const Outcome outcome =
      giga({"sample", "numbers.coreset.csv", "--chains", "2", "--draws", "2000", "--out", "anew", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const json record = json::parse(outcome.out);
  EXPECT_EQ(record["options"]["noise_scale"], 2.0);
  const Outcome summary = giga({"summary", "anew", "--csv"});
  EXPECT_EQ(summary.out.find("\nsigma,"), std::string::npos) << "the noise is not learnt: " << summary.out;
}

TEST_F(FilesOf01, DrawsAreCheckedAgainstTheirDataAsBefore) {
  const Outcome outcome =
      giga({"check", "numbers.csv", "numbers.coreset.csv", "draws", "--out", "anew.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  const json before = json::parse(read_file(folder_ / "certificate.json"))["certificate"];
  const json now = json::parse(read_file(folder_ / "anew.json"))["certificate"];
  EXPECT_EQ(now["verdict"], before["verdict"]);
  EXPECT_NEAR(now["k_hat"].get<double>(), before["k_hat"].get<double>(), 1e-6);
}

TEST_F(FilesOf01, SummariesAreThoseThatItWrote) {
  const Outcome outcome = giga({"summary", "fit", "--csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  std::istringstream before(read_file(folder_ / "fit/summary.csv")), now(outcome.out);
  std::string old_line, line;
  std::getline(before, old_line);
  std::getline(now, line);
  EXPECT_TRUE(line.starts_with(old_line)) << line;
  int lines = 0;
  for (; std::getline(before, old_line) && std::getline(now, line); ++lines) {
    std::istringstream old_fields(old_line), fields(line);
    std::string old_field, field;
    std::getline(old_fields, old_field, ',');
    std::getline(fields, field, ',');
    EXPECT_EQ(field, old_field);
    while (std::getline(old_fields, old_field, ',') && std::getline(fields, field, ','))
      EXPECT_NEAR(std::stod(field) / std::stod(old_field), 1, 1e-9) << line;
  }
  EXPECT_EQ(lines, 7);
}

TEST_F(FilesOf01, AFitIsReportedAndPredicts) {
  EXPECT_EQ(giga({"report", "fit", "--out", "report.html"}).code, 0);
  const std::string page = read_file(folder_ / "report.html");
  EXPECT_NE(page.find("hecked against all 60 rows"), std::string::npos);
  EXPECT_NE(page.find("verdict safe"), std::string::npos);
  const Outcome outcome = giga({"predict", "fit", "labels.csv", "--out", "predicted.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(count_of(read_file(folder_ / "predicted.csv"), "\n"), 61);
  EXPECT_EQ(giga({"report", "draws", "--out", "draws.html"}).code, 0);
}

TEST_F(FilesOf01, ACompleteFitIsSeenAsOneAndAStoppedOneIsRefused) {
  EXPECT_NE(giga({"fit", "--resume", "fit"}).error.find("is complete"), std::string::npos);
  const Outcome outcome = giga({"fit", "--resume", "stopped"});
  EXPECT_EQ(outcome.code, 65);
  EXPECT_NE(outcome.error.find("was begun by giga 0.1.0"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("start anew with --force"), std::string::npos) << outcome.error;
}

TEST_F(FilesOf01, CoresetsWithoutSumsAreNotMerged) {
  const Outcome outcome =
      giga({"merge", "numbers.coreset.csv", "numbers.coreset.csv", "--out", "merged.csv"});
  EXPECT_EQ(outcome.code, 65);
  EXPECT_NE(outcome.error.find("build it again from its data"), std::string::npos) << outcome.error;
}

}  // namespace
}  // namespace giga::test
