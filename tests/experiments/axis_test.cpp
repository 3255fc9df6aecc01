// The closed form of RND on axes against the build itself.
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/method_traces.hpp"
#include "experiments/reproduce.hpp"
#include "giga/base/text.hpp"
#include "giga/construct/simulate.hpp"
#include "support/executors.hpp"
#include "support/temp_dir.hpp"

namespace giga::experiments {
namespace {

// One trial of 60 vectors, in `out`.
Settings small_run(const std::filesystem::path& out) {
  Settings settings;
  settings.trials = 1;
  settings.scale.axis_rows = 60;
  (void)reproduce({Kind::Axis}, settings, {.out = out});
  return settings;
}

TEST(AxisExperiment, RandomTracesAreThoseOfUniformBuilds) {
  const test::TempDir folder;
  const Settings settings = small_run(folder / "a");
  const Trace got = trace_of(Json::parse(test::read_file(folder / "a/axis/trials/rnd_01.json")));
  const SimulatedRows rows({.rows = 60, .dim = 60, .kind = VectorKind::Axis});
  const VectorTable table(rows, test::threads(1));
  const BuildResult want = uniform(table, {.size = 60, .seed = trial_seed(settings, "axis", 0)});
  ASSERT_EQ(got.error.size(), want.trace.size());
  for (std::size_t t = 0; t < got.error.size(); ++t) {
    EXPECT_NEAR(got.error[t], want.trace[t].relative_error, 1e-12) << t;
    EXPECT_EQ(got.size[t], want.trace[t].size) << t;
  }
}

TEST(AxisExperiment, TheTableHasTheErrorsAsTheyAre) {
  const test::TempDir folder;
  (void)small_run(folder / "a");
  const Trace giga = trace_of(Json::parse(test::read_file(folder / "a/axis/trials/giga.json")));
  const std::string error = shortest(giga.error.back() * std::sqrt(60.0));
  const std::string row = "Error,GIGA,60," + error + "," + error + "," + error + "\n";
  const std::string table = test::read_file(folder / "a/axis/axis.csv");
  EXPECT_NE(table.find(row), std::string::npos) << row << table;
}

TEST(MethodTraces, ATraceWithoutIterationsOrSizesIsNone) {
  for (const char* text : {"{}", R"({"error": [], "size": []})", R"({"error": [0.5, 0.4], "size": [1]})"})
    EXPECT_THROW((void)trace_of(Json::parse(text)), Json::exception) << text;
}

TEST(MethodTraces, TheBestOfASizeIsTheLeastErrorWithNoMorePoints) {
  const Trace trace{{0.9, 0.5, 0.4, 0.3}, {1, 2, 2, 4}};
  EXPECT_EQ(trace.error_of_size(0), 1);
  EXPECT_EQ(trace.error_of_size(2), 0.4);
  EXPECT_EQ(trace.error_of_size(3), 0.4);
  EXPECT_EQ(trace.error_of_size(9), 0.3);
  EXPECT_EQ(trace.error_at(9), 0.3) << "a build that ended keeps its last value";
}

TEST(MethodTraces, LogarithmicallySpacedIterationsAscendFromOneToTheLast) {
  const std::vector<Index> all = log_spaced(1000, 60);
  EXPECT_EQ(all.front(), 1);
  EXPECT_EQ(all.back(), 1000);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GT(all[i], all[i - 1]);
}

}  // namespace
}  // namespace giga::experiments
