// Group effects through every verb: fit, build, sample, check, summary, report, predict.
#include <algorithm>
#include <cmath>
#include <random>

#include "cli/fit_command.hpp"
#include "giga/base/text.hpp"

namespace giga::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

// Flights that are late by carrier and by hour; months are groups by number.
std::string flights(int rows, unsigned seed) {
  std::mt19937 random(seed);
  const Words carriers = {"AA", "B6", "DL", "EV", "UA", "WN"};
  const std::vector<double> b = {0.9, -0.7, 0.2, 0.5, -1.1, 0.1};
  std::string text = "late,hour,carrier,month,cost\n";
  const auto uniform = [&random] { return (static_cast<double>(random() % 100000) + 0.5) / 100000; };
  for (int n = 0; n < rows; ++n) {
    const auto c = random() % carriers.size();
    const double hour = 24 * uniform(), s = b[c] + 0.1 * (hour - 12);
    const bool late = uniform() < 1 / (1 + std::exp(-s));
    text += std::string(late ? "yes," : "no,") + shortest(hour) + "," + carriers[c] + "," +
            std::to_string(1 + random() % 12) + "," +
            shortest(100 + 20 * s + 30 * (uniform() + uniform() - 1)) + "\n";
  }
  return text;
}

const Words kLate = {"late ~ hour + (1 | carrier)", "--family", "bernoulli"};

class GroupsCommand : public FitCommand {
 protected:
  void SetUp() override { write_file(folder_ / "t.csv", flights(1500, 1)); }

  [[nodiscard]] Outcome done(const Words& words) const {
    Outcome outcome = command(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return outcome;
  }
  // A fit of t.csv that takes little time.
  [[nodiscard]] Outcome fit_late(const std::string& out, const Words& more = {}) const {
    Words words = {"fit", "t.csv", "--out", out};
    for (const Words* part : {&kLate, &kShort, &more}) words.insert(words.end(), part->begin(), part->end());
    return done(words);
  }
  void expect_refused(int code, const Words& words, const Words& said) const {
    const Outcome outcome = command(words);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    for (const std::string& each : said)
      EXPECT_NE(outcome.error.find(each), std::string::npos) << outcome.error << "lacks: " << each;
  }
  [[nodiscard]] std::string prior_of(const std::string& folder, const std::string& parameter) const {
    const json priors = record(folder)["priors"];
    for (const json& each : priors)
      if (each["parameter"] == parameter) return each["prior"];
    return "none";
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(GroupsCommand, AFitShowsHowMuchGroupsDifferAndKeepsEachOfThem) {
  const Outcome outcome = fit_late("f");
  EXPECT_EQ(record("f")["certificate"]["verdict"], "safe");
  EXPECT_TRUE(has(outcome.out, "sd[(Intercept) carrier]")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "b[(Intercept) carrier:AA]  ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "and 6 coefficients of groups: f/posterior.csv has them")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "normal(0, sd[(Intercept) carrier]) of b[(Intercept) carrier:AA]"))
      << outcome.out;
  EXPECT_TRUE(has(outcome.error, "carrier: 6 groups")) << outcome.error;
  EXPECT_TRUE(has(bytes("f/posterior.csv"), "\nb[(Intercept) carrier:WN],"));
  EXPECT_TRUE(bytes("f/coreset.csv").starts_with("row,weight,late,hour,carrier,month,cost\n"));
  EXPECT_TRUE(has(bytes("f/report.html"), "sd[(Intercept) carrier]"));
  EXPECT_EQ(prior_of("f", "sd[(Intercept) carrier]"), "exponential(1)");
  // Coefficients that are known to differ have posterior means of both signs, and sds near that of the data.
  std::map<std::string, double> means;
  const json diagnostics = record("f")["diagnostics"];
  for (const json& each : diagnostics)
    means[each["variable"].get<std::string>()] = each["mean"].get<double>();
  EXPECT_GT(means.at("b[(Intercept) carrier:AA]"), 0.4);
  EXPECT_LT(means.at("b[(Intercept) carrier:UA]"), -0.4);
  EXPECT_NEAR(means.at("sd[(Intercept) carrier]"), 0.8, 0.4);
}

TEST_F(GroupsCommand, EveryVerbTakesACoresetOfGroups) {
  (void)done({"build", "t.csv", kLate[0], kLate[1], kLate[2], "--size", "60", "--out", "c.csv"});
  (void)done({"sample", "c.csv", "--out", "d", "--warmup", "200", "--draws", "300"});
  const Outcome checked = done({"check", "t.csv", "c.csv", "d", "--json"});
  EXPECT_TRUE(json::parse(checked.out)["certificate"].contains("k_hat"));
  EXPECT_TRUE(has(done({"summary", "d"}).out, "log_sd[(Intercept) carrier]"));
  (void)done({"report", "d"});
  EXPECT_TRUE(has(bytes("d/report.html"), "sd[(Intercept) carrier]"));
  // All rows.
  const Outcome all =
      done({"sample", "t.csv", kLate[0], kLate[1], kLate[2], "--warmup", "200", "--draws", "200"});
  EXPECT_TRUE(has(all.out, "and 6 coefficients of groups: --out DIR keeps them")) << all.out;
}

TEST_F(GroupsCommand, SlopesNumbersAsGroupsAndSeveralGroupsAreFitted) {
  (void)done({"fit", "t.csv", "cost ~ hour + (1 + hour | carrier) + (1 | month)", "--family", "gaussian",
              "--out", "f", "--warmup", "150", "--draws", "200"});
  const std::string posterior = bytes("f/posterior.csv");
  for (const char* name : {"sd[(Intercept) carrier]", "sd[hour carrier]", "b[hour carrier:UA]",
                           "sd[(Intercept) month]", "b[(Intercept) month:12]", "sigma"})
    EXPECT_TRUE(has(posterior, std::string("\n") + name + ",")) << name;
  // In units of the response, and of the hour: sd(y) about 26, sd(hour) about 7.
  const auto rate = [&](const char* name) {
    const std::string text = prior_of("f", name);
    EXPECT_TRUE(text.starts_with("exponential(")) << text;
    return std::stod(text.substr(12));
  };
  EXPECT_NEAR(rate("sd[hour carrier]") / rate("sd[(Intercept) carrier]"), 24 / std::sqrt(12.0), 0.2);
  EXPECT_LT(rate("sd[(Intercept) carrier]"), 0.1);
}

TEST_F(GroupsCommand, PredictionsDrawGroupsThatTheFitDidNotSee) {
  (void)fit_late("f");
  write_file(folder_ / "new.csv", "hour,carrier\n12,AA\n12,ZZ\n12,ZZ\n12,QQ\n");
  const Outcome outcome = done({"predict", "f", "new.csv"});
  EXPECT_TRUE(has(outcome.error, "carrier: 2 groups in 3 rows that the fit did not see")) << outcome.error;
  EXPECT_TRUE(has(outcome.error, "b[(Intercept) carrier:ZZ]")) << outcome.error;
  std::vector<std::vector<double>> rows;
  std::istringstream lines(outcome.out);
  std::string line, cell;
  std::getline(lines, line);
  ASSERT_TRUE(line.starts_with("row,epred_mean,epred_sd,")) << line;
  while (std::getline(lines, line)) {
    rows.emplace_back();
    for (std::istringstream cells(line); std::getline(cells, cell, ',');)
      rows.back().push_back(std::stod(cell));
  }
  ASSERT_EQ(rows.size(), 4U);
  // Two rows of one group are one group; others have draws of their own. A carrier that nothing is known of
  // is known less well.
  EXPECT_EQ(std::vector(rows[1].begin() + 1, rows[1].begin() + 6),
            std::vector(rows[2].begin() + 1, rows[2].begin() + 6));
  EXPECT_NE(rows[1][1], rows[3][1]);
  EXPECT_GT(rows[1][2], 3 * rows[0][2]);
  EXPECT_GT(rows[0][1], 0.6);
}

TEST_F(GroupsCommand, HasTheSameBytesOnTwoThreadsAndGoingOn) {
  (void)fit_late("whole", {"--no-times", "--threads", "1"});
  (void)fit_late("two", {"--no-times", "--threads", "2"});
  for (const char* name : {"coreset.csv", "coreset.json", "draws_1.csv", "draws_4.csv", "posterior.csv"})
    EXPECT_TRUE(bytes(std::string("whole/") + name) == bytes(std::string("two/") + name)) << name;
  Words words = {"t.csv", "--out", "out", "--no-times", "--threads", "1"};
  for (const Words* part : {&kLate, &kShort}) words.insert(words.end(), part->begin(), part->end());
  int gone_on = 0;
  for (const double after_s : {0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2}) {
    fs::remove_all(folder_ / "out");
    (void)fit(words, {.arguments = {}, .signal = SIGKILL, .signal_after_s = after_s});
    if (!fs::exists(folder_ / "out/partial/request.json")) continue;
    const Outcome outcome = fit({"--resume", "out"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    for (const char* name : {"coreset.csv", "draws_1.csv", "draws_4.csv", "posterior.csv", "weights.csv"})
      EXPECT_TRUE(bytes(std::string("whole/") + name) == bytes(std::string("out/") + name)) << name;
    ++gone_on;
  }
  EXPECT_GT(gone_on, 0);
}

TEST_F(GroupsCommand, PriorsOfSdsAreChosenTogetherOrByName) {
  (void)fit_late("f", {"--prior-group", "half_normal(2)"});
  EXPECT_EQ(prior_of("f", "sd[(Intercept) carrier]"), "half_normal(2)");
  EXPECT_EQ(prior_of("f", "hour"), "normal(0, 1)");
  (void)fit_late("g", {"--prior", "`sd[(Intercept) carrier]` = half_student_t(3, 2.5)"});
  EXPECT_EQ(prior_of("g", "sd[(Intercept) carrier]"), "half_student_t(3, 2.5)");
  (void)done({"build", "t.csv", kLate[0], kLate[1], kLate[2], "--size", "30", "--out", "c.csv",
              "--prior-group", "half_cauchy(1)"});
  (void)done({"sample", "c.csv", "--prior-group", "half_cauchy(1)", "--draws", "50", "--warmup", "50"});
  expect_refused(64, {"sample", "c.csv", "--prior-group", "exponential(1)"},
                 {"--prior-group", "half_cauchy(1)"});
  const auto refused = [&](const Words& more, const Words& said) {
    Words words = {"build", "t.csv", kLate[0], kLate[1], kLate[2]};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(64, words, said);
  };
  refused({"--prior-group", "normal(0, 1)"}, {"sd[(Intercept) carrier]", "which is positive", "half_normal"});
  refused({"--prior-group", "exponential(1"}, {"--prior-group", "^"});
  refused({"--prior", "`b[(Intercept) carrier:AA]` = normal(0, 1)"},
          {"there is no 'b[(Intercept) carrier:AA]'"});
  expect_refused(
      64, {"build", "t.csv", "late ~ hour", "--family", "bernoulli", "--prior-group", "exponential(1)"},
      {"--prior-group: there are no group effects"});
}

TEST_F(GroupsCommand, WhatCannotBeFittedIsRefusedInWords) {
  const auto refused = [&](int code, const std::string& formula, const Words& said) {
    expect_refused(code, {"fit", "t.csv", formula, "--family", "bernoulli", "--out", "f"}, said);
    EXPECT_FALSE(fs::exists(folder_ / "f"));
  };
  refused(65, "late ~ (1 | hour)", {"coefficients with those of (1 | hour)", "at most 500"});
  refused(64, "late ~ (1 | carier)", {"no column 'carier'", "did you mean 'carrier'", "^"});
  refused(64, "late ~ (month | )", {"^"});
  refused(64, "late ~ (carrier | month)", {"only numbers can vary by group", "^"});
  refused(64, "late ~ (1 | carrier:month)", {"one column or one call", "^"});
  refused(64, "late ~ (1 | carrier) + (1 | carrier)", {"there already", "^"});
  refused(64, "late ~ (ns(hour, 3) | carrier)", {"cannot vary by group", "^"});
  std::string one = "late,carrier\n";
  for (int n = 0; n < 30; ++n) one += n % 3 == 0 ? "yes,UA\n" : "no,UA\n";
  write_file(folder_ / "one.csv", one);
  expect_refused(65, {"fit", "one.csv", "late ~ (1 | carrier)", "--family", "bernoulli", "--out", "f"},
                 {"the one level 'UA'"});
  const auto said = [&](const std::string& formula) {
    return done({"build", "t.csv", formula, "--family", "bernoulli", "--size", "20", "--out", "n.csv",
                 "--force"})
        .error;
  };
  EXPECT_TRUE(has(said("late ~ carrier + (1 | carrier)"), "carrier is a category and a group"));
  for (const char* formula : {"late ~ (hour | carrier)", "late ~ (1 + hour | carrier)"})
    EXPECT_TRUE(has(said(formula), "its effects are taken as uncorrelated")) << formula;
  for (const char* formula : {"late ~ (1 | carrier) + (0 + hour | carrier)", "late ~ (hour - 1 | carrier)",
                              "late ~ (1 + hour || carrier)"})
    EXPECT_FALSE(has(said(formula), "uncorrelated")) << formula;
  // Places that cannot be.
  (void)done({"build", "t.csv", kLate[0], kLate[1], kLate[2], "--size", "20", "--out", "c.csv"});
  json companion = json::parse(bytes("c.json"));
  ASSERT_EQ(companion["standardisation"]["group_sds"], json::array({1}));
  for (const int place : {-1, 6, 9}) {
    companion["standardisation"]["group_sds"] = {place};
    write_file(folder_ / "c.json", companion.dump());
    expect_refused(65, {"sample", "c.csv"}, {"group_sds"});
  }
}

// 20 carriers that do not differ: their sd is small, and nothing diverges.
TEST_F(GroupsCommand, GroupsThatDoNotDifferAreSampledWithoutDivergences) {
  std::mt19937 random(5);
  std::string text = "late,g\n";
  for (int n = 0; n < 3000; ++n)
    text += std::string(random() % 3 == 0 ? "1,g" : "0,g") + std::to_string(random() % 20) + "\n";
  write_file(folder_ / "z.csv", text);
  (void)done({"fit", "z.csv", "late ~ (1 | g)", "--family", "bernoulli", "--out", "f", "--warmup", "500",
              "--draws", "1000"});
  const json run = record("f");
  EXPECT_EQ(run["certificate"]["verdict"], "safe");
  for (const json& chain : run["chains"]) EXPECT_EQ(chain["divergent"], 0);
  const auto is_sd = [](const json& each) { return each["variable"] == "sd[(Intercept) g]"; };
  const auto found = std::ranges::find_if(run["diagnostics"], is_sd);
  ASSERT_NE(found, run["diagnostics"].end());
  EXPECT_LT((*found)["mean"], 0.2);
}

}  // namespace
}  // namespace giga::test
