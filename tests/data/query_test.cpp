// Tables that are the results of queries; stopping; and what is said without the library.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "duckdb_tables.hpp"

namespace giga {
namespace {

using namespace test;
using namespace std::string_literals;
using Queries = DuckTables;
using Rows = std::vector<std::vector<double>>;

TEST_F(Queries, AreTables) {
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

TEST_F(Queries, GiveTheSameRowsEveryTime) {
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

TEST_F(Queries, CallTheFileData) {
  write_file(folder_ / "t.csv", "x,y\n1,2\n3,4\n5,6\n");
  EXPECT_EQ(rows_of(read("t.csv", {.sql = "SELECT x + 1 AS x, y FROM Data WHERE y > 2"})),
            (Rows{{4, 4}, {6, 6}}));
  std::filesystem::create_directory(folder_ / "parts");
  write_parquet(folder_ / "parts/a.parquet", "SELECT 1 AS x, 2 AS y");
  EXPECT_EQ(rows_of(read("parts", {.sql = "FROM data"})), (Rows{{1, 2}}));
  const std::string message = refused<OptionError>("t.csv", {.sql = "SELECT 1 AS x, 2 AS y"});
  EXPECT_EQ(message.find("`sql` does not mention data"), 0U) << message;
  write_file(folder_ / "[t].json", "{\"x\": 1, \"y\": 2}\n{\"x\": 3, \"y\": 4}\n");
  EXPECT_EQ(rows_of(read("[t].json", {.sql = "FROM data WHERE y > 2"})), (Rows{{3, 4}}));
  write_file(folder_ / "t.npy", "no matter what");
  EXPECT_NE(refused<OptionError>("t.npy", {.sql = "FROM data"}).find("`sql` is for .csv, "),
            std::string::npos);
  EXPECT_TRUE(mentions_data("SELECT * FROM DATA"));
  EXPECT_FALSE(mentions_data("SELECT metadata, data_2 FROM mydata"));
}

TEST_F(Queries, ThatCannotBeAreRefusedInOneLine) {
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

TEST_F(Queries, LoadNothingFromTheNetwork) {
  const std::string message = refused_query<DataError>("SELECT * FROM 'https://host.invalid/t.parquet'");
  EXPECT_NE(message.find("httpfs"), std::string::npos) << message;
}

TEST_F(Queries, StopWithinASecond) {
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
