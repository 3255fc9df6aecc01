// Columns of words, dates and times: their kinds, levels and numbers, and what is refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <string>
#include <vector>

#include "data/csv_reader.hpp"
#include "data/level_table.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/duplicates.hpp"
#include "tables.hpp"

namespace giga {
namespace {

using namespace test;
using namespace std::string_literals;
using Texts = std::vector<std::string>;

std::vector<double> feature(const Dataset& data, Index d) {
  std::vector<double> values;
  for (Index n = 0; n < data.num_rows(); ++n) values.push_back(data.features(n)[d]);
  return values;
}

std::string standard_input_refusal(const std::string& text, const CsvSizes& sizes) {
  const DataFile file("t.csv", text);
  std::FILE* stream = std::fopen(file.path().c_str(), "rb");
  std::string message = message_of<DataError>(
      [&] { (void)read_csv_stream(::fileno(stream), "standard input", {}, two_threads(), {}, sizes); });
  std::fclose(stream);
  return message;
}

TEST(TextColumns, LevelsAreSortedByBytesAndNumbersAreTheirPlaces) {
  const Dataset data = read("t.csv", "carrier,x,y\nUA,1,0\nAA,2,1\nb,3,0\nUA,4,1\n\xC3\xA9,5,1\n");
  const Column& column = data.feature_column(0);
  EXPECT_EQ(column.kind, ColumnKind::Category);
  EXPECT_EQ(column.levels, (Texts{"AA", "UA", "b", "\xC3\xA9"}));
  EXPECT_EQ(feature(data, 0), (std::vector<double>{1, 0, 2, 1, 3}));
  EXPECT_EQ(data.feature_column(1).kind, ColumnKind::Number);
  EXPECT_EQ(data.cells(std::vector<Index>{4, 0}),
            (std::vector<Texts>{{"\xC3\xA9", "5", "1"}, {"UA", "1", "0"}}));
  EXPECT_THROW((void)data.feature_column(2), std::invalid_argument);
}

TEST(TextColumns, WordsForTruthAreLevelsLikeOthers) {
  const Dataset data = read("t.csv", "a,b,y\nTRUE,no,1\nFALSE,yes,2\nTRUE,yes,3\n");
  EXPECT_EQ(data.feature_column(0).levels, (Texts{"FALSE", "TRUE"}));
  EXPECT_EQ(data.feature_column(1).levels, (Texts{"no", "yes"}));
  EXPECT_EQ(feature(data, 0), (std::vector<double>{1, 0, 1}));
}

TEST(TextColumns, BlanksAroundAWordDoNotMatterCaseAndBlanksInsideDo) {
  const Dataset data = read("t.csv", "a,y\n a,1\n\"a\" ,2\n\" a\t\",3\nA,4\nb c,5\nb  c,6\n \"b c\",7\n");
  EXPECT_EQ(data.feature_column(0).levels, (Texts{"A", "a", "b  c", "b c"}));
  EXPECT_EQ(feature(data, 0), (std::vector<double>{1, 1, 1, 0, 3, 2, 3}));
}

TEST(TextColumns, AnyTextInQuotesIsALevel) {
  const std::string text =
      "a,y\n\"x,1\",1\n\"two\nlines\",2\n\"said \"\"no\"\"\",3\n=cmd(),4\n<b>,5\n\"x,1\",6\n'; --,7\n";
  const Dataset data = read("t.csv", text);
  EXPECT_EQ(data.feature_column(0).levels,
            (Texts{"'; --", "<b>", "=cmd()", "said \"no\"", "two\nlines", "x,1"}));
  EXPECT_EQ(feature(data, 0), (std::vector<double>{5, 4, 3, 2, 1, 5, 0}));
  EXPECT_EQ(data.place(6), "row 7 (line 9)");
}

TEST(TextColumns, NumbersAmongWordsKeepTheirText) {
  const Dataset data = read("t.csv", "zip,y\n01,1\nA1,2\nB2,3\n1,4\nB2,5\n1.0,6\nC,7\n");
  EXPECT_EQ(data.feature_column(0).levels, (Texts{"01", "1", "1.0", "A1", "B2", "C"}));
}

// The kind is that of most cells, wherever they are.
TEST(TextColumns, TheKindIsDecidedByAllCells) {
  std::string late = "a,y\n", even = "a,y\n", few = "a,y\n";
  for (int i = 0; i < 3000; ++i) {
    late += (i < 1400 ? std::to_string(i % 7) : "w" + std::to_string(i % 5)) + ",1\n";
    even += (i % 2 == 0 ? "1" : "w") + ",1\n"s;
    few += (i == 2700 ? "w" : std::to_string(i)) + ",1\n";
  }
  for (const bool packed : {false, true}) {
    const std::string name = packed ? "t.csv.gz" : "t.csv";
    const auto content = [&](const std::string& text) { return packed ? gzipped(text) : text; };
    const Dataset data = read(name, content(late));
    EXPECT_EQ(data.feature_column(0).kind, ColumnKind::Category);
    EXPECT_EQ(data.feature_column(0).levels.size(), 12U);
    EXPECT_EQ(data.cells(std::vector<Index>{8, 2999})[0][0], "1");
    EXPECT_NE(refusal(name, content(even)).find("row 2 (line 3), column 'a': 'w' is not a number"),
              std::string::npos);
    EXPECT_NE(refusal(name, content(few)).find("row 2701 (line 2702), column 'a': 'w' is not a number"),
              std::string::npos);
  }
}

TEST(TextColumns, AreTheSameForAnyChunksBlocksAndThreads) {
  std::mt19937 random(3);
  std::string text = "id,a,b,d,y\n";
  for (int i = 0; i < 3000; ++i) {
    const auto word = [&](unsigned levels) {
      const std::string plain = "level " + std::to_string(random() % levels);
      return random() % 9 == 0 ? "\"" + plain + (random() % 3 == 0 ? "\"\"x" : "") + "\"" : plain;
    };
    text += std::to_string(i) + "," + word(3) + "," + (random() % 50 == 0 ? "NA" : word(40)) + ",2024-0" +
            std::to_string(1 + random() % 9) + "-1" + std::to_string(random() % 10) +
            (random() % 4 == 0 ? " 10:30" : "") + "," + (random() % 2 == 0 ? "late" : "ontime") + "\r\n";
  }
  const ReadOptions options{.features = {{"a", "b", "d"}}, .missing = Missing::Drop};
  const DataFile plain("t.csv", text), packed("t.csv.gz", gzipped(text));
  const Dataset expected = read_csv(plain.path(), options, one_thread(), {});
  EXPECT_EQ(expected.columns()[3].kind, ColumnKind::Time);
  for (const int threads : {1, 2, 3}) {
    const Threads executor(threads);
    for (const std::size_t bytes : {std::size_t{13}, std::size_t{1000}, std::size_t{1} << 20}) {
      const CsvSizes sizes{.chunk_bytes = bytes, .block_bytes = 3 * bytes};
      const Dataset mapped = read_csv(plain.path(), options, executor, {}, sizes);
      const Dataset stream = read_gzip_csv(packed.path(), options, executor, {}, sizes);
      for (const Dataset* data : {&mapped, &stream}) {
        ASSERT_EQ(bits_of(*data), bits_of(expected));
        EXPECT_EQ(data->notes(), expected.notes());
        for (std::size_t j = 0; j < 5; ++j) {
          EXPECT_EQ(data->columns()[j].kind, expected.columns()[j].kind);
          EXPECT_EQ(data->columns()[j].levels, expected.columns()[j].levels);
        }
      }
    }
  }
}

// A word in a block of standard input cannot change what was read before it; the message says what can.
TEST(TextColumns, OfStandardInputTheFirstBlockDecides) {
  std::string text = "a,y\n";
  for (int i = 0; i < 100; ++i) text += (i < 20 ? "5" : "w") + ",1\n"s;
  const std::string message = standard_input_refusal(text, {.chunk_bytes = 16, .block_bytes = 32});
  EXPECT_NE(message.find("row 21 (line 22), column 'a': 'w' is not a number"), std::string::npos) << message;
  EXPECT_NE(message.find("`categories`"), std::string::npos) << message;
  const DataFile file("t.csv", text);
  std::FILE* stream = std::fopen(file.path().c_str(), "rb");
  const Dataset whole = read_csv_stream(::fileno(stream), "standard input", {}, two_threads(), {});
  std::fclose(stream);
  EXPECT_EQ(whole.feature_column(0).levels, (Texts{"5", "w"}));
}

TEST(TextColumns, CategoriesThatAreAskedForMayBeNumbers) {
  const ReadOptions options{.categories = {"month"}};
  const Dataset data = read("t.csv", "month,x,y\n1,1,1\n10,2,2\n2,3,3\n1,4,4\n", options);
  EXPECT_EQ(data.feature_column(0).levels, (Texts{"1", "10", "2"}));
  EXPECT_EQ(feature(data, 0), (std::vector<double>{0, 1, 2, 0}));
  EXPECT_THROW((void)read("t.csv", "a,y\n1,2\n", {.categories = {"b"}}), NoSuchColumn);
  EXPECT_THROW((void)read("t.csv", "a,w,y\n1,2,3\n", {.weights = "w", .categories = {"w"}}), NoSuchColumn);
  EXPECT_THROW((void)read("t.svm", "1 1:2\n", {.categories = {"x1"}}), OptionError);
  EXPECT_THROW((void)read("t.csv", "a,y\n1,2\n", {.max_levels = 0}), std::invalid_argument);
}

TEST(TextColumns, AColumnThatNamesRowsIsAnIdentifier) {
  std::string names = "id,y\n", many = "id,y\n", short_table = "id,y\n";
  for (int i = 0; i < 60; ++i) names += "n" + std::to_string(i % 40) + ",1\n";
  for (int i = 0; i < 4000; ++i) many += "n" + std::to_string(i % 1001) + ",1\n";
  for (int i = 0; i < 50; ++i) short_table += "n" + std::to_string(i) + ",1\n";
  EXPECT_EQ(
      refusal("t.csv", names),
      "t.csv: column 'id' has 40 levels in 60 cells and looks like an identifier; leave it out: name the "
      "columns to use with `features`");
  EXPECT_EQ(
      refusal("t.csv", many),
      "t.csv: column 'id' has 1001 levels in 4000 cells and looks like an identifier; leave it out: name "
      "the columns to use with `features`, or raise `max_levels`");
  EXPECT_EQ(read("t.csv", many, {.max_levels = 1001}).feature_column(0).levels.size(), 1001U);
  EXPECT_EQ(read("t.csv", short_table).feature_column(0).levels.size(), 50U);
}

TEST(TextColumns, MoreTextsThanAnyCategoryHasAreCountedNoFurther) {
  std::string text = "id,y\n", numbers = "id,y\n";
  for (int i = 0; i < 100000; ++i) {
    text += "n" + std::to_string(i) + ",1\n";
    numbers += (i == 99990 ? "word" : std::to_string(i)) + ",1\n";
  }
  const std::string message = refusal("t.csv", text);
  EXPECT_NE(message.find("column 'id' has more than 65536 levels in 100000 cells"), std::string::npos)
      << message;
  const std::string among = refusal("t.csv", numbers);
  EXPECT_NE(among.find("row 99991 (line 99992), column 'id': 'word' is not a number"), std::string::npos)
      << among;
}

TEST(TextColumns, CellsThatCannotBeLevelsAreNamed) {
  const std::string rows = "a,y\nu,1\nv,2\nu,3\n";
  const std::string latin = refusal("t.csv", rows + "caf\xE9,4\n");
  EXPECT_NE(latin.find("row 4 (line 5), column 'a': 'caf\\xe9' is not UTF-8; convert the file, for example "
                       "with iconv -f LATIN1 -t UTF-8"),
            std::string::npos)
      << latin;
  const std::string longer = refusal("t.csv", rows + std::string(1001, 'z') + ",4\n");
  EXPECT_NE(longer.find("row 4 (line 5), column 'a': '" + std::string(80, 'z') + "...' has 1001 bytes"),
            std::string::npos)
      << longer;
  EXPECT_EQ(read("t.csv", rows + std::string(1000, 'z') + ",4\n").feature_column(0).levels.size(), 3U);
  EXPECT_NE(refusal("t.csv", rows + "x\0y,4\n"s).find("row 4 (line 5), column 'a': 'x\\x00y' has a NUL byte"),
            std::string::npos);
  EXPECT_NE(refusal("t.csv", rows + "\"open,4\n").find("row 4 (line 5), field 1: a quote is never closed"),
            std::string::npos);
  EXPECT_NE(refusal("t.csv", rows + "x\"y,4\n").find("row 4 (line 5), field 1: a quote inside"),
            std::string::npos);
}

TEST(TextColumns, TheLowestRowIsReportedWhateverIsWrongWithIt) {
  // The word in row 3 comes before the short row, and of the rows before that one most are numbers.
  EXPECT_NE(
      refusal("t.csv", "a,b,y\n1,u,1\n2,v,2\nw,u,3\n1\nx,x,x\nx,x,x\n").find("row 3 (line 4), column 'a'"),
      std::string::npos);
  EXPECT_NE(refusal("t.csv", "a,y\nu,1\n2\n1,2\n1,3\n").find("row 2 (line 3) has 1 field"),
            std::string::npos);
}

TEST(TextColumns, MissingCellsAreThoseOfNumbers) {
  const std::string text = "a,b,y\n,u,1\n\"\",u,2\nNA,u,3\n\"NA\",v,4\nx,NULL,5\ny,v,6\n z ,u,7\n";
  EXPECT_NE(refusal("t.csv", text)
                .find("5 missing values (NaN, NA or empty): 4 in 'a', 1 in 'b'; the first are "
                      "row 1 (line 2), column 'a'; row 2 (line 3), column 'a'; "),
            std::string::npos)
      << refusal("t.csv", text);
  // Only the levels of rows that are left are levels.
  const Dataset data = read("t.csv", text + "w,,8\n", {.missing = Missing::Drop});
  EXPECT_EQ(data.feature_column(0).levels, (Texts{"y", "z"}));
  EXPECT_EQ(feature(data, 0), (std::vector<double>{0, 1}));
  EXPECT_EQ(feature(data, 1), (std::vector<double>{1, 0}));
  EXPECT_EQ(data.notes(), (Texts{"dropped 6 rows of 8 with missing values: 4 in 'a', 2 in 'b'"}));
  EXPECT_NE(refusal("t.csv", "a,b,y\nu,,1\nv,NA,2\n").find("column 'b' is empty in every row"),
            std::string::npos);
  EXPECT_EQ(read("t.csv",
                 "\xEF\xBB\xBF"
                 "a,y\nonly,1\nonly,2\n")
                .feature_column(0)
                .levels,
            Texts{"only"});
}

TEST(TextColumns, WordsMayBeginAfterManyMissingCells) {
  std::string text = "a,y\n";
  for (int i = 0; i < 5000; ++i) text += i < 4800 ? ",1\n" : i % 2 == 0 ? "u,2\n" : "v,2\n";
  const Dataset data = read("t.csv", text, {.missing = Missing::Drop});
  EXPECT_EQ(data.feature_column(0).levels, (Texts{"u", "v"}));
  EXPECT_EQ(data.num_rows(), 200);
}

TEST(TextColumns, KnownLevelsAreTheNumbersAndOthersAreRefused) {
  const ReadOptions options{.known = {{"a", ColumnKind::Category, {"w", "u", "v"}}, {"none"}}};
  const Dataset data =
      read("t.csv", "a,y\nu,1\nv,2\n,3\n", {.missing = Missing::Drop, .known = options.known});
  EXPECT_EQ(data.feature_column(0).levels, (Texts{"w", "u", "v"}));
  EXPECT_EQ(feature(data, 0), (std::vector<double>{1, 2}));
  EXPECT_EQ(
      refusal("t.csv", "a,y\nu,1\nt,2\nx,3\n", options),
      "t.csv: row 2 (line 3), column 'a': 't' is not a level that is known: 'w', 'u', 'v'; leave such rows "
      "out, or learn from a table that has them");
  EXPECT_NE(refusal("t.csv", "a,y\nu,1\n", {.known = {{"a"}}}).find("'u' is not a number"),
            std::string::npos);
  EXPECT_NE(refusal("t.csv", "a,y\n2024-01-01,1\nx,2\nx,3\n", {.known = {{"a", ColumnKind::Date, {}}}})
                .find("row 2 (line 3), column 'a': 'x' is not a date"),
            std::string::npos);
  EXPECT_NE(refusal("t.svm", "1 1:2\n", {.known = {{"x1", ColumnKind::Category, {"a"}}}})
                .find("give the table as CSV"),
            std::string::npos);
}

TEST(TextColumns, ATabOrABlankMayBeTheDelimiter) {
  EXPECT_EQ(read("t.tsv", "a\ty\nu v\t1\nw\t2\n").feature_column(0).levels, (Texts{"u v", "w"}));
  EXPECT_EQ(read("t.csv", "a y\nu 1\n\"v w\" 2\n", {.delimiter = ' '}).feature_column(0).levels,
            (Texts{"u", "v w"}));
}

TEST(TextColumns, TheResponseMayBeWords) {
  const Dataset data = read("t.csv", "x,late\n1,no\n2,yes\n3,no\n");
  EXPECT_EQ(data.columns()[1].kind, ColumnKind::Category);
  EXPECT_EQ(data.columns()[1].levels, (Texts{"no", "yes"}));
  EXPECT_EQ(std::vector<double>(data.response().begin(), data.response().end()),
            (std::vector<double>{0, 1, 0}));
}

TEST(Dates, AreDaysAndTimesAreTheirFractions) {
  const Dataset data =
      read("t.csv", "d,t,y\n1970-01-01,1970-01-02T06:00,1\n2024-03-01,1970-01-02 12:00:00.5,2\n");
  EXPECT_EQ(data.feature_column(0).kind, ColumnKind::Date);
  EXPECT_EQ(data.feature_column(1).kind, ColumnKind::Time);
  EXPECT_EQ(feature(data, 0), (std::vector<double>{0, 19783}));
  EXPECT_EQ(feature(data, 1), (std::vector<double>{1.25, 1.5 + 0.5 / 86400}));
  EXPECT_EQ(data.cells(std::vector<Index>{1})[0], (Texts{"2024-03-01", "1970-01-02T12:00:00.5", "2"}));
  // One time makes a column of times.
  EXPECT_EQ(read("t.csv", "d,y\n2024-01-01,1\n2024-01-02 10:00,2\n").feature_column(0).kind,
            ColumnKind::Time);
}

TEST(Dates, ThatDoNotExistAreNamed) {
  for (const char* bad : {"2023-02-29", "2024-13-01", "2024-00-10", "2024-04-31", "2024-01-01T24:00"}) {
    const std::string message = refusal("t.csv", "d,y\n2024-01-01,1\n2024-01-02,2\n"s + bad + ",3\n");
    EXPECT_NE(
        message.find("row 3 (line 4), column 'd': '"s + bad + "' is a date or time that does not exist"),
        std::string::npos)
        << message;
  }
  EXPECT_NE(
      refusal("t.csv", "d,y\n2024-01-01,1\n2024-01-02,2\nsoon,3\n")
          .find("row 3 (line 4), column 'd': 'soon' is not a date or time such as 2024-03-01; correct it"),
      std::string::npos);
  // Among words they are words.
  EXPECT_EQ(read("t.csv", "d,y\nsoon,1\nlater,2\n2023-02-29,3\n").feature_column(0).levels,
            (Texts{"2023-02-29", "later", "soon"}));
}

TEST(LineEnds, OfCrAloneAreRead) {
  const std::string text = "a,b,y\r1,u,2\r\r3,\"v\",4\r";
  for (const auto& [name, content] : {std::pair("t.csv"s, text), std::pair("t.csv.gz"s, gzipped(text)),
                                      std::pair("t.txt"s, text.substr(0, 20))}) {
    const Dataset data = read(name, content);
    EXPECT_EQ(data.num_rows(), 2) << name;
    EXPECT_EQ(feature(data, 0), (std::vector<double>{1, 3})) << name;
    EXPECT_EQ(data.feature_column(1).levels, (Texts{"u", "v"})) << name;
  }
  EXPECT_NE(refusal("t.csv", "a,y\r1,2\r3\r").find("row 2 (line 3) has 1 field"), std::string::npos);
  const Dataset unused = read("t.csv", "id,a,y\rp,1,2\rq,3,4\r", {.features = {{"a"}}});
  EXPECT_EQ(unused.cells(std::vector<Index>{1})[0][0], "q");
}

TEST(NoResponse, EveryColumnMayBeAFeature) {
  const std::string text = "a,b,y\n1,u,2\n1,u,2\n3,v,4\n,u,5\n";
  const ReadOptions options{.features = {{"y", "b"}}, .has_response = false};
  const Dataset data = read("t.csv", text, options);
  EXPECT_TRUE(data.response().empty());
  EXPECT_EQ(data.response_name(), "");
  EXPECT_EQ(data.response_place(3), "row 4 (line 5)");
  EXPECT_EQ(data.feature_names(), (Texts{"y", "b"}));
  EXPECT_TRUE(data.notes().empty());
  EXPECT_EQ(data.cells(std::vector<Index>{2})[0], (Texts{"3", "v", "4"}));
  const DistinctRows distinct = distinct_rows(data, two_threads());
  EXPECT_EQ(distinct.num_rows, 3);
  EXPECT_EQ(distinct.multiplicity, (std::vector<double>{2, 1, 1}));
  const Dataset all = read("t.csv", text, {.missing = Missing::Drop, .has_response = false});
  EXPECT_EQ(all.feature_names(), (Texts{"a", "b", "y"}));
  EXPECT_EQ(all.num_rows(), 3);
  EXPECT_EQ(read("t.svm", "1 1:2\n", {.has_response = false}).num_features(), 2);
  EXPECT_THROW((void)read("t.csv", text, {.response = "y", .has_response = false}), std::invalid_argument);
}

TEST(LevelTable, NumbersTextsAsTheyComeAndFindsThemAgain) {
  LevelTable table;
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i)
    texts.push_back(std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i));
  texts.insert(texts.begin() + 7, "");
  EXPECT_EQ(table.find("x"), -1);
  for (std::size_t k = 0; k < texts.size(); ++k) EXPECT_EQ(table.number(texts[k]), static_cast<Index>(k));
  for (std::size_t k = 0; k < texts.size(); ++k) {
    EXPECT_EQ(table.number(texts[k]), static_cast<Index>(k));
    EXPECT_EQ(table.find(texts[k]), static_cast<Index>(k));
    EXPECT_EQ(table.text(static_cast<Index>(k)), texts[k]);
  }
  EXPECT_EQ(table.find("other"), -1);
}

}  // namespace
}  // namespace giga
