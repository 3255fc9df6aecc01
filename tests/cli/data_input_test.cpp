// Tables that cannot be used: the exit code, one line that says where and what to do, nothing left behind and
// no more memory than the file is worth.
#include <sys/stat.h>
#include <unistd.h>

#include "cli/data_files.hpp"

namespace giga::test {
namespace {

using namespace std::string_literals;

using Words = std::vector<std::string>;

// Sanitizers have memory of their own. The peak of a command includes that of the test at its start, so the
// files here are small in the test's memory as well.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kMostKilobytes = 1024 * 1024;
#else
constexpr long kMostKilobytes = 64 * 1024;
#endif

class BadData : public DataCommand {
 protected:
  // Refused with `code`; the line begins with the file's name and has all the words.
  Outcome refused(const std::string& file, const std::string& content, const Words& words,
                  const Words& more = {}, int code = 65) const {
    const Words family = {"--family", "gaussian"};
    return refused_by(family, file, content, words, more, code);
  }

  Outcome refused_by(const Words& family, const std::string& file, const std::string& content,
                     const Words& words, const Words& more = {}, int code = 65) const {
    SCOPED_TRACE(file + ": " + printable(content));
    write_file(folder_ / file, content);
    Words all = family;
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), {"--out", "c.csv"});
    Outcome outcome = build(file, all);
    expect_refused(outcome, code, file + ": ", words);
    EXPECT_LE(outcome.peak_kilobytes, kMostKilobytes + 4 * static_cast<long>(content.size()) / 1024);
    EXPECT_EQ(folder_.size(), 1) << "something beside the input is left";
    std::filesystem::remove(folder_ / file);
    return outcome;
  }

  static void expect_refused(const Outcome& outcome, int code, const std::string& start, const Words& words) {
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.error.starts_with("giga: error: " + start)) << outcome.error;
    EXPECT_EQ(count_of(outcome.error, "\n"), 1) << outcome.error;
    EXPECT_TRUE(outcome.error.ends_with("\n"));
    for (const std::string& word : words)
      EXPECT_NE(outcome.error.find(word), std::string::npos) << outcome.error << "  lacks: " << word;
  }
};

TEST_F(BadData, PathsThatCannotBeReadHaveTheirOwnWords) {
  const Words family = {"--family", "gaussian", "--out", "c.csv"};
  for (const char* file :
       {"none.csv", "none.csv.gz", "none.npy", "none.npz", "none.svm", "none", "no/such.csv"})
    expect_refused(build(file, family), 66, file + ": "s, {"no such file"});
  std::filesystem::create_directory(folder_ / "folder.csv");
  expect_refused(build("folder.csv", family), 66, "folder.csv: ", {"is a directory"});
  if (::geteuid() != 0) {
    write_file(folder_ / "locked.csv", "a,y\n1,2\n");
    ::chmod((folder_ / "locked.csv").c_str(), 0);
    expect_refused(build("locked.csv", family), 66, "locked.csv: ", {"permission"});
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "c.csv"));
}

TEST_F(BadData, PathsInMessagesAreInert) {
  const auto outcome = build("a\x1b[31m\n.csv", {"--family", "gaussian"});
  EXPECT_EQ(outcome.error.find('\x1b'), std::string::npos);
  EXPECT_EQ(count_of(outcome.error, "\n"), 1) << outcome.error;
}

TEST_F(BadData, EmptyFilesAndHeadersWithoutRows) {
  for (const char* file : {"t.csv", "t.csv.gz", "t.npy", "t.npz", "t.svm", "t.libsvm"})
    refused(file, "", {"file is empty"});
  refused("t.csv", "\n\n", {"file is empty"});
  refused("t.csv", "a,b,y\n", {"0 data rows"});
  refused("t.csv.gz", gzipped("a,b,y\n"), {"0 data rows"});
  refused("t.svm", "# nothing\n", {"0 data rows"});
}

TEST_F(BadData, ExtensionsThatAreNotRead) {
  refused("t.dat", "a,y\n1,2\n",
          {".csv, .tsv or .txt", ".parquet", ".npy, .npz, .svm or .libsvm", "standard input"});
  for (const char* file : {"t.xlsx", "t.xls", "t.json", "t.feather", "t.rds"})
    refused(file, "PAR1", {"files are not read; export it as CSV or Parquet"});
}

TEST_F(BadData, TextThatIsNotUtf8) {
  refused("t.csv", "\xFF\xFE"s + "a\0,\0y\0\n\0"s, {"convert to UTF-8", "iconv -f UTF-16 -t UTF-8"});
  refused("t.csv", "\xFE\xFF\0a\0,\0y\0\n"s, {"convert to UTF-8"});
  refused("t.csv", "a,caf\xE9,y\n1,2,3\n",
          {"invalid UTF-8", "at byte 5", "\\xe9", "iconv -f LATIN1 -t UTF-8"});
  refused("t.csv", "a,y\n1,2\n3\0,4\n"s, {"row 2 (line 3)", "column 'a'", "NUL byte", "save the file"});
}

TEST_F(BadData, RaggedRowsAreCounted) {
  std::string text = "a,b,c,d,y\n";
  for (int i = 0; i < 16; ++i) text += "1,2,3,4,5\n";
  refused("t.csv", text + "1,2,3,4\n", {"row 17 (line 18) has 4 fields, expected 5"});
  refused("t.csv", text + "1,2,3,4,5,6\n", {"row 17 (line 18) has 6 fields, expected 5"});
  refused("t.csv.gz", gzipped(text + "1,2,3,4\n"), {"row 17 (line 18) has 4 fields, expected 5"});
}

TEST_F(BadData, NamesOfColumns) {
  refused("t.csv", "a,b,a,y\n1,2,3,4\n", {"columns 1 and 3", "'a'", "rename"});
  refused("t.csv", "a;b;y\n1;2;3\n", {"found 1 column; is the delimiter ';'?", "--delimiter ';'\n"});
  refused("t.csv", "a\tb\ty\n1\t2\t3\n", {"is the delimiter a tab?", "--delimiter tab\n"});
  refused("t.csv", "# made by R\na,b,y\n1,2,3\n", {"line 1", "comment lines are not read", "remove"});
  refused("t.csv", "1,2.5,-3\n4,5,6\n", {"line 1", "'1,2.5,-3'", "--no-header"});
  refused("t.csv", "y\n1\n", {"no features"});
}

TEST_F(BadData, CellsThatAreNoNumbers) {
  for (const std::string cell : {"\"1,5\"", "1 000", "0x1p3", "1.5abc"}) {
    const std::string shown = cell[0] == '"' ? "1,5" : cell;
    refused("t.csv", "a,y\n1,2\n" + cell + ",3\n",
            {"row 2 (line 3), column 'a': '" + shown + "' is not a number",
             shown == "1,5" ? "write a point" : "correct it"});
    refused("t.csv", "a,y\n1,2\n3," + cell + "\n", {"row 2 (line 3), column 'y': '" + shown + "'"});
  }
  refused("t.csv", "a,y\n1e400,1\n", {"row 1 (line 2), column 'a'", "'1e400' overflow", "rescale"});
  for (const std::string cell : {"inf", "-Infinity", "INF"}) {
    for (const Words& more : {Words{}, Words{"--missing", "drop"}})
      refused("t.csv", "a,y\n1,2\n" + cell + ",1\n",
              {"row 2 (line 3), column 'a': '" + cell + "' is infinite"}, more);
  }
  const auto outcome = refused("t.csv", "a,y\n" + std::string(500, 'z') + "\x1b[31m,1\n2,1\n", {"zzz...'"});
  EXPECT_EQ(count_of(outcome.error, "z"), 80);
}

TEST_F(BadData, MissingValuesAreCountedAndPlaced) {
  const std::string text = "a,b,y\n1,NA,3\n,2,3\n1,2,3\nNaN,nan,3\n1,2,\n,,\n";
  refused("t.csv", text,
          {"8 missing values", "3 in 'a', 3 in 'b', 2 in 'y'",
           "row 1 (line 2), column 'b'; row 2 (line 3), column 'a'; row 4 (line 5)",
           "row 5 (line 6), column 'y'; ...", "--missing drop"});
  refused("t.csv", "a,y\n1,\n", {"1 missing value ", "row 1 (line 2), column 'y'"});
  refused("t.csv", "a,y\n1,\n,1\n", {"all 2 rows have missing values"}, {"--missing", "drop"});
  const auto empty =
      refused("t.csv", "a,b,y,\n1,2,3,\n4,5,6,\n", {"column 4", "empty in every row", "--features"});
  EXPECT_EQ(empty.error.find("--missing"), std::string::npos) << empty.error;
}

TEST_F(BadData, WordsAmongNumbers) {
  refused("t.csv", "city,a,y\n7,1,2\nRome,3,4\n", {"column 'city'", "'Rome'", "--features", "--categories"});
  refused("t.csv", "late,a,y\n1,1,2\nFALSE,3,4\n",
          {"column 'late'", "'FALSE'", "write 1 and 0", "--features", "--categories"});
}

TEST_F(BadData, ResponsesThatDoNotFitTheFamily) {
  const Words bernoulli = {"--family", "bernoulli"}, poisson = {"--family", "poisson"};
  refused_by(bernoulli, "t.csv", "a,y\n1,0\n2,1\n3,2\n", {"column 'y'", "0, 1, 2", "-1 and 1"});
  refused_by(bernoulli, "t.csv", "a,y\n1,-1\n2,1\n3,0\n", {"-1, 0, 1"});
  refused_by(bernoulli, "t.csv", "a,y\n1,0.5\n", {"0.5", "bernoulli needs"});
  for (const char* link : {"log", "softplus"}) {
    for (const std::string y : {"-1", "2.5", "1e300"})
      refused_by(poisson, "t.csv", "a,y\n1,2\n2," + y + "\n",
                 {"row 2 (line 3), column 'y'", shortest(std::stod(y)), "needs a non-negative integer"},
                 {"--link", link});
  }
  refused_by(poisson, "t.csv", "a,y\n1,NA\n2,-1\n", {"row 2 (line 3), column 'y' is -1"},
             {"--missing", "drop"});
}

TEST_F(BadData, ObservationWeights) {
  refused("t.csv", "a,y,w\n1,2,1\n1,2,-0.5\n", {"row 2 (line 3), column 'w'", "'-0.5'", "0 or more"},
          {"--weights", "w"});
  refused("t.csv", "a,y,w\n1,2,0\n3,4,0\n", {"all weights are 0"}, {"--weights", "w"});
  refused("t.csv", "a,y,w\n1,2,inf\n", {"infinite", "--weights"}, {"--weights", "w"});
}

TEST_F(BadData, NoSuchColumnIsWrongUsage) {
  refused("t.csv", "a,b,y\n1,2,3\n", {"no column 'z'; have: a, b, y"}, {"--response", "z"}, 64);
  refused("t.csv", "a,b,y\n1,2,3\n", {"no column 'z'; have: a, b, y"}, {"--features", "a,z"}, 64);
  refused("t.csv", "a,b,y\n1,2,3\n", {"no column 'z'; have: a, b, y"}, {"--weights", "z"}, 64);
  refused("t.csv", "a,b,y\n1,2,3\n", {"column 'y'", "--features", "one role"}, {"--features", "a,y"}, 64);
  refused("t.npy", npy_of({1, 3, {1, 2, 3}}), {"no column 'z'; have: x1, x2, y"}, {"--response", "z"}, 64);
}

// A megabyte beyond what refusing two letters takes: no header is believed.
TEST_F(BadData, NpyHeadersAreNotBelieved) {
  const std::string good = npy_of({2, 3, {1, 2, 3, 4, 5, 6}});
  const long usual = refused("t.npy", "xy", {"not a"}).peak_kilobytes;
  const auto cheap = [&](const std::string& content, const Words& words) {
    EXPECT_LE(refused("t.npy", content, words).peak_kilobytes, usual + 1024);
  };
  cheap("PK" + good.substr(2), {"not a .npy file", "numpy.save"});
  std::string beyond = good;
  beyond[8] = '\xFF', beyond[9] = '\xFF';
  cheap(beyond, {"header"});
  cheap(npy_of(dict_of("<f8", "(-1,)"), ""), {"shape"});
  cheap(npy_of(dict_of("<f8", "(4294967296, 4294967296)"), "12345678"), {});
  cheap(npy_of(dict_of("<f8", "(1000000000, 100)"), "12345678"), {"bytes"});
  cheap(good.substr(0, good.size() - 1), {"bytes"});
  cheap(good + "x", {"bytes"});
  cheap(npy_of(dict_of("|O", "(2, 3)"), ""), {"object arrays are refused"});
  cheap(npy_of(dict_of("<c16", "(1, 1)"), std::string(16, '\0')), {"float64"});
  cheap(npy_of("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 2), }\n", ""), {"float64"});
  cheap(npy_of({2, 2, {1, 2, std::nan(""), 4}}), {"1 missing value", "row 2, column 'x1'", "--missing drop"});
  cheap(npy_of({2, 2, {1, 2, 3, HUGE_VAL}}), {"row 2, column 'y'", "infinite"});
}

TEST_F(BadData, ArchivesAreNotBelieved) {
  for (const BadFile& archive : damaged_archives()) refused("t.npz", archive.bytes, archive.words);
  EXPECT_FALSE(std::filesystem::exists(folder_.path().parent_path().parent_path() / "X.npy"));
}

TEST_F(BadData, LibsvmTokens) {
  refused("t.svm", "1 1:2\n1 0:3\n", {"line 2", "'0:3'", "count from 1"});
  refused("t.svm", "1 1:2\n1 3:1 2:5\n", {"line 2", "'2:5'", "not ascending"});
  refused("t.svm", "1 1:2\n1 2:1 2:5\n", {"line 2", "'2:5'", "repeated"});
  refused("t.svm", "1 1:2\n1 3:\n", {"line 2", "'3:'"});
  refused("t.svm", "1 1:2\n1 a:1\n", {"line 2", "'a:1'"});
  refused("t.svm", "1 1:2x\n", {"line 1", "'2x' is not a number"});
  refused("t.svm", "1 1000000000:2\n", {"dense needs 8 GB"});
}

TEST_F(BadData, DamagedGzip) {
  const std::string whole = gzipped(csv_of(regression_table(200, 2, ResponseKind::Reals)));
  refused("t.csv.gz", "a,y\n1,2\n", {"not gzip"});
  refused("t.csv.gz", whole.substr(0, whole.size() / 2), {"ends early"});
}

// 200 MB of text in 200 kB.
TEST_F(BadData, InflatedTextIsRefusedInBoundedMemory) {
  const std::string piece = gzipped(std::string(1'000'000, '1'));
  std::string bomb = gzipped("a,y\n");
  for (int i = 0; i < 200; ++i) bomb += piece;
  refused("t.csv.gz", bomb, {"a row is longer than"});
}

TEST_F(BadData, StandardInputIsNamedInMessages) {
  write_file(folder_ / "t.csv", "a,y\n1,2\nx,3\n");
  const auto outcome = run(Launch{.arguments = {"build", "-", "--family", "gaussian", "--out", "c.csv"},
                                  .input = folder_ / "t.csv",
                                  .folder = folder_.path()});
  expect_refused(outcome, 65, "standard input: ", {"row 2 (line 3), column 'a': 'x' is not a number"});
  EXPECT_EQ(folder_.size(), 1);
  expect_refused(run({"build", "-", "--family", "gaussian"}), 65, "standard input: ", {"file is empty"});
}

}  // namespace
}  // namespace giga::test
