// Tables of words, dates and labels through build, sample, check and fit.
#include <algorithm>
#include <random>

#include "cli/data_files.hpp"

namespace giga::test {
namespace {

using namespace std::string_literals;
using nlohmann::json;
using Words = std::vector<std::string>;

// Flights: three words, a date, a number, and a label that depends on them.
std::string flights(int rows, const std::string& late = "late", const std::string& good = "fine") {
  std::mt19937 random(21);
  const Words carriers = {"UA", "AA", "=B6", "\"D,L\""}, weekdays = {"mon", "tue", "sun"};
  std::string text = "carrier,day,date,dist,id,state\n";
  for (int n = 0; n < rows; ++n) {
    const auto c = random() % 4, d = random() % 3;
    const double dist = static_cast<double>(random() % 5000) / 10;
    const double s = 0.8 * static_cast<double>(c) - 1.2 + (d == 2 ? 0.9 : 0) - dist / 400;
    const bool is_late = static_cast<double>(random() % 10000) / 10000 < 1 / (1 + std::exp(-s));
    text += carriers[c] + "," + weekdays[d] + ",2024-03-" + std::to_string(10 + random() % 20) + "," +
            shortest(dist) + ",f" + std::to_string(n) + "," + (is_late ? late : good) + "\n";
  }
  return text;
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words kColumns = {"--features", "carrier,day,date,dist", "--response", "state", "--family",
                        "bernoulli"};

class TextTable : public DataCommand {
 protected:
  [[nodiscard]] Outcome giga(Words words, const Words& more = {}) const {
    words.insert(words.end(), more.begin(), more.end());
    return run(Launch{.arguments = words, .folder = folder_.path()});
  }
  void expect_done(const Words& words, const Words& more = {}) const {
    const Outcome outcome = giga(words, more);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
  }
  [[nodiscard]] std::string error_of(int code, const Words& words, const Words& more = {}) const {
    const Outcome outcome = giga(words, more);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    return outcome.error;
  }
  [[nodiscard]] json parsed(const std::string& name) const { return json::parse(read_file(folder_ / name)); }
};

void expect_said(const std::string& text, const Words& all) {
  for (const std::string& words : all)
    EXPECT_NE(text.find(words), std::string::npos) << text << "lacks: " << words;
}

TEST_F(TextTable, GoesThroughBuildSampleAndCheckWithTheSameNames) {
  write_file(folder_ / "t.csv", flights(1500));
  const Outcome built = giga({"build", "t.csv", "--out", "c.csv"}, kColumns);
  ASSERT_EQ(built.code, 0) << built.error;
  expect_said(built.error, {"labels: 'late' is success, 'fine' is failure", "carrier: 3 columns, base '=B6'",
                            "day: 2 columns, base 'mon'"});
  const json names =
      json::parse(R"(["carrierAA", "carrierD,L", "carrierUA", "daysun", "daytue", "date", "dist"])");
  const json file = parsed("c.json");
  EXPECT_EQ(file["standardisation"]["features"], names);
  EXPECT_EQ(file["D"], 8);
  const std::string csv = read_file(folder_ / "c.csv");
  expect_said(
      csv, {"row,weight,carrier,day,date,dist,id,state\n", ",'=B6,", ",\"D,L\",", ",2024-03-1", ",late\n"});
  expect_done({"sample", "c.csv", "--out", "d", "--warmup", "200", "--draws", "200"});
  const json run = parsed("d/run.json");
  for (std::size_t k = 0; k < names.size(); ++k) EXPECT_EQ(run["parameters"][k]["name"], names[k]);
  EXPECT_EQ(run["standardisation"]["features"], names);
  const Outcome checked = giga({"check", "t.csv", "c.csv", "d"});
  EXPECT_EQ(checked.code, 0) << checked.error;
  expect_said(checked.out, {"\ncarrierAA ", "\nstd_daysun "});
}

// The companion has levels, kinds and the success: a table whose words changed is another one.
TEST_F(TextTable, IsNotCheckedAgainstOtherWords) {
  write_file(folder_ / "t.csv", flights(400));
  expect_done({"build", "t.csv", "--success", "fine", "--out", "c.csv"}, kColumns);
  EXPECT_EQ(parsed("c.json")["model"]["success"], "fine");
  expect_done({"sample", "c.csv", "--out", "d", "--warmup", "150", "--draws", "150"});
  write_file(folder_ / "other.csv", flights(400, "lost"));
  expect_said(error_of(65, {"check", "other.csv", "c.csv", "d"}),
              {"other.csv: row ", "column 'state': 'lost' is not a level that is known: 'fine', 'late'"});
  expect_said(error_of(64, {"check", "t.csv", "c.csv", "d", "--success", "late"}),
              {"--success is late", "fine"});
}

TEST_F(TextTable, TheSuccessMirrorsTheCoefficients) {
  write_file(folder_ / "t.csv", flights(300));
  expect_done({"build", "t.csv", "--out", "a.csv"}, kColumns);
  expect_done({"build", "t.csv", "--out", "b.csv", "--success", "fine"}, kColumns);
  write_file(folder_ / "n.csv", flights(300, "2", "1"));
  expect_done({"build", "n.csv", "--out", "n.csv.out.csv", "--success", "2"}, kColumns);
  EXPECT_EQ(parsed("a.json")["coreset"], parsed("n.csv.out.json")["coreset"]);
  const std::string error = error_of(65, {"build", "n.csv", "--out", "x.csv"}, kColumns);
  expect_said(error, {"column 'state' has the values 1, 2", "with --success"});
}

TEST_F(TextTable, IsFittedWithTheSameBytesOnAnyNumberOfThreadsAndLineEnds) {
  std::string text = flights(800);
  write_file(folder_ / "t.csv", text);
  std::replace(text.begin(), text.end(), '\n', '\r');
  write_file(folder_ / "mac.csv", text);
  const Words fit = {"--warmup", "150", "--draws", "200", "--size", "60"};
  expect_done({"fit", "t.csv", "--out", "one", "--threads", "1"}, kColumns + fit);
  expect_done({"fit", "t.csv", "--out", "two", "--threads", "2"}, kColumns + fit);
  expect_done({"fit", "mac.csv", "--out", "mac"}, kColumns + fit);
  for (const char* name : {"/coreset.csv", "/coreset.json", "/draws_1.csv", "/summary.csv"}) {
    EXPECT_EQ(read_file(folder_ / ("one"s + name)), read_file(folder_ / ("two"s + name))) << name;
    EXPECT_EQ(read_file(folder_ / ("one"s + name)), read_file(folder_ / ("mac"s + name))) << name;
  }
  expect_said(read_file(folder_ / "one/summary.csv"), {"carrierUA", "daysun", "std_date"});
  expect_said(read_file(folder_ / "one/report.html"), {"carrierUA"});
}

TEST_F(TextTable, WhatCannotBeUsedIsSaid) {
  write_file(folder_ / "t.csv", flights(300));
  const Words build = {"build", "t.csv", "--out", "c.csv"};
  expect_said(error_of(65, build, {"--family", "bernoulli"}),
              {"column 'id' has 300 levels in 300 cells and looks like an identifier", "--features"});
  expect_said(error_of(65, build, {"--family", "poisson", "--features", "dist"}),
              {"column 'state' is text, with the levels 'fine', 'late'; poisson needs counts", "--response"});
  expect_said(error_of(65, build, {"--family", "bernoulli", "--features", "dist", "--response", "carrier"}),
              {"column 'carrier' has 4 levels", "bernoulli needs two"});
  expect_said(error_of(64, build, kColumns + Words{"--success", "never"}),
              {"'fine', 'late'; --success is 'never', which is none of them"});
  expect_said(error_of(64, build, {"--family", "gaussian", "--response", "dist", "--success", "1"}),
              {"--success has no effect with --family gaussian"});
  expect_said(error_of(64, build, kColumns + Words{"--categories", "nope"}),
              {"no column 'nope'; have: carrier"});
  expect_said(error_of(64, build, kColumns + Words{"--max-levels", "0"}), {"--max-levels", "65536"});
  expect_said(error_of(65, build, kColumns + Words{"--max-levels", "3"}),
              {"column 'carrier' has 4 levels in 300 cells", "raise --max-levels"});
}

TEST_F(TextTable, ColumnsOfNumbersMayBeAskedForAsCategories) {
  std::string text = "month,x,y\n";
  for (int n = 0; n < 200; ++n)
    text +=
        std::to_string(1 + n % 3) + "," + std::to_string(n * 7919 % 101) + "," + std::to_string(n % 2) + "\n";
  write_file(folder_ / "t.csv", text);
  const Words build = {"build", "t.csv", "--family", "bernoulli", "--out"};
  expect_done(build + Words{"c.csv", "--categories", "month"});
  EXPECT_EQ(parsed("c.json")["standardisation"]["features"], json::parse(R"(["month2", "month3", "x"])"));
  EXPECT_EQ(parsed("c.json")["read"]["categories"], json::parse(R"(["month"])"));
  expect_done({"sample", "c.csv", "--out", "d", "--warmup", "100", "--draws", "100"});
  expect_done({"check", "t.csv", "c.csv", "d"});
}

TEST_F(TextTable, LevelsThatDifferInAnApostropheStayApart) {
  std::mt19937 random(4);
  std::string text = "c,x,y\n";
  const Words levels = {"=x", "'=x", "''=x", "x"};
  for (int n = 0; n < 400; ++n)
    text += levels[random() % 4] + "," + std::to_string(random() % 100) + "," + std::to_string(random() % 2) +
            "\n";
  write_file(folder_ / "t.csv", text);
  expect_done({"build", "t.csv", "--family", "bernoulli", "--size", "40", "--out", "c.csv"});
  const std::string csv = read_file(folder_ / "c.csv");
  expect_said(csv, {",'=x,", ",''=x,", ",'''=x,", ",x,"});
  expect_done({"sample", "c.csv", "--out", "d", "--warmup", "200", "--draws", "200"});
  expect_done({"check", "t.csv", "c.csv", "d"});
}

TEST_F(TextTable, RareLevelsAreNotedOfTheDataAndNotOfTheCoreset) {
  std::string text = flights(600);
  text += "ZZ,mon,2024-03-11,10,f600,fine\n";
  write_file(folder_ / "t.csv", text);
  const Outcome built = giga({"build", "t.csv", "--out", "c.csv"}, kColumns);
  ASSERT_EQ(built.code, 0) << built.error;
  expect_said(built.error, {"carrier: the level 'ZZ' occurs in 1 row"});
  const Outcome sampled = giga({"sample", "c.csv", "--warmup", "100", "--draws", "100"});
  ASSERT_EQ(sampled.code, 0) << sampled.error;
  EXPECT_EQ(sampled.error.find("occurs in"), std::string::npos) << sampled.error;
}

TEST_F(TextTable, MoreColumnsThanCanBeFittedAreRefusedWithTheColumnThatMakesThem) {
  std::string text = "tail,x,y\n";
  for (int n = 0; n < 20'200; ++n)
    text +=
        "N" + std::to_string(n % 10'100) + "," + std::to_string(n % 17) + "," + std::to_string(n % 2) + "\n";
  write_file(folder_ / "t.csv", text);
  expect_said(error_of(65, {"build", "t.csv", "--family", "bernoulli", "--max-levels", "20000"}),
              {"make 10,099 columns", "tail makes 10,099 of them"});
  expect_said(
      error_of(65, {"build", "t.csv", "y ~ x * tail", "--family", "bernoulli", "--max-levels", "20000"}),
      {"make 20,198 columns", "tail"});
}

}  // namespace
}  // namespace giga::test
