// Priors on the command line: chosen, printed, kept in files, and agreed upon by sample, check and --resume.
#include <gtest/gtest.h>

#include "cli/fit_input.hpp"

namespace giga::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class PriorCommand : public FitInput {
 protected:
  void write_table(const std::string& name = "t.csv", ResponseKind kind = ResponseKind::Labels) const {
    write_file(folder_ / name, csv_of(regression_table(600, 2, kind)));
  }

  static inline const Words kChosen = {"--prior",           "student_t(4, 0, 1)", "--prior",
                                       "x2=laplace(0,0.5)", "--prior-intercept",  "cauchy(0, 5)"};

  [[nodiscard]] json parsed(const std::string& name) const {
    json out = json::parse(read_file(folder_ / name), nullptr, false);
    EXPECT_FALSE(out.is_discarded()) << name;
    return out;
  }

  // A refusal of several lines, the last with a caret.
  void expect_caret(const Words& more, const std::string& option, const std::string& text,
                    std::size_t caret) const {
    const Outcome outcome = fit("t.csv", joined_words(kLabels, more));
    EXPECT_EQ(outcome.code, 64) << outcome.error;
    EXPECT_TRUE(outcome.error.starts_with("giga: error: " + option + ": ")) << outcome.error;
    EXPECT_TRUE(outcome.error.ends_with("\n  " + text + "\n  " + std::string(caret, ' ') + "^\n"))
        << outcome.error;
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }
};

TEST_F(PriorCommand, ArePrintedAndRecordedForEveryParameter) {
  write_table();
  const Outcome outcome = fit("t.csv", joined_words(kLabels, kChosen));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(has(outcome.out,
                  "priors       student_t(4, 0, 1) of x1; laplace(0, 0.5) of x2; cauchy(0, 5) of "
                  "(intercept)\n"))
      << outcome.out;
  EXPECT_TRUE(
      has(outcome.out, "prior student_t(4, 0, 1), of the intercept cauchy(0, 5), of x2 laplace(0, 0.5)"));
  const json record = parsed("out/run.json");
  EXPECT_EQ(record["priors"], json::parse(R"json([{"parameter": "x1", "prior": "student_t(4, 0, 1)"},
                                                  {"parameter": "x2", "prior": "laplace(0, 0.5)"},
                                                  {"parameter": "(intercept)", "prior": "cauchy(0, 5)"}])json"));
  EXPECT_EQ(record["options"]["prior"], (json{"student_t(4, 0, 1)", "x2 = laplace(0, 0.5)"}));
  EXPECT_EQ(record["options"]["prior_intercept"], "cauchy(0, 5)");
  EXPECT_TRUE(has(record["command_line"], "--prior 'x2=laplace(0,0.5)'"));
  EXPECT_TRUE(has(read_file(folder_ / "out/report.html"), "student_t(4, 0, 1)"));
}

TEST_F(PriorCommand, WithoutAChoiceNoFileSpeaksOfThem) {
  write_table();
  ASSERT_EQ(fit("t.csv", kLabels).code, 0);
  for (const char* key : {"prior", "prior_intercept", "autoscale", "parameter_priors"}) {
    EXPECT_FALSE(parsed("out/run.json")["options"].contains(key)) << key;
    EXPECT_FALSE(parsed("out/coreset.json")["model"].contains(key)) << key;
  }
  EXPECT_FALSE(parsed("out/run.json").contains("priors"));
}

TEST_F(PriorCommand, ANormalForAllHasTheDrawsOfThePriorScale) {
  write_table();
  ASSERT_EQ(fit("t.csv", joined_words(kLabels, {"--prior-scale", "2.5"})).code, 0);
  const Files by_scale = files_in("out");
  fs::remove_all(folder_ / "out");
  ASSERT_EQ(fit("t.csv", joined_words(kLabels, {"--prior", "normal(0, 2.5)"})).code, 0);
  const Files by_prior = files_in("out");
  for (const char* name : {"coreset.csv", "draws_1.csv", "draws_2.csv", "summary.csv", "weights.csv"})
    EXPECT_EQ(by_scale.at(name), by_prior.at(name)) << name;
}

TEST_F(PriorCommand, TravelWithTheCoresetToSampleAndCheck) {
  write_table();
  const Words build =
      joined_words({"build", "t.csv", "--size", "40", "--out", "c.csv"}, joined_words(kLabels, kChosen));
  ASSERT_EQ(giga(build).code, 0);
  EXPECT_EQ(parsed("c.json")["model"]["parameter_priors"],
            (json{"student_t(4, 0, 1)", "laplace(0, 0.5)", "cauchy(0, 5)"}));
  const Words quick = {"--warmup", "200", "--draws", "200", "--chains", "2"};
  ASSERT_EQ(giga(joined_words({"sample", "c.csv", "--out", "d"}, quick)).code, 0);
  EXPECT_EQ(parsed("d/run.json")["priors"][1]["prior"], "laplace(0, 0.5)");
  const Outcome check = giga({"check", "t.csv", "c.csv", "d"});
  EXPECT_EQ(check.code, 0) << check.error;
  // The same options may be said again, in any form; others contradict the companion.
  EXPECT_EQ(giga(joined_words({"check", "t.csv", "c.csv", "d", "--force"}, kChosen)).code, 0);
  expect_refusal(giga({"check", "t.csv", "c.csv", "d", "--prior", "normal(0, 1)"}), 64,
                 {"--prior is normal(0, 1)", "c.json says student_t(4, 0, 1); x2 = laplace(0, 0.5)"});
  expect_refusal(giga({"sample", "c.csv", "--prior-intercept", "normal(0, 1)"}), 64,
                 {"--prior-intercept", "cauchy(0, 5)"});
  expect_refusal(giga({"sample", "c.csv", "--autoscale"}), 64, {"--autoscale is true", "says false"});
}

TEST_F(PriorCommand, DrawsUnderAnotherPriorAreNotOfThisCoreset) {
  write_table();
  const Words build = {"build", "t.csv", "--size", "40", "--family", "bernoulli", "--force"};
  ASSERT_EQ(giga(joined_words(build, {"--out", "c.csv", "--prior", "cauchy(0, 1)"})).code, 0);
  ASSERT_EQ(giga({"sample", "c.csv", "--out", "d", "--warmup", "200", "--draws", "200"}).code, 0);
  ASSERT_EQ(giga(joined_words(build, {"--out", "c.csv", "--prior", "cauchy(0, 2)"})).code, 0);
  expect_refusal(giga({"check", "t.csv", "c.csv", "d"}), 65, {"another coreset or model"});
}

TEST_F(PriorCommand, AColumnThatTheCoresetRenamesKeepsItsPrior) {
  const Matrix table = regression_table(300, 2, ResponseKind::Labels);
  std::string text = csv_of(table);
  text.replace(0, text.find('\n'), "row,weight,y");
  write_file(folder_ / "t.csv", text);
  ASSERT_EQ(giga({"build", "t.csv", "--family", "bernoulli", "--size", "30", "--out", "c.csv", "--prior",
                  "weight = laplace(0, 1)"})
                .code,
            0);
  const Outcome outcome = giga({"sample", "c.csv", "--out", "d", "--warmup", "200", "--draws", "100"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(parsed("d/run.json")["options"]["parameter_priors"],
            (json{"normal(0, 1)", "laplace(0, 1)", "normal(0, 1)"}));
}

TEST_F(PriorCommand, AStoppedFitGoesOnWithItsPriors) {
  write_table();
  const Words model = joined_words(joined_words(kLabels, kChosen), {"--no-times"});
  const Outcome stopped = fit("t.csv", model, with_file_limit(100'000));
  ASSERT_EQ(stopped.code, 74) << stopped.error;
  ASSERT_EQ(giga({"fit", "--resume", "out", "--quiet"}).code, 0);
  const Files resumed = files_in("out");
  fs::remove_all(folder_ / "out");
  ASSERT_EQ(fit("t.csv", model).code, 0);
  EXPECT_EQ(resumed, files_in("out"));
}

TEST_F(PriorCommand, HaveTheSameBytesOnOneThreadAndTwo) {
  write_table();
  const Words model = joined_words(joined_words(kLabels, kChosen), {"--no-times"});
  ASSERT_EQ(fit("t.csv", joined_words(model, {"--threads", "1"})).code, 0);
  const Files one = files_in("out");
  fs::remove_all(folder_ / "out");
  ASSERT_EQ(fit("t.csv", joined_words(model, {"--threads", "2"})).code, 0);
  EXPECT_EQ(one, files_in("out"));
}

TEST_F(PriorCommand, AutoscaleIsInUnitsOfTheResponse) {
  write_table("t.csv", ResponseKind::Reals);
  const Outcome outcome = fit("t.csv", joined_words(kReals, {"--prior", "normal(0, 2.5)", "--autoscale"}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const json record = parsed("out/run.json");
  EXPECT_EQ(record["options"]["autoscale"], true);
  EXPECT_TRUE(std::string(record["priors"][0]["prior"]).starts_with("normal(0, "));
  EXPECT_NE(record["priors"][0]["prior"], "normal(0, 2.5)");
  EXPECT_FALSE(std::string(record["priors"][2]["prior"]).starts_with("normal(0, "))
      << "mean(y) is its centre";
  EXPECT_TRUE(has(outcome.out, "scales in units of the data"));
}

TEST_F(PriorCommand, TextsThatAreNotPriorsAreToldWithACaret) {
  write_table();
  expect_caret({"--prior", "gauss(0, 1)"}, "--prior", "gauss(0, 1)", 0);
  expect_caret({"--prior", "x1 = normal(0, -1)"}, "--prior", "x1 = normal(0, -1)", 15);
  expect_caret({"--prior-intercept", "normal(0 1)"}, "--prior-intercept", "normal(0 1)", 9);
}

TEST_F(PriorCommand, WhatCannotBeIsRefusedInWords) {
  write_table();
  const auto refused = [this](const Words& more, const Words& words) {
    SCOPED_TRACE(more.back());
    const Outcome outcome = fit("t.csv", joined_words(joined_words(kLabels, {"--quiet"}), more));
    expect_refusal(outcome, 64, words);
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  };
  refused({"--prior", "x9 = flat"}, {"--prior: there is no 'x9'", "'x1', 'x2', '(intercept)'"});
  refused({"--prior", "exponential(1)"}, {"'x1' may be negative", "normal, student_t"});
  refused({"--prior", "flat", "--prior", "flat"}, {"--prior is given twice"});
  refused({"--prior", "flat", "--prior-scale", "2"}, {"--prior and --prior-scale are both given"});
  refused({"--prior", "flat", "--pihat", "prior"}, {"flat --prior", "not a distribution"});
  EXPECT_EQ(fit("t.csv", joined_words(kLabels, {"--prior", ""})).code, 64);
}

TEST_F(PriorCommand, AFlatPriorOfSeparableLabelsIsRefusedInWords) {
  std::string text = "x,y\n";
  for (int n = 0; n < 40; ++n) text += std::to_string(n) + (n < 20 ? ",0\n" : ",1\n");
  write_file(folder_ / "s.csv", text);
  expect_refusal(fit("s.csv", joined_words(kLabels, {"--prior", "flat", "--quiet"})), 64,
                 {"the posterior is not proper", "separable", "normal(0, 2.5)"});
  EXPECT_EQ(
      fit("s.csv", joined_words(kLabels, {"--prior", "x = cauchy(0, 2.5)", "--prior-intercept", "flat"}))
          .code,
      0);
}

TEST_F(PriorCommand, AConfigFileMayHaveAList) {
  write_table();
  write_file(folder_ / "g.toml",
             "family = \"bernoulli\"\nprior = [\"cauchy(0, 1)\", \"x2 = laplace(0, 2)\"]\n");
  ASSERT_EQ(fit("t.csv", {"--config", "g.toml"}).code, 0);
  EXPECT_EQ(parsed("out/run.json")["options"]["prior"], (json{"cauchy(0, 1)", "x2 = laplace(0, 2)"}));
  // What the command line says takes the place of the list.
  ASSERT_EQ(fit("t.csv", {"--config", "g.toml", "--prior", "flat", "--force"}).code, 0);
  EXPECT_EQ(parsed("out/run.json")["options"]["prior"], (json{"flat"}));
}

}  // namespace
}  // namespace giga::test
