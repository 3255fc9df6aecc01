// What CSV files give: every spelling of the same table, the roles of columns, and the way back to the text.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "data/csv_reader.hpp"
#include "tables.hpp"

namespace giga {
namespace {

using namespace test;
using Rows = std::vector<std::vector<double>>;

const Rows kRows{{1, 2, 3}, {-4.5, 5e3, 0.25}};

TEST(Csv, ReadsEverySpellingOfTheSameTable) {
  for (const std::string& text : std::vector<std::string>{
           "a,b,y\n1,2,3\n-4.5,5e3,.25\n", "a,b,y\r\n1,2,3\r\n-4.5,5e3,.25\r\n", "a,b,y\n1,2,3\n-4.5,5e3,.25",
           "a,b,y\r\n1,2,3\r\n-4.5,5e3,.25\r", std::string("\xEF\xBB\xBF") + "a,b,y\n1,2,3\n-4.5,5e3,.25\n",
           "a, b ,y\n 1,\t2 , 3\n-4.5 ,+5000,0.25\n",
           "\"a\",\"b\",\"y\"\n\"1\",2,\" 3 \"\n-4.5,\"5e3\",0.25\n",
           "a,b,y\n\n1,2,3\n\r\n-4.5,5e3,.25\n\n\n", "\n\na,b,y\n1,2,3\n-4.5,5e3,.25\n"}) {
    const Dataset data = read("t.csv", text);
    EXPECT_EQ(rows_of(data), kRows) << text;
    EXPECT_EQ(data.feature_names(), (std::vector<std::string>{"a", "b"})) << text;
    EXPECT_EQ(data.response_name(), "y");
    EXPECT_TRUE(data.weights().empty());
    EXPECT_TRUE(data.notes().empty());
    EXPECT_EQ(rows_of(read("t.csv.gz", gzipped(text))), kRows) << text;
  }
}

TEST(Csv, ReadsOtherDelimiters) {
  EXPECT_EQ(rows_of(read("t.csv", "a;b;y\n1;2;3\n-4.5;5e3;.25\n", {.delimiter = ';'})), kRows);
  EXPECT_EQ(rows_of(read("t.csv", "a\tb\ty\n1\t 2\t3\n-4.5\t5e3\t.25\n", {.delimiter = '\t'})), kRows);
  EXPECT_EQ(rows_of(read("t.csv", "a b y\n1 2 3\n-4.5 5e3 .25\n", {.delimiter = ' '})), kRows);
  EXPECT_THROW((void)read("t.csv", "a\n", {.delimiter = '"'}), std::invalid_argument);
  EXPECT_THROW((void)read("t.csv", "a\n", {.delimiter = '5'}), std::invalid_argument);
}

TEST(Csv, TakesTheDelimiterFromTheExtension) {
  const std::string tabs = "a\tb\ty\n1\t2\t3\n-4.5\t5e3\t.25\n", commas = "a,b,y\n1,2,3\n-4.5,5e3,.25\n",
                    semicolons = "a;b;y\n1;2;3\n-4.5;5e3;.25\n";
  for (const std::string name : {"t.tsv", "T.TSV"}) {
    EXPECT_EQ(rows_of(read(name, tabs)), kRows);
    EXPECT_EQ(rows_of(read(name + ".gz", gzipped(tabs))), kRows);
    EXPECT_EQ(rows_of(read(name, semicolons, {.delimiter = ';'})), kRows);
  }
  for (const std::string name : {"t.txt", "t.TXT", "T.CSV"}) {
    EXPECT_EQ(rows_of(read(name, commas)), kRows);
    EXPECT_EQ(rows_of(read(name + ".gz", gzipped(commas))), kRows);
    EXPECT_EQ(rows_of(read(name, tabs, {.delimiter = '\t'})), kRows);
  }
}

TEST(Csv, NamesColumnsOfAFileWithoutNames) {
  const Dataset data = read("t.csv", "1,2,3\n-4.5,5e3,.25\n", {.header = false});
  EXPECT_EQ(rows_of(data), kRows);
  EXPECT_EQ(data.feature_names(), (std::vector<std::string>{"x1", "x2"}));
  EXPECT_EQ(data.response_name(), "y");
  EXPECT_EQ(data.place(1), "row 2 (line 2)");
}

TEST(Csv, GivesColumnsTheirRoles) {
  const std::string text = "y,a,b,w\n1,2,3,4\n5,6,7,8\n";
  EXPECT_EQ(rows_of(read("t.csv", text)), (Rows{{2, 3, 4, 1}, {6, 7, 8, 5}}));
  EXPECT_EQ(rows_of(read("t.csv", text, {.weights = "w"})), (Rows{{2, 3, 1, 4}, {6, 7, 5, 8}}));
  EXPECT_EQ(rows_of(read("t.csv", text, {.response = "a", .features = {{"w", "y"}}})),
            (Rows{{4, 1, 2}, {8, 5, 6}}));
  EXPECT_EQ(read("t.csv", "a,b,c\n1,2,3\n").response_name(), "c");
  EXPECT_EQ(read("t.csv", "a,b,c\n1,2,3\n", {.weights = "c"}).response_name(), "b");

  const Dataset data = read("t.csv", text, {.response = "a", .features = {{"w", "y"}}});
  EXPECT_EQ(data.feature_names(), (std::vector<std::string>{"w", "y"}));
  ASSERT_EQ(data.columns().size(), 4U);
  EXPECT_EQ(data.columns()[0].feature, 1);
  EXPECT_EQ(data.columns()[1].role, ColumnRole::Response);
  EXPECT_EQ(data.columns()[2].role, ColumnRole::Unused);
  EXPECT_EQ(data.columns()[2].feature, -1);
  EXPECT_EQ(data.response_place(1), "row 2 (line 3), column 'a'");
}

TEST(Csv, ListsTheColumnsWhenOneIsNotThere) {
  const DataFile file("t.csv", "a,b,y\n1,2,3\n");
  const auto words = [&](const ReadOptions& options) {
    return message_of<NoSuchColumn>([&] { (void)read_dataset(file.path(), options, two_threads()); });
  };
  EXPECT_NE(words({.response = "z"}).find("no column 'z'; have: a, b, y"), std::string::npos);
  EXPECT_NE(words({.features = {{"a", "q"}}}).find("no column 'q'"), std::string::npos);
  EXPECT_NE(words({.weights = "\x1b"}).find("no column '\\x1b'"), std::string::npos);
  EXPECT_NE(words({.features = {{"a", "a"}}}).find("one role"), std::string::npos);
  EXPECT_NE(words({.features = {{"y"}}}).find("one role"), std::string::npos);
}

TEST(Csv, LeavesUnusedColumnsAsTheyAre) {
  const std::string text =
      "id,a,note,y\n"
      "x 1,0.1,\"said \"\"no\"\", twice\",1\n"
      ",1e23,\"two\nlines\",2\n"
      "NA,3,  plain  ,3\n";
  const ReadOptions options{.features = {{"a"}}};
  const std::vector<std::vector<std::string>> expected{
      {"NA", "3", "plain", "3"}, {"x 1", "0.1", "said \"no\", twice", "1"}, {"", "1e+23", "two\nlines", "2"}};
  const std::vector<Index> rows{2, 0, 1};
  const DataFile plain("t.csv", text);
  const DataFile packed("t.csv.gz", gzipped(text));
  const Dataset data = read_dataset(plain.path(), options, two_threads());
  EXPECT_EQ(data.cells(rows), expected);
  EXPECT_EQ(read_dataset(packed.path(), options, two_threads()).cells(rows), expected);
  EXPECT_EQ(data.place(0), "row 1 (line 2)");
  EXPECT_EQ(data.place(1), "row 2 (line 3)");
  EXPECT_EQ(data.place(2), "row 3 (line 5)");
  EXPECT_THROW((void)data.cells(std::vector<Index>{3}), std::invalid_argument);
}

TEST(Csv, FindsCellsAgainFarIntoAFile) {
  std::string clean = "id,a,y\n";
  for (int i = 0; i < 20000; ++i) {
    clean += (i % 7 == 0 ? "\"r" + std::to_string(i) + "\n\"" : "r" + std::to_string(i)) + ",1,2\n";
  }
  const ReadOptions options{.features = {{"a"}}};
  const std::vector<Index> rows{19999, 4096, 4095, 8192, 0, 4096};
  for (const auto& [name, content] :
       std::vector<std::pair<std::string, std::string>>{{"t.csv", clean}, {"t.csv.gz", gzipped(clean)}}) {
    const DataFile file(name, content);
    const auto cells = read_dataset(file.path(), options, two_threads()).cells(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(cells[i][0], "r" + std::to_string(rows[i]) + (rows[i] % 7 == 0 ? "\n" : "")) << name;
    }
  }
}

TEST(Csv, DropsIncompleteRowsWhenAsked) {
  const DataFile file("t.csv", "id,a,y\nA,1,2\nB,NA,3\nC,4,\nD,5,6\nE,nan,NA\nF,7,8\n");
  const Dataset data =
      read_dataset(file.path(), {.features = {{"a"}}, .missing = Missing::Drop}, two_threads());
  EXPECT_EQ(rows_of(data), (Rows{{1, 2}, {5, 6}, {7, 8}}));
  EXPECT_EQ(data.notes(),
            std::vector<std::string>{"dropped 3 rows of 6 with missing values: 2 in 'a', 2 in 'y'"});
  EXPECT_EQ(data.input_row(0), 0);
  EXPECT_EQ(data.input_row(1), 3);
  EXPECT_EQ(data.input_row(2), 5);
  EXPECT_EQ(data.place(1), "row 4 (line 5)");
  const auto cells = data.cells(std::vector<Index>{1, 2});
  EXPECT_EQ(cells[0][0], "D");
  EXPECT_EQ(cells[1][0], "F");
}

TEST(Csv, CountsNumbersTooSmallForADouble) {
  const Dataset data = read("t.csv", "a,y\n1e-400,1\n-3e-999,2\n1e-300,3\n");
  EXPECT_EQ(rows_of(data), (Rows{{0, 1}, {-0.0, 2}, {1e-300, 3}}));
  EXPECT_EQ(data.notes(), std::vector<std::string>{"2 numbers too small for a double read as 0"});
}

TEST(Csv, AResponseThatIsTakenByItsPlaceIsSaid) {
  const Dataset last = read("t.csv", "a,late\n1,2\n");
  EXPECT_EQ(last.response_name(), "late");
  EXPECT_EQ(last.notes(),
            std::vector<std::string>{
                "the response is 'late', as no column is called y; `response` chooses another"});
  EXPECT_TRUE(read("t.csv", "y,a\n1,2\n").notes().empty());
  const DataFile file("t.csv", "a,late\n1,2\n");
  EXPECT_TRUE(read_dataset(file.path(), {.response = "late"}, two_threads()).notes().empty());
}

TEST(Csv, TakesAnyTextAsAName) {
  const Dataset data = read("t.csv", "<script>alert(1)</script>,=cmd(),\"a,\n\"\"b\"\"\",é,y\n1,2,3,4,5\n");
  EXPECT_EQ(data.feature_names(),
            (std::vector<std::string>{"<script>alert(1)</script>", "=cmd()", "a,\n\"b\"", "é"}));
  EXPECT_EQ(data.place(0), "row 1 (line 3)");
}

TEST(Csv, ReadsAStreamAsItReadsAFile) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 5000; ++i)
    text += std::to_string(i) + ",0." + std::to_string(i * 7919 % 10007) + ",1\n";
  const DataFile file("t.csv", text);
  for (const std::size_t block_bytes : {std::size_t{64}, std::size_t{1000}, std::size_t{1} << 20}) {
    std::FILE* stream = std::fopen(file.path().c_str(), "rb");
    ASSERT_NE(stream, nullptr);
    const CsvSizes sizes{.chunk_bytes = 300, .block_bytes = block_bytes};
    const Dataset data = read_csv_stream(::fileno(stream), "standard input", {}, one_thread(), {}, sizes);
    std::fclose(stream);
    EXPECT_EQ(rows_of(data), rows_of(read("t.csv", text)));
    EXPECT_EQ(data.place(4999), "row 5000 (line 5001)");
    EXPECT_EQ(data.name(), "standard input");
  }
}

TEST(Csv, TellsItsProgressToTheEnd) {
  std::string text = "a,y\n";
  for (int i = 0; i < 1000; ++i) text += "1,2\n";
  const DataFile file("t.csv", text);
  std::atomic<std::size_t> most{0};
  const CsvSizes sizes{.chunk_bytes = 128};
  (void)read_csv(
      file.path(), {}, two_threads(),
      [&](const StageProgress& at) {
        EXPECT_EQ(at.stage, Stage::Load);
        EXPECT_EQ(at.total, std::ssize(text));
        const auto done = static_cast<std::size_t>(at.done);
        for (std::size_t seen = most; done > seen && !most.compare_exchange_weak(seen, done);) {
        }
        return Answer::Continue;
      },
      sizes);
  EXPECT_EQ(most, text.size());
}

}  // namespace
}  // namespace giga
