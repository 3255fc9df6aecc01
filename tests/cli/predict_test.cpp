// giga predict, from fits of tables with words, counts and trials to predictions of other tables.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

#include "cli/data_files.hpp"

namespace giga::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// Flights that are late by carrier and distance.
std::string flights(int rows, unsigned seed) {
  std::mt19937 random(seed);
  const Words carriers = {"UA", "AA", "DL"};
  std::string text = "carrier,dist,state\n";
  for (int n = 0; n < rows; ++n) {
    const auto c = random() % 3;
    const double dist = static_cast<double>(random() % 5000) / 1000;
    const double s = 0.8 * static_cast<double>(c) - dist / 3 + 0.2;
    const bool late = static_cast<double>(random() % 10000) / 10000 < 1 / (1 + std::exp(-s));
    text += carriers[c] + "," + shortest(dist) + "," + (late ? "late" : "fine") + "\n";
  }
  return text;
}

// A CSV file of numbers by the names of its columns, without comments.
std::map<std::string, std::vector<double>> columns_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line, cell;
  while (std::getline(lines, line) && line.starts_with('#')) {
  }
  Words names;
  for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
  std::map<std::string, std::vector<double>> out;
  while (std::getline(lines, line)) {
    if (line.starts_with('#')) continue;
    std::size_t at = 0;
    for (std::istringstream cells(line); std::getline(cells, cell, ',');)
      out[names.at(at++)].push_back(std::stod(cell));
  }
  return out;
}

class PredictCommand : public DataCommand {
 protected:
  [[nodiscard]] Outcome giga(const Words& words) const {
    return run(Launch{.arguments = words, .folder = folder_.path()});
  }
  [[nodiscard]] std::string out_of(const Words& words) const {
    const Outcome outcome = giga(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return outcome.out;
  }
  void fit_flights(const Words& more = {"--response", "state"}) const {
    write_file(folder_ / "t.csv", flights(2000, 1));
    Words words = {"fit",      "t.csv", "--family", "bernoulli", "--out",  "f",
                   "--warmup", "200",   "--draws",  "300",       "--quiet"};
    words.insert(words.begin() + 2, more.begin(), more.end());
    (void)out_of(words);
  }
  void expect_refused(int code, const Words& words, const Words& said) const {
    const Outcome outcome = giga(words);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    for (const std::string& each : said)
      EXPECT_NE(outcome.error.find(each), std::string::npos) << outcome.error << "lacks: " << each;
  }
};

// The draws of all chains on the scale of the data, and their weights, say the same by hand.
TEST_F(PredictCommand, IsWhatTheDrawsOfTheFitSayByHand) {
  fit_flights();
  write_file(folder_ / "new.csv", "more,dist,carrier\nx,1.5,UA\n,4,AA\nNA,0.1,DL\n");
  ASSERT_TRUE(json::parse(read_file(folder_ / "f/run.json"))["certificate"]["verdict"] == "safe");
  auto weights = columns_of(read_file(folder_ / "f/weights.csv"))["weight"];
  const json certificate = json::parse(read_file(folder_ / "f/run.json"))["certificate"];
  if (certificate["error_corrected"] > certificate["error_plain"]) std::ranges::fill(weights, 1.0);
  std::vector<double> means[3];
  for (int chain = 1; std::filesystem::exists(folder_ / ("f/draws_" + std::to_string(chain) + ".csv"));
       ++chain) {
    auto draws = columns_of(read_file(folder_ / ("f/draws_" + std::to_string(chain) + ".csv")));
    for (std::size_t s = 0; s < draws["dist"].size(); ++s) {
      const double s0 = draws["intercept"][s], dist = draws["dist"][s];
      const double predictors[] = {s0 + draws["carrierUA"][s] + 1.5 * dist, s0 + 4 * dist,
                                   s0 + draws["carrierDL"][s] + 0.1 * dist};
      for (int n = 0; n < 3; ++n) means[n].push_back(1 / (1 + std::exp(-predictors[n])));
    }
  }
  ASSERT_EQ(means[0].size(), weights.size());
  auto got = columns_of(out_of({"predict", "f", "new.csv", "--draws", "1000000"}));
  ASSERT_EQ(got["row"], (std::vector<double>{0, 1, 2}));
  for (std::size_t n = 0; n < 3; ++n) {
    double sum = 0, total = 0;
    for (std::size_t s = 0; s < weights.size(); ++s) {
      sum += weights[s] * means[n][s];
      total += weights[s];
    }
    EXPECT_NEAR(got["epred_mean"][n], sum / total, 1e-10);
    EXPECT_LT(got["epred_q5"][n], got["epred_q50"][n]);
    EXPECT_LT(got["epred_q50"][n], got["epred_q95"][n]);
    EXPECT_NEAR(got["new_mean"][n], sum / total, 5 * std::sqrt(0.25 / static_cast<double>(weights.size())));
    EXPECT_TRUE(got["new_q50"][n] == 0 || got["new_q50"][n] == 1);
  }
}

TEST_F(PredictCommand, WritesTheSameBytesOnOneThreadAndTwo) {
  fit_flights();
  write_file(folder_ / "h.csv", flights(200, 2));
  (void)out_of({"predict", "f", "h.csv", "--pointwise", "--threads", "1", "--out", "a.csv"});
  (void)out_of({"predict", "f", "h.csv", "--pointwise", "--threads", "2", "--out", "b.csv"});
  const std::string one = read_file(folder_ / "a.csv");
  EXPECT_EQ(one, read_file(folder_ / "b.csv"));
  EXPECT_TRUE(
      one.starts_with("row,epred_mean,epred_sd,epred_q5,epred_q50,epred_q95,new_mean,new_sd,new_q5,new_q50,"
                      "new_q95,log_density\n"));
  EXPECT_EQ(count_of(one, "\n"), 201);
}

TEST_F(PredictCommand, RecordSaysWhatWasPredictedAndBySuchDraws) {
  fit_flights({"state ~ carrier * dist", "--success", "fine"});
  write_file(folder_ / "new.csv", "carrier,dist\nUA,1\n");
  const json record = json::parse(out_of({"predict", "f", "new.csv", "--out", "p.csv", "--json", "--draws",
                                          "100", "--quantiles", "0.025,0.975", "--no-new"}));
  EXPECT_EQ(record["command"], "predict");
  EXPECT_EQ(record["expected"], "the probability that state is 'fine'");
  EXPECT_EQ(record["draws"], 100);
  EXPECT_GT(record["draws_of_the_fit"], 100);
  EXPECT_EQ(record["rows"], 1);
  EXPECT_TRUE(
      read_file(folder_ / "p.csv").starts_with("row,epred_mean,epred_sd,epred_q2.5,epred_q97.5\n0,0."));
  // The probability of the other label is the rest.
  (void)out_of({"fit", "t.csv", "state ~ carrier * dist", "--family", "bernoulli", "--out", "g", "--warmup",
                "200", "--draws", "300", "--quiet"});
  const double fine = columns_of(out_of({"predict", "f", "new.csv"}))["epred_mean"][0];
  const double late = columns_of(out_of({"predict", "g", "new.csv"}))["epred_mean"][0];
  EXPECT_NEAR(fine + late, 1, 0.02);
}

TEST_F(PredictCommand, TakesDrawsOfASampledCoreset) {
  write_file(folder_ / "t.csv", flights(800, 1));
  write_file(folder_ / "new.csv", "dist,carrier\n1,UA\n");
  (void)out_of(
      {"build", "t.csv", "--response", "state", "--family", "bernoulli", "--out", "c.csv", "--quiet"});
  (void)out_of({"sample", "c.csv", "--out", "d", "--warmup", "150", "--draws", "100", "--quiet"});
  const std::string by_record = out_of({"predict", "d", "new.csv"});
  std::filesystem::create_directory(folder_ / "away");
  for (const char* name : {"c.csv", "c.json"})
    std::filesystem::rename(folder_ / name, folder_ / "away" / name);
  expect_refused(66, {"predict", "d", "new.csv"}, {"c.json: no such file", "--coreset"});
  EXPECT_EQ(out_of({"predict", "d", "new.csv", "--coreset", "away/c.csv"}), by_record);
  (void)out_of({"build", "t.csv", "--response", "state", "--family", "bernoulli", "--size", "5", "--out",
                "c.csv", "--quiet"});
  expect_refused(65, {"predict", "d", "new.csv"},
                 {"d: its draws are of another coreset or model than c.json"});
  (void)out_of({"sample", "t.csv", "--response", "state", "--family", "bernoulli", "--out", "all", "--warmup",
                "100", "--draws", "50", "--quiet"});
  expect_refused(65, {"predict", "all", "new.csv"}, {"all: its draws are not of a coreset"});
}

TEST_F(PredictCommand, RefusesTablesThatTheModelCannotTake) {
  fit_flights({"state ~ carrier + log(dist + 1)"});
  const auto refused = [this](const std::string& text, const Words& said, const Words& more = {}) {
    write_file(folder_ / "new.csv", text);
    Words words = {"predict", "f", "new.csv"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(65, words, said);
  };
  refused("carrier,dist\nUA,1\nB6,2\n",
          {"row 2 (line 3), column 'carrier': 'B6' is not a level that is known: 'AA'",
           "; leave such rows out, or learn from a table that has them"});
  refused("carrier\nUA\n", {"no column 'dist'", "the model needs it"});
  refused("carrier,dist\n", {"0 data rows"});
  refused("carrier,dist\nUA,\n", {"missing value", "--missing drop"});
  refused("carrier,dist\nUA,far\n", {"'far' is not a number"});
  refused("carrier,dist\nUA,-3\n", {"log(dist + 1)"});
  refused("carrier,dist\nUA,1\n", {"no column 'state'", "--pointwise"}, {"--pointwise"});
  write_file(folder_ / "new.csv", "carrier,dist\nUA,\nAA,2\n");
  EXPECT_EQ(columns_of(out_of({"predict", "f", "new.csv", "--missing", "drop"}))["row"],
            std::vector<double>{1});
}

TEST_F(PredictCommand, RefusesFoldersAndOptionsThatCannotBe) {
  fit_flights();
  write_file(folder_ / "new.csv", "carrier,dist\nUA,1\n");
  expect_refused(64, {"predict"}, {"too few inputs"});
  expect_refused(64, {"predict", "f"}, {"too few inputs"});
  expect_refused(64, {"predict", "f", "new.csv", "x"}, {"unexpected argument 'x'"});
  expect_refused(64, {"predict", "f", "new.csv", "--quantiles", "0.5,1"}, {"--quantiles has 1"});
  expect_refused(64, {"predict", "f", "new.csv", "--quantiles", "0.5,0.5"}, {"--quantiles has 0.5 twice"});
  expect_refused(64, {"predict", "f", "new.csv", "--draws", "0"}, {"--draws"});
  expect_refused(64, {"predict", "f", "new.csv", "--json"}, {"--out"});
  expect_refused(64, {"predict", "f", "new.csv", "--out", "new.csv", "--force"}, {"would replace the input"});
  expect_refused(66, {"predict", "f", "none.csv"}, {"none.csv: no such file"});
  expect_refused(66, {"predict", "none", "new.csv"}, {"none: no such folder"});
  write_file(folder_ / "p.csv", "mine");
  expect_refused(73, {"predict", "f", "new.csv", "--out", "p.csv"}, {"p.csv exists; use --force"});
  expect_refused(73, {"predict", "f", "new.csv", "--out", "no/p.csv"}, {"no"});
  EXPECT_EQ(read_file(folder_ / "p.csv"), "mine");
  const std::string weights = read_file(folder_ / "f/weights.csv");
  write_file(folder_ / "f/weights.csv", weights.substr(0, weights.rfind('\n', weights.size() - 2) + 1));
  expect_refused(65, {"predict", "f", "new.csv"}, {"weights.csv: has ", "weights for "});
  std::filesystem::remove(folder_ / "f/draws_2.csv");
  expect_refused(65, {"predict", "f", "new.csv"}, {"run.json speaks of 4"});
  for (const int chain : {1, 3, 4})
    std::filesystem::remove(folder_ / ("f/draws_" + std::to_string(chain) + ".csv"));
  expect_refused(66, {"predict", "f", "new.csv"}, {"f: has no draws_*.csv"});
  std::filesystem::remove(folder_ / "f/run.json");
  expect_refused(66, {"predict", "f", "new.csv"}, {"run.json: no such file"});
  write_file(folder_ / "f/run.json", "{}");
  expect_refused(65, {"predict", "f", "new.csv"}, {"run.json"});
}

}  // namespace
}  // namespace giga::test
