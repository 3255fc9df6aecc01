// A fit of a table in memory, and one without a folder: the results of the same fit of a file.
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/memory_table.hpp"
#include "giga/job/fit.hpp"
#include "giga/job/predict.hpp"
#include "giga/job/report.hpp"
#include "support/temp_dir.hpp"

namespace giga {
namespace {

using test::read_file;
using test::TempDir;
using test::write_file;

// y = 1 where a little more than chance of x says so; the same as text and in memory.
struct Labels {
  std::vector<double> x, y;
  std::string csv = "x,y\n";

  Labels() {
    for (int n = 0; n < 300; ++n) {
      x.push_back(((n * 37) % 101) / 50.0 - 1);
      y.push_back(((n * 53) % 97) / 97.0 < 0.5 + 0.4 * x.back() ? 1 : 0);
      csv += shortest(x.back()) + "," + shortest(y.back()) + "\n";
    }
  }

  [[nodiscard]] std::shared_ptr<MemoryTable> table() const {
    const auto column = [](const char* name, const std::vector<double>& values) {
      return MemoryColumn{.name = name,
                          .pieces = {{.count = std::ssize(values),
                                      .data = reinterpret_cast<const std::byte*>(values.data()),
                                      .stride = sizeof(double)}}};
    };
    return std::make_shared<MemoryTable>(MemoryTable{
        .name = "<frame>", .num_rows = std::ssize(x), .columns = {column("x", x), column("y", y)}});
  }
};

FitJob job_of(const std::filesystem::path& input) {
  FitJob job{.input = input, .model = {.family = {Family::BernoulliLogit}}, .timings = false};
  job.fit.coreset = fit_coreset_options();
  job.fit.chains = 2;
  job.fit.sample.draws = 200;
  job.fit.sample.warmup = 100;
  return job;
}

TEST(FitInMemory, HasTheCoresetAndDrawsOfTheFile) {
  const Labels labels;
  const TempDir dir;
  const Threads threads(2);
  write_file(dir / "labels.csv", labels.csv);
  FitJob of_file = job_of(dir / "labels.csv"), of_memory = job_of("<frame>");
  of_memory.read.memory = labels.table();
  const RunFiles expected = fit_files(run_fit(of_file, threads)),
                 made = fit_files(run_fit(of_memory, threads));
  ASSERT_EQ(made.size(), expected.size());
  for (std::size_t k = 0; k < made.size(); ++k) {
    EXPECT_EQ(made[k].first, expected[k].first);
    if (made[k].first.ends_with(".csv")) {
      EXPECT_EQ(made[k].second, expected[k].second) << made[k].first;
    }
  }
}

TEST(FitInMemory, WritesNothingWithoutAFolder) {
  const Labels labels;
  const TempDir dir;
  const Threads threads(2);
  write_file(dir / "labels.csv", labels.csv);
  const FitRun kept = run_fit(job_of(dir / "labels.csv"), threads);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir / "."), {}), 1);
  FitJob written = job_of(dir / "labels.csv");
  written.out = dir / "fit";
  (void)run_fit(written, threads);
  for (const auto& [name, content] : fit_files(kept))
    EXPECT_EQ(read_file(dir / "fit" / name), content) << name;
  EXPECT_THROW((void)run_fit(job_of(dir / "absent.csv"), threads), InputMissing);
}

TEST(FitInMemory, LeavesNothingToGoOnWith) {
  const Labels labels;
  const TempDir dir;
  const Threads threads(2);
  FitJob job = job_of("<frame>");
  job.read.memory = labels.table();
  job.out = dir / "fit";
  EXPECT_THROW((void)run_fit(job, threads,
                             {.watch =
                                  [](const StageProgress& at) {
                                    return at.stage == Stage::Sample ? Answer::Stop : Answer::Continue;
                                  }}),
               Stopped);
  EXPECT_FALSE(StoppedFit(dir / "fit").exists());
}

TEST(FitInMemory, IsReadBackFromItsFolderAndPredictsFromMemory) {
  const Labels labels;
  const TempDir dir;
  const Threads threads(2);
  FitJob job = job_of("<frame>");
  job.read.memory = labels.table();
  job.out = dir / "fit";
  const FitRun made = run_fit(job, threads);
  const FolderRun back = read_run_folder(dir / "fit", threads);
  EXPECT_EQ(back.summary.names, made.summary.names);
  for (std::size_t c = 0; c < made.summary.chains.size(); ++c)
    EXPECT_EQ(back.summary.chains[c].draws, made.summary.chains[c].draws);
  EXPECT_EQ(back.record.certificate->coreset.weights, made.record.certificate->coreset.weights);
  EXPECT_THROW((void)read_run_folder(dir / "absent", threads), InputMissing);

  write_file(dir / "labels.csv", labels.csv);
  PredictJob of_file{.fit = dir / "fit", .input = dir / "labels.csv"};
  PredictJob of_memory{.fit = dir / "fit", .input = "<frame>", .memory = labels.table()};
  EXPECT_EQ(run_predict(of_memory, threads).predictions.expected,
            run_predict(of_file, threads).predictions.expected);
}

}  // namespace
}  // namespace giga
