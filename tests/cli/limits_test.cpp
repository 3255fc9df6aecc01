// Machines with little, files that are enormous or no tables at all, folders that two runs want, and outputs
// that would destroy what they are made of.
#include <sys/wait.h>

#include <filesystem>
#include <thread>

#include "cli/fit_input.hpp"
#include "giga/record/run_lock.hpp"

namespace giga::test {
namespace {

namespace fs = std::filesystem;

class Limits : public FitInput {
 protected:
  Limits() { write_file(folder_ / "t.csv", usual_table()); }

  [[nodiscard]] Outcome build(const Words& more, const Launch& launch = {}) const {
    return giga(joined_words({"build", "--family", "bernoulli", "--size", "3"}, more), launch);
  }

  // A file of this beginning, and bytes 0 to a size that no disk need have.
  void write_sparse(const char* name, const std::string& begin, std::uintmax_t size) const {
    write_file(folder_ / name, begin);
    fs::resize_file(folder_ / name, size);
  }
};

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(Limits, ThreadsThatCannotBeStartedAreNotedAndDoneWithout) {
  const Launch little{.arguments = {}, .before = {"/bin/sh", "-c", "ulimit -v 400000; exec \"$@\"", "sh"}};
  const Outcome outcome = build({"t.csv", "--threads", "200"}, little);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  expect_words(outcome.error, {"note: only ", " of 200 threads could be started"});
  EXPECT_EQ(outcome.out, build({"t.csv", "--threads", "1", "--quiet"}, little).out);
}
#endif

TEST_F(Limits, ATerabyteWithoutARowIsRefusedAtOnce) {
  constexpr std::uintmax_t kTerabyte = std::uintmax_t{1} << 40, kGigabytes = std::uintmax_t{1} << 36;
  write_sparse("holes.csv", "", kTerabyte);
  expect_refusal(build({"holes.csv"}), 65, {"holes.csv: a row is longer than 33554432 bytes"});
  write_sparse("begun.csv", usual_table(), kTerabyte);
  const Outcome begun = build({"begun.csv"});
  expect_refusal(begun, 65, {"begun.csv: row 61 (line 62)"});
  EXPECT_LT(begun.peak_kilobytes, kMostKilobytes + 200'000);
  write_sparse("holes.svm", "", kGigabytes);
  expect_refusal(build({"holes.svm"}), 65, {"holes.svm: a line is longer than 33554432 bytes"});
}

TEST_F(Limits, AQuoteWithoutItsFellowIsFoundWithinTheLongestRow) {
  std::string text = "a,b,y\n1,2,0\n1,\"2,0\n";
  for (int i = 0; i < 6'000'000; ++i) text += "3,4,1\n";
  write_file(folder_ / "quote.csv", text);
  const Outcome outcome = build({"quote.csv"});
  expect_refusal(outcome, 65, {"quote.csv: row 2 (line 3): a row is longer than", "quotes match"});
  EXPECT_LT(outcome.peak_kilobytes, kMostKilobytes + 40'000);
}

TEST_F(Limits, WholeNumbersThatADoubleCannotHoldAreCounted) {
  Matrix table{4, 2, {9007199254740993.0, 0, 5, 1, -9.3e18, 0, 7, 1}};
  write_file(folder_ / "long.npy", npy_as<std::int64_t>(table, "<i8"));
  expect_words(build({"long.npy"}).error,
               {"note: 2 whole numbers of 2^53 and more read as the nearest double"});
  table.values[0] = table.values[4] = 1e15;
  write_file(folder_ / "short.npy", npy_as<std::int64_t>(table, "<i8"));
  EXPECT_FALSE(has(build({"short.npy"}).error, "2^53"));
}

TEST_F(Limits, MembersOfAnArchiveThatAreNotUsedAreNamedAFewTimesOnly) {
  const std::string x = npy_of(whole_numbers(20, 2, 0, 9)),
                    y = npy_of(dict_of("<i1", "(20,)"), std::string(10, '\0') + std::string(10, '\1'));
  std::vector<ZipEntry> members = {{"X.npy", x}, {"y.npy", y}};
  for (int i = 0; i < 50; ++i) members.push_back({"m" + std::to_string(i) + ".npy", y});
  write_file(folder_ / "many.npz", zip_of(members));
  const Outcome outcome = build({"many.npz"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(count_of(outcome.error, "was not used"), 3) << outcome.error;
  expect_words(outcome.error, {"nor were 47 others"});
  for (int i = 50; i < 10'000; ++i) members.push_back({"m" + std::to_string(i) + ".npy", ""});
  write_file(folder_ / "more.npz", zip_of(members));
  expect_refusal(build({"more.npz"}), 65, {"more.npz: the archive has more than 10,000 members"});
}

TEST_F(Limits, MoreColumnsThanTheirSecondDerivativesHaveMemoryForAreRefusedBeforeTheWork) {
  constexpr int kColumns = 150'000;
  std::string text = "y";
  for (int j = 0; j < kColumns; ++j) text += ",x" + std::to_string(j);
  for (int n = 0; n < 4; ++n) {
    text += "\n" + std::to_string(n % 2);
    for (int j = 0; j < kColumns; ++j) text += j % (n + 2) == 0 ? ",1" : ",0";
  }
  write_file(folder_ / "wide.csv", text + "\n");
  const Outcome outcome = build({"wide.csv", "--response", "y", "--quiet"});
  expect_refusal(outcome, 71, {"wide.csv: second derivatives of 150,001 parameters take", "GB of memory"});
}

TEST_F(Limits, BlanksAloneAreNoTable) {
  write_file(folder_ / "blank.csv", "\n\n  \n");
  expect_refusal(build({"blank.csv"}), 65, {"blank.csv: line 3 has nothing but blanks"});
}

TEST_F(Limits, WordsAfterTwoDashesAreFilesWhateverTheyBeginWith) {
  write_file(folder_ / "--t.csv", usual_table());
  const Outcome outcome = build({"--quiet", "--", "--t.csv"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.out, build({"--quiet", "t.csv"}).out);
}

class FolderOfTwo : public Limits {};

TEST_F(FolderOfTwo, IsInUseByTheFirst) {
  const RunLock held(folder_ / "out");
  expect_refusal(fit("t.csv", kLabels), 73,
                 {"out: in use by process " + std::to_string(::getpid()), "give another --out"});
  expect_refusal(fit("t.csv", joined_words(kLabels, {"--force"})), 73, {"in use by process"});
  expect_refusal(giga({"sample", "t.csv", "--family", "bernoulli", "--out", "out"}), 73,
                 {"in use by process"});
  expect_refusal(giga({"reproduce", "fig1", "--out", "out", "--quiet"}), 73, {"in use by process"});
}

TEST_F(FolderOfTwo, HasTheFilesOfOneOfTwoRunsAtOnce) {
  for (int round = 0; round < 5; ++round) {
    SCOPED_TRACE(round);
    Outcome one, two;
    {
      const std::jthread other([&] { one = fit("t.csv", joined_words(kLabels, {"--seed", "1"})); });
      two = fit("t.csv", joined_words(kLabels, {"--seed", "2"}));
    }
    // The second may have begun when the first had ended; then it finds the files of the first.
    EXPECT_EQ(std::min(one.code, two.code), 0) << one.error << two.error;
    EXPECT_EQ(std::max(one.code, two.code), 73) << one.error << two.error;
    Files files = files_in("out");
    expect_complete(files);
    fs::remove_all(folder_ / "out");
  }
}

TEST_F(FolderOfTwo, OfAKilledRunIsTakenOver) {
  fs::create_directory(folder_ / "out");
  write_file(folder_ / "out/.giga-lock", "12345\n");
  const Outcome outcome = fit("t.csv", kLabels);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  expect_words(outcome.error, {"note: out: process 12345 ended without letting go of it"});
  Files files = files_in("out");
  expect_complete(files);
}

// A run over an earlier one that was killed before it had saved anything.
TEST_F(FolderOfTwo, IsNotTakenForCompleteWhenARunOverItWasKilled) {
  ASSERT_EQ(fit("t.csv", kLabels).code, 0);
  write_file(folder_ / "out/.giga-lock", "12345\n");
  expect_refusal(giga({"fit", "--resume", "out"}), 66, {"out: has no stopped run"});
}

class OwnInput : public Limits {};

TEST_F(OwnInput, IsNeverReplacedByAReportOrACheck) {
  ASSERT_EQ(fit("t.csv", kLabels).code, 0);
  const Files before = files_in("out");
  for (const char* name : {"run.json", "draws_1.csv", "summary.csv", "coreset.csv", "coreset.json"}) {
    const std::string path = std::string("out/") + name;
    expect_refusal(giga({"report", "out", "--out", path, "--force"}), 64, {"--out would replace out/", name});
    const Outcome checked = giga({"check", "t.csv", "out/coreset.csv", "out", "--out", path, "--force"});
    EXPECT_EQ(checked.code, 64) << checked.error;
  }
  EXPECT_EQ(files_in("out"), before);
}

TEST_F(OwnInput, IsNeverReplacedByTheOutputItConfigures) {
  write_file(folder_ / "c.toml", "size = 3\nfamily = \"bernoulli\"\n");
  expect_refusal(giga({"build", "t.csv", "--config", "c.toml", "--out", "c.toml", "--force"}), 64,
                 {"--out would replace the file of --config, c.toml"});
  EXPECT_EQ(read_file(folder_ / "c.toml"), "size = 3\nfamily = \"bernoulli\"\n");
}

TEST_F(OwnInput, OfOthersIsNotReplacedByAReproduction) {
  ASSERT_EQ(fit("t.csv", kLabels).code, 0);
  const Files before = files_in("out");
  expect_refusal(giga({"reproduce", "fig1", "--out", "out", "--quiet"}), 73,
                 {"out/run.json: is not of an earlier reproduction", "--force"});
  EXPECT_EQ(files_in("out"), before);
  fs::create_directory(folder_ / "mine");
  write_file(folder_ / "mine/verdicts.md", "mine");
  expect_refusal(giga({"reproduce", "fig1", "--out", "mine", "--quiet"}), 73,
                 {"mine/verdicts.md: is not of"});
}

TEST_F(OwnInput, WithACompanionThatSaysNothingOfItIsRefused) {
  ASSERT_EQ(build({"t.csv", "--out", "c.csv"}).code, 0);
  for (const char* text : {"[]", "{}", "{\"giga\": \"something else\"}"}) {
    write_file(folder_ / "c.json", text);
    expect_refusal(giga({"sample", "c.csv", "--out", "out"}), 65, {"c.json: does not say what is in c.csv"});
  }
}

TEST_F(OwnInput, OfEnormousNumbersIsRefusedByTheSamplerToo) {
  ASSERT_EQ(build({"t.csv", "--out", "c.csv"}).code, 0);
  std::string companion = read_file(folder_ / "c.json");
  const std::size_t mean = companion.find('[', companion.find("\"mean\"")) + 1;
  companion.replace(mean, companion.find(',', mean) - mean, "1e308");
  write_file(folder_ / "c.json", companion);
  const Outcome outcome = giga({"sample", "c.csv", "--out", "out"});
  EXPECT_EQ(outcome.code, 65) << outcome.error;
  expect_words(outcome.error, {"too large for a double"});
}

TEST_F(Limits, SettingsInAFileAreRefusedWithTheirLine) {
  const auto refuses = [&](const std::string& text, const Words& words) {
    write_file(folder_ / "c.toml", text);
    expect_refusal(giga({"build", "t.csv", "--config", "c.toml"}), 64, words);
  };
  refuses("family = \"bernoulli\"\n\n# so many\nsize = -5\n", {"c.toml, line 4: --size is -5"});
  refuses("family = \"bern\n", {"c.toml, line 1: --family is"});
  refuses("family = \"bernoulli\"\nsizzle = 5\n", {"c.toml, line 2: unknown key 'sizzle'"});
  refuses("family = \"bernoulli\"\n[fit]\nsize = 5\n", {"c.toml, line 2: unknown section [fit]"});
}

// Columns of any scale have draws whose sizes and errors are numbers.
TEST_F(Limits, AFeatureOfAnyScaleHasANumberInEveryColumnOfTheSummary) {
  for (const char* scale : {"1e17", "1e120"}) {
    SCOPED_TRACE(scale);
    Matrix table = regression_table(200, 2, ResponseKind::Labels);
    for (std::ptrdiff_t n = 0; n < table.rows; ++n)
      table.values[static_cast<std::size_t>(n * table.cols)] *= std::stod(scale);
    write_file(folder_ / "scaled.csv", csv_of(table));
    ASSERT_EQ(fit("scaled.csv", joined_words(kLabels, {"--force"})).code, 0);
    const auto lines = cells_of(read_file(folder_ / "out/summary.csv"));
    for (const std::string& cell : lines.at(2)) EXPECT_NE(cell, "NaN") << lines.at(2).front();
  }
}

}  // namespace
}  // namespace giga::test
