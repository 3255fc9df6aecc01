// Odd but ordinary tables, and when a build of a table ends: a note where there is something to say, and
// never a NaN.
#include "cli/data_files.hpp"

namespace giga::test {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

const std::vector<Words> kFamilies = {{"--family", "bernoulli"},
                                      {"--family", "poisson"},
                                      {"--family", "poisson", "--link", "softplus"},
                                      {"--family", "gaussian", "--noise-scale", "1"}};

const std::vector<Words> kProjections = {
    {}, {"--norm", "whitened"}, {"--norm", "l2"}, {"--norm", "l2_centred"}, {"--projection", "curvature"}};

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class OddData : public DataCommand {
 protected:
  // Every family and projection; `note` is said each time.
  void expect_runs(const std::string& content, const std::string& note, const Words& more = {}) const {
    for (const Words& family : kFamilies) {
      for (const Words& projection : kProjections) {
        SCOPED_TRACE(joined(family + projection, " "));
        const DataBuild result =
            built("t.csv", content, family + projection + more + Words{"--heldout-dim", "20"});
        EXPECT_TRUE(result.notes("giga: note: " + note)) << result.outcome.error;
        EXPECT_EQ(result.outcome.error.find("nan"), std::string::npos) << result.outcome.error;
        EXPECT_TRUE(result.record["heldout_error"].is_number());
        EXPECT_TRUE(result.record["relative_error"].is_number());
        for (const double weight : result.weights()) EXPECT_GT(weight, 0);
        for (const json& step : result.record["trace"]) EXPECT_TRUE(step["heldout_error"].is_number());
      }
    }
  }
};

TEST_F(OddData, OneRow) {
  expect_runs("a,b,y\n1,2,1\n", "there are fewer rows (1) than parameters (3)");
}

TEST_F(OddData, FewerRowsThanParameters) {
  expect_runs("a,b,c,d,e,y\n1,2,3,4,5,0\n5,4,2,1,9,1\n0,1,0,3,1,1\n",
              "there are fewer rows (3) than parameters (6); the prior decides the rest");
}

TEST_F(OddData, ConstantAndZeroColumns) {
  expect_runs("a,b,c,y\n0,5,1,1\n0,5,2,0\n0,5,4,1\n0,5,-1,0\n0,5,0,1\n",
              "2 columns 'a', 'b' are constant; their coefficients keep their prior");
}

TEST_F(OddData, EveryColumnZeroAndNoIntercept) {
  for (const Words& more : {Words{}, Words{"--no-intercept"}, Words{"--no-intercept", "--no-standardise"}}) {
    const DataBuild result = built("t.csv", "a,y\n0,1\n0,0\n0,1\n", kFamilies[0] + more);
    EXPECT_TRUE(more.empty() || result.record["termination"] == "zero_target");
    EXPECT_TRUE(more.empty() || result.notes("sum to zero")) << result.outcome.error;
  }
}

TEST_F(OddData, EqualRows) {
  expect_runs("a,y\n1,1\n2,0\n1,1\n2,0\n1,1\n2,0\n", "4 of 6 rows repeat earlier ones");
}

TEST_F(OddData, HugeAndTinyNumbers) {
  expect_runs("a,b,y\n1e300,1e-300,1\n-1e300,2e-300,0\n2e299,-3e-300,1\n1e-400,1e-320,0\n1,2,1\n",
              "1 number too small for a double read as 0");
}

// Numbers whose squares overflow: the coreset has none that are not finite, or the file is named.
TEST_F(OddData, NumbersBeyondUseAreTheFilesFault) {
  const std::string features = "a,b,y\n1e155,1,1\n-2e155,2,0\n2e150,-3,1\n0,0,0\n1,2,1\n";
  for (const Words& family : kFamilies) {
    for (const Words& projection : kProjections) {
      for (const char* pihat : {"laplace", "prior"}) {
        SCOPED_TRACE(joined(family + projection, " ") + " " + pihat);
        write_file(folder_ / "t.csv", features);
        const auto outcome = build(
            "t.csv", family + projection + Words{"--pihat", pihat, "--no-standardise", "--json", "--quiet"});
        if (outcome.code == 0) {
          expect_finite_numbers(json::parse(outcome.out));
        } else {
          EXPECT_EQ(outcome.code, 65);
          EXPECT_TRUE(outcome.error.starts_with("giga: error: t.csv: the ")) << outcome.error;
        }
      }
    }
  }
  write_file(folder_ / "t.csv", "a,y\n1,1e200\n2,5\n");
  const auto outcome = build("t.csv", kFamilies[3] + Words{"--quiet"});
  EXPECT_EQ(outcome.code, 65);
  EXPECT_NE(outcome.error.find("rescale the columns"), std::string::npos) << outcome.error;
}

TEST_F(OddData, OneClassOnly) {
  for (const char* label : {"0", "1", "-1"}) {
    const std::string y = label;
    std::string text = "a,y\n";
    for (const char* a : {"1", "2", "-3"}) text.append(a).append(",").append(y).append("\n");
    const DataBuild result = built("t.csv", text, kFamilies[0]);
    EXPECT_TRUE(result.notes("every label is " + y + ": one class only")) << result.outcome.error;
  }
}

TEST_F(OddData, SeparableLabelsAreSaidToBe) {
  std::string text = "a,b,y\n";
  for (int n = 0; n < 60; ++n)
    text += std::to_string(n < 30 ? -5 - n % 7 : 5 + n % 5) + "," + std::to_string(n * n % 11) +
            (n < 30 ? ",0\n" : ",1\n");
  const DataBuild result = built("t.csv", text, kFamilies[0]);
  EXPECT_TRUE(result.notes("perfectly separable")) << result.outcome.error;
  EXPECT_EQ(result.record["separable"], true);
  const DataBuild mixed = built("m.csv", text + "0,1,0\n0,1,1\n", kFamilies[0]);
  EXPECT_FALSE(mixed.notes("separable"));
  EXPECT_EQ(mixed.record["separable"], false);
}

TEST_F(OddData, RowsOfWeightZeroAreNeverChosen) {
  std::string text = "a,y,w\n";
  for (int n = 0; n < 40; ++n)
    text += std::to_string(n * 7 % 13) + "," + std::to_string(n % 2) + (n < 20 ? ",0\n" : ",1.5\n");
  const DataBuild result = built("t.csv", text, kFamilies[0] + Words{"--weights", "w"});
  for (const std::ptrdiff_t row : result.rows()) EXPECT_GE(row, 20);
}

// As pandas writes a table with its index.
TEST_F(OddData, UnnamedColumnAmongTheFeaturesIsNoted) {
  const std::string text = ",a,y\n0,1.5,1\n1,2,0\n2,-1,1\n3,0.5,0\n";
  EXPECT_TRUE(
      built("t.csv", text, kFamilies[0]).notes("note: column 1 has no name and is used as a feature"));
  const DataBuild chosen = built("t.csv", text, kFamilies[0] + Words{"--features", "a"});
  EXPECT_FALSE(chosen.notes("no name")) << chosen.outcome.error;
  EXPECT_TRUE(chosen.csv.starts_with("row,weight,,a,y\n")) << chosen.csv;
}

TEST_F(OddData, EverythingAtOnceFromOneFile) {
  const std::string text = "\xEF\xBB\xBFid;a;const;y\r\nu;1;5;-1\r\n;;5;1\r\n\"w;x\";-2;5;1\r\nv;3;5;-1";
  const DataBuild result = built(
      "t.csv", text, kFamilies[0] + Words{"--delimiter", ";", "--features", "a,const", "--missing", "drop"});
  EXPECT_TRUE(result.csv.starts_with("row,weight,id,a,const,y\n")) << result.csv;
  EXPECT_TRUE(result.notes("dropped 1 row of 4")) << result.outcome.error;
  EXPECT_NE(result.csv.find(",w;x,-2,5,1\n"), std::string::npos) << result.csv;
}

class Ends : public DataCommand {
 protected:
  const std::string csv_ = csv_of(regression_table(3000, 5, ResponseKind::Labels));
};

TEST_F(Ends, ToleranceIsOfTheHeldoutError) {
  const DataBuild result = built("t.csv", csv_, kFamilies[0] + Words{"--tolerance", "0.05"});
  EXPECT_EQ(result.record["termination"], "tolerance_met");
  EXPECT_LE(result.record["heldout_error"], 0.05);
  EXPECT_LE(result.record["heldout_error"], result.record["heldout_tolerance"]);
  EXPECT_EQ(result.record["options"]["size"], 27);  // D(D+3)/2, D = 6
  const json& trace = result.record["trace"];
  EXPECT_EQ(trace.back()["heldout_error"], result.record["heldout_error"]);
  for (std::size_t i = 0; i + 1 < trace.size(); ++i) EXPECT_GT(trace[i]["heldout_error"], 0.05);
  const auto told = build("t.csv", kFamilies[0] + Words{"--tolerance", "0.05", "--out", "told.csv"});
  EXPECT_NE(told.out.find("tolerance_met: the held-out error is at most 0.05"), std::string::npos)
      << told.out;
}

TEST_F(Ends, DefaultSizeGrowsWithTheParameters) {
  EXPECT_EQ(built("t.csv", csv_, kFamilies[0]).record["options"]["size"], 27);  // D(D+3)/2, D = 6
  const std::string two = csv_of(regression_table(300, 2, ResponseKind::Labels));
  EXPECT_EQ(built("t.csv", two, kFamilies[0]).record["options"]["size"], 20);
  const std::string few = csv_of(regression_table(9, 2, ResponseKind::Labels));
  const DataBuild capped = built("t.csv", few, kFamilies[0]);
  EXPECT_EQ(capped.record["options"]["size"], 9);
  EXPECT_FALSE(capped.notes("--size")) << capped.outcome.error;
}

TEST_F(Ends, SizeAboveTheRowsIsCappedWithANote) {
  const std::string few = csv_of(regression_table(9, 2, ResponseKind::Labels));
  const DataBuild capped = built("t.csv", few, kFamilies[0] + Words{"--size", "1000000000"});
  EXPECT_EQ(capped.record["options"]["size"], 9);
  EXPECT_TRUE(capped.notes("--size 1000000000 is more than the 9")) << capped.outcome.error;
}

TEST_F(Ends, AutoProjectionGrowsUntilTheErrorsAgreeOrSaysWhyNot) {
  const DataBuild result =
      built("t.csv", csv_,
            kFamilies[0] + Words{"--projection-dim", "auto", "--size", "40", "--heldout-dim", "100"});
  const json& trials = result.record["trials"];
  ASSERT_GE(trials.size(), 1U);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(trials[i]["J"], 500 << i);
    const bool agree =
        trials[i]["heldout_error"].get<double>() <= 1.5 * trials[i]["relative_error"].get<double>();
    EXPECT_EQ(agree, i + 1 == trials.size());
  }
  EXPECT_EQ(result.record["J"], trials.back()["J"]);
  EXPECT_EQ(result.record["heldout_error"], trials.back()["heldout_error"]);
  EXPECT_EQ(result.record["options"]["projection_dim"], "auto");
}

TEST_F(Ends, AutoProjectionEndsAtOnceWhereRoundingIsReached) {
  const std::string reals = csv_of(regression_table(500, 2, ResponseKind::Reals));
  const DataBuild result =
      built("t.csv", reals, kFamilies[3] + Words{"--projection-dim", "auto", "--tolerance", "0"});
  EXPECT_LE(result.record["trials"].size(), 2U);
  EXPECT_LT(result.record["heldout_error"], 1e-12);
}

TEST_F(Ends, EveryMethodHasAHeldoutError) {
  for (const char* method : {"giga", "corrective", "frank_wolfe", "importance", "uniform", "pursuit"}) {
    const DataBuild result = built("t.csv", csv_, kFamilies[0] + Words{"--method", method, "--size", "9"});
    EXPECT_TRUE(result.record["heldout_error"].is_number()) << method;
    for (const json& step : result.record["trace"]) EXPECT_TRUE(step["heldout_error"].is_number()) << method;
  }
}

TEST_F(Ends, NoToleranceIsNotCalledMet) {
  write_file(folder_ / "one.csv", "a,y\n1,2\n");
  const auto outcome = build("one.csv", kFamilies[3] + Words{"--out", "c.csv"});
  EXPECT_EQ(outcome.out.find("is at most 0\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("N = 1 row, "), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace giga::test
