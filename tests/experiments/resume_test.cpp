// A run that is stopped and goes on, or has another number of threads, gives the same files.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "data/tables.hpp"
#include "experiments/regression_sets.hpp"
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

// The four real sets, made up and small, as files in a folder.
void write_sets(const fs::path& folder, double factor = 1) {
  fs::create_directory(folder);
  constexpr int kRows = 60;
  for (const SetInfo& info : kSets) {
    if (is_synthetic(info)) continue;
    std::vector<double> features, response;
    for (int n = 0; n < kRows; ++n) {
      features.insert(features.end(), {factor * std::sin(1.3 * n), std::cos(2.1 * n + 0.2 * n * n)});
      const int count = (7 * n) % 5;
      response.push_back(info.family == Family::BernoulliLogit ? (count > 2 ? 1 : 0) : count);
    }
    test::write_file(folder / info.file, test::zip_of({{"X.npy", test::npy_of(features, "(60, 2)")},
                                                       {"y.npy", test::npy_of(response, "(60,)")}}));
  }
}

Settings with_data(const fs::path& folder) {
  write_sets(folder);
  Settings settings = tiny();
  settings.trials = 1;
  settings.samplers = {SamplerKind::Hmc};
  settings.data = folder;
  return settings;
}

TEST(Resume, SetsAndSamplersOfEarlierRunsStayInTheReport) {
  const TempDir folder;
  Settings settings = with_data(folder / "data");
  settings.samplers = {SamplerKind::Rwmh, SamplerKind::Hmc};
  RunOptions options{.out = folder / "r"};
  const RunResult first = reproduce({Kind::Regression}, settings, options);
  EXPECT_TRUE(first.sections[0].report.notes.empty());
  EXPECT_TRUE(first.sections[0].report.findings[0].claim.starts_with("HMC"))
      << "whatever was asked for first";
  const auto want = files(folder / "r");
  settings.samplers = {SamplerKind::Rwmh};
  settings.data.reset();
  options.earlier = Earlier::Resume;
  const RunResult second = reproduce({Kind::Regression}, settings, options);
  EXPECT_EQ(second.jobs_done, 0);
  expect_same(files(folder / "r"), want);
}

TEST(Resume, ASetWithSomeOfItsTrialsIsLeftOutWithANote) {
  const TempDir folder;
  Settings settings = tiny();
  settings.samplers = {SamplerKind::Hmc, SamplerKind::Rwmh};
  RunOptions options{.out = folder / "r"};
  (void)reproduce({Kind::Regression}, settings, options);
  fs::remove(folder / "r/regression/trials/logistic_synthetic_rwmh_02.json");
  settings.samplers = {SamplerKind::Hmc};
  options.earlier = Earlier::Resume;
  const Report report = reproduce({Kind::Regression}, settings, options).sections[0].report;
  const auto named = std::count_if(report.notes.begin(), report.notes.end(), [](const std::string& note) {
    return note == "Synthetic (logistic) by rwmh is left out: it has 1 of 2 trials";
  });
  EXPECT_EQ(named, 1);
  for (const Finding& each : report.findings) {
    if (each.claim.starts_with("RWMH")) {
      EXPECT_EQ(each.ours.find("(logistic)"), std::string::npos) << each.ours;
    }
  }
  EXPECT_EQ(report.figures.size(), 4U) << "size and time of both samplers";
}

TEST(Resume, ARunDoesNotGoOnWithAnotherDataFile) {
  const TempDir folder;
  Settings settings = with_data(folder / "data");
  RunOptions options{.out = folder / "r"};
  (void)reproduce({Kind::Regression}, settings, options);
  const fs::path record = folder / "r/regression/data.json";
  const std::string first = test::read_file(record);
  const Json json = Json::parse(first);
  EXPECT_EQ(json.size(), 4U);
  EXPECT_EQ(json.at("ds1").at("rows"), 60);
  EXPECT_EQ(json.at("ds1").at("parameters"), 3);

  options.earlier = Earlier::Resume;
  fs::remove(record);  // a run of before there was one
  (void)reproduce({Kind::Regression}, settings, options);
  EXPECT_EQ(test::read_file(record), first);

  write_sets(folder / "data", 0.5);
  const std::string message =
      test::message_of<CannotCreate>([&] { (void)reproduce({Kind::Regression}, settings, options); });
  EXPECT_NE(message.find("another phishing.npz (Phishing)"), std::string::npos) << message;
  EXPECT_EQ(test::read_file(record), first);
  settings.data.reset();
  (void)reproduce({Kind::Regression}, settings, options);
  EXPECT_EQ(test::read_file(record), first) << "sets that are not read keep their entries";

  settings.data = folder / "data";
  options.earlier = Earlier::Replace;
  (void)reproduce({Kind::Regression}, settings, options);
  EXPECT_NE(test::read_file(record), first);
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
  for (const char* part :
       {"phishing.npz, ds1.npz, biketrips.npz, airportdelays.npz", "http://komarix.org/ac/ds/"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(folder.size(), 0);
  settings.data = folder / "nowhere";
  const std::string none = test::message_of<InputMissing>(
      [&] { (void)reproduce({Kind::Regression}, settings, {.out = folder / "r"}); });
  EXPECT_NE(none.find("nowhere: no such folder"), std::string::npos) << none;
}

TEST(Reproduce, ADamagedDatasetRemovesNothingAndMakesNothing) {
  const TempDir folder;
  Settings settings = with_data(folder / "data");
  (void)reproduce({Kind::Regression}, settings, {.out = folder / "r"});
  const auto before = files(folder / "r");
  test::write_file(folder / "data/biketrips.npz", "no archive");
  EXPECT_THROW((void)reproduce({Kind::Fig1, Kind::Regression}, settings,
                               {.out = folder / "r", .earlier = Earlier::Replace}),
               DataError);
  expect_same(files(folder / "r"), before);
  EXPECT_THROW((void)reproduce({Kind::Regression}, settings, {.out = folder / "new"}), DataError);
  EXPECT_FALSE(fs::exists(folder / "new"));
}

TEST(Reproduce, ATrialThatIsNoneOfTheExperimentIsNamed) {
  const TempDir folder;
  const Settings settings = tiny();
  (void)reproduce(kAll, settings, {.out = folder / "r"});
  for (const std::string file :
       {"fig1/trials/replications.json", "vectors/trials/trial_02.json", "axis/trials/giga.json",
        "axis/trials/rnd_01.json", "regression/trials/poisson_synthetic_hmc_01.json",
        "regression/times/poisson_synthetic_hmc_01.json"}) {
    const std::string good = test::read_file(folder.path() / "r" / file);
    test::write_file(folder.path() / "r" / file, "{}");
    const std::string message = test::message_of<DataError>(
        [&] { (void)reproduce(kAll, settings, {.out = folder / "r", .earlier = Earlier::Resume}); });
    EXPECT_NE(message.find(file), std::string::npos) << message;
    test::write_file(folder.path() / "r" / file, good);
  }
}

}  // namespace
}  // namespace giga::experiments
