// Data that cannot be used, and what the user is told: the file, the row as they count it, the column, the
// value, and what to do.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/csv_reader.hpp"
#include "giga/base/threads.hpp"
#include "tables.hpp"

namespace giga {
namespace {

using namespace test;
using namespace std::string_literals;

void expect_refusal(const std::string& name, const std::string& content, const std::string& words,
                    const ReadOptions& options = {}) {
  const std::string message = refusal(name, content, options);
  EXPECT_EQ(message.find(name + ": "), 0U) << message;
  EXPECT_NE(message.find(words), std::string::npos) << message << "\n  lacks: " << words;
}

void expect_csv_refusal(const std::string& content, const std::string& words,
                        const ReadOptions& options = {}) {
  expect_refusal("t.csv", content, words, options);
  expect_refusal("t.csv.gz", gzipped(content), words, options);
}

TEST(BadTables, EmptyFilesAreEmptyInAnyFormat) {
  for (const char* name : {"t.csv", "t.csv.gz", "t.npy", "t.npz", "t.svm", "t.libsvm"}) {
    EXPECT_EQ(refusal(name, ""), name + ": file is empty"s);
  }
  expect_refusal("t.csv.gz", gzipped(""), "file is empty");
  expect_csv_refusal("\n\r\n\n", "file is empty");
  expect_csv_refusal("a,b,y\n", "0 data rows");
  expect_csv_refusal("a,b,y\r\n\r\n\n", "0 data rows");
  expect_csv_refusal("a,b,y", "0 data rows");
  expect_refusal("t.svm", "# nothing\n\n", "0 data rows");
  expect_csv_refusal("a,y\r", "0 data rows");
}

TEST(BadTables, PathsThatAreNoFilesHaveTheirOwnWords) {
  const TempDir dir;
  for (const char* name : {"none.csv", "none.csv.gz", "none.npy", "none.npz", "none.svm", "none.txt"}) {
    const std::string message =
        message_of<InputMissing>([&] { (void)read_dataset(dir / name, {}, two_threads()); });
    EXPECT_NE(message.find("no such file"), std::string::npos) << message;
  }
  std::filesystem::create_directory(dir / "folder.csv");
  EXPECT_NE(message_of<InputMissing>([&] {
              (void)read_dataset(dir / "folder.csv", {}, two_threads());
            }).find("is a directory"),
            std::string::npos);
}

TEST(BadTables, ExtensionsThatAreNotReadGetTheirOwnAdvice) {
  for (const char* name : {"t", "t.dat", "t.gz", "t.csv.bz2"}) {
    expect_refusal(name, "a,y\n1,2\n",
                   "told by the extension: .csv, .tsv or .txt, with or without .gz; .parquet; .npy, .npz, "
                   ".svm or .libsvm; if it is CSV, name it .csv");
  }
  for (const char* extension : {".xlsx", ".xls", ".json", ".feather", ".rds"}) {
    const std::string message = refusal("t"s + extension, "PAR1");
    EXPECT_EQ(message, "t"s + extension + ": " + extension +
                           " files are not read; export it as CSV or Parquet from the program that made it");
  }
  expect_refusal("T.XLSX", "PK", "export it as CSV");
}

TEST(BadTables, TextThatIsNotUtf8IsNamed) {
  expect_csv_refusal(
      "\xFF\xFE"
      "a\0,\0y\0\n\0"s,
      "convert to UTF-8");
  expect_csv_refusal("\xFE\xFF\0a\0,\0y\0\n"s, "convert to UTF-8");
  expect_csv_refusal("a\0,\0y\0\n\0"s, "convert to UTF-8");
  expect_csv_refusal("a,caf\xE9,y\n1,2,3\n",
                     "invalid UTF-8 in the header at byte 5 (line 1): '\\xe9,y\\x0a'; convert to UTF-8, for "
                     "example with iconv -f LATIN1 -t UTF-8");
  expect_csv_refusal("\xFE\xFF\0a\0,\0y\0\n"s, "iconv -f UTF-16 -t UTF-8");
  expect_csv_refusal("a,\xED\xA0\x80,y\n1,2,3\n", "at byte 2");
  expect_csv_refusal("a,b\0,y\n1,2,3\n"s, "NUL byte in the header at byte 3");
}

// What follows a byte 0 is not read: were its row taken for a good one, the rest of the file would be lost.
TEST(BadTables, NulBytesAreFoundInRowsThatCrossChunks) {
  std::string text = "a,word,y\n1,x,2\n3,aaaaaaaaaaaaaaaaaa\0bbb,4\n"s;
  for (int i = 0; i < 50; ++i) text += "5,x,6\n";
  const DataFile file("t.csv", text);
  for (std::size_t chunk = 1; chunk < 60; ++chunk)
    EXPECT_THROW((void)read_csv(file.path(), {}, one_thread(), {}, {.chunk_bytes = chunk}), DataError)
        << chunk;
}

TEST(BadTables, NulBytesAreFoundInAnyColumn) {
  expect_csv_refusal("a,y\n1,2\n3\0,4\n"s, "row 2 (line 3), column 'a': '3\\x00' has a NUL byte");
  expect_csv_refusal("id,a,y\nu,1,2\nv\0w,3,4\n"s, "row 2 (line 3), column 'id': 'v\\x00w' has a NUL byte",
                     {.features = {{"a"}}});
}

TEST(BadTables, RaggedRowsAreCounted) {
  expect_csv_refusal("a,b,c,d,y\n1,2,3,4,5\n1,2,3,4\n", "row 2 (line 3) has 4 fields, expected 5");
  expect_csv_refusal("a,b,y\n1,2,3\n1,2,3,4,5\n", "row 2 (line 3) has 5 fields, expected 3");
  expect_csv_refusal("a,b,y\n1,2,3\nx\n", "row 2 (line 3) has 1 field, expected 3");
  expect_csv_refusal("a,b,y\n1,2,3,\n", "row 1 (line 2) has 4 fields, expected 3");
  expect_csv_refusal("a,b,y\n1,5,2,5,3\n", "row 1 (line 2) has 5 fields, expected 3");
  expect_csv_refusal("a,b,y\n\n\"1\",2,3\n\n1,2", "row 2 (line 5) has 2 fields, expected 3");
}

TEST(BadTables, NamesAreCheckedBeforeNumbers) {
  expect_csv_refusal("a,b,a,y\n1,2,3,4\n", "columns 1 and 3 are both named 'a'");
  expect_csv_refusal("a;b;y\n1;2;3\n", "found 1 column; is the delimiter ';'? Set it with `delimiter = ';'`");
  expect_csv_refusal("a\tb\ty\n1\t2\t3\n",
                     "found 1 column; is the delimiter a tab? Set it with `delimiter = tab`");
  expect_csv_refusal("a b y\n1 2 3\n", "found 1 column; is the delimiter ' '? Set it with `delimiter = ' '`");
  expect_csv_refusal("a,b,y\n1,2,3\n", "found 1 column; is the delimiter ','? Set it with `delimiter = ','`",
                     {.delimiter = ';'});
  expect_refusal("t.tsv", "a,b,y\n1,2,3\n", "`delimiter = ','` and name the file .csv");
  expect_refusal("t.txt", "+1 1:0.5 3:2\n", "line 1 looks like libsvm; name the file .svm");
  expect_csv_refusal("1;2;3\n1;2;3\n", "found 1 column; is the delimiter ';'?", {.header = false});
  expect_csv_refusal("1,2.5,-3\n4,5,6\n", "use `header = false`");
  expect_csv_refusal("y\n1\n", "no features");
}

TEST(BadTables, CommentLinesAreNamed) {
  const std::string words = "line 1 begins with '#', but comment lines are not read; remove the line";
  for (const char* comment : {"# made by R", "# made by R, today", "# x1, x2, y", "#"})
    expect_csv_refusal(comment + "\na,b,y\n1,2,3\n"s, words);
  expect_csv_refusal("# one\n# two\na,b,y\n1,2,3\n", words);
  expect_csv_refusal("# made by R\n\n1,2,3\n", words, {.header = false});
  EXPECT_EQ(read("t.csv", "#a,b,y\n1,2,3\n").feature_names(), (std::vector<std::string>{"#a", "b"}));
  const DataFile missing("t.csv", "#a,b,y\nNA,,NA\n1,2,3\n");
  EXPECT_EQ(read_dataset(missing.path(), {.missing = Missing::Drop}, two_threads()).num_rows(), 1);
}

TEST(BadTables, WhatACellMostLikelyMeansDecidesTheAdvice) {
  const std::vector<std::pair<std::string, std::string>> advice = {
      {"TRUE", "write 1 and 0, or "},
      {"False", "write 1 and 0, or "},
      {"T", "correct it, or "},
      {"no", "write 1 and 0, or "},
      {"\"-0,09\"", "decimal commas are not read; write a point, or "},
      {"\"0,125\"", "decimal commas are not read; write a point, or "},
      {"\"1,234\"", "correct it, or "},
      {"\"1,2,3\"", "correct it, or "},
      {"?", "if it means missing, write NA, or "},
      {".", "if it means missing, write NA, or "},
      {"-", "if it means missing, write NA, or "},
      {"12%", "write it without the '%', or "},
      {"$5", "write it without the '$', or "},
      {"Paris", "correct it, or "},
  };
  for (const auto& [cell, words] : advice) {
    expect_csv_refusal("a,y\n1,2\n3," + cell + "\n",
                       "is not a number; " + words + "choose another column with `response`");
    expect_csv_refusal("a,y\n1,2\n" + cell + ",3\n", "is not a number; " + words + "leave the column out");
  }
  expect_csv_refusal("a,y\n1,2\nTRUE,3\n", "; if it is a category, name it in `categories`");
}

TEST(BadTables, CellsThatAreNoNumbersAreQuoted) {
  for (const char* cell : {"\"1,5\"", "1 000", "0x1p3", "1.5abc", "$5", "12%"}) {
    const std::string shown = cell[0] == '"' ? "1,5" : cell;
    expect_csv_refusal("a,y\n1,2\n3,"s + cell + "\n",
                       "row 2 (line 3), column 'y': '" + shown + "' is not a number");
    expect_csv_refusal("a,y\n1,2\n"s + cell + ",3",
                       "row 2 (line 3), column 'a': '" + shown + "' is not a number");
  }
  expect_csv_refusal("a,y\n1e400,1\n", "'1e400' overflows");
  expect_csv_refusal("a,y\n-1e400,1\n", "'-1e400' overflows");
  for (const char* cell : {"inf", "-Infinity"}) {
    expect_csv_refusal("a,y\n1,1\n"s + cell + ",1\n",
                       "row 2 (line 3), column 'a': '"s + cell + "' is infinite");
    expect_csv_refusal("a,y\n1,1\n"s + cell + ",1\n", "is infinite", {.missing = Missing::Drop});
  }
  const std::string message = refusal("t.csv", "a,y\n" + std::string(500, 'z') + "\x1b[31m,1\n2,1\n");
  EXPECT_NE(message.find("'" + std::string(80, 'z') + "...'"), std::string::npos) << message;
}

TEST(BadTables, AWordAmongNumbersIsNamedWithAWayOut) {
  const std::string text = "city,a,y\n5,1,2\nRome,3,4\n";
  expect_csv_refusal(text, "row 2 (line 3), column 'city': 'Rome' is not a number; correct it, or leave");
  expect_csv_refusal(text, "`features`; if it is a category, name it in `categories`");
  EXPECT_EQ(read("t.csv", text, {.features = {{"a"}}}).num_features(), 1);
  expect_csv_refusal("a,y\n1,yes\n2,3\n", "`response`; if it is a category, name it in `categories`");
  const std::string weights = refusal("t.csv", "a,y,w\n1,2,3\n1,2,x\n1,2,x\n", {.weights = "w"});
  EXPECT_NE(weights.find("row 2 (line 3), column 'w': 'x' is not a number"), std::string::npos) << weights;
  EXPECT_EQ(weights.find("categories"), std::string::npos) << weights;
}

TEST(BadTables, MissingValuesAreCountedAndPlaced) {
  const std::string text = "a,b,y\n1,NA,3\n,2,3\n1,2,3\nNaN,nan,3\n1,2,\n,,\n";
  expect_csv_refusal(
      text,
      "8 missing values (NaN, NA or empty): 3 in 'a', 3 in 'b', 2 in 'y'; the first are row 1 (line 2), "
      "column 'b'; row 2 (line 3), column 'a'; row 4 (line 5), column 'a'; row 4 (line 5), column 'b'; row 5 "
      "(line 6), column 'y'; ...; ");
  expect_csv_refusal(text, "`missing = drop`");
  expect_csv_refusal("a,y\n1,\n", "1 missing value (NaN, NA or empty): row 1 (line 2), column 'y'; fill");
  expect_csv_refusal("a,y\n1,\n,1\n", "all 2 rows have missing values", {.missing = Missing::Drop});
  EXPECT_EQ(read("t.csv", "a,b,y\n1,NA,3\n", {.features = {{"a"}}}).num_rows(), 1);
}

// As a comma at the end of every line makes one. Dropping its rows would leave none.
TEST(BadTables, AColumnWithoutAnyValueIsNamed) {
  std::string text = "a,b,y,\n";
  for (int i = 0; i < 1000; ++i) text += "1,2,3,\n";
  for (const Missing missing : {Missing::Refuse, Missing::Drop}) {
    expect_csv_refusal(
        text,
        "column 4 (unnamed) is empty in every row; fill it in, or leave the column out: name the "
        "columns to use with `features`",
        {.missing = missing});
    expect_csv_refusal("a,b,y\nNA,,1\n2,NA,1\n3,NaN,1\n", "column 'b' is empty in every row",
                       {.missing = missing});
    expect_csv_refusal("a,y\n1,\n2,\n", "column 'y' is empty in every row; fill it in, or choose another",
                       {.missing = missing});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    expect_refusal("t.npy", npy_of({1, nan, 2, 3, nan, 4}, "(2, 3)"), "column 'x2' is empty in every row",
                   {.missing = missing});
  }
  const std::string message = refusal("t.csv", text);
  EXPECT_EQ(message.find("t.csv: 1000 missing values"), 0U) << message;
  EXPECT_EQ(message.find("`missing = drop`"), std::string::npos) << message;
  EXPECT_EQ(read("t.csv", text, {.features = {{"a", "b"}}}).num_rows(), 1000);
}

TEST(BadTables, WeightsMustCount) {
  expect_csv_refusal("a,y,w\n1,2,1\n1,2,-0.5\n", "row 2 (line 3), column 'w': '-0.5' is negative",
                     {.weights = "w"});
  expect_csv_refusal("a,y,w\n1,2,NaN\n", "1 missing value", {.weights = "w"});
  expect_csv_refusal("a,y,w\n1,2,0\n3,4,0\n", "all weights are 0", {.weights = "w"});
  EXPECT_EQ(read("t.csv", "a,y,w\n1,2,0\n3,4,2\n", {.weights = "w"}).weight(1), 2.0);
}

TEST(BadTables, QuotesMustMatch) {
  expect_csv_refusal("a,y\n1,2\n\"3,4\n5,6\n", "row 2 (line 3), field 1: a quote is never closed");
  expect_csv_refusal("id,a,y\nu,1,2\n5\" pipe,3,4\nv,1,2\n",
                     "row 2 (line 3), field 1: a quote inside an unquoted", {.features = {{"a"}}});
  expect_csv_refusal("a,y\n\"1\"2,3\n", "row 1 (line 2), field 1: text after the closing quote");
  expect_csv_refusal("\"a,y\n1,2\n", "a quote is never closed");
}

TEST(BadTables, TheLowestRowIsReportedWhateverTheThreads) {
  std::string text = "a,y\n";
  for (int i = 1; i <= 5000; ++i)
    text += i == 1234 ? "x,1\n" : i % 500 == 0 ? "1,2,3\n" : i > 1300 && i % 3 == 0 ? "z,1\n" : "1,2\n";
  text.replace(text.find("1,2,3\n"), 6, "1,2\n");
  text.replace(text.find("1,2,3\n"), 6, "1,2\n");
  const DataFile file("t.csv", text);
  for (const int threads : {1, 2, 5}) {
    const Threads executor(threads);
    for (const std::size_t chunk : {std::size_t{7}, std::size_t{100}, std::size_t{1} << 20}) {
      const std::string message = message_of<DataError>(
          [&] { (void)read_csv(file.path(), {}, executor, {}, {.chunk_bytes = chunk}); });
      EXPECT_NE(message.find("row 1234 (line 1235), column 'a': 'x'"), std::string::npos) << message;
    }
  }
}

// In quotes or not, used or not, and whatever follows.
TEST(BadTables, ARowThatIsTooLongIsRefused) {
  const std::string word(kMaxRowBytes, 'a');
  ReadOptions without_word;
  without_word.features = {"x"};
  for (const std::string& cell : {word, '"' + word + '"'}) {
    const std::string content = "word,x,y\n" + cell + ",1,0\nb,2,1\nc,3,0\n";
    for (const ReadOptions& options : {ReadOptions(), without_word})
      expect_refusal("t.csv", content, "row 1 (line 2): a row is longer than 33554432 bytes", options);
  }
  // The longest that there may be.
  const std::string longest(kMaxRowBytes - 7, 'a');
  EXPECT_EQ(read("t.csv", "word,x,y\n\"" + longest + "\",1,0\nb,2,1\n", without_word).num_rows(), 2);
}

TEST(BadTables, AStreamWithEndlessRowsIsRefusedInTime) {
  const DataFile file("t.csv", "a,y\n" + std::string(100000, '1'));
  std::FILE* stream = std::fopen(file.path().c_str(), "rb");
  ASSERT_NE(stream, nullptr);
  const CsvSizes sizes{.chunk_bytes = 100, .block_bytes = 100, .max_row_bytes = 5000};
  const std::string message = message_of<DataError>(
      [&] { (void)read_csv_stream(::fileno(stream), "standard input", {}, two_threads(), {}, sizes); });
  std::fclose(stream);
  EXPECT_NE(message.find("standard input: a row is longer than 5000 bytes"), std::string::npos) << message;
  expect_refusal("t.csv", std::string(1 << 19, ',') + "\n", "fields; is it a CSV file?");
}

// Time must grow with the file, not with its square.
TEST(BadTables, FloodsOfQuotesAreReadOnce) {
  const std::string quotes(4 << 20, '"');
  std::string lines;
  for (int i = 0; i < 1 << 20; ++i) lines += "\"\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(refusal("t.csv", "a,y\n" + quotes).find("row 1 (line 2) has 1 field"), std::string::npos);
  EXPECT_NE(refusal("t.csv", "a,y\n1,2\n" + lines).find("row 2 (line 3) has 1 field"), std::string::npos);
  EXPECT_NE(refusal("t.csv", quotes + "\n1,2\n").find("t.csv: "), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(BadTables, DamagedGzipIsRefused) {
  std::string text = "a,y\n";
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7919 % 1000) + "," + std::to_string(i) + "\n";
  const std::string whole = gzipped(text);
  expect_refusal("t.csv.gz", text, "not gzip data");
  expect_refusal("t.csv.gz", whole.substr(0, whole.size() / 2), "ends early");
  expect_refusal("t.csv.gz", whole.substr(0, whole.size() - 1), "ends early");
  expect_refusal("t.csv.gz", whole + "more", "bytes that are not gzip follow");
  std::string crc = whole;
  crc[crc.size() - 6] = static_cast<char>(crc[crc.size() - 6] ^ 1);
  expect_refusal("t.csv.gz", crc, "corrupt gzip data");
  EXPECT_EQ(read("t.csv.gz", whole + std::string(512, '\0')).num_rows(), 3000);
  EXPECT_EQ(read("t.csv.gz", gzipped(text.substr(0, 777)) + gzipped(text.substr(777))).num_rows(), 3000);
}

}  // namespace
}  // namespace giga
