// Where results go, and what happens when they cannot.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "cli/command.hpp"
#include "cli/npy_files.hpp"

namespace giga::test {
namespace {

class Output : public ::testing::Test {
 protected:
  Output() { write_file(folder_ / "V.npy", npy_of(whole_numbers(60, 20, -9, 9))); }

  [[nodiscard]] Launch build(std::vector<std::string> more) const {
    std::vector<std::string> all = {"build", "--vectors", "V.npy", "--size", "7"};
    all.insert(all.end(), more.begin(), more.end());
    return Launch{.arguments = all, .folder = folder_.path()};
  }

  void expect_refused(const Outcome& outcome, int code, const std::string& message) const {
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error, "giga: error: " + message + "\n");
  }

  TempDir folder_;
};

TEST_F(Output, CoresetGoesToStdoutAndTheSummaryToStderr) {
  const auto outcome = run(build({}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("row,weight\n"));
  EXPECT_EQ(count_of(outcome.out, "\n"), 8);
  EXPECT_NE(outcome.error.find("relative error"), std::string::npos);
  EXPECT_EQ(outcome.error.find('\x1b'), std::string::npos);
  EXPECT_EQ(folder_.size(), 1);
}

TEST_F(Output, FileGetsTheSameBytesAndTheSummaryGoesToStdout) {
  const auto outcome = run(build({"--out", "c.csv"}));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(read_file(folder_ / "c.csv"), run(build({"--quiet"})).out);
  for (const char* words : {"corrective", "scan", "N = 60 rows, J = 20", "7 points", "Theorem 1 bound",
                            "size_reached", "construct", "c.csv"})
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << " is not in\n" << outcome.out;
  EXPECT_EQ(folder_.size(), 2);
}

TEST_F(Output, RowsAscendAndWeightsArePositive) {
  ASSERT_EQ(run(build({"--out", "c.csv"})).code, 0);
  std::ifstream csv(folder_ / "c.csv");
  std::string line;
  std::getline(csv, line);
  long last = -1;
  while (std::getline(csv, line)) {
    const std::size_t comma = line.find(',');
    EXPECT_GT(std::stol(line), last);
    last = std::stol(line);
    EXPECT_GT(std::stod(line.substr(comma + 1)), 0);
  }
  EXPECT_GE(last, 6);
}

TEST_F(Output, QuietSaysNothing) {
  const auto outcome = run(build({"--quiet", "--out", "c.csv", "--size", "7000"}));
  EXPECT_EQ(outcome.code, 64);  // --size twice: errors are not silenced
  const auto capped =
      run(Launch{.arguments = {"build", "--vectors", "V.npy", "--size", "7000", "--quiet", "--out", "c.csv"},
                 .folder = folder_.path()});
  EXPECT_EQ(capped.code, 0);
  EXPECT_EQ(capped.out, "");
  EXPECT_EQ(capped.error, "");
}

TEST_F(Output, ExistingFileIsKeptUnlessForced) {
  write_file(folder_ / "c.csv", "mine");
  expect_refused(run(build({"--out", "c.csv"})), 73, "c.csv exists; use --force to replace it");
  EXPECT_EQ(read_file(folder_ / "c.csv"), "mine");
  EXPECT_EQ(run(build({"--out", "c.csv", "--force"})).code, 0);
  EXPECT_TRUE(read_file(folder_ / "c.csv").starts_with("row,weight\n"));
  EXPECT_EQ(folder_.size(), 2);
}

TEST_F(Output, MissingFolderIsRefusedBeforeTheInputIsRead) {
  Launch launch = build({"--out", "no/such/c.csv"});
  launch.arguments[2] = "missing.npy";
  expect_refused(run(launch), 73, "no/such/c.csv: folder no/such does not exist; create it first");
  EXPECT_EQ(folder_.size(), 1);
}

TEST_F(Output, FolderInPlaceOfAFileIsRefused) {
  std::filesystem::create_directory(folder_ / "c.csv");
  expect_refused(run(build({"--out", "c.csv", "--force"})), 73, "c.csv: is a folder; give a file name");
}

TEST_F(Output, InputIsNeverReplacedByItsCoreset) {
  const std::string before = read_file(folder_ / "V.npy");
  expect_refused(run(build({"--out", "V.npy", "--force"})), 64, "--out is the input file; give another name");
  EXPECT_EQ(read_file(folder_ / "V.npy"), before);
}

TEST_F(Output, DashIsNotAFileName) {
  expect_refused(run(build({"--out", "-"})), 64, "--out is -; leave out --out to get the coreset on stdout");
}

TEST_F(Output, ANameThatIsReadAsSomethingElseIsRefused) {
  for (const std::string ending : {".gz", ".tsv"})
    expect_refused(
        run(build({"--out", "c.csv" + ending})), 64,
        "--out ends in " + ending + ", but a coreset is written as plain CSV; give a name that ends in .csv");
}

TEST_F(Output, FullDeviceIsAnIoErrorThatNamesIt) {
  const auto outcome = run(build({"--out", "/dev/full"}));
  EXPECT_EQ(outcome.code, 74) << outcome.error;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.error.starts_with("giga: error: /dev/full: cannot write: ")) << outcome.error;
}

TEST_F(Output, FullStdoutIsAnIoError) {
  for (const char* more : {"--quiet", "--json"}) {
    Launch launch = build({more});
    launch.out = "/dev/full";
    const auto outcome = run(launch);
    EXPECT_EQ(outcome.code, 74);
    EXPECT_NE(outcome.error.find("giga: error: stdout: cannot write"), std::string::npos) << outcome.error;
  }
}

TEST_F(Output, ReaderThatLeftEndsTheCommandQuietly) {
  Launch launch = build({"--quiet"});
  launch.reader_left = true;
  const auto outcome = run(launch);
  EXPECT_EQ(outcome.code, 74);
  EXPECT_EQ(outcome.error, "");
}

TEST_F(Output, TwoBuildsGiveTheSameBytes) {
  EXPECT_EQ(run(build({})).out, run(build({})).out);
}

}  // namespace
}  // namespace giga::test
