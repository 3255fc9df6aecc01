// Parquet files and queries: the same table as CSV has, to the bit; types, parts, damage, and stopping.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "../support/parquet.hpp"
#include "giga/base/text.hpp"
#include "tables.hpp"

namespace giga {
namespace {

using namespace test;
using namespace std::string_literals;
using Rows = std::vector<std::vector<double>>;

// Every type that can be used, in two texts; NULL, NaN and words for missing among them. FLOAT is left out:
// its text has fewer digits than its value.
const std::string kMixed =
    "SELECT i, CAST(i % 100 - 50 AS TINYINT) AS small, CAST(i * 1000003 AS UBIGINT) AS large, "
    "CAST(i * 7 % 1000003 AS DECIMAL(9, 2)) / 100 AS real, CAST(i * 37 % 9973 AS DECIMAL(7, 3)) / 1.0 AS "
    "money, "
    "CAST(i AS DECIMAL(30, 6)) * 1.000001 AS wide, CAST(i AS HUGEINT) * 123456789012345 AS huge, "
    "i % 3 = 0 AS flag, CASE WHEN i % 41 = 0 THEN NULL ELSE chr(CAST(65 + i * 7 % 11 AS INTEGER)) END AS "
    "word, "
    "'level ' || i % 13 || ', and a text of some length' AS phrase, "
    "DATE '2020-01-31' + CAST(i % 700 - 300 AS INTEGER) AS day, "
    "TIMESTAMP '1969-12-31 22:10:03.25' + INTERVAL (i * 977) SECOND AS moment, "
    "CASE WHEN i % 97 = 5 THEN NULL WHEN i % 89 = 0 THEN 'nan'::DOUBLE ELSE sqrt(i) END AS root, "
    "CAST(i % 5 AS INTEGER) AS y FROM range(20000) t(i)";

void expect_same_table(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(bits_of(a), bits_of(b));
  EXPECT_EQ(a.feature_names(), b.feature_names());
  EXPECT_EQ(a.response_name(), b.response_name());
  EXPECT_EQ(a.notes(), b.notes());
  ASSERT_EQ(a.columns().size(), b.columns().size());
  for (std::size_t j = 0; j < a.columns().size(); ++j) {
    EXPECT_EQ(a.columns()[j].name, b.columns()[j].name);
    EXPECT_EQ(a.columns()[j].kind, b.columns()[j].kind) << a.columns()[j].name;
    EXPECT_EQ(a.columns()[j].levels, b.columns()[j].levels) << a.columns()[j].name;
    EXPECT_EQ(a.columns()[j].role, b.columns()[j].role) << a.columns()[j].name;
  }
}

class Parquet : public ::testing::Test {
 protected:
  void SetUp() override { GIGA_NEEDS_DUCKDB(); }

  [[nodiscard]] Dataset read(const std::string& file, const ReadOptions& options = {}) const {
    return read_dataset(folder_ / file, options, two_threads());
  }
  [[nodiscard]] Dataset query(const std::string& sql, ReadOptions options = {}) const {
    options.sql = sql;
    return read_dataset({}, options, two_threads());
  }
  template <typename Error = DataError>
  [[nodiscard]] std::string refused(const std::string& file, const ReadOptions& options = {}) const {
    const std::string message = message_of<Error>([&] { (void)read(file, options); });
    const std::string folder = folder_.path().string() + "/";
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
  }
  template <typename Error>
  [[nodiscard]] std::string refused_query(const std::string& sql) const {
    return message_of<Error>([&] { (void)query(sql); });
  }
  [[nodiscard]] std::string in(const std::string& file) const {
    return duck::quoted((folder_ / file).string());
  }

  TempDir folder_;
};

TEST_F(Parquet, HoldsTheSameTableAsCsv) {
  write_parquet(folder_ / "t.parquet", kMixed, "ROW_GROUP_SIZE 2048");
  write_csv(folder_ / "t.csv", kMixed);
  const ReadOptions options{.missing = Missing::Drop};
  const Dataset expected = read("t.csv", options);
  ASSERT_GT(expected.num_rows(), 18000);
  ASSERT_LT(expected.num_rows(), 20000);
  for (const int threads : {1, 2, 5}) {
    const Threads executor(threads);
    const Dataset data = read_dataset(folder_ / "t.parquet", options, executor);
    expect_same_table(data, expected);
    EXPECT_EQ(data.input_row(400), expected.input_row(400));
  }
}

TEST_F(Parquet, ReadsEveryTypeOfNumber) {
  write_parquet(folder_ / "t.parquet",
                "SELECT (-128)::TINYINT a, 255::UTINYINT b, (-32768)::SMALLINT c, 65535::USMALLINT d, "
                "(-2147483648)::INTEGER e, 4294967295::UINTEGER f, (-9223372036854775808)::BIGINT g, "
                "18446744073709551615::UBIGINT h, 0.1::FLOAT i, 1e300::DOUBLE j, -1.25::DECIMAL(4, 2) k, "
                "12345.678::DECIMAL(9, 3) l, -123456789012.3456::DECIMAL(18, 4) m, "
                "99999999999999999999.999999::DECIMAL(38, 6) n, 1 AS y");
  const Dataset data = read("t.parquet");
  EXPECT_EQ(rows_of(data),
            (Rows{{-128, 255, -32768, 65535, -2147483648.0, 4294967295.0, -9223372036854775808.0,
                   18446744073709551615.0, static_cast<double>(0.1F), 1e300, -1.25, 12345.678,
                   -123456789012.3456, 99999999999999999999.999999, 1}}));
  for (const Column& column : data.columns()) EXPECT_EQ(column.kind, ColumnKind::Number) << column.name;
}

TEST_F(Parquet, ReadsTimesInAnyUnitAndZone) {
  const std::string times =
      "SELECT TIMESTAMP_S '2024-03-01 12:00:00' a, TIMESTAMP_MS '1960-03-01 06:00:00.5' b, "
      "TIMESTAMP_NS '2024-03-01 18:00:00.123456789' c, TIMESTAMPTZ '2024-03-01 01:00:00+02' d, "
      "DATE '0001-01-01' e, 1 AS y";
  write_parquet(folder_ / "t.parquet", times);
  write_csv(folder_ / "t.csv", times);
  const Dataset data = read("t.parquet");
  expect_same_table(data, read("t.csv"));
  const auto cells = data.cells(std::vector<Index>{0});
  EXPECT_EQ(cells[0][1], "1960-03-01T06:00:00.5");
  EXPECT_EQ(cells[0][3], "2024-02-29T23:00:00");
  EXPECT_EQ(data.columns()[3].kind, ColumnKind::Time);
  EXPECT_EQ(data.columns()[4].kind, ColumnKind::Date);
  write_parquet(folder_ / "t.parquet", "SELECT 'infinity'::DATE AS a, 1 AS y");
  EXPECT_NE(refused("t.parquet").find("row 1, column 'a'"), std::string::npos) << refused("t.parquet");
}

TEST_F(Parquet, TextIsACategoryWhateverItLooksLike) {
  write_parquet(folder_ / "t.parquet",
                "SELECT CASE i % 2 WHEN 0 THEN '02139' ELSE '10' END AS zip, i % 2 = 0 AS flag, "
                "(CASE i % 2 WHEN 0 THEN 'b' ELSE 'a' END)::ENUM('b', 'a') AS e, i AS y FROM range(4) t(i)");
  const Dataset data = read("t.parquet");
  EXPECT_EQ(data.columns()[0].levels, (std::vector<std::string>{"02139", "10"}));
  EXPECT_EQ(data.columns()[1].levels, (std::vector<std::string>{"false", "true"}));
  EXPECT_EQ(data.columns()[2].levels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(rows_of(data)[0], (std::vector<double>{0, 1, 1, 0}));
}

TEST_F(Parquet, OptionsKnowBetterThanTypes) {
  write_parquet(folder_ / "t.parquet",
                "SELECT i % 2 + 9 AS month, '2024-01-0' || (1 + i) AS day, "
                "'1.5' AS number, i AS y FROM range(4) t(i)");
  const Dataset data =
      read("t.parquet",
           {.categories = {"month"}, .known = {{"day", ColumnKind::Date}, {"number", ColumnKind::Number}}});
  EXPECT_EQ(data.columns()[0].levels, (std::vector<std::string>{"10", "9"}));
  EXPECT_EQ(data.columns()[1].kind, ColumnKind::Date);
  EXPECT_EQ(rows_of(data)[2], (std::vector<double>{1, 19725, 1.5, 2}));
  const std::string message = refused("t.parquet", {.known = {{"month", ColumnKind::Category, {"10"}}}});
  EXPECT_EQ(message.find("t.parquet: row 1, column 'month': '9' is not a level that is known"), 0U)
      << message;
  EXPECT_NE(refused("t.parquet", {.weights = "day"}).find("'2024-01-01' is not a number"), std::string::npos);
}

TEST_F(Parquet, GivesBackTheCellsOfUnusedColumns) {
  write_parquet(
      folder_ / "t.parquet",
      "SELECT i AS x, [i, i + 1] AS list, {'a': i} AS pair, CASE i WHEN 17 THEN NULL ELSE 'w' || i END "
      "AS word, i / 4 AS quarter, i AS y FROM range(10000) t(i)",
      "ROW_GROUP_SIZE 2048");
  const ReadOptions options{.features = {{"x"}}};
  const Dataset data = read("t.parquet", options);
  const auto cells = data.cells(std::vector<Index>{9999, 17, 4096, 17});
  EXPECT_EQ(cells[0],
            (std::vector<std::string>{"9999", "[9999, 10000]", "{'a': 9999}", "w9999", "2499.75", "9999"}));
  EXPECT_EQ(cells[1], (std::vector<std::string>{"17", "[17, 18]", "{'a': 17}", "", "4.25", "17"}));
  EXPECT_EQ(cells[2][4], "1024");
  EXPECT_EQ(cells[3], cells[1]);
}

TEST_F(Parquet, NestedColumnsAreRefusedOnlyWhereTheyAreUsed) {
  write_parquet(folder_ / "t.parquet",
                "SELECT 1 AS x, [1, 2] AS list, {'a': 1} AS pair, 'ab'::BLOB AS bytes, 2 AS y");
  EXPECT_EQ(read("t.parquet", {.features = {{"x"}}}).num_rows(), 1);
  for (const auto& [column, type] : {std::pair("list", "LIST"), {"pair", "STRUCT"}, {"bytes", "BLOB"}}) {
    const std::string message = refused("t.parquet", {.features = {{"x", column}}});
    EXPECT_EQ(message.find("t.parquet: column '"s + column + "' has the type " + type), 0U) << message;
    EXPECT_NE(message.find("`features`"), std::string::npos) << message;
  }
  const Dataset data = query("SELECT x, list[2] AS second, y FROM " + in("t.parquet"));
  EXPECT_EQ(rows_of(data), (Rows{{1, 2, 2}}));
}

TEST_F(Parquet, MissingAndInfiniteValuesReadAsInCsv) {
  write_parquet(
      folder_ / "t.parquet",
      "SELECT CASE i WHEN 2 THEN NULL ELSE i END AS a, CASE i WHEN 3 THEN 'NA' WHEN 4 THEN ' ' ELSE "
      "' w' END AS b, i AS y FROM range(6) t(i)");
  EXPECT_EQ(
      refused("t.parquet"),
      "t.parquet: 3 missing values (NaN, NA or empty): 2 in 'b', 1 in 'a'; the first are row 3, column 'a'; "
      "row 4, column 'b'; row 5, column 'b'; fill them in, or drop such rows with `missing = drop`");
  const Dataset data = read("t.parquet", {.missing = Missing::Drop});
  EXPECT_EQ(data.columns()[1].levels, std::vector<std::string>{"w"});
  EXPECT_EQ(data.input_row(2), 5);
  write_parquet(
      folder_ / "t.parquet",
      "SELECT CASE i WHEN 4 THEN 'inf'::DOUBLE ELSE i END AS a, CASE i WHEN 3 THEN 'x' || chr(0) ELSE "
      "'w' END AS b, i AS y FROM range(6) t(i)");
  EXPECT_EQ(refused("t.parquet").find("t.parquet: row 4, column 'b'"), 0U) << refused("t.parquet");
  EXPECT_EQ(refused("t.parquet", {.features = {{"a"}}})
                .find("t.parquet: row 5, column 'a': 'inf' is infinite; only finite numbers can be used"),
            0U);
  write_parquet(folder_ / "t.parquet", "SELECT 1 AS x, 2 AS y WHERE false");
  EXPECT_EQ(refused("t.parquet"), "t.parquet: 0 data rows; at least one is needed");
}

TEST_F(Parquet, IdentifiersAndNamesAreRefusedAsInCsv) {
  write_parquet(folder_ / "t.parquet", "SELECT 'id' || i AS id, i AS y FROM range(60) t(i)");
  EXPECT_EQ(refused("t.parquet")
                .find("t.parquet: column 'id' has 60 levels in 60 cells and looks like an identifier"),
            0U);
  EXPECT_EQ(refused<NoSuchColumn>("t.parquet", {.response = "z"}), "t.parquet: no column 'z'; have: id, y");
}

TEST_F(Parquet, PartsOfAFolderAreOneTableInTheOrderOfTheirNames) {
  std::filesystem::create_directory(folder_ / "parts");
  const std::string rows = "SELECT i AS x, 'g' || i % 3 AS g, i AS y FROM range(";
  write_parquet(folder_ / "parts/part-10.parquet", rows + "7000, 9000) t(i)");
  write_parquet(folder_ / "parts/part-02.parquet", rows + "3000, 7000) t(i)");
  write_parquet(folder_ / "parts/part-01.parquet", rows + "0, 3000) t(i)");
  write_parquet(folder_ / "parts/part-05.PARQUET", rows + "0) t(i)");
  write_file(folder_ / "parts/_SUCCESS", "");
  write_file(folder_ / "parts/_metadata.parquet", "no table");
  write_file(folder_ / "parts/.part-01.parquet", "no table");
  write_file(folder_ / "parts/readme.txt", "no table");
  write_parquet(folder_ / "whole.parquet", rows + "9000) t(i)");
  const Dataset expected = read("whole.parquet");
  for (const char* name : {"parts", "parts/"}) {
    const Dataset data = read(name);
    ASSERT_EQ(data.num_rows(), 9000);
    expect_same_table(data, expected);
  }
}

TEST_F(Parquet, PartsThatDifferAreNamedWithTheColumn) {
  std::filesystem::create_directory(folder_ / "parts");
  write_parquet(folder_ / "parts/a.parquet", "SELECT 1 AS x, 2 AS y");
  const auto expect = [&](const std::string& query, const std::string& words) {
    write_parquet(folder_ / "parts/b.parquet", query);
    const std::string message = refused("parts");
    EXPECT_EQ(message.find("parts/b.parquet: " + words), 0U) << message;
    EXPECT_NE(message.find("a.parquet"), std::string::npos) << message;
  };
  expect("SELECT 1.5 AS x, 2 AS y", "column 'x' has the type DECIMAL(.., 1), but INTEGER in a.parquet");
  expect("SELECT 1 AS x, 2 AS z", "column 2 is 'z', but 'y' in a.parquet");
  expect("SELECT 1 AS x", "has 1 column, but a.parquet has 2");
  write_file(folder_ / "parts/b.parquet", "");
  EXPECT_EQ(refused("parts"), "parts/b.parquet: file is empty");
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_NE(refused<InputMissing>("empty").find("empty: is a directory without .parquet files"),
            std::string::npos);
  EXPECT_NE(refused<InputMissing>("none.parquet").find("no such file"), std::string::npos);
}

TEST_F(Parquet, NamesOfFilesAreTakenAsTheyAre) {
  for (const char* name :
       {"it's [a] *?.parquet", "year=2024", "~.parquet", "ein Ümlaut.parquet", "a,b;c.parquet"}) {
    std::filesystem::path path = folder_ / name;
    if (path.extension() != ".parquet") {
      std::filesystem::create_directory(path);
      path /= "t.parquet";
    }
    write_parquet(folder_ / "plain.parquet", "SELECT 1 AS x, 2 AS y");
    std::filesystem::rename(folder_ / "plain.parquet", path);
    const Dataset data = read_dataset(path, {}, two_threads());
    EXPECT_EQ(rows_of(data), (Rows{{1, 2}})) << name;
  }
}

// A file that is read all the same is one whose numbers were changed.
bool is_refused(const std::filesystem::path& path) {
  try {
    (void)read_dataset(path, {.missing = Missing::Drop}, one_thread());
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(path.string() + ": ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return true;
  } catch (const NoSuchColumn&) {  // a name was changed
    return true;
  }
  return false;
}

TEST_F(Parquet, LoadsOrThrowsDataErrorWhateverTheBytes) {
  const std::string query =
      "SELECT i AS x, 'w' || i % 7 AS g, sqrt(i) AS r, DATE '2020-01-01' + CAST(i AS INTEGER) AS d, i % 3 AS "
      "y "
      "FROM range(3000) t(i)";
  write_parquet(folder_ / "snappy.parquet", query, "ROW_GROUP_SIZE 2048");
  write_parquet(folder_ / "plain.parquet", query, "CODEC uncompressed, PARQUET_VERSION v2");
  write_parquet(folder_ / "zstd.parquet", query, "CODEC zstd");
  std::vector<std::string> seeds;
  for (const char* name : {"snappy.parquet", "plain.parquet", "zstd.parquet"})
    seeds.push_back(read_file(folder_ / name));
  const std::filesystem::path path = folder_ / "t.parquet";
  std::mt19937 random(31);
  int refused = 0, rounds = 0;
  const auto check = [&](const std::string& bytes) {
    write_file(path, bytes);
    ++rounds;
    refused += is_refused(path) ? 1 : 0;
  };
  for (const std::string& seed : seeds) {
    check("");
    check("PAR1");
    check("PAR1PAR1");
    check(seed + "x");
    check("X" + seed.substr(1));
    check(seed.substr(0, seed.size() - 4) + "PARX");
    for (int k = 1; k < 10; ++k) check(seed.substr(0, seed.size() * static_cast<std::size_t>(k) / 10));
    for (int k = 0; k < 20; ++k) {
      std::string bytes = seed;
      // Half of the flips hit the footer, where the sizes are.
      for (auto flips = 1 + random() % 4; flips > 0; --flips) {
        const std::size_t tail = std::min<std::size_t>(bytes.size(), 800);
        const std::size_t at =
            random() % 2 == 0 ? random() % bytes.size() : bytes.size() - 1 - random() % tail;
        bytes[at] = random() % 4 == 0 ? '\xFF' : static_cast<char>(bytes[at] ^ (1 << random() % 8));
      }
      check(bytes);
    }
  }
  EXPECT_GE(rounds, 100);
  EXPECT_GT(refused, 60);
}

TEST_F(Parquet, DamageInALaterPartIsFoundAndNamed) {
  std::filesystem::create_directory(folder_ / "parts");
  const std::string rows = "SELECT random() AS x, random() AS y FROM range(50000)";
  for (const char* name : {"parts/a.parquet", "parts/b.parquet", "parts/c.parquet"})
    write_parquet(folder_ / name, rows, "CODEC zstd, ROW_GROUP_SIZE 10000");
  EXPECT_EQ(read("parts").num_rows(), 150000);
  std::string bytes = read_file(folder_ / "parts/b.parquet");
  for (std::size_t at = bytes.size() / 2; at < bytes.size() / 2 + 4000; ++at)
    bytes[at] = static_cast<char>(at * 7);
  write_file(folder_ / "parts/b.parquet", bytes);
  const std::string message = refused("parts");
  EXPECT_EQ(message.find("parts/b.parquet: cannot be read as Parquet: "), 0U) << message;
}

TEST_F(Parquet, QueriesAreTables) {
  write_parquet(folder_ / "t.parquet", "SELECT i AS x, i % 4 AS g, i * 2 AS y FROM range(5000) t(i)");
  write_file(folder_ / "t.csv", "g,name\n0,a\n1,b\n2,c\n3,d\n");
  const std::string from = " FROM " + in("t.parquet");
  expect_same_table(query("SELECT *" + from), read("t.parquet"));
  EXPECT_EQ(rows_of(query("SELECT x, y" + from + " WHERE x % 1000 = 1 ORDER BY x DESC LIMIT 2; -- the last")),
            (Rows{{4001, 8002}, {3001, 6002}}));
  const Dataset joined = query("SELECT p.x, c.name, p.y" + from + " p JOIN " + in("t.csv") +
                               " c ON p.g = c.g WHERE p.x < 6 ORDER BY p.x");
  EXPECT_EQ(joined.columns()[1].levels, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(rows_of(joined)[5], (std::vector<double>{5, 1, 10}));
  // The columns that are read are the first, second and fourth; the text of the third is found again.
  const Dataset partly =
      query("SELECT g AS a, sum(x) AS b, 'u' || g AS c, count(*) AS y" + from + " GROUP BY g",
            {.features = {{"a", "b"}}});
  ASSERT_EQ(partly.num_rows(), 4);
  const auto cells = partly.cells(std::vector<Index>{3, 0});
  EXPECT_EQ(cells[0][2], "u" + cells[0][0]);
  EXPECT_EQ(cells[1][2], "u" + cells[1][0]);
}

TEST_F(Parquet, QueriesGiveTheSameRowsEveryTime) {
  write_parquet(folder_ / "t.parquet",
                "SELECT random() AS x, CAST(random() * 5000 AS INTEGER) AS g FROM range(200000)",
                "ROW_GROUP_SIZE 10000");
  for (const std::string rest :
       {"SELECT g, sum(x) AS y FROM data GROUP BY g", "SELECT x, random() AS y FROM data",
        "SELECT DISTINCT g, g AS y FROM data", "SELECT x, g AS y FROM data WHERE x < 0.5"}) {
    const ReadOptions options{.sql = rest};
    const Dataset first = read("t.parquet", options);
    for (const int threads : {1, 2, 4}) {
      const Threads executor(threads);
      EXPECT_EQ(bits_of(read_dataset(folder_ / "t.parquet", options, executor)), bits_of(first)) << rest;
    }
  }
}

TEST_F(Parquet, AFileIsCalledDataInAQuery) {
  write_file(folder_ / "t.csv", "x,y\n1,2\n3,4\n5,6\n");
  EXPECT_EQ(rows_of(read("t.csv", {.sql = "SELECT x + 1 AS x, y FROM Data WHERE y > 2"})),
            (Rows{{4, 4}, {6, 6}}));
  std::filesystem::create_directory(folder_ / "parts");
  write_parquet(folder_ / "parts/a.parquet", "SELECT 1 AS x, 2 AS y");
  EXPECT_EQ(rows_of(read("parts", {.sql = "FROM data"})), (Rows{{1, 2}}));
  const std::string message = refused<OptionError>("t.csv", {.sql = "SELECT 1 AS x, 2 AS y"});
  EXPECT_EQ(message.find("`sql` does not mention data"), 0U) << message;
  EXPECT_TRUE(mentions_data("SELECT * FROM DATA"));
  EXPECT_FALSE(mentions_data("SELECT metadata, data_2 FROM mydata"));
}

TEST_F(Parquet, QueriesThatCannotBeAreRefusedInOneLine) {
  write_parquet(folder_ / "t.parquet", "SELECT 1 AS x, 'a' AS w, 2 AS y");
  const std::string from = " FROM " + in("t.parquet");
  const auto expect = [&](const std::string& sql, const std::string& words) {
    const std::string message = refused_query<OptionError>(sql);
    EXPECT_EQ(message.find("`sql`"), 0U) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message << " lacks " << words;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  expect("SELEC 1", "syntax error at or near \"SELEC\"");
  expect("", "no statement");
  expect("SELECT z" + from, "\"z\" not found");
  expect("SELECT * FROM nowhere", "nowhere");
  expect("SELECT 1 AS x, 2 AS y; SELECT 3", "one SELECT");
  expect("COPY (SELECT 1) TO " + in("made.csv"), "one SELECT");
  expect("CREATE TABLE t AS SELECT 1", "one SELECT");
  expect("SELECT ? AS x, 1 AS y", "parameter");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "made.csv"));
  EXPECT_EQ(refused_query<DataError>("SELECT 1 AS a, 2 AS b, 3 AS a, 4 AS y"),
            "query: columns 1 and 3 are both named 'a'; rename one of them");
  EXPECT_EQ(refused_query<DataError>("SELECT w::INTEGER AS x, y" + from).find("query: Could not convert"),
            0U);
  EXPECT_NE(refused_query<InputMissing>("SELECT * FROM 'none/here.parquet'").find("none/here.parquet"),
            std::string::npos);
  // Names that differ in case are two columns here, as in CSV.
  EXPECT_EQ(rows_of(query("SELECT 1 AS a, 2 AS A, 3 AS y")), (Rows{{1, 2, 3}}));
}

TEST_F(Parquet, NothingIsLoadedFromTheNetwork) {
  const std::string message = refused_query<DataError>("SELECT * FROM 'https://host.invalid/t.parquet'");
  EXPECT_NE(message.find("httpfs"), std::string::npos) << message;
}

TEST_F(Parquet, AQueryStopsWithinASecond) {
  const ReadOptions options{.sql = "SELECT count(*) AS x, 1 AS y FROM range(1000000) a, range(1000000) b"};
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const Observer observer = [&](const StageProgress& at) {
    EXPECT_EQ(at.stage, Stage::Load);
    return seconds() > 0.2 ? Answer::Stop : Answer::Continue;
  };
  EXPECT_THROW((void)read_dataset({}, options, one_thread(), observer), Stopped);
  EXPECT_LT(seconds(), 1.2);
  const Threads told(1, [&] { return seconds() > 1.4; });
  EXPECT_THROW((void)read_dataset({}, options, told), Stopped);
  EXPECT_LT(seconds(), 2.6);
  EXPECT_THROW((void)read_dataset({}, options, one_thread(),
                                  [](const StageProgress&) -> Answer { throw std::domain_error("mine"); }),
               std::domain_error);
}

TEST_F(Parquet, TellsHowFarTheReadingIs) {
  write_parquet(folder_ / "t.parquet", "SELECT random() AS x, random() AS y FROM range(100000)",
                "ROW_GROUP_SIZE 10000");
  std::atomic<Index> most{0}, total{0};
  (void)read_dataset(folder_ / "t.parquet", {}, two_threads(), [&](const StageProgress& at) {
    most = std::max(most.load(), at.done);
    total = at.total;
    return Answer::Continue;
  });
  EXPECT_EQ(total, static_cast<Index>(std::filesystem::file_size(folder_ / "t.parquet")));
  EXPECT_EQ(most, total);
}

TEST(DuckDbLibrary, SaysHowToInstallWhatIsMissing) {
  const DataFile file("t.parquet", "PAR1");
  const char* usual = std::getenv("GIGA_DUCKDB");
  const std::string kept = usual == nullptr ? "" : usual;  // empty is as good as not set
  ::setenv("GIGA_DUCKDB", "/no/such/libduckdb.so", 1);
  const std::string message =
      message_of<LibraryMissing>([&] { (void)read_dataset(file.path(), {}, one_thread()); });
  ::setenv("GIGA_DUCKDB", "libz.so.1", 1);
  const std::string other = message_of<LibraryMissing>(
      [&] { (void)read_dataset({}, {.sql = "SELECT 1 AS x, 2 AS y"}, one_thread()); });
  ::setenv("GIGA_DUCKDB", kept.c_str(), 1);
  EXPECT_NE(message.find("scripts/install-dependencies --parquet"), std::string::npos) << message;
  EXPECT_NE(message.find("/no/such/libduckdb.so"), std::string::npos) << message;
  EXPECT_NE(other.find("libz.so.1: is no DuckDB 1.4 or later"), std::string::npos) << other;
}

}  // namespace
}  // namespace giga
