// Predictions from folders: which draws count, and how much.
#include "giga/job/predict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "giga/base/error.hpp"
#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/job/fit.hpp"
#include "support/executors.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

using nlohmann::json;

std::string trips(Index rows) {
  std::string text = "x,y\n";
  Stream random = stream(4, "trips");
  for (Index n = 0; n < rows; ++n) {
    const double x = random.normal();
    text += shortest(x) + "," + shortest(1 + 2 * x + 0.5 * random.normal()) + "\n";
  }
  return text;
}

class PredictRunTest : public ::testing::Test {
 protected:
  PredictRunTest() {
    write_file(folder_ / "t.csv", trips(500));
    write_file(folder_ / "new.csv", "x\n0\n1\n");
    FitJob job{.input = folder_ / "t.csv", .model = {.family = {Family::Gaussian}}, .out = folder_ / "f"};
    job.fit.sample.warmup = 200;
    job.fit.sample.draws = 250;
    const FitRun run = run_fit(job, threads(2));
    for (const Quantity& each : run.summary.original())
      if (each.name == "sigma") sigma_ = each.summary.mean;
  }

  [[nodiscard]] PredictRun predicted(Index max_draws = 1000000) const {
    return run_predict({.fit = folder_ / "f", .input = folder_ / "new.csv", .max_draws = max_draws},
                       threads(2));
  }

  // Changes numbers of the certificate in run.json.
  void set_certificate(const json& values) const {
    json record = json::parse(read_file(folder_ / "f/run.json"));
    record["certificate"].update(values);
    write_file(folder_ / "f/run.json", record.dump());
  }

  TempDir folder_;
  double sigma_ = 0;
};

TEST_F(PredictRunTest, OfALineIsTheLine) {
  const PredictRun run = predicted();
  EXPECT_EQ(run.expected, "the mean of y");
  ASSERT_EQ(run.predictions.num_rows, 2);
  EXPECT_NEAR(run.predictions.expected[0], 1, 0.1);
  EXPECT_NEAR(run.predictions.expected[5], 3, 0.1);
  // The noise by 1,000 draws: 5 standard errors.
  EXPECT_NEAR(sigma_, 0.5, 0.08);
  EXPECT_NEAR(run.predictions.observations[1], sigma_, 5 * sigma_ / std::sqrt(2000.0));
  EXPECT_NEAR(run.predictions.observations[4], 1 + 1.645 * sigma_, 5 * 2.1 * sigma_ / std::sqrt(1000.0));
}

TEST_F(PredictRunTest, WeightsCountWhereTheTableOfTheFitHasThem) {
  set_certificate({{"error_plain", 2}, {"error_corrected", 1}});
  const PredictRun corrected = predicted();
  set_certificate({{"error_plain", 1}, {"error_corrected", 2}});
  const PredictRun plain = predicted();
  EXPECT_TRUE(corrected.weighted);
  EXPECT_FALSE(plain.weighted);
  EXPECT_NE(corrected.predictions.expected, plain.predictions.expected);
  set_certificate({{"error_plain", 2}, {"error_corrected", 1}, {"doubt", "few_effective"}});
  const PredictRun unsafe = predicted();
  EXPECT_FALSE(unsafe.weighted);
  ASSERT_EQ(unsafe.notes.size(), 1U);
  EXPECT_NE(unsafe.notes[0].find("does not say safe"), std::string::npos);
}

TEST_F(PredictRunTest, DrawsAreThinnedEvenlyAndItIsSaid) {
  const PredictRun all = predicted(), some = predicted(100);
  EXPECT_EQ(some.num_draws, 100);
  EXPECT_EQ(some.all_draws, all.num_draws);
  EXPECT_TRUE(all.notes.empty());
  ASSERT_EQ(some.notes.size(), 1U);
  EXPECT_NE(some.notes[0].find("by 100 of the " + std::to_string(all.num_draws) + " draws"),
            std::string::npos);
  EXPECT_NEAR(some.predictions.expected[0], all.predictions.expected[0], 0.5 * all.predictions.expected[1]);
}

TEST_F(PredictRunTest, QuantilesMustLieBetweenZeroAndOne) {
  PredictJob job{.fit = folder_ / "f", .input = folder_ / "new.csv"};
  job.predict.quantiles = {0.5, 0};
  EXPECT_THROW((void)run_predict(job, threads(1)), OptionError);
}

}  // namespace
}  // namespace giga::test
