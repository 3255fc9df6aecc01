#include "giga/job/build.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "data/tables.hpp"
#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/dense_rows.hpp"
#include "giga/job/check.hpp"
#include "giga/job/sample.hpp"
#include "support/flights.hpp"

namespace giga::test {
namespace {

namespace fs = std::filesystem;

class BuildJobs : public ::testing::Test {
 protected:
  [[nodiscard]] BuildJob flights_job() const {
    write_flights(folder_ / "flights.csv", 600);
    BuildJob job;
    job.input = folder_ / "flights.csv";
    job.read = {.response = "late", .features = std::vector<std::string>{"distance", "wind"}};
    job.coreset = {.projection = ProjectionKind::Auto};
    job.out = folder_ / "coreset.csv";
    return job;
  }

  // 300 vectors of 4 numbers, or 4 draws of 300 observations.
  [[nodiscard]] BuildJob matrix_job(InputKind kind) {
    Stream random = stream(2, "vectors");
    values_.clear();
    for (int i = 0; i < 1200; ++i) values_.push_back(0.5 + random.normal());
    write_file(folder_ / "m.npy", npy_of(values_, kind == InputKind::Vectors ? "(300, 4)" : "(4, 300)"));
    BuildJob job;
    job.input = folder_ / "m.npy";
    job.kind = kind;
    job.coreset = {.size = 3};
    job.out = folder_ / "coreset.csv";
    return job;
  }

  TempDir folder_;
  Threads executor_{2};
  std::vector<double> values_;
};

TEST_F(BuildJobs, ATableBecomesACoresetWithACompanionThatIsReadBack) {
  const BuildRun run = run_build(flights_job(), executor_);
  const CoresetFile file = find_coreset(folder_ / "coreset.csv").value();
  EXPECT_EQ(file.coreset.rows, run.record.coreset->coreset.rows);
  EXPECT_EQ(file.coreset.weights, run.record.coreset->coreset.weights);
  EXPECT_EQ(file.num_rows, 600);
  EXPECT_EQ(file.response, "late");
  EXPECT_EQ(file.features, (std::vector<std::string>{"distance", "wind"}));
  EXPECT_EQ(file.scale.mean, run.record.scale.mean);
  EXPECT_EQ(file.data_digest, run.file.data_digest);

  const std::string csv = read_file(folder_ / "coreset.csv");
  EXPECT_TRUE(csv.starts_with("row,weight,id,distance,wind,late\n")) << csv.substr(0, 60);
  EXPECT_NE(csv.find(",f" + std::to_string(file.coreset.rows[0]) + ","), std::string::npos)
      << "the text of a column that nothing was read from";
  const WeightedProblem problem = read_coreset(folder_ / "coreset.csv", file, executor_);
  EXPECT_EQ(problem.input_rows, file.coreset.rows);
  EXPECT_EQ(problem.problem->table()->design->scale().scale, run.record.scale.scale)
      << "the scale of all rows, not of these";
}

TEST_F(BuildJobs, TheCoresetIsSampledAndCheckedByTheJobsThatReadIt) {
  const BuildJob built = flights_job();
  (void)run_build(built, executor_);
  SampleJob sampling;
  sampling.input = folder_ / "coreset.csv";
  sampling.coreset = find_coreset(sampling.input);
  sampling.sample = {.warmup = 200, .draws = 200};
  sampling.out = folder_ / "draws";
  const SampleRun sampled = run_sample(sampling, executor_);
  EXPECT_EQ(sampled.record.num_rows, 600);
  EXPECT_EQ(sampled.record.rows_used, sampling.coreset->coreset.size());
  EXPECT_EQ(std::vector<std::string>(sampled.summary.names.begin(), sampled.summary.names.begin() + 3),
            (std::vector<std::string>{"distance", "wind", "(intercept)"}));
  for (const char* file : {"draws_1.csv", "draws_4.csv", "summary.csv", "run.json"})
    EXPECT_TRUE(fs::exists(folder_ / "draws" / file)) << file;

  CheckJob checking;
  checking.data = built.input;
  checking.coreset = sampling.input;
  checking.file = *sampling.coreset;
  checking.read = built.read;
  checking.draws = sampling.out;
  const RunRecord checked = run_check(checking, executor_);
  EXPECT_TRUE(checked.draws->known) << "the record of the draws says that they are of this coreset";
  EXPECT_TRUE(checked.certificate->safe()) << name(checked.certificate->doubt);
}

TEST_F(BuildJobs, VectorsGiveTheCoresetOfTheMethodItself) {
  const BuildRun run = run_build(matrix_job(InputKind::Vectors), executor_);
  const DenseRows rows(MatrixView::of(values_.data(), 300, 4));
  const BuildResult straight = corrective(VectorTable(rows, executor_), {.size = 3});
  EXPECT_EQ(run.file.coreset.rows, straight.coreset.rows);
  EXPECT_EQ(run.file.coreset.weights, straight.coreset.weights);
  EXPECT_EQ(run.record.coreset->build.relative_error, straight.relative_error);
  EXPECT_EQ(run.record.num_rows, 300);
  EXPECT_FALSE(run.record.num_parameters);
  const std::string csv = read_file(folder_ / "coreset.csv");
  EXPECT_TRUE(csv.starts_with("row,weight\n" + std::to_string(straight.coreset.rows[0]) + ",")) << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + straight.coreset.size());
  EXPECT_FALSE(fs::exists(folder_ / "coreset.json"));
}

TEST_F(BuildJobs, LogLikelihoodsAreCentredColumns) {
  const BuildRun run = run_build(matrix_job(InputKind::Loglik), executor_);
  const LoglikRows rows(MatrixView::of(values_.data(), 4, 300));
  const BuildResult straight = corrective(VectorTable(rows, executor_), {.size = 3});
  EXPECT_EQ(run.file.coreset.rows, straight.coreset.rows);
  EXPECT_EQ(run.file.coreset.weights, straight.coreset.weights);
  EXPECT_EQ(run.record.num_rows, 300);
  EXPECT_EQ(run.record.options.input, "loglik");
}

TEST_F(BuildJobs, TheRecordOfVectorsReadsBack) {
  const BuildRun run = run_build(matrix_job(InputKind::Vectors), executor_);
  write_file(folder_ / "run.json", run_json(run.record));
  const RunRecord again = read_run(folder_ / "run.json");
  EXPECT_EQ(again.coreset->coreset.rows, run.file.coreset.rows);
  EXPECT_EQ(again.option_texts(), run.record.option_texts());
  EXPECT_FALSE(again.num_parameters);
  EXPECT_TRUE(std::isnan(again.coreset->heldout_error)) << "vectors have no held-out error";
}

TEST_F(BuildJobs, FilesThatExistAreKeptUnlessForced) {
  BuildJob job = flights_job();
  write_file(folder_ / "coreset.json", "mine");
  EXPECT_THROW((void)run_build(job, executor_), CannotCreate);
  EXPECT_FALSE(fs::exists(folder_ / "coreset.csv"));
  EXPECT_EQ(read_file(folder_ / "coreset.json"), "mine");
  job.force = true;
  (void)run_build(job, executor_);
  EXPECT_TRUE(find_coreset(folder_ / "coreset.csv"));
}

TEST_F(BuildJobs, StoppedInAnyStageNothingIsWritten) {
  for (const InputKind kind : {InputKind::Data, InputKind::Vectors}) {
    const BuildJob job = kind == InputKind::Data ? flights_job() : matrix_job(kind);
    for (const Stage stage :
         {Stage::Load, Stage::Laplace, Stage::Project, Stage::Prepare, Stage::Construct}) {
      if (kind == InputKind::Vectors && stage < Stage::Prepare) continue;
      const JobObserver observer{.watch = [stage](const StageProgress& at) {
        return at.stage == stage ? Answer::Stop : Answer::Continue;
      }};
      EXPECT_THROW((void)run_build(job, executor_, observer), Stopped) << name(stage);
      EXPECT_FALSE(fs::exists(folder_ / "coreset.csv")) << name(stage);
      EXPECT_FALSE(fs::exists(folder_ / "coreset.json")) << name(stage);
    }
  }
}

TEST_F(BuildJobs, NotesAreSaidAsTheyAreKnown) {
  BuildJob job = flights_job();
  job.coreset.size = 1000;
  std::vector<std::string> said;
  (void)run_build(job, executor_, {.note = [&said](const std::string& text) { said.push_back(text); }});
  EXPECT_NE(std::ranges::find(said, "`size` 1000 is more than the 600 distinct rows; using 600"), said.end());
}

}  // namespace
}  // namespace giga::test
