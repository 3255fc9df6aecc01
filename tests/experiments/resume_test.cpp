// A run that is stopped and goes on, or has another number of threads, gives the same files.
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "experiments/reproduce.hpp"
#include "giga/base/error.hpp"
#include "support/temp_dir.hpp"

namespace giga::experiments {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

const std::vector<Kind> kAll = {Kind::Fig1, Kind::Vectors, Kind::Axis, Kind::Regression};

Settings tiny() {
  Settings settings;
  settings.trials = 2;
  settings.scale = {.fig1_replications = 20,
                    .vectors_rows = 3000,
                    .vectors_dim = 10,
                    .vectors_steps = 40,
                    .axis_rows = 60,
                    .regression_rows = 300,
                    .projection_dim = 20,
                    .sizes = {1, 3, 10},
                    .chain_divisor = 50,
                    .fisher_draws = 20};
  return settings;
}

// All files but those that show measured times.
std::map<std::string, std::string> files(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !is_measured(entry.path()))
      out[fs::relative(entry.path(), folder).string()] = test::read_file(entry.path());
  return out;
}

void expect_same(const std::map<std::string, std::string>& got,
                 const std::map<std::string, std::string>& want) {
  for (const auto& [name, content] : want) {
    ASSERT_TRUE(got.contains(name)) << name;
    EXPECT_EQ(got.at(name), content) << name;
  }
  EXPECT_EQ(got.size(), want.size());
}

TEST(Resume, ProcessorTimeIsThatOfAllTrialsWhicheverRunMadeThem) {
  const TempDir folder;
  const RunOptions options{.out = folder / "out", .threads = 1};
  const RunResult first = reproduce({Kind::Vectors, Kind::Regression}, tiny(), options);
  EXPECT_GT(first.jobs_done, 0);
  EXPECT_GT(first.processor_s, 0);
  RunOptions again = options;
  again.earlier = Earlier::Resume;
  const RunResult second = reproduce({Kind::Vectors, Kind::Regression}, tiny(), again);
  EXPECT_EQ(second.jobs_done, 0);
  EXPECT_NEAR(second.processor_s, first.processor_s, 1e-9 * first.processor_s);
}

TEST(Resume, InterruptedRunsEndWithTheSameFiles) {
  const TempDir folder;
  const Settings settings = tiny();
  (void)reproduce(kAll, settings, {.out = folder / "straight", .threads = 1});
  const auto want = files(folder / "straight");
  EXPECT_TRUE(want.contains("verdicts.md"));
  EXPECT_TRUE(want.contains("regression/size_nuts.svg"));
  EXPECT_TRUE(want.contains("regression/trials/poisson_synthetic_rwmh_02.json"));

  // Stopped again and again, each time a little later, mostly in the middle of a trial.
  Index runs = 0;
  for (int patience = 40; runs < 200; patience += patience / 4, ++runs) {
    std::atomic<int> asked = 0;
    const Watch watch{.stop = [&] { return ++asked > patience; }, .progress = {}};
    try {
      (void)reproduce(kAll, settings, {.out = folder / "broken", .earlier = Earlier::Resume, .threads = 2},
                      watch);
      break;
    } catch (const Interrupted&) {
    }
  }
  EXPECT_GE(runs, 5) << "it should have been stopped several times";
  expect_same(files(folder / "broken"), want);
}

TEST(Resume, MoreTrialsKeepTheEarlierOnes) {
  const TempDir folder;
  Settings settings = tiny();
  settings.samplers = {SamplerKind::Hmc};
  (void)reproduce({Kind::Regression}, settings, {.out = folder / "few"});
  const auto before = files(folder / "few");
  settings.trials = 3;
  const RunResult more =
      reproduce({Kind::Regression}, settings, {.out = folder / "few", .earlier = Earlier::Resume});
  EXPECT_EQ(more.jobs_done, 2) << "one trial of each synthetic set";
  const auto after = files(folder / "few");
  for (const auto& [name, content] : before) {
    if (name.find("trials/") == std::string::npos) continue;
    EXPECT_EQ(after.at(name), content) << name;
  }
}

TEST(Resume, TrialsDifferAndSeedsDiffer) {
  const TempDir folder;
  Settings settings = tiny();
  settings.samplers = {SamplerKind::Hmc};
  (void)reproduce({Kind::Regression}, settings, {.out = folder / "one"});
  settings.seed = 2;
  (void)reproduce({Kind::Regression}, settings, {.out = folder / "two"});
  const auto one = files(folder / "one"), two = files(folder / "two");
  const std::string name = "regression/trials/logistic_synthetic_hmc_";
  EXPECT_NE(one.at(name + "01.json"), one.at(name + "02.json"));
  EXPECT_NE(one.at(name + "01.json"), two.at(name + "01.json"));
}

TEST(Reproduce, SaysWhatWasNotRunAndWhereItIs) {
  const TempDir folder;
  Settings settings = tiny();
  settings.samplers = {SamplerKind::Hmc};
  const RunResult result = reproduce({Kind::Regression}, settings, {.out = folder / "r"});
  ASSERT_EQ(result.sections[0].report.notes.size(), 4U);
  EXPECT_NE(result.sections[0].report.notes[1].find("http://komarix.org/ac/ds/"), std::string::npos);
}

TEST(Reproduce, ARefusedRunLeavesNothingBehind) {
  const TempDir folder;
  const Settings settings = tiny();
  (void)reproduce({Kind::Axis}, settings, {.out = folder / "r"});
  EXPECT_THROW((void)reproduce(kAll, settings, {.out = folder / "r"}), CannotCreate);
  EXPECT_FALSE(fs::exists(folder / "r/fig1"));
}

TEST(Reproduce, AMissingDatasetIsNamedBeforeAnythingIsWritten) {
  const TempDir folder;
  Settings settings = tiny();
  settings.data = folder.path();
  const std::string message = test::message_of<InputMissing>(
      [&] { (void)reproduce({Kind::Regression}, settings, {.out = folder / "r"}); });
  EXPECT_NE(message.find("phishing.npz"), std::string::npos) << message;
  EXPECT_EQ(folder.size(), 0);
}

}  // namespace
}  // namespace giga::experiments
