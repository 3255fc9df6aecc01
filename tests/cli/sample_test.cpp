// giga sample: draws on both scales, the same bytes for any number of threads, coresets with their
// companions.
#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "cli/data_files.hpp"
#include "giga/record/draws_file.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

const std::vector<std::string> kShort = {"--warmup", "150", "--draws", "100"};

class SampleCommand : public DataCommand {
 protected:
  [[nodiscard]] Outcome sample(const std::string& file, std::vector<std::string> more) const {
    more.insert(more.begin(), {"sample", file});
    return run(Launch{.arguments = more, .folder = folder_.path()});
  }

  /// Must succeed; the record is of the run in `out`.
  json sampled(const std::string& file, const std::string& out, std::vector<std::string> more) const {
    more.insert(more.end(), {"--out", out});
    more.insert(more.end(), kShort.begin(), kShort.end());
    const Outcome outcome = sample(file, more);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    json record = json::parse(read_file(folder_ / (out + "/run.json")), nullptr, false);
    EXPECT_FALSE(record.is_discarded());
    expect_finite_numbers(record);
    return record;
  }

  [[nodiscard]] std::string bytes(const std::string& name) const { return read_file(folder_ / name); }

  void write_table(const std::string& name = "t.csv", std::ptrdiff_t rows = 400) const {
    Matrix table = regression_table(rows, 3, ResponseKind::Labels);
    for (std::ptrdiff_t n = 0; n < table.rows; ++n) {  // uneven scales
      double* row = table.values.data() + n * table.cols;
      row[1] = 1000 + 50 * row[1];
    }
    write_file(folder_ / name, csv_of(table));
  }

  void build_coreset() const {
    write_table();
    const Outcome outcome = build("t.csv", {"--family", "bernoulli", "--size", "40", "--prior-scale", "2",
                                            "--projection", "curvature", "--out", "c.csv"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
  }
};

TEST_F(SampleCommand, WritesTheSameBytesForAnyNumberOfThreads) {
  write_table();
  for (const char* sampler : {"nuts", "hmc", "rwmh"}) {
    const std::string one = std::string("one_") + sampler, two = std::string("two_") + sampler;
    (void)sampled("t.csv", one, {"--family", "bernoulli", "--sampler", sampler, "--threads", "1"});
    (void)sampled("t.csv", two, {"--family", "bernoulli", "--sampler", sampler, "--threads", "2"});
    for (const char* name :
         {"/draws_1.csv", "/draws_2.csv", "/draws_3.csv", "/draws_4.csv", "/summary.csv"}) {
      EXPECT_EQ(bytes(one + name), bytes(two + name)) << name;
      EXPECT_GT(bytes(one + name).size(), 500U);
    }
    EXPECT_NE(bytes(one + "/draws_1.csv"), bytes(one + "/draws_2.csv"));
  }
  (void)sampled("t.csv", "seed", {"--family", "bernoulli", "--seed", "2"});
  EXPECT_NE(bytes("seed/draws_1.csv"), bytes("one_nuts/draws_1.csv"));
}

// One chain and many rows: the threads share the rows.
TEST_F(SampleCommand, ThreadsThatShareTheRowsOfOneChainDrawTheSame) {
  write_table("many.csv", 17000);
  const std::vector<std::string> model = {"--family", "bernoulli", "--chains", "1"};
  for (const char* threads : {"1", "2"}) {
    std::vector<std::string> more = model;
    more.insert(more.end(), {"--threads", threads});
    (void)sampled("many.csv", threads, more);
  }
  EXPECT_EQ(bytes("1/draws_1.csv"), bytes("2/draws_1.csv"));
  EXPECT_EQ(bytes("1/summary.csv"), bytes("2/summary.csv"));
}

TEST_F(SampleCommand, PredictionsOfEveryDrawAreEqualOnBothScales) {
  write_table();
  for (const bool intercept : {true, false}) {
    std::vector<std::string> more = {"--family", "bernoulli", "--chains", "1"};
    if (!intercept) more.emplace_back("--no-intercept");
    const std::string out = intercept ? "with" : "without";
    const json record = sampled("t.csv", out, more);
    const DrawsFile file = read_draws(folder_ / (out + "/draws_1.csv"));
    const std::vector<double> mean = record["standardisation"]["mean"],
                              scale = record["standardisation"]["scale"];
    // Without an intercept there is no constant on either scale.
    const std::size_t num_original = intercept ? 4 : 3;
    EXPECT_EQ(file.names[3], intercept ? "intercept" : "std_x1");
    EXPECT_EQ(record["parameters"].size(), 2 * num_original);
    EXPECT_EQ(record["parameters"][num_original]["scale"], "standardised");
    const std::vector<double> x = {0.5, 1100, -2};
    for (Index s = 0; s < file.chain.num_draws(); ++s) {
      const double* draw = file.chain.draw(s);
      double original = intercept ? draw[3] : 0, standardised = intercept ? draw[7] : 0;
      for (std::size_t d = 0; d < 3; ++d) {
        original += draw[d] * x[d];
        standardised += draw[num_original + d] * (x[d] - mean[d]) / scale[d];
      }
      ASSERT_NEAR(original, standardised, 1e-9);
    }
  }
}

TEST_F(SampleCommand, UsesTheScaleAndModelOfTheCompanion) {
  build_coreset();
  const json companion = json::parse(bytes("c.json"));
  const json coreset = sampled("c.csv", "coreset", {});
  EXPECT_EQ(coreset["standardisation"], companion["standardisation"]);
  EXPECT_EQ(coreset["options"]["prior_scale"], 2.0);
  EXPECT_EQ(coreset["N"], 400);
  EXPECT_EQ(coreset["rows_used"], companion["size"]);
  // The coreset of the curvature has the Laplace approximation of all rows.
  const json full = sampled("t.csv", "full", {"--family", "bernoulli", "--prior-scale", "2"});
  for (std::size_t d = 0; d < 4; ++d) {
    const double sd = full["laplace"]["sd"][d];
    EXPECT_NEAR(coreset["laplace"]["mode"][d].get<double>(), full["laplace"]["mode"][d].get<double>(),
                0.05 * sd);
  }
  // Alone, its rows have another scale, and that is said.
  std::filesystem::remove(folder_ / "c.json");
  const Outcome refused = sample("c.csv", {});
  EXPECT_EQ(refused.code, 64);
  EXPECT_NE(refused.error.find("--family is needed"), std::string::npos) << refused.error;
  std::vector<std::string> more = {"--family", "bernoulli", "--prior-scale", "2", "--json"};
  more.insert(more.end(), kShort.begin(), kShort.end());
  const Outcome bare = sample("c.csv", more);
  ASSERT_EQ(bare.code, 0) << bare.error;
  EXPECT_NE(bare.error.find("no c.json beside it"), std::string::npos) << bare.error;
  EXPECT_NE(bare.error.find("not the scale of all the data"), std::string::npos) << bare.error;
  const json record = json::parse(bare.out);
  EXPECT_EQ(record["standardisation"]["features"], (std::vector<std::string>{"x1", "x2", "x3"}));
  EXPECT_NE(record["standardisation"]["mean"], companion["standardisation"]["mean"]);
}

TEST_F(SampleCommand, OptionsThatContradictTheCompanionAreRefusedNamingBoth) {
  build_coreset();
  const auto refusal = [&](const std::vector<std::string>& options) {
    const Outcome outcome = sample("c.csv", options);
    EXPECT_EQ(outcome.code, 64) << outcome.error;
    return outcome.error;
  };
  EXPECT_NE(refusal({"--family", "poisson"}).find("--family is poisson, but c.json says bernoulli"),
            std::string::npos);
  EXPECT_NE(refusal({"--prior-scale", "3"}).find("--prior-scale is 3, but c.json says 2"), std::string::npos);
  EXPECT_NE(refusal({"--response", "x1"}).find("--response is x1, but c.json says y"), std::string::npos);
  EXPECT_NE(refusal({"--features", "x1,x2"}).find("--features is x1,x2, but c.json says x1,x2,x3"),
            std::string::npos);
  EXPECT_NE(refusal({"--weights", "x1"}).find("but c.json says weight"), std::string::npos);
  EXPECT_NE(refusal({"--no-intercept"}).find("--no-intercept is true, but c.json says false"),
            std::string::npos);
  EXPECT_NE(refusal({"--no-standardise"}).find("c.json"), std::string::npos);
  EXPECT_NE(refusal({"--noise-scale", "1"}).find("has no effect"), std::string::npos);
  EXPECT_NE(refusal({"--missing", "drop"}).find("has no effect"), std::string::npos);
  std::vector<std::string> same = {"--family",   "bernoulli", "--prior-scale", "2",
                                   "--response", "y",         "--features",    "x1,x2,x3",
                                   "--weights",  "weight",    "--link",        "logit"};
  same.insert(same.end(), kShort.begin(), kShort.end());
  EXPECT_EQ(sample("c.csv", same).code, 0);
}

TEST_F(SampleCommand, OptionsOutOfRangeAreRefusedWithTheRange) {
  write_table();
  const std::vector<std::vector<std::string>> cases = {
      {"--chains", "0", "from 1 to 256"},
      {"--chains", "257", "from 1 to 256"},
      {"--draws", "0", "from 1 to 10000000"},
      {"--warmup", "-1", "from 0 to 10000000"},
      {"--thin", "0", "from 1 to 10000"},
      {"--target-accept", "1.5", "from 0 to 1"},
      {"--target-accept", "1", "both excluded"},
      {"--target-accept", "0", "both excluded"},
      {"--max-depth", "21", "from 1 to 20"},
      {"--leapfrog-steps", "3", "has no effect with --sampler nuts"},
      {"--step-jitter", "0.1", "has no effect with --sampler nuts"},
      {"--seed", "-1", "from 0 to"},
      {"--threads", "2000", "from 0 to 1024"},
      {"--sampler", "gibbs", "nuts, hmc, rwmh"},
      {"--protocol", "stam", "did you mean stan"},
      {"--drwas", "3", "did you mean --draws"}};
  for (const auto& words : cases) {
    const Outcome outcome = sample("t.csv", {"--family", "bernoulli", words[0], words[1]});
    EXPECT_EQ(outcome.code, 64) << words[0] << " " << words[1];
    EXPECT_NE(outcome.error.find(words[2]), std::string::npos) << outcome.error;
  }
  EXPECT_EQ(run(std::vector<std::string>{"sample"}).code, 64);
  EXPECT_EQ(sample("none.csv", {"--family", "bernoulli"}).code, 66);
}

TEST_F(SampleCommand, TheStepOfHmcVariesAsAsked) {
  write_table();
  const std::vector<std::string> hmc = {"--family", "bernoulli", "--sampler", "hmc", "--chains", "1"};
  const auto options_with = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> all = hmc;
    all.insert(all.end(), more.begin(), more.end());
    return sampled("t.csv", out, all)["options"]["step_jitter"];
  };
  EXPECT_EQ(options_with("default", {}), 0.3);
  EXPECT_EQ(options_with("same", {"--step-jitter", "0.3"}), 0.3);
  EXPECT_EQ(options_with("none", {"--step-jitter", "0"}), 0.0);
  EXPECT_EQ(options_with("paper", {"--protocol", "paper"}), 0.0);
  EXPECT_EQ(bytes("default/draws_1.csv"), bytes("same/draws_1.csv"));
  const auto steps = [&](const std::string& out) {
    const DrawsFile file = read_draws(folder_ / (out + "/draws_1.csv"));
    std::set<double> found;
    for (const DrawStats& stats : file.chain.stats) found.insert(stats.step_size);
    return found.size();
  };
  EXPECT_EQ(steps("none"), 1U);
  EXPECT_EQ(steps("default"), 100U);
  for (const char* value : {"1", "-0.1", "nan"}) {
    std::vector<std::string> all = hmc;
    all.insert(all.end(), {"--step-jitter", value});
    const Outcome outcome = sample("t.csv", all);
    EXPECT_EQ(outcome.code, 64);
    EXPECT_NE(outcome.error.find("from 0 to 1"), std::string::npos) << outcome.error;
  }
}

TEST_F(SampleCommand, ThePapersProtocolGivesWayToWhatIsGiven) {
  build_coreset();
  const Outcome outcome =
      sample("c.csv", {"--protocol", "paper", "--sampler", "rwmh", "--draws", "300", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const json options = json::parse(outcome.out)["options"];
  EXPECT_EQ(options["warmup"], 25000);
  EXPECT_EQ(options["thin"], 5);
  EXPECT_EQ(options["draws"], 300);
}

TEST_F(SampleCommand, TheMetricIsThatOfTheSamplerOrTheOneGiven) {
  write_table();
  const std::vector<std::pair<std::vector<std::string>, std::string>> runs = {
      {{}, "dense"},
      {{"--metric", "diagonal"}, "diagonal"},
      {{"--metric", "unit"}, "unit"},
      {{"--sampler", "hmc"}, "diagonal"},
      {{"--sampler", "hmc", "--metric", "dense"}, "dense"},
      {{"--protocol", "paper"}, "unit"},
      {{"--protocol", "paper", "--metric", "dense"}, "dense"}};
  std::set<std::string> draws;
  for (const auto& [given, metric] : runs) {
    std::vector<std::string> all = given;
    all.insert(all.end(), {"--family", "bernoulli", "--force"});
    EXPECT_EQ(sampled("t.csv", "out", all)["options"]["metric"], metric);
    const DrawsFile file = read_draws(folder_ / "out/draws_1.csv");
    EXPECT_EQ(file.setting("metric"), metric == "dense"      ? "dense_e"
                                      : metric == "diagonal" ? "diag_e"
                                                             : "unit_e");
    EXPECT_EQ(file.chain.inverse_metric.size(), metric == "dense" ? 16U : 4U) << metric;
    draws.insert(bytes("out/draws_1.csv"));
  }
  EXPECT_EQ(draws.size(), 5U) << "nuts by three metrics, hmc by two; the paper's nuts are the same as others";
  write_file(folder_ / "metric.toml", "metric = \"unit\"\n");
  EXPECT_EQ(
      sampled("t.csv", "config", {"--family", "bernoulli", "--config", "metric.toml"})["options"]["metric"],
      "unit");
  const Outcome walk = sample("t.csv", {"--family", "bernoulli", "--sampler", "rwmh", "--metric", "unit"});
  EXPECT_EQ(walk.code, 64);
  EXPECT_NE(walk.error.find("--metric has no effect with --sampler rwmh"), std::string::npos) << walk.error;
}

TEST_F(SampleCommand, ADensityThatOverflowsInItsTailsIsSampledAllTheSame) {
  std::string csv = "x,y\n";
  for (int n = 0; n < 20; ++n) csv += std::to_string(n) + ",0\n";
  write_file(folder_ / "zeros.csv", csv);
  const Outcome outcome = sample("zeros.csv", {"--family", "poisson", "--link", "log", "--prior-scale",
                                               "1000", "--warmup", "150", "--draws", "100"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST_F(SampleCommand, HostileNamesAreSafeInTheFilesAndKnownToTheSummary) {
  const Matrix table = regression_table(200, 4, ResponseKind::Labels);
  std::string csv = csv_of(table);
  csv.replace(0, csv.find('\n'), "\"a,b\",=cmd(),\"say \"\"hi\"\"\nthere\",lp__,y");
  write_file(folder_ / "h.csv", csv);
  ASSERT_EQ(build("h.csv", {"--family", "bernoulli", "--size", "30", "--out", "c.csv"}).code, 0);
  for (const char* input : {"h.csv", "c.csv"}) {
    const json record = sampled(input, std::string("out_") + input, {"--family", "bernoulli"});
    EXPECT_EQ(record["parameters"][0]["column"], "a_b");
    EXPECT_EQ(record["parameters"][0]["name"], "a,b");
    EXPECT_EQ(record["parameters"][1]["column"], "cmd");
    EXPECT_EQ(record["parameters"][2]["column"], "say_hi_there");
    EXPECT_EQ(record["parameters"][2]["name"], "say \"hi\"\nthere");
    EXPECT_EQ(record["parameters"][3]["column"], "lp__v");
    const DrawsFile file = read_draws(folder_ / (std::string("out_") + input + "/draws_1.csv"));
    for (std::size_t d = 0; d < file.names.size(); ++d)
      EXPECT_EQ(file.names[d], record["parameters"][d]["column"]);
    const Outcome csv_out =
        run(Launch{.arguments = {"summary", std::string("out_") + input, "--csv"}, .folder = folder_.path()});
    EXPECT_NE(csv_out.out.find("\n\"a,b\","), std::string::npos) << csv_out.out;
    EXPECT_NE(csv_out.out.find("\n'=cmd(),"), std::string::npos) << csv_out.out;
    EXPECT_EQ(csv_out.out, read_file(folder_ / (std::string("out_") + input + "/summary.csv")));
  }
}

TEST_F(SampleCommand, AFolderOfAnEarlierRunIsReplacedOnlyByForce) {
  build_coreset();
  (void)sampled("c.csv", "out", {"--chains", "3"});
  const std::string before = bytes("out/draws_1.csv");
  const Outcome refused = sample("c.csv", {"--out", "out"});
  EXPECT_EQ(refused.code, 73);
  EXPECT_NE(refused.error.find("--force"), std::string::npos) << refused.error;
  EXPECT_EQ(bytes("out/draws_1.csv"), before);
  (void)sampled("c.csv", "out", {"--chains", "2", "--seed", "5", "--force"});
  EXPECT_NE(bytes("out/draws_1.csv"), before);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/draws_3.csv")) << "a chain of another run is left";
  EXPECT_EQ(sample("c.csv", {"--out", "none/out"}).code, 73);
  EXPECT_EQ(sample("c.csv", {"--out", "c.csv"}).code, 73);
  std::filesystem::create_directory(folder_ / "mine");
  write_file(folder_ / "mine/notes.txt", "mine");
  (void)sampled("c.csv", "mine/", {"--chains", "1"});
  EXPECT_EQ(bytes("mine/notes.txt"), "mine");
}

// A limit on the size of files stands in for a full disk.
TEST_F(SampleCommand, AFullDiskLeavesNothingBehind) {
  build_coreset();
  std::vector<std::string> arguments = {"sample", "c.csv", "--out", "out"};
  arguments.insert(arguments.end(), kShort.begin(), kShort.end());
  const Outcome outcome =
      run(Launch{.arguments = arguments,
                 .before = {"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "sh"},
                 .folder = folder_.path()});
  EXPECT_EQ(outcome.code, 74) << outcome.error;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(SampleCommand, WithoutOutTheTableGoesToStdoutAndNothingIsWritten) {
  build_coreset();
  const std::ptrdiff_t files = folder_.size();
  const Outcome outcome = sample("c.csv", kShort);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("ESS tail\nx1 "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\n(intercept) "), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("std_"), std::string::npos) << outcome.out;
  EXPECT_EQ(folder_.size(), files);
}

TEST_F(SampleCommand, WeightsCountAsRowsGivenSoOften) {
  write_file(folder_ / "w.csv", "x,n,y\n1,2,0\n2,1,1\n3,3,1\n0,2,0\n");
  write_file(folder_ / "r.csv", "x,y\n1,0\n1,0\n2,1\n3,1\n3,1\n3,1\n0,0\n0,0\n");
  const json weighted = sampled("w.csv", "w", {"--family", "bernoulli", "--weights", "n"});
  const json repeated = sampled("r.csv", "r", {"--family", "bernoulli"});
  EXPECT_EQ(bytes("w/draws_1.csv"), bytes("r/draws_1.csv"));
  EXPECT_EQ(weighted["rows_used"], 4);
}

TEST_F(SampleCommand, AnInterruptStopsItWithNothingWritten) {
  build_coreset();
  const std::ptrdiff_t files = folder_.size();
  const Outcome outcome =
      run(Launch{.arguments = {"sample", "c.csv", "--thin", "10000", "--draws", "10000", "--out", "out"},
                 .folder = folder_.path(),
                 .terminal = true,
                 .signal = SIGINT,
                 .signal_after_s = 1});
  EXPECT_EQ(outcome.code, 130) << outcome.error;
  EXPECT_LT(outcome.seconds_after_signal, 2);
  EXPECT_EQ(folder_.size(), files);
  EXPECT_NE(outcome.error.find("transitions, chain 1 "), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("%, 2 "), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find(" left"), std::string::npos) << outcome.error;
}

}  // namespace
}  // namespace giga::test
