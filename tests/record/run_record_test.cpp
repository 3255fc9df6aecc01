#include "giga/record/run_record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "giga/base/version.hpp"
#include "giga/job/build.hpp"
#include "giga/job/check.hpp"
#include "giga/job/fit.hpp"
#include "giga/job/report.hpp"
#include "giga/job/sample.hpp"
#include "giga/report/certificate_text.hpp"
#include "support/flights.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// The texts of a report that a record alone decides, the draws being given.
std::string page_of(const RunRecord& record, const PosteriorSummary& summary) {
  return report_html(report_data(record, summary));
}

class RunRecordFile : public ::testing::Test {
 protected:
  RunRecordFile() { write_flights(folder_ / "flights.csv", 400); }

  [[nodiscard]] ReadOptions reading() const {
    return {.response = "late", .features = std::vector<std::string>{"distance", "wind"}};
  }

  // With what is rarely there: two rounds, one of which had no k-hat and no held-out error; notes, a command
  // line, times.
  [[nodiscard]] FitRun fitted() const {
    FitJob job;
    job.input = folder_ / "flights.csv";
    job.read = reading();
    job.fit.coreset.pihat = PihatKind::Subsample;
    job.fit.coreset.subsample_rows = 300;
    job.fit.coreset.max_steps = 70;
    job.fit.sample = {.warmup = 150, .draws = 150, .thin = 2, .target_accept = 0.85, .max_depth = 8};
    job.fit.chains = 2;
    job.out = folder_ / "fit";
    job.force = true;
    job.command_line = "giga fit <flights>";
    FitRun run = run_fit(job, executor_);
    run.record.rounds.insert(run.record.rounds.begin(),
                             FitRound{4, 0.5, std::nan(""), kInfinite, 1.5, Doubt::HighKhat});
    run.record.notes->push_back("a note & more");
    run.record.warnings.emplace_back("a warning");
    return run;
  }

  [[nodiscard]] SampleRun sampled() const {
    SampleJob job;
    job.input = folder_ / "flights.csv";
    job.read = reading();
    job.model.intercept = false;
    job.sample = {.sampler = SamplerKind::Hmc, .warmup = 100, .draws = 100, .leapfrog_steps = 7, .seed = 5};
    job.chains = 2;
    return run_sample(job, executor_);
  }

  [[nodiscard]] BuildRun built() const {
    BuildJob job;
    job.input = folder_ / "flights.csv";
    job.read = reading();
    job.model.prior_scale = 2.5;
    job.coreset = {.projection_dim = 0, .size = 12, .seed = 9};
    job.out = folder_ / "coreset.csv";
    job.force = true;
    return run_build(job, executor_);
  }

  [[nodiscard]] RunRecord read_back(const RunRecord& record) const {
    write_file(folder_ / "run.json", run_json(record));
    return read_run(folder_ / "run.json");
  }

  [[nodiscard]] std::string refusal(const json& record) const {
    write_file(folder_ / "run.json", record.dump());
    return message_of<DataError>([&] { (void)read_run(folder_ / "run.json"); });
  }

  TempDir folder_;
  Threads executor_{2};
};

TEST_F(RunRecordFile, OfAFitKeepsAllThatAReportShows) {
  const FitRun run = fitted();
  RunRecord again = read_back(run.record);
  ASSERT_TRUE(again.certificate);
  again.certificate->coreset.weights = run.record.certificate->coreset.weights;  // weights.csv has them
  EXPECT_TRUE(page_of(again, run.summary) == page_of(run.record, run.summary));

  EXPECT_EQ(again.command, "fit");
  EXPECT_EQ(again.version, version());
  EXPECT_EQ(again.option_texts(), run.record.option_texts());
  EXPECT_EQ(again.notes, run.record.notes);
  EXPECT_EQ(again.warnings, run.record.warnings);
  EXPECT_EQ(again.coreset_digest, run.record.coreset_digest);
  EXPECT_EQ(again.num_gradients(), run.record.num_gradients());
  EXPECT_EQ(again.scales().names(), run.record.scales().names());
  ASSERT_EQ(again.rounds.size(), run.record.rounds.size());
  EXPECT_EQ(again.rounds[0].k_hat, kInfinite);
  EXPECT_TRUE(std::isnan(again.rounds[0].heldout_error));
  EXPECT_EQ(again.rounds[0].doubt, Doubt::HighKhat);
  EXPECT_EQ(again.rounds.back().effective_size, run.record.rounds.back().effective_size);
  EXPECT_EQ(again.full_data->seconds(), run.record.full_data->seconds());
  EXPECT_EQ(again.seconds->certify, run.record.seconds->certify);
  EXPECT_EQ(certificate_numbers(*again.certificate).size(),
            certificate_numbers(*run.record.certificate).size());
  EXPECT_EQ(certificate_sentence(*again.certificate), certificate_sentence(*run.record.certificate));
}

TEST_F(RunRecordFile, OfAFitWithoutTimesHasNone) {
  FitRun run = fitted();
  run.record.seconds.reset();
  run.record.full_data.reset();
  const RunRecord again = read_back(run.record);
  EXPECT_FALSE(again.seconds);
  EXPECT_FALSE(again.full_data);
}

TEST_F(RunRecordFile, OfChainsKeepsAllThatAReportShows) {
  const SampleRun run = sampled();
  const RunRecord again = read_back(run.record);
  EXPECT_TRUE(page_of(again, run.summary) == page_of(run.record, run.summary));
  EXPECT_EQ(again.option_texts(), run.record.option_texts());
  EXPECT_EQ(again.options.sample->leapfrog_steps, 7);
  EXPECT_EQ(again.options.seed, 5);
  EXPECT_FALSE(again.options.model->intercept);
  EXPECT_EQ(again.rows_used, run.record.rows_used);
  ASSERT_EQ(again.parameters.size(), run.record.parameters.size());
  for (std::size_t k = 0; k < again.parameters.size(); ++k) {
    EXPECT_EQ(again.parameters[k].column, run.record.parameters[k].column);
    EXPECT_EQ(again.parameters[k].name, run.record.parameters[k].name);
    EXPECT_EQ(again.parameters[k].original, run.record.parameters[k].original);
  }
  EXPECT_FALSE(again.certificate);
}

TEST_F(RunRecordFile, OfABuildKeepsTheCoresetAndItsTrace) {
  const BuildRun run = built();
  const RunRecord again = read_back(run.record);
  const CoresetResult &want = *run.record.coreset, &got = again.coreset.value();
  EXPECT_EQ(got.coreset.rows, want.coreset.rows);
  EXPECT_EQ(got.coreset.weights, want.coreset.weights);
  EXPECT_EQ(got.build.relative_error, want.build.relative_error);
  EXPECT_EQ(got.heldout_error, want.heldout_error);
  EXPECT_EQ(got.build.termination, want.build.termination);
  EXPECT_EQ(got.dim, want.dim);
  ASSERT_EQ(got.build.trace.size(), want.build.trace.size());
  for (std::size_t i = 0; i < got.build.trace.size(); ++i) {
    EXPECT_EQ(got.build.trace[i].row, want.build.trace[i].row);
    EXPECT_EQ(got.build.trace[i].alignment, want.build.trace[i].alignment);
    EXPECT_EQ(got.build.trace[i].bound, want.build.trace[i].bound);
    EXPECT_EQ(got.build.trace[i].step_length, want.build.trace[i].step_length);
    EXPECT_EQ(got.build.trace[i].heldout_error, want.build.trace[i].heldout_error);
  }
  EXPECT_EQ(again.option_texts(), run.record.option_texts());
  EXPECT_EQ(again.options.coreset->projection_dim, 0);
  EXPECT_EQ(again.options.model->prior_scale, 2.5);
  EXPECT_EQ(again.scale.mean, run.record.scale.mean);
  EXPECT_EQ(again.response, "late");
}

TEST_F(RunRecordFile, OfACheckKeepsItsCertificate) {
  (void)built();
  CheckJob job;
  job.data = folder_ / "flights.csv";
  job.coreset = folder_ / "coreset.csv";
  job.file = find_coreset(job.coreset).value();
  job.read = reading();
  job.sample = {.warmup = 150, .draws = 200};
  const RunRecord record = run_check(job, executor_);
  const RunRecord again = read_back(record);
  const auto want = certificate_numbers(*record.certificate), got = certificate_numbers(*again.certificate);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < want.size(); ++k) {
    EXPECT_EQ(got[k].first, want[k].first);
    if (want[k].first.find("mcse") != std::string::npos) continue;  // no report shows them
    EXPECT_EQ(got[k].second, want[k].second) << want[k].first;
  }
  EXPECT_EQ(again.certificate->doubt, record.certificate->doubt);
  EXPECT_EQ(again.option_texts(), record.option_texts());
}

TEST_F(RunRecordFile, KeepsTheCheckOfTheModel) {
  RunRecord record = sampled().record;
  ASSERT_TRUE(record.model_check) << "chains of a table are held against the model";
  ModelCheck check{.num_observations = 12345.5, .num_checked = 100, .num_replicates = 7, .shares = true};
  check.calibration = 0.25;
  check.statistics = {{Statistic::Kurtosis, 1.5, 2.5, 0.5, 2, 3, 0.75, true}};
  check.bins = {{10, 0.1, 0.2, 0.01, 0.05, 0.15}, {20, 0.3, std::nan(""), 0.02, 0.25, 0.35}};
  check.findings = {{Misfit::Tails, Severity::Amber, 9, "heavy <tails>"},
                    {Misfit::Zeros, Severity::Note, -0.02, "few zeros"}};
  record.model_check = check;
  const std::string text = run_json(record);
  const json form = json::parse(text)["model_check"];
  EXPECT_EQ(form["verdict"], "doubtful");
  EXPECT_EQ(form["statistics"][0]["of"], "kurtosis");
  EXPECT_EQ(form["findings"][0]["words"], "heavy <tails>");
  const RunRecord again = read_back(record);
  ASSERT_TRUE(again.model_check);
  EXPECT_EQ(json::parse(run_json(again))["model_check"], form);
  EXPECT_EQ(again.model_check->findings[1].misfit, Misfit::Zeros);
  EXPECT_EQ(again.model_check->bins[1].high, 0.35);
  EXPECT_TRUE(again.model_check->statistics[0].outside);
  // Records of earlier versions have none; a damaged one is refused by the name of the field.
  record.model_check.reset();
  EXPECT_FALSE(read_back(record).model_check);
  json damaged = json::parse(text);
  damaged["model_check"]["findings"][0]["severity"] = "purple";
  EXPECT_NE(refusal(damaged).find("severity"), std::string::npos);
}

TEST_F(RunRecordFile, OfANewerGigaIsRefused) {
  json record = json::parse(run_json(sampled().record));
  ASSERT_TRUE(record.contains("format"));
  record["format"] = record["format"].get<int>() + 1;
  const std::string said = refusal(record);
  EXPECT_NE(said.find("run.json: was written by a newer giga (format 2)"), std::string::npos) << said;
  EXPECT_NE(said.find("newer giga"), std::string::npos) << said;
  record.erase("format");  // as in version 0.1
  EXPECT_EQ(refusal(record), "(nothing thrown)");
}

TEST_F(RunRecordFile, NamesTheFileAndEveryFieldThatIsMissing) {
  const json whole = json::parse(run_json(fitted().record));
  for (const char* pointer : {"/command",
                              "/version",
                              "/options",
                              "/options/path",
                              "/options/family",
                              "/options/link",
                              "/options/sampler",
                              "/options/size",
                              "/options/projection_dim",
                              "/N",
                              "/standardisation/mean",
                              "/relative_error",
                              "/termination",
                              "/trace",
                              "/trace/0/step",
                              "/coreset",
                              "/coreset/rows",
                              "/coreset/weights",
                              "/rounds",
                              "/rounds/0/doubt",
                              "/parameters",
                              "/parameters/0/column",
                              "/laplace",
                              "/laplace/0/sd",
                              "/chains",
                              "/chains/0/gradients",
                              "/warnings",
                              "/certificate",
                              "/certificate/k_hat",
                              "/certificate/usable",
                              "/notes",
                              "/full_data",
                              "/full_data/gradients",
                              "/seconds"}) {
    json bad = whole;
    const json::json_pointer at(pointer);
    ASSERT_TRUE(bad.contains(at)) << pointer;
    bad[at.parent_pointer()].erase(at.back());
    const std::string said = refusal(bad);
    EXPECT_NE(said.find("run.json: is damaged, or of another version ('"), std::string::npos)
        << pointer << ": " << said;
    EXPECT_NE(said.find(at.back() + "'"), std::string::npos) << pointer << ": " << said;
    EXPECT_NE(said.find("run again"), std::string::npos) << pointer << ": " << said;
  }
}

TEST_F(RunRecordFile, NamesTheFileAndEveryFieldThatIsNotWhatItShouldBe) {
  const json whole = json::parse(run_json(fitted().record));
  const std::vector<std::pair<const char*, json>> damage = {{"/command", 3},
                                                            {"/options", json::array()},
                                                            {"/options/family", "gamma"},
                                                            {"/options/sampler", "guess"},
                                                            {"/options/projection", 7},
                                                            {"/options/prior_scale", -1},
                                                            {"/N", "many"},
                                                            {"/standardisation/scale", json::array({1.0})},
                                                            {"/trace", "long"},
                                                            {"/trace/0", 3},
                                                            {"/trace/0/row", "first"},
                                                            {"/termination", "bored"},
                                                            {"/coreset/weights", json::array({1.0})},
                                                            {"/coreset/responses", json::array({"yes"})},
                                                            {"/rounds/0/doubt", "some"},
                                                            {"/chains/0/gradients", "lots"},
                                                            {"/certificate/doubt", 0},
                                                            {"/certificate/num_rows", "all"},
                                                            {"/seconds/load", "long"}};
  for (const auto& [pointer, value] : damage) {
    json bad = whole;
    ASSERT_TRUE(bad.contains(json::json_pointer(pointer))) << pointer;
    bad[json::json_pointer(pointer)] = value;
    EXPECT_NE(refusal(bad).find("run.json: is damaged, or of another version ('"), std::string::npos)
        << pointer << ": " << refusal(bad);
  }
}

TEST_F(RunRecordFile, TakesOnlyWholeNumbersFromZeroForCounts) {
  const json whole = json::parse(run_json(fitted().record));
  for (const char* pointer : {"/N", "/D", "/trace/0/row", "/coreset/rows/0", "/chains/0/gradients"}) {
    const json::json_pointer at(pointer);
    ASSERT_TRUE(whole.contains(at)) << pointer;
    // A parser that casts them would give 1, -3, and whatever the machine makes of the others.
    for (const json& value : {json(1.5), json(-3), json(1e300), json(UINT64_MAX), json(9007199254740994.0)}) {
      json bad = whole;
      bad[at] = value;
      EXPECT_NE(refusal(bad).find("run.json: is damaged, or of another version ('"), std::string::npos)
          << pointer << " " << value;
    }
    json good = whole;
    good[at] = good[at].get<double>();  // as programs write it that know no whole numbers
    EXPECT_EQ(refusal(good), "(nothing thrown)") << pointer;
  }
}

// Whoever walks a tree of JSON calls itself once a level.
TEST_F(RunRecordFile, IsRefusedWhereListsLieTooDeepInEachOther) {
  std::string text = run_json(sampled().record);
  constexpr std::size_t kLevels = 200'000;
  text.insert(text.find("\"options\": {") + 12,
              "\"deep\": " + std::string(kLevels, '[') + std::string(kLevels, ']') + ",");
  write_file(folder_ / "run.json", text);
  EXPECT_NE(message_of<DataError>([&] { (void)read_run(folder_ / "run.json"); }).find("run.json: is damaged"),
            std::string::npos);
  // Brackets in a text are not levels.
  json record = json::parse(run_json(sampled().record));
  record["model"] = "\\\"" + std::string(kLevels, '[');
  EXPECT_EQ(refusal(record), "(nothing thrown)");
}

TEST_F(RunRecordFile, IsAbsentOrNoRecord) {
  EXPECT_NE(message_of<InputMissing>([&] { (void)read_run(folder_ / "none.json"); }).find("none.json"),
            std::string::npos);
  const std::string whole = run_json(sampled().record);
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string("[]"), std::string("3")}) {
    write_file(folder_ / "run.json", text);
    EXPECT_NE(message_of<DataError>([&] { (void)read_run(folder_ / "run.json"); }).find("run.json: is damag"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace giga::test
