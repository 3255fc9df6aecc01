// Jobs on a table whose features stay in their file: the same results, and none if the file changes
// meanwhile.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/npy.hpp"
#include "giga/job/build.hpp"
#include "giga/job/check.hpp"
#include "giga/job/fit.hpp"
#include "giga/job/predict.hpp"
#include "giga/job/sample.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

namespace fs = std::filesystem;

class TableInPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    constexpr Index kRows = 3000, kFeatures = 3;
    NpyWriter out(table_, kRows, kFeatures + 1, false, NpyWriter::Type::Float32);
    Stream random = stream(1, "table in place");
    for (Index n = 0; n < kRows; ++n) {
      std::vector<double> row;
      double s = 0;
      for (Index d = 0; d < kFeatures; ++d) s += row.emplace_back(random.normal());
      row.push_back(random.uniform() * (1 + std::exp(-s)) < 1 ? 1 : 0);
      out.append(row);
    }
    out.commit();
  }

  [[nodiscard]] BuildJob build_job() const {
    BuildJob job;
    job.input = table_;
    job.model.family = {Family::BernoulliLogit};
    job.coreset = {.projection = ProjectionKind::Auto, .size = 12};
    job.out = folder_ / "coreset.csv";
    job.force = true;
    return job;
  }
  [[nodiscard]] SampleJob sample_job() const {
    SampleJob job;
    job.input = table_;
    job.model.family = {Family::BernoulliLogit};
    job.chains = 2;
    job.sample = {.warmup = 50, .draws = 60};
    job.out = folder_ / "draws";
    job.force = true;
    return job;
  }

  [[nodiscard]] FitJob fit_job(const fs::path& out) const {
    FitJob job;
    job.input = table_;
    job.model.family = {Family::BernoulliLogit};
    job.fit.coreset = fit_coreset_options();
    job.fit.chains = 2;
    job.fit.sample.warmup = 100;
    job.fit.sample.draws = 200;
    job.out = out;
    job.timings = false;
    return job;
  }

  // The job must fail when the file is written to at a stage of it.
  void expect_noticed(const std::string& what, Stage stage,
                      const std::function<void(const Executor&, const JobObserver&)>& job) {
    RowMemory memory(1000, folder_.path());
    const Threads little(2, {}, memory);
    bool told = false;
    JobObserver undisturbed;
    undisturbed.note = [&](const std::string& note) {
      told = told || note.find("the features stay in " + table_.native()) != std::string::npos;
    };
    EXPECT_NO_THROW(job(little, undisturbed)) << what;
    EXPECT_TRUE(told) << what;
    JobObserver observer;
    observer.watch = [&](const StageProgress& progress) {
      if (progress.stage == stage)
        fs::last_write_time(table_, fs::last_write_time(table_) + std::chrono::milliseconds(5));
      return Answer::Continue;
    };
    EXPECT_THROW(job(little, observer), IoError) << what;
  }

  TempDir folder_;
  fs::path table_ = folder_ / "table.npy";
};

TEST_F(TableInPlace, GivesTheSameCoreset) {
  RowMemory memory(1000, folder_.path());
  const BuildRun placed = run_build(build_job(), Threads(2, {}, memory)),
                 held = run_build(build_job(), Threads(2));
  EXPECT_EQ(placed.record.coreset->coreset.rows, held.record.coreset->coreset.rows);
  EXPECT_EQ(placed.record.coreset->coreset.weights, held.record.coreset->coreset.weights);
}

TEST_F(TableInPlace, WritingToTheFileEndsABuild) {
  expect_noticed("build", Stage::Construct, [&](const Executor& executor, const JobObserver& observer) {
    (void)run_build(build_job(), executor, observer);
  });
}

TEST_F(TableInPlace, WritingToTheFileEndsChains) {
  expect_noticed("sample", Stage::Sample, [&](const Executor& executor, const JobObserver& observer) {
    (void)run_sample(sample_job(), executor, observer);
  });
}

TEST_F(TableInPlace, WritingToTheFileEndsAFit) {
  expect_noticed("fit", Stage::Sample, [&](const Executor& executor, const JobObserver& observer) {
    (void)run_fit(fit_job({}), executor, observer);
  });
}

TEST_F(TableInPlace, WritingToTheFileEndsACheck) {
  (void)run_build(build_job(), Threads(2));
  expect_noticed("check", Stage::Certify, [&](const Executor& executor, const JobObserver& observer) {
    CheckJob job{.data = table_,
                 .coreset = folder_ / "coreset.csv",
                 .file = find_coreset(folder_ / "coreset.csv").value()};
    job.chains = 2;
    job.sample = {.warmup = 50, .draws = 60};
    (void)run_check(job, executor, observer);
  });
}

TEST_F(TableInPlace, WritingToTheFileEndsPredictions) {
  (void)run_fit(fit_job(folder_ / "fit"), Threads(2));
  expect_noticed("predict", Stage::Report, [&](const Executor& executor, const JobObserver& observer) {
    PredictJob job;
    job.fit = folder_ / "fit";
    job.input = table_;
    (void)run_predict(job, executor, observer);
  });
}

}  // namespace
}  // namespace giga::test
