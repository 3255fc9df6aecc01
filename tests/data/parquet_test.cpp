// Parquet files: the same table as CSV has, to the bit; types, parts, damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "duckdb_tables.hpp"

#if defined(__SANITIZE_ADDRESS__)
// DuckDB loses a decoder where a damaged file says that it is compressed by brotli and is not.
extern "C" const char* __lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libduckdb.so";
}
#elif defined(__SANITIZE_THREAD__)
// DuckDB is not built with the sanitizer, which therefore does not see how its threads wait for each other.
extern "C" const char* __tsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "race:libduckdb.so\ndeadlock:libduckdb.so\nmutex:libduckdb.so";
}
#endif

namespace giga {
namespace {

using namespace test;
using namespace std::string_literals;
using Parquet = DuckTables;
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
    EXPECT_EQ(bits_of(data), bits_of(expected));
    EXPECT_EQ(data.columns()[1].levels, expected.columns()[1].levels);
    EXPECT_EQ(data.notes().back(), (folder_ / "parts/part-05.PARQUET").string() + " has no rows");
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

}  // namespace
}  // namespace giga
