// Parquet and --sql through every verb: the same bytes as CSV gives, and what is said where they cannot be
// read.
#include <csignal>

#include "cli/fit_command.hpp"
#include "support/parquet.hpp"

namespace giga::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// Words, dates, missing values, exposures, and a column that no model uses.
const std::string kFlights =
    "SELECT 'carrier ' || i * 7 % 5 AS carrier, sqrt(i % 97) AS hour, DATE '2020-01-01' + CAST(i % 300 AS "
    "INTEGER) AS day, CASE WHEN i % 50 = 0 THEN NULL ELSE i % 13 END AS dist, 1 + i % 9 AS days, 'note ' || "
    "i AS "
    "remark, CASE WHEN i * i % 7 < 3 THEN 'late' ELSE 'fine' END AS state FROM range(2000) t(i)";
const std::string kFormula = "state ~ carrier + hour * dist + month(day) + offset(log(days))";

class ParquetCommand : public FitCommand {
 protected:
  void SetUp() override { GIGA_NEEDS_DUCKDB(); }

  void write_flights() const {
    write_parquet(folder_ / "t.parquet", kFlights, "ROW_GROUP_SIZE 2048");
    write_csv(folder_ / "t.csv", kFlights);
  }

  /// Must succeed.
  [[nodiscard]] std::string out_of(const Words& words) const {
    const Outcome outcome = command(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return outcome.out;
  }

  void expect_refused(const Words& words, int code, const std::string& start, const Words& said = {}) const {
    const std::ptrdiff_t files_before = folder_.size();
    const Outcome outcome = command(words);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.error.starts_with("giga: error: " + start)) << outcome.error;
    EXPECT_EQ(count_of(outcome.error, "\n"), 1) << outcome.error;
    for (const std::string& word : said)
      EXPECT_NE(outcome.error.find(word), std::string::npos) << outcome.error << "  lacks: " << word;
    EXPECT_EQ(folder_.size(), files_before) << "something is left";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LE(outcome.peak_kilobytes, 128 * 1024);
#endif
  }
};

TEST_F(ParquetCommand, BuildsTheSameCoresetAsFromCsv) {
  write_flights();
  for (const char* threads : {"1", "2"}) {
    for (const Words& model :
         {Words{kFormula, "--family", "bernoulli"},
          Words{"--family", "gaussian", "--response", "dist", "--features", "hour,carrier,day"}}) {
      std::vector<std::string> made;
      for (const std::string file : {"t.csv", "t.parquet"}) {
        Words words = {"build", file};
        words.insert(words.end(), model.begin(), model.end());
        words.insert(words.end(), {"--missing", "drop", "--size", "30", "--threads", threads, "--out",
                                   "c.csv", "--force"});
        (void)out_of(words);
        made.push_back(bytes("c.csv") + bytes("c.json"));
        EXPECT_NE(made.back().find(",note "), std::string::npos) << "the unused column";
      }
      EXPECT_EQ(made[0], made[1]);
    }
  }
}

TEST_F(ParquetCommand, FitsTheSameAsFromCsv) {
  write_flights();
  for (const std::string kind : {"csv", "parquet"})
    (void)out_of({"fit", "t." + kind, kFormula, "--family", "bernoulli", "--missing", "drop", "--warmup",
                  "200", "--draws", "200", "--no-times", "--out", kind});
  const auto expected = files("csv");
  const auto found = files("parquet");
  ASSERT_EQ(expected.size(), found.size());
  for (const auto& [name, content] : expected) {
    if (name == "run.json" || name == "report.html") continue;  // they name the file
    EXPECT_TRUE(found.at(name) == content) << name;
  }
  json a = record("csv"), b = record("parquet");
  for (json* each : {&a, &b}) {
    (*each)["options"].erase("path");
    each->erase("command_line");
  }
  EXPECT_EQ(a, b);
}

TEST_F(ParquetCommand, AFitOfAQueryResumesToTheSameBytes) {
  write_flights();
  const auto words = [](const std::string& out) {
    return Words{"fit",     "--sql",      "SELECT * FROM 't.parquet' WHERE dist > 0",
                 kFormula,  "--family",   "bernoulli",
                 "--size",  "20",         "--sampler",
                 "rwmh",    "--warmup",   "1000",
                 "--draws", "500",        "--thin",
                 "400",     "--no-times", "--out",
                 out};
  };
  (void)out_of(words("whole"));
  // Machines differ: killed after it has begun, and before it is done.
  for (double after_s = 0.1; after_s < 4 && !fs::exists(folder_ / "out/partial/request.json");
       after_s *= 1.5) {
    fs::remove_all(folder_ / "out");
    (void)run(Launch{
        .arguments = words("out"), .folder = folder_.path(), .signal = SIGKILL, .signal_after_s = after_s});
  }
  ASSERT_TRUE(fs::exists(folder_ / "out/partial/request.json"));
  (void)out_of({"fit", "--resume", "out"});
  expect_same_files("whole", "out");
}

TEST_F(ParquetCommand, AQueryGoesThroughEveryVerb) {
  write_flights();
  const std::string sql = "SELECT * FROM 't.parquet' WHERE dist IS NOT NULL";
  const Words usual = {"--family", "bernoulli", "--warmup", "200", "--draws", "200"};
  Words fit = {"fit", "--sql", sql, "state ~ carrier + hour"};
  fit.insert(fit.end(), usual.begin(), usual.end());
  const std::string text = out_of(fit);
  EXPECT_NE(text.find("data         query: 1,960 rows"), std::string::npos) << text;
  const json made = record("query-fit");
  EXPECT_EQ(made["options"]["sql"], sql);
  EXPECT_EQ(made["options"]["path"], "");
  EXPECT_NE(bytes("query-fit/report.html").find("<title>giga fit: query"), std::string::npos);
  // The coreset knows the query; it may be given again, and DATA in place of it.
  (void)out_of({"check", "query-fit/coreset.csv", "query-fit"});
  (void)out_of({"check", "--sql", sql, "query-fit/coreset.csv"});
  (void)out_of({"check", "t.parquet", "query-fit/coreset.csv", "--sql", "FROM data WHERE dist IS NOT NULL"});
  expect_refused({"check", "t.csv", "query-fit/coreset.csv", "--quiet"}, 65, "t.csv: is not the table");
  // Rows of a query are as good as those of a file.
  const std::string rows = out_of({"predict", "query-fit", "--sql", "SELECT * FROM 't.csv' LIMIT 5"});
  EXPECT_EQ(count_of(rows, "\n"), 6);
  EXPECT_TRUE(out_of({"predict", "query-fit", "t.parquet"}).starts_with(rows));
  EXPECT_EQ(out_of({"predict", "query-fit", "t.csv"}), out_of({"predict", "query-fit", "t.parquet"}));
  Words sample = {"sample", "--sql", sql, "state ~ hour", "--out", "draws"};
  sample.insert(sample.end(), usual.begin(), usual.end());
  (void)out_of(sample);
  expect_refused({"sample", "query-fit/coreset.csv", "--sql", sql}, 64, "--sql has no effect with a coreset");
}

TEST_F(ParquetCommand, ACoresetOfAFolderOrAQueryIsThatOfTheFile) {
  write_flights();
  std::filesystem::create_directory(folder_ / "parts");
  write_parquet(folder_ / "parts/a.parquet", kFlights + " WHERE i < 700");
  write_parquet(folder_ / "parts/b.parquet", kFlights + " WHERE i >= 700");
  const Words model = {kFormula, "--family", "bernoulli", "--missing", "drop", "--size", "20", "--quiet"};
  const auto coreset = [&](Words words) {
    words.insert(words.begin(), "build");
    words.insert(words.end(), model.begin(), model.end());
    return out_of(words);
  };
  const std::string expected = coreset({"t.parquet"});
  EXPECT_EQ(coreset({"parts"}), expected);
  EXPECT_EQ(coreset({"--sql", "FROM 't.parquet'"}), expected);
  EXPECT_EQ(coreset({"parts/", "--sql", "FROM data"}), expected);
  write_file(folder_ / "sql.toml", "sql = \"SELECT * FROM 'parts/*.parquet'\"\n");
  EXPECT_EQ(coreset({"--config", "sql.toml"}), expected);
}

TEST_F(ParquetCommand, WhatCannotBeReadIsRefusedInOneLine) {
  write_flights();
  const Words gaussian = {"--family", "gaussian", "--out", "c.csv"};
  const auto refused = [&](const std::string& file, int code, const Words& said) {
    expect_refused({"build", file, "--family", "gaussian", "--out", "c.csv"}, code, file + ": ", said);
  };
  refused("none.parquet", 66, {"no such file"});
  std::filesystem::create_directory(folder_ / "empty.parquet");
  refused("empty.parquet", 66, {"is a directory without .parquet files"});
  write_file(folder_ / "d.parquet", "");
  refused("d.parquet", 65, {"file is empty"});
  for (const std::string bytes : {"PAR1", "PAR1PAR1", "no table at all"}) {
    write_file(folder_ / "d.parquet", bytes);
    refused("d.parquet", 65, {"cannot be read as Parquet", "damaged", "write it again"});
  }
  const std::string whole = bytes("t.parquet");
  for (const std::size_t length : {whole.size() - 1, whole.size() / 2, std::size_t{12}}) {
    write_file(folder_ / "d.parquet", whole.substr(0, length));
    refused("d.parquet", 65, {"cannot be read as Parquet"});
  }
  write_parquet(folder_ / "d.parquet", "SELECT [1] AS tags, 2 AS y");
  refused("d.parquet", 65, {"column 'tags' has the type LIST", "--features", "--sql"});
  for (const std::string verb : {"build", "fit", "sample"}) {
    const auto query = [&](const std::string& sql, int code, const std::string& start,
                           const Words& said = {}) {
      expect_refused({verb, "--sql", sql, "--family", "gaussian", "--out", "c.csv"}, code, start, said);
    };
    query("SELEC 1", 64, "--sql: syntax error");
    query("DROP TABLE t", 64, "--sql");
    query("SELECT 1; SELECT 2", 64, "--sql must be one SELECT");
    query("SELECT * FROM 'none.parquet'", 66, "query: No files found");
    query("SELECT state::INTEGER AS x, 1 AS y FROM 't.parquet'", 65, "query: Could not convert");
    query("SELECT dist AS x, 1 AS y FROM 't.parquet'", 65, "query: 40 missing values", {"--missing drop"});
  }
  expect_refused({"build", "-", "--sql", "FROM data", "--family", "gaussian"}, 64,
                 "--sql cannot read standard input");
  expect_refused({"build", "t.csv", "--sql", "FROM 't.parquet'", "--family", "gaussian"}, 64,
                 "--sql does not mention data", {"t.csv"});
  expect_refused({"build", "--vectors", "V.npy", "--sql", "FROM data"}, 64,
                 "--sql has no effect with --vectors");
  expect_refused({"fit", "y ~ x", "--family", "gaussian"}, 64, "no input; give DATA, --sql QUERY");
}

TEST_F(ParquetCommand, CtrlCStopsAQueryInTime) {
  const Outcome outcome = run(Launch{
      .arguments = {"build", "--sql", "SELECT count(*) AS x, 1 AS y FROM range(1000000) a, range(1000000) b",
                    "--family", "gaussian", "--out", "c.csv"},
      .folder = folder_.path(),
      .signal = SIGINT,
      .signal_after_s = 0.6});
  EXPECT_EQ(outcome.code, 130);
  EXPECT_LT(outcome.seconds_after_signal, 2);
  EXPECT_EQ(folder_.size(), 0);
}

TEST_F(DataCommand, WithoutTheLibraryItIsSaidHowToGetIt) {
  write_file(folder_ / "t.parquet", "PAR1");
  for (const Words& input : {Words{"t.parquet"}, Words{"--sql", "FROM 't.csv'"}}) {
    for (const std::string verb : {"build", "fit", "sample"}) {
      Words words = {verb};
      words.insert(words.end(), input.begin(), input.end());
      words.insert(words.end(), {"--family", "gaussian", "--out", "out"});
      const Outcome outcome = run(Launch{
          .arguments = words, .environment = {"GIGA_DUCKDB=/no/such/library.so"}, .folder = folder_.path()});
      EXPECT_EQ(outcome.code, 69) << outcome.error;
      EXPECT_EQ(count_of(outcome.error, "\n"), 1) << outcome.error;
      EXPECT_NE(outcome.error.find("scripts/install-dependencies --parquet"), std::string::npos)
          << outcome.error;
      EXPECT_EQ(folder_.size(), 1);
    }
  }
}

}  // namespace
}  // namespace giga::test
