// Formulas through build, sample, check and fit.
#include <algorithm>
#include <cmath>
#include <random>

#include "cli/data_files.hpp"

namespace giga::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// Words, a level that a spreadsheet would take for a formula, names that need backticks or that coreset.csv
// has uses of its own for, successes of trials, and a count.
std::string table(int rows) {
  std::mt19937 random(5);
  const Words carriers = {"AA", "=B6", "UA"};
  std::string text = "carrier,row,odd name,x,days,k,n,count,late\n";
  for (int i = 0; i < rows; ++i) {
    const auto c = random() % 3;
    const double x = static_cast<double>(random() % 2000) / 1000 - 1;
    const auto hour = random() % 24, days = 1 + random() % 9, n = 5 + random() % 6;
    const double s = 0.7 * x + (c == 2 ? 0.8 : 0) - 0.3;
    const double p = 1 / (1 + std::exp(-s));
    unsigned k = 0;
    for (unsigned t = 0; t < n; ++t) k += static_cast<double>(random() % 10000) / 10000 < p ? 1 : 0;
    unsigned count = 0;
    for (unsigned t = 0; t < 4 * days; ++t)
      count += static_cast<double>(random() % 10000) / 10000 < 0.2 * std::exp(0.4 * x) ? 1 : 0;
    const bool late = static_cast<double>(random() % 10000) / 10000 < p;
    text += carriers[c] + "," + std::to_string(hour) + "," + shortest(x * x) + "," + shortest(x) + "," +
            std::to_string(days) + "," + std::to_string(k) + "," + std::to_string(n) + "," +
            std::to_string(count) + "," + (late ? "yes" : "no") + "\n";
  }
  return text;
}

class FormulaCommand : public DataCommand {
 protected:
  FormulaCommand() { write_file(folder_ / "t.csv", table(1200)); }

  [[nodiscard]] Outcome giga(const Words& words) const {
    return run(Launch{.arguments = words, .folder = folder_.path()});
  }
  void expect_done(const Words& words) const {
    const Outcome outcome = giga(words);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
  }
  void expect_refused(int code, const Words& words, const Words& said) const {
    const Outcome outcome = giga(words);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    for (const std::string& part : said)
      EXPECT_NE(outcome.error.find(part), std::string::npos) << outcome.error << "lacks: " << part;
  }
  [[nodiscard]] json parsed(const std::string& name) const { return json::parse(read_file(folder_ / name)); }
  [[nodiscard]] std::string bytes(const std::string& name) const { return read_file(folder_ / name); }
};

TEST_F(FormulaCommand, GoesThroughBuildSampleAndCheck) {
  const std::string formula = "late ~ poly(x, 2) * carrier + `odd name` + row";
  expect_done({"build", "t.csv", formula, "--family", "bernoulli", "--size", "60", "--out", "c.csv"});
  const json names = json::parse(R"(["poly(x, 2)1", "poly(x, 2)2", "carrierAA", "carrierUA", "`odd name`",
      "row", "poly(x, 2)1:carrierAA", "poly(x, 2)2:carrierAA", "poly(x, 2)1:carrierUA", "poly(x, 2)2:carrierUA"])");
  const json file = parsed("c.json");
  EXPECT_EQ(file["standardisation"]["features"], names);
  EXPECT_EQ(file["model"]["formula"], formula);
  EXPECT_EQ(file["D"], 11);
  expect_done({"sample", "c.csv", "--out", "d", "--warmup", "200", "--draws", "200"});
  const json run = parsed("d/run.json");
  for (std::size_t k = 0; k < names.size(); ++k) EXPECT_EQ(run["parameters"][k]["name"], names[k]);
  expect_done({"check", "t.csv", "c.csv", "d"});
  expect_done({"check", "t.csv", "c.csv"});
}

TEST_F(FormulaCommand, OfPlainColumnsIsTheTableWithTheseFeatures) {
  const Words more = {"--family", "bernoulli", "--size", "20"};
  Words one = {"build", "t.csv", "late ~ x + row + days", "--out", "a.csv"};
  Words two = {"build", "t.csv", "--features", "x,row,days", "--response", "late", "--out", "b.csv"};
  one.insert(one.end(), more.begin(), more.end());
  two.insert(two.end(), more.begin(), more.end());
  expect_done(one);
  expect_done(two);
  EXPECT_EQ(bytes("a.csv"), bytes("b.csv"));
}

TEST_F(FormulaCommand, ComputedResponsesAreThoseOfTheCoresetToo) {
  expect_done({"build", "t.csv", "I(count >= 3) ~ x + carrier + offset(log(days))", "--family", "bernoulli",
               "--size", "30", "--out", "c.csv"});
  EXPECT_EQ(parsed("c.json")["response"], "I(count >= 3)");
  expect_done({"sample", "c.csv", "--out", "d", "--warmup", "200", "--draws", "200"});
  expect_done({"check", "t.csv", "c.csv", "d"});
}

TEST_F(FormulaCommand, FitsHaveTheSameBytesOnAnyNumberOfThreads) {
  for (const char* threads : {"1", "2"})
    expect_done({"fit", "t.csv", "count ~ ns(x, 3) + carrier + offset(log(days))", "--family",
                 "negative_binomial", "--warmup", "150", "--draws", "200", "--no-times", "--threads", threads,
                 "--out", std::string("f") + threads});
  for (const char* file : {"coreset.csv", "coreset.json", "draws_1.csv", "weights.csv", "summary.csv"})
    EXPECT_EQ(bytes(std::string("f1/") + file), bytes(std::string("f2/") + file)) << file;
  EXPECT_NE(bytes("f1/summary.csv").find("\nphi,"), std::string::npos);
}

TEST_F(FormulaCommand, TrialsAreAColumnOrTheSecondPartOfCbind) {
  const Words more = {"--family", "binomial", "--size", "20"};
  const auto build = [&](Words words) {
    words.insert(words.begin(), {"build", "t.csv"});
    words.insert(words.end(), more.begin(), more.end());
    expect_done(words);
  };
  build({"cbind(k, n - k) ~ x + carrier", "--out", "a.csv"});
  build({"k ~ x + carrier", "--trials", "n", "--out", "b.csv"});
  EXPECT_EQ(bytes("a.csv"), bytes("b.csv"));
  expect_done({"check", "t.csv", "a.csv"});
  expect_refused(64, {"build", "t.csv", "late ~ x", "--trials", "n", "--family", "bernoulli"},
                 {"--trials has no effect with --family bernoulli"});
  expect_refused(65, {"build", "t.csv", "cbind(n, k - n) ~ x", "--family", "binomial"}, {"row 1 (line 2)"});
}

TEST_F(FormulaCommand, WhatIsTakenAwayFromAllColumnsNeedNotBeUsedElsewhere) {
  expect_done(
      {"build", "t.csv", "late ~ . - k - n", "--family", "bernoulli", "--size", "9", "--out", "c.csv"});
  const json names = parsed("c.json")["standardisation"]["features"];
  EXPECT_EQ(names, json::parse(R"(["carrierAA", "carrierUA", "row", "`odd name`", "x", "days", "count"])"));
  expect_done({"check", "t.csv", "c.csv"});
}

TEST_F(FormulaCommand, TermsHavePriorsByTheirNames) {
  expect_done({"fit", "t.csv", "count ~ carrier * x", "--family", "gaussian", "--warmup", "150", "--draws",
               "200", "--prior", "carrier = student_t(4, 0, 1)", "--prior", "carrier:x = normal(0, 0.5)",
               "--prior-sigma", "exponential(1)", "--out", "f"});
  const json priors = parsed("f/run.json")["priors"];
  const auto of = [&](const std::string& name) {
    for (const json& each : priors)
      if (each["parameter"] == name) return each["prior"].get<std::string>();
    return std::string("none");
  };
  EXPECT_EQ(of("carrierUA"), "student_t(4, 0, 1)");
  EXPECT_EQ(of("carrierUA:x"), "normal(0, 0.5)");
  EXPECT_EQ(of("sigma"), "exponential(1)");
  // What was not chosen stays in units of the response.
  EXPECT_TRUE(of("x").starts_with("normal(0, ")) << of("x");
  EXPECT_NE(of("x"), "normal(0, 1)");
}

TEST_F(FormulaCommand, AnInterceptAloneIsAModel) {
  expect_done({"build", "t.csv", "late ~ 1", "--family", "bernoulli", "--size", "5", "--out", "c.csv"});
  expect_done({"sample", "c.csv", "--out", "d", "--warmup", "200", "--draws", "200"});
  expect_done({"check", "t.csv", "c.csv", "d"});
}

TEST_F(FormulaCommand, MistakesHaveACaretUnderThePlace) {
  expect_refused(64, {"fit", "t.csv", "late ~ x +", "--family", "bernoulli"}, {"late ~ x +\n", "^"});
  expect_refused(64, {"fit", "t.csv", "late ~ carier + x", "--family", "bernoulli"},
                 {"carier", "carrier", "\n       ^"});
  expect_refused(64, {"fit", "t.csv", "late ~ lgo(x)", "--family", "bernoulli"}, {"lgo", "log", "^"});
  expect_refused(64, {"fit", "t.csv", "late ~ (1 | carrier:x)", "--family", "bernoulli"},
                 {"groups are one column", "^"});
  expect_refused(64, {"fit", "t.csv", "~ x", "--family", "bernoulli"}, {"no response", "^"});
  expect_refused(64, {"fit", "t.csv", "late", "--family", "bernoulli"}, {"a formula has a ~"});
  expect_refused(64, {"fit", "t.csv", "late ~ x", "more", "--family", "bernoulli"},
                 {"unexpected argument 'more'"});
  expect_refused(64, {"fit", "t.csv", "late ~ x", "--response", "late", "--family", "bernoulli"},
                 {"--response has no effect with a formula"});
  expect_refused(64, {"fit", "t.csv", "late ~ x", "--no-intercept", "--family", "bernoulli"},
                 {"y ~ 0 + ..."});
  expect_refused(65, {"fit", "t.csv", "late ~ log(x)", "--family", "bernoulli"}, {"log(x)", "row "});
}

TEST_F(FormulaCommand, AnotherTableOrFormulaThanTheCoresetsIsRefused) {
  expect_done({"build", "t.csv", "late ~ x", "--family", "bernoulli", "--size", "9", "--out", "c.csv"});
  write_file(folder_ / "other.csv", "late,z\nyes,1\nno,2\n");
  expect_refused(65, {"check", "other.csv", "c.csv"}, {"c.json"});
  expect_refused(64, {"sample", "c.csv", "late ~ x + days", "--out", "d"}, {"--formula"});
}

TEST_F(FormulaCommand, OfACoresetMayHaveOtherBlanks) {
  expect_done(
      {"build", "t.csv", "late ~ x + carrier", "--family", "bernoulli", "--size", "20", "--out", "c.csv"});
  const auto sampled = [](Words words) {
    for (const char* more : {"--warmup", "100", "--draws", "100"}) words.emplace_back(more);
    return words;
  };
  expect_done(sampled({"sample", "c.csv", "late~x+carrier", "--out", "a"}));
  expect_done(sampled({"sample", "c.csv", "--out", "b"}));
  EXPECT_EQ(bytes("a/draws_1.csv"), bytes("b/draws_1.csv"));
  expect_done({"check", "t.csv", "c.csv", "a", "--formula", " late ~  x+carrier"});
  expect_refused(64, sampled({"sample", "c.csv", "late ~ carrier + x", "--out", "d"}),
                 {"--formula is late ~ carrier + x, but", "says late ~ x + carrier"});
  expect_refused(64, sampled({"sample", "c.csv", "late ~ x +", "--out", "d"}), {"late ~ x +"});
}

}  // namespace
}  // namespace giga::test
