// What giga fit answers to bad and odd tables, options and outputs: the exit code, what is said, and that
// nothing is left behind; or that it runs, with a note, and its results have no NaN.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "cli/fit_input.hpp"
#include "cli/german_locale.hpp"

namespace giga::test {
namespace {

using namespace std::string_literals;

constexpr double kPatience_s = 2;

class FitBadInput : public FitInput {
 protected:
  Outcome refused_reals(const std::string& file, const std::string& content, const Words& words,
                        const Words& more = {}, int code = 65) const {
    return refused(kReals, file, content, words, more, code);
  }
};

TEST_F(FitBadInput, PathsThatCannotBeReadHaveTheirOwnWords) {
  for (const char* file : {"none.csv", "none.csv.gz", "none.npy", "none.npz", "none.svm", "no/such.csv"})
    expect_refusal(fit(file, kReals), 66, {file + ": no such file"s});
  EXPECT_EQ(folder_.size(), 0);
  std::filesystem::create_directory(folder_ / "folder.csv");
  expect_refusal(fit("folder.csv", kReals), 66, {"folder.csv: is a directory"});
  ASSERT_EQ(::mkfifo((folder_ / "pipe.csv").c_str(), 0600), 0);
  expect_refusal(fit("pipe.csv", kReals), 66, {"pipe.csv: is not a regular file"});
  EXPECT_EQ(folder_.size(), 2);
}

TEST_F(FitBadInput, FileWithoutReadPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write_file(folder_ / "locked.csv", "a,y\n1,2\n");
  ::chmod((folder_ / "locked.csv").c_str(), 0);
  expect_refusal(fit("locked.csv", kReals), 66, {"locked.csv: ", "permission"});
  EXPECT_EQ(folder_.size(), 1);
}

TEST_F(FitBadInput, EmptyFilesAndHeadersWithoutRows) {
  for (const char* file : {"t.csv", "t.csv.gz", "t.npy", "t.npz", "t.svm", "t.libsvm"})
    refused_reals(file, "", {"file is empty"});
  refused_reals("t.csv", "a,b,y\n", {"0 data rows"});
  refused_reals("t.csv.gz", gzipped("a,b,y\n"), {"0 data rows"});
  refused_reals("t.svm", "# nothing\n", {"0 data rows"});
}

TEST_F(FitBadInput, TextThatIsNotUtf8) {
  refused_reals("t.csv", "\xFF\xFE"s + "a\0,\0y\0\n\0"s, {"UTF-16", "convert to UTF-8"});
  refused_reals("t.csv", "\xFE\xFF\0a\0,\0y\0\n"s, {"convert to UTF-8"});
  refused_reals("t.csv", "a,caf\xE9,y\n1,2,3\n", {"invalid UTF-8", "at byte 5"});
  refused_reals("t.csv", "a,y\n1,2\n3\0,4\n"s, {"row 2 (line 3)", "column 'a'", "NUL byte"});
}

TEST_F(FitBadInput, ByteOrderMarksAndLineEndsChangeNoResult) {
  const std::string text = usual_table();
  const Fit plain = fitted(kLabels, "t.csv", text, {"labels: 1 is success, 0 is failure"});
  EXPECT_TRUE(plain.files.at("coreset.csv").starts_with("row,weight,x1,x2,y\n"));
  const std::string crlf = csv_of(regression_table(60, 2, ResponseKind::Labels), ",", true, "\r\n");
  ASSERT_NE(crlf, text);
  for (const std::string& variant :
       {"\xEF\xBB\xBF" + text, crlf, text.substr(0, text.size() - 1), "\xEF\xBB\xBF" + crlf})
    expect_same(fitted(kLabels, "t.csv", variant), plain);
}

TEST_F(FitBadInput, RaggedRowsAreCounted) {
  std::string text = "a,b,c,d,y\n";
  for (int i = 0; i < 16; ++i) text += "1,2,3,4,5\n";
  refused_reals("t.csv", text + "1,2,3,4\n", {"row 17", "has 4 fields, expected 5"});
  refused_reals("t.csv", text + "1,2,3,4,5,6\n", {"row 17", "has 6 fields, expected 5"});
}

TEST_F(FitBadInput, NamesOfColumns) {
  refused_reals("t.csv", "a,b,a,y\n1,2,3,4\n", {"columns 1 and 3", "'a'"});
  refused_reals("t.csv", "a;b;y\n1;2;3\n", {"found 1 column; is the delimiter ';'?"});
  refused_reals("t.csv", "city,a,y\nParis,1,2\n7,3,4\n", {"column 'city'", "'Paris'", "--features"});
}

TEST_F(FitBadInput, HostileNamesOfColumnsAreInertEverywhere) {
  const Matrix table = regression_table(60, 5, ResponseKind::Labels);
  const std::string body = csv_of(table, ",", false);
  const Fit fit =
      fitted(kLabels, "t.csv", "<script>alert(1)</script>,=cmd(),\"a,\"\"b\",lp__,\"\x1b[31m\n\",y\n" + body);
  const std::string& coreset = fit.files.at("coreset.csv");
  EXPECT_TRUE(coreset.starts_with("row,weight,<script>alert(1)</script>,'=cmd(),\"a,\"\"b\",lp__,"))
      << coreset;
  EXPECT_TRUE(has(fit.files.at("summary.csv"), "\n'=cmd(),")) << fit.files.at("summary.csv");
  EXPECT_FALSE(has(fit.files.at("summary.csv"), "\n=cmd(),"));
  const std::string& page = fit.files.at("report.html");
  EXPECT_FALSE(has(page, "<script>alert"));
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_TRUE(has(fit.files.at("draws_1.csv"), "energy__,script_alert_1_script,cmd,a_b,lp__v,"));
  for (const std::string& shown : {fit.outcome.out, fit.outcome.error, page})
    EXPECT_FALSE(has(shown, "\x1b")) << shown;
  EXPECT_EQ(fit.record["parameters"][0]["name"], "<script>alert(1)</script>");
}

TEST_F(FitBadInput, CellsThatAreNoNumbers) {
  for (const std::string cell : {"\"1,5\"", "1 000", "0x1p3", "1.5abc"}) {
    const std::string shown = cell[0] == '"' ? "1,5" : cell;
    refused_reals("t.csv", "a,y\n1,2\n" + cell + ",3\n",
                  {"row 2 (line 3), column 'a': '" + shown + "' is not a number"});
  }
  refused_reals("t.csv", "a,y\n1e400,1\n", {"row 1 (line 2), column 'a'", "overflow"});
  for (const Words& more : {Words{}, Words{"--missing", "drop"}})
    refused_reals("t.csv", "a,y\n1,2\n-inf,1\n", {"row 2 (line 3), column 'a': '-inf' is infinite"}, more);
}

TEST_F(FitBadInput, NumbersTooSmallForADoubleAreCounted) {
  std::string text = usual_table(40, ResponseKind::Reals);
  (void)fitted(kReals, "t.csv", text + "1e-400,1,1\n", {"note: 1 number too small for a double read as 0"});
}

TEST_F(FitBadInput, MissingValuesAreRefusedOrDropped) {
  refused_reals("t.csv", "a,b,y\n1,NA,3\n,2,3\n1,2,3\nNaN,nan,3\n1,2,\n,,\n",
                {"8 missing values", "row 1 (line 2), column 'b'; row 2 (line 3), column 'a'; row 4 (line 5)",
                 "row 5 (line 6), column 'y'; ...", "--missing drop"});
  const std::string text = usual_table(40);
  const Fit whole = fitted(kLabels, "t.csv", text);
  const Fit dropped =
      fitted(kLabels, "t.csv", text + "NA,1,0\n1,,1\n", {"dropped 2 rows of 42"}, {"--missing", "drop"});
  expect_same(dropped, whole);
}

TEST_F(FitBadInput, LabelsOfBothCodingsLoadAndTheirMeaningIsTold) {
  Matrix table = regression_table(60, 2, ResponseKind::Labels);
  const Fit zero = fitted(kLabels, "t.csv", csv_of(table), {"labels: 1 is success, 0 is failure"});
  for (std::ptrdiff_t n = 0; n < table.rows; ++n) {
    double& y = table.values[static_cast<std::size_t>(n * table.cols + 2)];
    y = 2 * y - 1;
  }
  const Fit minus = fitted(kLabels, "t.csv", csv_of(table), {"labels: 1 is success, -1 is failure"});
  EXPECT_EQ(minus.files.at("summary.csv"), zero.files.at("summary.csv"));
}

TEST_F(FitBadInput, ResponsesThatDoNotFitTheFamily) {
  refused(kLabels, "t.csv", "a,y\n1,0\n2,1\n3,2\n", {"column 'y'", "0, 1, 2"});
  for (const std::string y : {"-1", "2.5"})
    refused(kCounts, "t.csv", "a,y\n1,2\n2," + y + "\n",
            {"row 2 (line 3), column 'y'", y, "needs a non-negative integer"});
  refused_reals("t.csv", "a,b,y\n1,2,3\n", {"no column 'z'; have: a, b, y"}, {"--response", "z"}, 64);
}

TEST_F(FitBadInput, OneClassOnlyRunsWithANote) {
  std::string text = "a,y\n";
  for (int n = 0; n < 30; ++n) text += std::to_string(n * 7 % 13) + ",1\n";
  const Fit fit = fitted(kLabels, "t.csv", text, {"every label is 1: one class only"});
  EXPECT_TRUE(has(fit.files.at("report.html"), "one class only"));
}

// A megabyte beyond what refusing two letters takes: no header is believed.
TEST_F(FitBadInput, NpyHeadersAreNotBelieved) {
  const std::string good = npy_of({2, 3, {1, 2, 3, 4, 5, 6}});
  const long usual = refused_reals("t.npy", "xy", {"not a"}).peak_kilobytes;
  const auto cheap = [&](const std::string& content, const Words& words) {
    EXPECT_LE(refused_reals("t.npy", content, words).peak_kilobytes, usual + 1024);
  };
  cheap("PK" + good.substr(2), {"not a .npy file"});
  std::string beyond = good;
  beyond[8] = '\xFF', beyond[9] = '\xFF';
  cheap(beyond, {"header"});
  cheap(npy_of(dict_of("<f8", "(-1,)"), ""), {"shape"});
  cheap(npy_of(dict_of("<f8", "(4294967296, 4294967296)"), "12345678"), {});
  cheap(good.substr(0, good.size() - 1), {"bytes"});
  cheap(good + "x", {"bytes"});
  cheap(npy_of(dict_of("|O", "(2, 3)"), ""), {"object arrays are refused"});
  cheap(npy_of("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 2), }\n", ""), {"float64"});
  cheap(npy_of(dict_of("<c16", "(1, 1)"), std::string(16, '\0')), {"float64"});
}

TEST_F(FitBadInput, NpyOfEveryTypeAndOrderGivesTheSameResults) {
  Matrix table = whole_numbers(50, 3, 0, 100);
  for (std::ptrdiff_t n = 0; n < table.rows; ++n) {
    double& y = table.values[static_cast<std::size_t>(n * 3 + 2)];
    y = y > 50 ? 1 : 0;
  }
  const Fit plain = fitted(kLabels, "t.csv", csv_of(table));
  for (const std::string& file :
       {npy_of(table), npy_as<double>(table, ">f8"), npy_as<double>(table, "<f8", true),
        npy_as<float>(table, "<f4"), npy_as<std::int8_t>(table, "|i1"), npy_as<std::int16_t>(table, ">i2"),
        npy_as<std::int32_t>(table, "<i4"), npy_as<std::int64_t>(table, "<i8"),
        npy_as<std::uint8_t>(table, "|u1"), npy_as<std::uint16_t>(table, "<u2"),
        npy_as<std::uint32_t>(table, ">u4"), npy_as<std::uint64_t>(table, "<u8", true)})
    expect_same(fitted(kLabels, "t.npy", file), plain);
  expect_same(fitted(kLabels, "t.npz", npz_of(table)), plain);
  Matrix binary = whole_numbers(50, 3, 0, 1);
  expect_same(fitted(kLabels, "t.npy", npy_as<char>(binary, "|b1")),
              fitted(kLabels, "t.csv", csv_of(binary)));
}

TEST_F(FitBadInput, ArchivesAreNotBelieved) {
  for (const BadFile& archive : damaged_archives()) refused_reals("t.npz", archive.bytes, archive.words);
  EXPECT_FALSE(std::filesystem::exists(folder_.path().parent_path().parent_path() / "X.npy"));
}

TEST_F(FitBadInput, LibsvmTokens) {
  refused_reals("t.svm", "1 1:2\n1 0:3\n", {"line 2", "'0:3'", "count from 1"});
  refused_reals("t.svm", "1 1:2\n1 3:1 2:5\n", {"line 2", "'2:5'", "not ascending"});
  refused_reals("t.svm", "1 1:2\n1 2:1 2:5\n", {"line 2", "'2:5'", "repeated"});
  refused_reals("t.svm", "1 1:2\n1 3:\n", {"line 2", "'3:'"});
  refused_reals("t.svm", "1 1000000000:2\n", {"dense needs 8 GB"});
}

TEST_F(FitBadInput, OddTablesRunWithANote) {
  const std::string ones = "a,b,y\n1,2,1\n", zeros = "a,b,c,y\n0,5,1,1\n0,5,2,0\n0,5,4,1\n0,5,-1,0\n";
  for (const Words& family : {kLabels, kCounts, kReals}) {
    (void)fitted(family, "t.csv", ones, {"note: there are fewer rows (1) than parameters (3)"});
    (void)fitted(family, "t.csv", zeros, {"note: 2 columns 'a', 'b' are constant"});
    (void)fitted(family, "t.csv", "a,b,c,d,y\n1,2,3,4,0\n5,4,2,9,1\n0,1,3,1,1\n",
                 {"note: there are fewer rows (3) than parameters (5)"});
    (void)fitted(family, "t.csv", "a,y\n1,1\n2,0\n1,1\n2,0\n1,1\n2,0\n", {"note: 4 of 6 rows repeat"});
  }
}

TEST_F(FitBadInput, HugeAndTinyNumbersRunOrAreTheFilesFault) {
  const std::string huge =
      "a,b,y\n1e300,1e-300,1\n-1e300,2e-300,0\n2e299,-3e-300,1\n1e-400,1e-320,0\n1,2,1\n";
  for (const Words& family : {kLabels, kCounts, kReals})
    (void)fitted(family, "t.csv", huge, {"note: 1 number too small for a double read as 0"});
  refused_reals("t.csv", "a,y\n1,1e200\n2,5\n", {"rescale the columns"});
  refused_reals("t.csv", "a,b,y\n1e155,1,1\n-2e155,2,0\n2e150,-3,1\n", {"rescale the columns"},
                {"--no-standardise"});
}

TEST_F(FitBadInput, SeparableLabelsAreSaidToBe) {
  std::string text = "a,y\n";
  for (int n = 0; n < 60; ++n)
    text += std::to_string(n < 30 ? -5 - n % 7 : 5 + n % 5) + (n < 30 ? ",0\n" : ",1\n");
  const Fit fit = fitted(kLabels, "t.csv", text, {"perfectly separable"});
  EXPECT_EQ(fit.record["separable"], true);
  EXPECT_TRUE(has(fit.files.at("report.html"), "perfectly separable"));
}

// giga build gives an empty coreset, `zero_target`; of that there is no posterior to draw from.
TEST_F(FitBadInput, VectorsThatSumToZeroAreRefused) {
  write_file(folder_ / "t.csv", "a,y\n0,1\n0,0\n0,1\n");
  const Outcome outcome = fit("t.csv", {"--family", "bernoulli", "--no-intercept"});
  EXPECT_EQ(outcome.code, 65);
  EXPECT_EQ(outcome.out, "");
  expect_words(outcome.error, {"error: t.csv: ", "the coreset is empty and there is nothing to sample"});
  EXPECT_EQ(folder_.size(), 1);
}

TEST_F(FitBadInput, OptionsOutsideTheirRange) {
  write_file(folder_ / "t.csv", usual_table());
  const auto wrong = [this](const Words& option, const Words& words) {
    SCOPED_TRACE(joined(option, " "));
    const Words model = {"fit", "t.csv", "--out", "out", "--family", "bernoulli"};
    expect_refusal(giga(joined_words(model, option)), 64, words);
    EXPECT_EQ(folder_.size(), 1);
  };
  for (const std::string size : {"0", "-5", "abc", "99999999999999999999"})
    wrong({"--size", size}, {"--size is ", size, "from 1 to 1000000000"});
  wrong({"--seed", "-1"}, {"--seed is -1", "from 0 to 18446744073709551615"});
  wrong({"--target-accept", "1.5"}, {"--target-accept is 1.5", "from 0 to 1"});
  wrong({"--target-accept", "1"}, {"--target-accept is 1", "both excluded"});
  wrong({"--chains", "0"}, {"--chains is 0", "from 1 to 256"});
  wrong({"--draws", "0"}, {"--draws is 0", "from 1 to "});
  wrong({"--tolerance", "nan"}, {"--tolerance is 'nan'", "from 0 to 1"});
  wrong({"--sise", "10"}, {"unknown option '--sise'; did you mean --size?"});
  wrong({"--family", "bernoulli"}, {"--family is given 2 times"});
  wrong({"t.csv"}, {"t.csv: is given twice; name it once"});
}

TEST_F(FitBadInput, SizeAboveTheRowsIsCappedWithANote) {
  const Fit fit = fitted(kLabels, "t.csv", usual_table(20), {"--size 1000000000 is more than the 20"},
                         {"--size", "1000000000"});
  EXPECT_EQ(fit.record["options"]["size"], 20);
}

// 2 TB of them.
TEST_F(FitBadInput, MoreDrawsThanTheMemoryHoldsAreRefused) {
  write_file(folder_ / "t.csv", csv_of(regression_table(60, 50, ResponseKind::Labels)));
  const Outcome outcome = giga({"fit", "t.csv", "--family", "bernoulli", "--draws", "10000000", "--chains",
                                "256", "--quiet", "--out", "out"});
  expect_refusal(outcome, 71, {"256 chains of 10000000 draws take"});
  EXPECT_EQ(folder_.size(), 1);
}

TEST_F(FitBadInput, ExistingOutputIsKeptUnlessForced) {
  write_file(folder_ / "t.csv", usual_table());
  ASSERT_EQ(fit("t.csv", kLabels).code, 0);
  const Files before = files_in("out");
  expect_refusal(fit("t.csv", kLabels), 73, {"out: has the files of an earlier run; use --force"});
  EXPECT_EQ(files_in("out"), before);
  const Outcome forced = fit("t.csv", joined_words(kLabels, {"--seed", "2", "--force"}));
  EXPECT_EQ(forced.code, 0) << forced.error;
  expect_complete(files_in("out"));
  EXPECT_NE(files_in("out").at("draws_1.csv"), before.at("draws_1.csv"));
}

TEST_F(FitBadInput, BadDataLeaveAnEarlierRunAsItWas) {
  write_file(folder_ / "t.csv", usual_table());
  ASSERT_EQ(fit("t.csv", kLabels).code, 0);
  const Files before = files_in("out");
  write_file(folder_ / "t.csv", "a,y\n1,x\n2,1\n");
  expect_refusal(fit("t.csv", joined_words(kLabels, {"--force"})), 65, {"'x' is not a number"});
  EXPECT_EQ(files_in("out"), before);
}

TEST_F(FitBadInput, FoldersThatCannotBeMade) {
  const auto into = [this](const std::string& out) {
    return giga(joined_words({"fit", "t.csv", "--out", out}, joined_words(kQuick, kLabels)));
  };
  write_file(folder_ / "t.csv", usual_table());
  expect_refusal(into("no/such"), 73, {"no/such: the folder no does not exist; make it first"});
  expect_refusal(into("t.csv"), 73, {"t.csv: is a file"});
  expect_refusal(into("t.csv/out"), 73, {"t.csv/out: the folder t.csv does not exist"});
  expect_refusal(into("/proc/giga-fit"), 73, {"/proc/giga-fit: "});
  expect_refusal(into("-"), 64, {"--out is -"});
  expect_refusal(into(""), 64, {"--out is empty"});
  EXPECT_EQ(folder_.size(), 1);
}

TEST_F(FitBadInput, FolderWithoutWritePermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  write_file(folder_ / "t.csv", usual_table());
  std::filesystem::create_directory(folder_ / "out");
  ::chmod((folder_ / "out").c_str(), 0500);
  expect_refusal(fit("t.csv", kLabels), 73, {"out: no permission"});
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "out"));
}

TEST_F(FitBadInput, DiskThatIsFullAtOnceLeavesNothing) {
  write_file(folder_ / "t.csv", usual_table());
  const Outcome outcome = fit("t.csv", kLabels, with_file_limit(200));
  expect_refusal(outcome, 74, {"out/partial/request.json: cannot write: "});
  EXPECT_EQ(folder_.size(), 1);
}

// The report is the one file that does not fit: what was computed is kept, and the earlier run is intact.
TEST_F(FitBadInput, DiskThatIsFullAtTheEndKeepsTheOldRunAndTheNewWork) {
  write_file(folder_ / "t.csv", usual_table());
  const Words model = joined_words(kLabels, {"--no-times"});
  const Words another = joined_words(model, {"--seed", "2", "--force"});
  ASSERT_EQ(fit("t.csv", another).code, 0);
  const Files expected = files_in("out");
  ASSERT_EQ(fit("t.csv", joined_words(model, {"--force"})).code, 0);
  const Files before = files_in("out");
  ASSERT_NE(before.at("run.json"), expected.at("run.json"));

  const Outcome outcome = fit("t.csv", another, with_file_limit(100'000));
  EXPECT_EQ(outcome.code, 74) << outcome.error;
  EXPECT_EQ(outcome.out, "");
  expect_words(outcome.error, {"error: out/report.html: cannot write: ",
                               "note: what was done is kept; go on with: giga fit --resume out\n"});
  for (const auto& [name, content] : files_in("out")) {
    if (before.contains(name)) {
      EXPECT_EQ(content, before.at(name)) << name;
    } else {
      EXPECT_TRUE(name.starts_with("partial/") && !has(name, ".tmp")) << name;
    }
  }
  const Outcome resumed = giga({"fit", "--resume", "out"});
  EXPECT_EQ(resumed.code, 0) << resumed.error;
  EXPECT_TRUE(files_in("out") == expected);
}

TEST_F(FitBadInput, FullStdoutIsAnIoErrorThatLeavesTheResult) {
  write_file(folder_ / "t.csv", usual_table());
  Launch launch;
  launch.out = "/dev/full";
  const Outcome outcome = fit("t.csv", kLabels, launch);
  EXPECT_EQ(outcome.code, 74);
  expect_words(outcome.error, {"giga: error: stdout: cannot write"});
  expect_complete(files_in("out"));
  EXPECT_EQ(giga({"fit", "--resume", "out"}).error, "giga: note: the run in out is complete\n");
}

// A million draws: while they are made the chains are asked to stop.
TEST_F(FitBadInput, InterruptStopsInTimeAndNamesTheWayToGoOn) {
  write_file(folder_ / "t.csv", usual_table());
  Launch launch;
  launch.signal = SIGINT;
  launch.signal_after_s = 1.5;
  const Words model = {"fit", "t.csv", "--family", "bernoulli", "--draws", "1000000", "--out", "out"};
  const Outcome outcome = giga(model, launch);
  EXPECT_EQ(outcome.code, 130) << outcome.error;
  EXPECT_LT(outcome.seconds_after_signal, kPatience_s);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.error.ends_with("giga: stopped; go on with: giga fit --resume out\n")) << outcome.error;
  Words names;
  for (const auto& [name, content] : files_in("out")) {
    names.push_back(name);
    EXPECT_FALSE(nlohmann::json::parse(content, nullptr, false).is_discarded()) << name;
  }
  EXPECT_EQ(names, (Words{"partial/request.json", "partial/state.json"}));
  expect_refusal(giga(model), 73, {"out: has a run that was stopped", "giga fit --resume out", "--force"});
}

TEST_F(FitBadInput, DecimalCommaLocaleChangesNoByte) {
  const GermanLocale locale;
  if (!locale.made()) GTEST_SKIP() << "no decimal-comma locale can be made here";
  const Words more = {"--no-times", "--prior-scale", "1.5"};
  const Fit plain = fitted(kLabels, "t.csv", usual_table(), {}, more);
  Launch german;
  german.environment = locale.environment();
  EXPECT_EQ(fitted(kLabels, "t.csv", usual_table(), {}, more, german).files, plain.files);
}

TEST_F(FitBadInput, StandardInputIsNamedAndLeavesNoPartialRun) {
  write_file(folder_ / "t.csv", "a,y\n1,2\nx,3\n");
  Launch launch;
  launch.input = folder_ / "t.csv";
  expect_refusal(fit("-", kReals, launch), 65, {"standard input: row 2 (line 3), column 'a': 'x'"});
  EXPECT_EQ(folder_.size(), 1);
  write_file(folder_ / "t.csv", usual_table());
  const Outcome good = fit("-", kLabels, launch);
  EXPECT_EQ(good.code, 0) << good.error;
  expect_words(good.error, {"this run cannot be resumed"});
  expect_complete(files_in("out"));
}

}  // namespace
}  // namespace giga::test
