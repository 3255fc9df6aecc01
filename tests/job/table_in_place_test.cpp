// Jobs on a table whose features stay in their file: the same results, and none if the file changes
// meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/mapped_file.hpp"
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
    outlive_lost_pages();
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

  // What may happen to a file meanwhile.
  enum class Change { Touched, Cut, Filled };
  static constexpr Change kChanges[] = {Change::Touched, Change::Cut, Change::Filled};

  static void change(const fs::path& path, Change how) {
    constexpr std::uintmax_t kHeader = 128;
    const std::uintmax_t size = fs::file_size(path);
    switch (how) {
      case Change::Touched:
        fs::last_write_time(path, fs::last_write_time(path) + std::chrono::milliseconds(5));
        break;
      case Change::Cut: fs::resize_file(path, kHeader); break;
      case Change::Filled: {  // with NaN of either width
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(kHeader));
        file << std::string(size - kHeader, '\xff');
        break;
      }
    }
  }

  // An observer that changes a file as soon as a stage is there.
  static JobObserver changing(const fs::path& path, Change how, Stage stage) {
    JobObserver observer;
    observer.watch = [=, done = std::make_shared<std::atomic<bool>>(false)](const StageProgress& progress) {
      if (progress.stage == stage && !done->exchange(true)) change(path, how);
      return Answer::Continue;
    };
    return observer;
  }

  [[nodiscard]] std::set<fs::path> entries() const {
    std::set<fs::path> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) all.insert(entry.path());
    return all;
  }

  using Job = std::function<void(const Executor&, const JobObserver&)>;

  // The job must fail in these words, whatever happens to the file and whenever, and leave nothing behind.
  void expect_noticed(const fs::path& path, std::initializer_list<Stage> stages, const Job& job) {
    RowMemory memory(1000, folder_.path());
    const Threads little(2, {}, memory);
    const std::string content = read_file(path);
    for (const Change how : kChanges) {
      for (const Stage stage : stages) {
        const auto before = entries();
        const std::string message = message_of<IoError>([&] { job(little, changing(path, how, stage)); });
        const bool told =
            message == path.string() + ": was written to while it was read; run again once it is whole" ||
            (how == Change::Cut &&
             message == path.string() + ": became shorter or unreadable while it was read; run again");
        EXPECT_TRUE(told) << message << " at " << name(stage);
        EXPECT_EQ(entries(), before);
        write_file(path, content);
      }
    }
  }

  // The same of the table, which the job leaves where it is.
  void expect_noticed(std::initializer_list<Stage> stages, const Job& job) {
    RowMemory memory(1000, folder_.path());
    bool told = false;
    JobObserver undisturbed;
    undisturbed.note = [&](const std::string& note) {
      told = told || note.find("the features stay in " + table_.native()) != std::string::npos;
    };
    EXPECT_NO_THROW(job(Threads(2, {}, memory), undisturbed));
    EXPECT_TRUE(told);
    expect_noticed(table_, stages, job);
  }

  [[nodiscard]] static std::map<std::string, std::string> files_in(const fs::path& folder) {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder))
      all[entry.path().filename().string()] = entry.is_directory() ? "" : read_file(entry.path());
    return all;
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

// Terms that look at all rows before they make columns of them.
TEST_F(TableInPlace, GivesTheSameFitByFormula) {
  NpyWriter out(table_, 2000, 3, true, NpyWriter::Type::Float32);
  Stream random = stream(2, "table in place");
  for (Index n = 0; n < 2000; ++n) {
    const double x = random.normal(), group = static_cast<double>(n % 7);
    out.append(std::vector{x, group, random.uniform() * (1 + std::exp(-x - group / 7)) < 1 ? 1.0 : 0.0});
  }
  out.commit();
  for (const char* formula : {"y ~ ns(x1, 3) + x2", "y ~ x1 + (1 | x2)"}) {
    const auto fitted = [&](const char* name, RowMemory& memory) {
      FitJob job = fit_job(folder_ / name);
      job.model.formula = formula;
      job.force = true;
      bool stays = false;
      JobObserver observer;
      observer.note = [&](const std::string& note) {
        stays = stays || note.find("the features stay in") != std::string::npos;
      };
      (void)run_fit(job, Threads(2, {}, memory), observer);
      EXPECT_EQ(stays, memory.limit() == 1000) << formula;
      return files_in(folder_ / name);
    };
    RowMemory little(1000, folder_.path()), much;
    EXPECT_EQ(fitted("placed", little), fitted("held", much)) << formula;
  }
}

using enum Stage;

TEST_F(TableInPlace, AFileThatChangesEndsABuild) {
  expect_noticed({Load, Laplace, Prepare, Construct},
                 [&](const Executor& executor, const JobObserver& observer) {
                   (void)run_build(build_job(), executor, observer);
                 });
}

TEST_F(TableInPlace, AFileThatChangesEndsABuildByFormula) {
  BuildJob job = build_job();
  job.model.formula = "y ~ x1 + factor(x2 > 0) + poly(x3, 2)";
  expect_noticed({Load, Laplace, Construct}, [&](const Executor& executor, const JobObserver& observer) {
    (void)run_build(job, executor, observer);
  });
}

TEST_F(TableInPlace, AFileThatChangesEndsChains) {
  expect_noticed({Load, Laplace, Sample}, [&](const Executor& executor, const JobObserver& observer) {
    (void)run_sample(sample_job(), executor, observer);
  });
}

TEST_F(TableInPlace, AFileThatChangesEndsAFit) {
  expect_noticed({Load, Laplace, Construct, Sample, Certify, Report},
                 [&](const Executor& executor, const JobObserver& observer) {
                   (void)run_fit(fit_job({}), executor, observer);
                 });
}

TEST_F(TableInPlace, AFileThatChangesEndsACheck) {
  (void)run_build(build_job(), Threads(2));
  CheckJob job{.data = table_,
               .coreset = folder_ / "coreset.csv",
               .file = find_coreset(folder_ / "coreset.csv").value()};
  job.chains = 2;
  job.sample = {.warmup = 50, .draws = 60};
  job.out = folder_ / "certificate.json";
  job.force = true;
  expect_noticed({Load, Sample, Certify}, [&](const Executor& executor, const JobObserver& observer) {
    (void)run_check(job, executor, observer);
  });
}

TEST_F(TableInPlace, AFileThatChangesEndsPredictions) {
  (void)run_fit(fit_job(folder_ / "fit"), Threads(2));
  PredictJob job;
  job.fit = folder_ / "fit";
  job.input = table_;
  job.predict.pointwise = true;
  job.out = folder_ / "predictions.csv";
  job.force = true;
  expect_noticed({Report}, [&](const Executor& executor, const JobObserver& observer) {
    (void)run_predict(job, executor, observer);
  });
}

// Every pass reads the file.
TEST_F(TableInPlace, AFileOfVectorsThatChangesEndsABuild) {
  for (const InputKind kind : {InputKind::Vectors, InputKind::Loglik}) {
    BuildJob job;
    job.input = table_;
    job.kind = kind;
    job.coreset = {.size = 3};
    job.out = folder_ / "coreset.csv";
    job.force = true;
    RowMemory memory;
    (void)run_build(job, Threads(2, {}, memory));
    expect_noticed(table_, {Prepare, Construct}, [&](const Executor& executor, const JobObserver& observer) {
      (void)run_build(job, executor, observer);
    });
  }
}

// What is kept was made before the file changed: with the file as it was, the fit goes on to the same bytes.
TEST_F(TableInPlace, AFitThatAFileEndsKeepsWhatIsGood) {
  RowMemory memory(1000, folder_.path());
  const Threads little(2, {}, memory);
  const std::string content = read_file(table_);
  (void)run_fit(fit_job(folder_ / "whole"), Threads(2));
  for (const Change how : {Change::Cut, Change::Filled}) {
    for (const Stage stage : {Laplace, Construct, Sample, Certify, Report}) {
      FitJob job = fit_job(folder_ / "fit");
      JobObserver observer = changing(table_, how, stage);
      bool kept = false;
      observer.note = [&](const std::string& note) {
        kept = kept || note.starts_with("what was done is kept");
      };
      EXPECT_THROW((void)run_fit(job, little, observer), IoError);
      write_file(table_, content);
      const bool some = stage == Sample || stage == Certify || stage == Report;
      EXPECT_EQ(kept, some) << name(stage);
      ASSERT_EQ(fs::exists(folder_ / "fit"), some) << name(stage);
      if (!some) continue;
      const auto state = nlohmann::json::parse(read_file(folder_ / "fit/partial/state.json"));
      EXPECT_FALSE(state["coreset"].is_null());
      EXPECT_EQ(state["chains"].size(), stage == Sample ? 0U : 2U) << "chains that ended afterwards";
      job.resumed = true;
      (void)run_fit(job, little);
      EXPECT_EQ(files_in(folder_ / "fit"), files_in(folder_ / "whole")) << name(stage);
      fs::remove_all(folder_ / "fit");
    }
  }
}

}  // namespace
}  // namespace giga::test
