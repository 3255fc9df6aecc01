// giga fit and giga report: the whole job, the same bytes however it came about, and nothing lost when it is
// stopped.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <numeric>
#include <sstream>

#include "cli/fit_command.hpp"
#include "giga/record/draws_file.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

TEST_F(FitCommand, WritesTheFolderAndEndsWithTheTableAndTheVerdict) {
  write_table();
  const Outcome outcome = fit({"t.csv", "--family", "bernoulli"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  for (const char* name : {"coreset.csv", "coreset.json", "draws_1.csv", "draws_4.csv", "summary.csv",
                           "posterior.csv", "weights.csv", "run.json", "report.html"})
    EXPECT_TRUE(fs::exists(folder_ / ("t-fit/" + std::string(name)))) << name;
  EXPECT_EQ(files("t-fit").size(), 11U);
  for (const char* text : {"x1 ", "(intercept) ", "R-hat", "ESS bulk", "of 2,000 rows (", "held out",
                           "checked against all 2,000 rows: k-hat ", ", safe to use", "seconds ",
                           "MCMC on them would take about", "response y\n",
                           " draws as the certificate weighs them, worth ", "open t-fit/report.html"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
}

TEST_F(FitCommand, OddsRatiosAreInTheTableTheFilesAndTheReport) {
  write_table();
  const Outcome outcome = fit({"t.csv", "--family", "bernoulli"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("odds ratio"), std::string::npos) << outcome.out;
  EXPECT_NE(bytes("t-fit/report.html").find("<th scope=\"col\">odds ratio"), std::string::npos);
  for (const char* name : {"t-fit/summary.csv", "t-fit/posterior.csv"}) {
    std::istringstream lines(bytes(name));
    std::string line, cell;
    std::getline(lines, line);
    EXPECT_TRUE(line.ends_with(",odds_ratio,odds_ratio_q5,odds_ratio_q95")) << line;
    std::vector<std::string> names;
    for (std::istringstream head(line); std::getline(head, cell, ',');) names.push_back(cell);
    std::map<std::string, std::map<std::string, std::string>> rows;
    while (std::getline(lines, line)) {
      std::istringstream cells(line);
      std::map<std::string, std::string> row;
      for (const std::string& column : names) std::getline(cells, row[column], ',');
      rows[row["variable"]] = row;
    }
    for (const char* variable : {"x1", "x2"}) {
      std::map<std::string, std::string>& row = rows[variable];
      EXPECT_EQ(row["odds_ratio"], shortest(std::exp(std::stod(row["median"])))) << name;
      EXPECT_EQ(row["odds_ratio_q5"], shortest(std::exp(std::stod(row["q5"])))) << name;
      EXPECT_EQ(row["odds_ratio_q95"], shortest(std::exp(std::stod(row["q95"])))) << name;
    }
    for (const char* variable : {"(intercept)", "std_x1"})
      EXPECT_EQ(rows[variable]["odds_ratio"], "NaN") << name;
  }
  EXPECT_EQ(command({"summary", "t-fit", "--csv"}).out, bytes("t-fit/summary.csv"));
}

TEST_F(FitCommand, TheRecordHasWhatTheContractNames) {
  write_table();
  const Outcome outcome = fit(usual("out", {"--json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.out, bytes("out/run.json"));
  const json run = record("out");
  expect_finite_numbers(run);
  for (const char* key :
       {"options", "seed", "version", "N", "D", "J", "size", "relative_error", "heldout_error", "termination",
        "trace", "certificate", "diagnostics", "seconds", "peak_bytes"})
    EXPECT_TRUE(run.contains(key)) << key;
  for (const char* stage :
       {"load", "laplace", "project", "prepare", "construct", "sample", "certify", "total"})
    EXPECT_TRUE(run["seconds"].contains(stage)) << stage;
  EXPECT_EQ(run["command"], "fit");
  EXPECT_EQ(run["options"]["projection"], "curvature");
  EXPECT_EQ(run["certificate"]["verdict"], "safe");
  EXPECT_EQ(run["rounds"].size(), 1U);
  EXPECT_LE(run["heldout_error"], 0.05);
}

TEST_F(FitCommand, SameSeedSameBytesForAnyNumberOfThreads) {
  write_table();
  for (const auto& [out, threads] : {std::pair("one", "1"), std::pair("two", "2"), std::pair("many", "5")})
    ASSERT_EQ(fit(usual(out, {"--no-times", "--threads", threads})).code, 0);
  expect_same_files("one", "two");
  expect_same_files("one", "many");
  ASSERT_EQ(fit(usual("other", {"--no-times", "--seed", "2"})).code, 0);
  EXPECT_NE(bytes("one/draws_1.csv"), bytes("other/draws_1.csv"));
}

TEST_F(FitCommand, MeasuredTimesAreAllThatTwoRunsDifferIn) {
  write_table();
  for (const char* out : {"one", "two"}) ASSERT_EQ(fit(usual(out)).code, 0);
  json one = record("one"), two = record("two");
  for (json* run : {&one, &two})
    for (const char* key : {"seconds", "peak_bytes", "full_data"}) run->erase(key);
  EXPECT_EQ(one, two);
  for (const auto& [name, content] : files("one")) {
    if (name == "run.json" || name == "report.html") continue;
    EXPECT_TRUE(bytes("two/" + name) == content) << name;
  }
}

TEST_F(FitCommand, TheFirstCoresetIsThatOfBuildWithTheSameOptions) {
  write_table(2000, 6);
  const std::vector<std::vector<std::string>> ways = {{},
                                                      {"--size", "12"},
                                                      {"--tolerance", "0.3"},
                                                      {"--method", "giga"},
                                                      {"--method", "uniform"},
                                                      {"--projection-dim", "60"},
                                                      {"--norm", "fisher", "--size", "25"},
                                                      {"--remainder-dim", "20"}};
  for (const auto& way : ways) {
    std::vector<std::string> building = {"build", "t.csv", "--family", "bernoulli",
                                         "--out", "c.csv", "--force"};
    building.insert(building.end(), way.begin(), way.end());
    ASSERT_EQ(command(building).code, 0);
    std::vector<std::string> more = way;
    more.emplace_back("--force");
    ASSERT_EQ(fit(usual("out", more)).code, 0);
    const json run = record("out");
    if (run["rounds"].size() > 1) {  // then the coreset is of the last
      EXPECT_EQ(run["rounds"][0]["size"], json::parse(bytes("c.json"))["size"]);
      continue;
    }
    EXPECT_EQ(bytes("out/coreset.csv"), bytes("c.csv")) << (way.empty() ? "" : way[0]);
  }
}

TEST_F(FitCommand, IsBuildSampleAndCheckInOne) {
  write_table();
  ASSERT_EQ(fit(usual("out")).code, 0);
  ASSERT_EQ(command({"build", "t.csv", "--family", "bernoulli", "--out", "c.csv"}).code, 0);
  EXPECT_EQ(bytes("out/coreset.csv"), bytes("c.csv"));
  ASSERT_EQ(
      command({"sample", "c.csv", "--warmup", "150", "--draws", "200", "--thin", "2", "--out", "d"}).code, 0);
  for (const char* name : {"draws_1.csv", "draws_4.csv", "summary.csv"})
    EXPECT_TRUE(bytes(std::string("out/") + name) == bytes(std::string("d/") + name)) << name;
  ASSERT_EQ(command({"check", "t.csv", "c.csv", "d"}).code, 0);
  const json checked = json::parse(bytes("d/certificate.json"))["certificate"];
  const json fitted = record("out")["certificate"];
  for (const char* key : {"k_hat", "effective_size", "verdict", "fisher_full", "kl_draws_of_coreset"})
    EXPECT_EQ(checked[key], fitted[key]) << key;
  EXPECT_EQ(command({"check", "t.csv", "out/coreset.csv", "out"}).code, 0)
      << "the folder can be checked again";
  EXPECT_NE(command({"summary", "out"}).out.find("(intercept)"), std::string::npos);
}

std::vector<double> weights_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "chain,draw,weight");
  std::vector<double> weights;
  while (std::getline(lines, line)) weights.push_back(std::stod(line.substr(line.rfind(',') + 1)));
  return weights;
}

TEST_F(FitCommand, WeightsAddUpToOneAndCorrectTheMeans) {
  write_table();
  ASSERT_EQ(fit(usual("out")).code, 0);
  const std::vector<double> weights = weights_of(bytes("out/weights.csv"));
  ASSERT_EQ(weights.size(), 4U * 200U);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
  double mean = 0, plain = 0;
  std::size_t at = 0;
  for (int chain = 1; chain <= 4; ++chain) {
    const DrawsFile file = read_draws(folder_ / ("out/draws_" + std::to_string(chain) + ".csv"));
    ASSERT_EQ(file.names[0], "x1");
    for (Index s = 0; s < file.chain.num_draws(); ++s, ++at) {
      mean += weights[at] * file.chain.draw(s)[0];
      plain += file.chain.draw(s)[0] / 800;
    }
  }
  const json x1 = record("out")["certificate"]["parameters"][0];
  EXPECT_NEAR(mean, x1["corrected"]["mean"], 1e-12);
  EXPECT_NEAR(plain, x1["coreset"]["mean"], 1e-12);
  EXPECT_GT(std::abs(mean - plain), 1e-6) << "or there was nothing to correct";
}

TEST_F(FitCommand, PosteriorHasTheCorrectedNumbersAndSummarySaysWhereTheyAre) {
  write_table();
  ASSERT_EQ(fit(usual("out")).code, 0);
  std::istringstream lines(bytes("out/posterior.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(
      line,
      "variable,mean,median,sd,q5,q95,ess_bulk,ess_tail,mcse_mean,odds_ratio,odds_ratio_q5,odds_ratio_q95");
  const json parameters = record("out")["certificate"]["parameters"];
  for (const json& parameter : parameters) {
    ASSERT_TRUE(std::getline(lines, line));
    const std::size_t comma = line.find(',');
    EXPECT_EQ(line.substr(0, comma), parameter["name"]);
    EXPECT_NEAR(std::stod(line.substr(comma + 1)), parameter["corrected"]["mean"], 1e-12);
    for (int ratio = 0; ratio < 3; ++ratio) line.resize(line.rfind(','));
    EXPECT_EQ(std::stod(line.substr(line.rfind(',') + 1)), parameter["corrected"]["mcse_mean"]);
  }
  EXPECT_FALSE(std::getline(lines, line));
  const Outcome summary = command({"summary", "out"});
  EXPECT_NE(summary.error.find("out/posterior.csv has the posterior of all rows"), std::string::npos)
      << summary.error;
  ASSERT_EQ(fit(usual("out", {"--size", "5", "--force"})).code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "out/posterior.csv")) << "of the earlier run, and this one is not safe";
  EXPECT_EQ(command({"summary", "out"}).error.find("posterior.csv"), std::string::npos);
}

TEST_F(FitCommand, AToleranceThatWasMissedIsSaid) {
  write_table();
  const Outcome outcome = fit(usual("out", {"--tolerance", "1e-9"}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("the held-out error ended at "), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find(", above --tolerance 1e-09 (here an error of "), std::string::npos)
      << outcome.error;
}

TEST_F(FitCommand, ACoresetThatIsNotCertifiedIsExtended) {
  write_table();
  const Outcome outcome = fit(usual("out", {"--tolerance", "0.9"}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const json run = record("out");
  ASSERT_GE(run["rounds"].size(), 2U);
  EXPECT_NE(run["rounds"][0]["doubt"], "none");
  EXPECT_LT(run["rounds"][0]["size"], run["rounds"][1]["size"]);
  EXPECT_EQ(run["certificate"]["verdict"], "safe");
  EXPECT_NE(outcome.error.find(" points are not certified (k-hat "), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.out.find("\nrounds "), std::string::npos) << outcome.out;
}

TEST_F(FitCommand, ASizeThatWasAskedForIsKeptAndTheVerdictSaysIfItIsTooSmall) {
  write_table();
  const Outcome outcome = fit(usual("out", {"--size", "5"}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const json run = record("out");
  EXPECT_EQ(run["size"], 5);
  EXPECT_EQ(run["certificate"]["verdict"], "not_safe");
  EXPECT_NE(outcome.out.find("not safe: "), std::string::npos);
  EXPECT_NE(outcome.out.find("try --size "), std::string::npos);
  EXPECT_EQ(fit(usual("strict", {"--size", "5", "--strict"})).code, 1);
  EXPECT_TRUE(fs::exists(folder_ / "strict/report.html"));
  EXPECT_NE(bytes("out/report.html").find("Not certified"), std::string::npos);
}

TEST_F(FitCommand, TheReportOfTheFolderIsTheReportOfTheFit) {
  write_table();
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--no-standardise"}, {"--no-intercept"}, {"--size", "5"}}) {
    std::vector<std::string> arguments = usual("out", more);
    arguments.emplace_back("--force");
    ASSERT_EQ(fit(arguments).code, 0);
    ASSERT_EQ(command({"report", "out", "--out", "page.html", "--force"}).code, 0);
    EXPECT_TRUE(bytes("out/report.html") == bytes("page.html")) << "with " << (more.empty() ? "" : more[0]);
  }
  EXPECT_EQ(command({"report", "out"}).code, 73);
  EXPECT_EQ(command({"report", "out", "--force", "--title", "<b>Mine</b>"}).code, 0);
  EXPECT_NE(bytes("out/report.html").find("&lt;b&gt;Mine"), std::string::npos);
}

TEST_F(FitCommand, ReportsOfSampledFoldersHaveTheCertificateOfACheck) {
  write_table();
  ASSERT_EQ(build("t.csv", {"--family", "bernoulli", "--size", "20", "--out", "c.csv"}).code, 0);
  ASSERT_EQ(
      command({"sample", "c.csv", "--warmup", "150", "--draws", "200", "--thin", "2", "--out", "d"}).code, 0);
  ASSERT_EQ(command({"report", "d"}).code, 0);
  EXPECT_EQ(bytes("d/report.html").find("id=\"certificate\""), std::string::npos);
  ASSERT_EQ(command({"check", "t.csv", "c.csv", "d"}).code, 0);
  ASSERT_EQ(command({"report", "d", "--force"}).code, 0);
  EXPECT_NE(bytes("d/report.html").find("id=\"certificate\""), std::string::npos);
}

TEST_F(FitCommand, CertifiedResultsAgreeWithAllRows) {
  write_table(6000, 3);
  for (const auto& [family, response] :
       {std::pair("bernoulli", ResponseKind::Labels), std::pair("poisson", ResponseKind::Counts),
        std::pair("gaussian", ResponseKind::Reals)}) {
    write_file(folder_ / "t.csv", csv_of(regression_table(6000, 3, response)));
    ASSERT_EQ(fit({"t.csv", "--family", family, "--out", "out", "--force"}).code, 0);
    ASSERT_EQ(
        command({"sample", "t.csv", "--family", family, "--draws", "2500", "--out", "full", "--force"}).code,
        0);
    const json run = record("out"), full = record("full");
    ASSERT_EQ(run["certificate"]["verdict"], "safe") << family;
    const json& parameters = run["certificate"]["parameters"];
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const json& corrected = parameters[k]["corrected"];
      const json& known = full["diagnostics"][k + 1];  // after lp__
      ASSERT_EQ(parameters[k]["name"], known["variable"]);
      const double sd = known["sd"];
      // Five standard errors of the difference, of 24 means and as many sds.
      const double mean_error = std::hypot(double(corrected["mcse_mean"]), double(known["mcse_mean"]));
      const double sd_error = std::hypot(double(corrected["mcse_sd"]), double(known["mcse_sd"]));
      EXPECT_NEAR(corrected["mean"], known["mean"], 5 * mean_error) << family << k;
      EXPECT_NEAR(corrected["sd"], sd, 5 * sd_error) << family << k;
      EXPECT_LT(mean_error, 0.05 * sd);
    }
  }
}

TEST_F(FitCommand, InterruptKeepsWhatWasDoneAndSaysHowToGoOn) {
  write_table(20000, 12);
  const std::vector<std::string> all = {"t.csv",      "--out",     "out",    "--family", "bernoulli",
                                        "--no-times", "--sampler", "rwmh",   "--warmup", "1000",
                                        "--draws",    "1000",      "--thin", "2000"};
  const Outcome outcome = fit(all, {.arguments = {}, .signal = SIGINT, .signal_after_s = 1.0});
  EXPECT_EQ(outcome.code, 130);
  EXPECT_LT(outcome.seconds_after_signal, 2);
  EXPECT_NE(outcome.error.find("giga: stopped; go on with: giga fit --resume out\n"), std::string::npos)
      << outcome.error;
  EXPECT_TRUE(fs::exists(folder_ / "out/partial/request.json"));
  EXPECT_FALSE(fs::exists(folder_ / "out/run.json"));
  EXPECT_EQ(fit(all).code, 73) << "a stopped run is not lost by mistake";
}

TEST_F(KilledFit, ResumesToTheSameBytes) {
  kill_and_resume(8, 1);
}

TEST_F(FitCommand, ResumeOfWhatIsDoneSaysSo) {
  write_table();
  ASSERT_EQ(fit(usual("out")).code, 0);
  const auto before = files("out");
  const Outcome outcome = fit({"--resume", "out"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.error.find("the run in out is complete"), std::string::npos);
  EXPECT_EQ(files("out"), before);
}

TEST_F(FitCommand, ResumeRefusesOtherOptionsAndFoldersWithoutARun) {
  EXPECT_EQ(fit({"--resume", "nowhere"}).code, 66);
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(fit({"--resume", "empty"}).code, 66);
  write_table();
  EXPECT_EQ(fit({"t.csv", "--resume", "empty"}).code, 64);
  EXPECT_EQ(fit({"--resume", "empty", "--size", "10"}).code, 64);
}

TEST_F(FitCommand, AnEarlierRunIsReplacedOnlyWhenForced) {
  write_table();
  ASSERT_EQ(fit(usual("out")).code, 0);
  const Outcome again = fit(usual("out"));
  EXPECT_EQ(again.code, 73);
  EXPECT_NE(again.error.find("use --force"), std::string::npos);
  EXPECT_EQ(fit(usual("out", {"--force", "--chains", "2"})).code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "out/draws_3.csv"));
}

}  // namespace
}  // namespace giga::test
