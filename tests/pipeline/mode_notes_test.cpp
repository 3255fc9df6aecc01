#include "giga/pipeline/mode_notes.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/pipeline/build_coreset.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

constexpr double kNoise = 40, kMean = 300;

// y = mean + 20 a + noise, each row twice.
Dataset prices(int rows, double mean, double slope, double noise, const Executor& executor) {
  const TempDir folder;
  std::string text = "a,y\n";
  Stream random = stream(3, "prices");
  for (int n = 0; n < rows; ++n) {
    const double a = random.normal(), y = mean + slope * a + noise * random.normal();
    const std::string row = shortest(a) + "," + shortest(y) + "\n";
    text += row + row;
  }
  write_file(folder / "prices.csv", text);
  return read_dataset(folder / "prices.csv", {}, executor);
}

class ModeNotes : public ::testing::Test {
 protected:
  std::vector<std::string> notes_of(const Dataset& data, double noise_scale, double prior_scale) const {
    const Problem problem(
        data, {.family = {Family::GaussianIdentity, noise_scale}, .prior_scale = prior_scale}, executor_);
    return mode_notes(problem, laplace(problem.likelihood(), problem.prior(), executor_).posterior.mean(),
                      executor_);
  }
  std::vector<std::string> notes(double noise_scale, double prior_scale) const {
    return notes_of(data_, noise_scale, prior_scale);
  }

  Threads executor_{1};
  Dataset data_ = prices(1000, kMean, 20, kNoise, executor_);
};

TEST_F(ModeNotes, AModelThatFitsItsDataHasNone) {
  EXPECT_EQ(notes(kNoise, 200), std::vector<std::string>{});
  EXPECT_EQ(notes(1.3 * kNoise, 200), std::vector<std::string>{});
}

TEST_F(ModeNotes, NoiseThatIsNotThatOfTheResidualsIsSaidWithTheFactor) {
  const std::vector<std::string> small = notes(1, 200), large = notes(400, 1000);
  ASSERT_EQ(small.size(), 1U);
  EXPECT_TRUE(small[0].starts_with("the residuals have a standard deviation of 4")) << small[0];
  EXPECT_NE(small[0].find("`noise_scale` is 1: posterior sds are 4"), std::string::npos) << small[0];
  EXPECT_NE(small[0].find("times too small"), std::string::npos) << small[0];
  ASSERT_EQ(large.size(), 1U);
  EXPECT_NE(large[0].find("times too large"), std::string::npos) << large[0];
}

TEST_F(ModeNotes, AnInterceptThatThePriorHoldsBackIsNotNoise) {
  const std::vector<std::string> right = notes(kNoise, 1), wide = notes(kMean, 1);
  ASSERT_EQ(right.size(), 1U) << "the noise is as it is said to be";
  EXPECT_TRUE(right[0].starts_with("the posterior mode of '(intercept)'")) << right[0];
  ASSERT_EQ(wide.size(), 2U) << "what the prior left of the intercept does not make up for the noise";
  EXPECT_NE(wide[1].find("times too large"), std::string::npos) << wide[1];
}

TEST_F(ModeNotes, NothingIsSaidOfNoiseThatCannotBeJudged) {
  EXPECT_EQ(notes_of(prices(100, 0, 0, 0, executor_), 1, 1), std::vector<std::string>{}) << "all are 0";
  EXPECT_EQ(notes_of(prices(10, 0, 0, kNoise, executor_), 1, 1000), std::vector<std::string>{})
      << "too few rows";
}

TEST_F(ModeNotes, AParameterFarOutInItsPriorIsNamed) {
  const std::vector<std::string> said = notes(kNoise, 20);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].starts_with("the posterior mode of '(intercept)' is 1")) << said[0];
  EXPECT_NE(said[0].find("`prior_scale`"), std::string::npos) << said[0];
}

// sqrt(2 (log p(0) - log p(300))) of laplace(0, 2) is sqrt(300): 17.3 standard deviations of a normal.
TEST_F(ModeNotes, UnderAPriorThatIsNotNormalTheDistanceIsThatOfTheSameFallInDensity) {
  ModelOptions model{.family = {Family::GaussianIdentity, kNoise}};
  add_prior(model.priors, "normal(0, 100)");
  model.priors.intercept = parse_prior("laplace(0, 2)");
  const Problem problem(data_, model, executor_);
  const std::vector<double> mode = {20, 300};
  const std::vector<std::string> said = mode_notes(problem, mode, executor_);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].starts_with("the posterior mode of '(intercept)' is 17.3 standard deviations out"))
      << said[0];
  EXPECT_TRUE(said[0].ends_with("consider a wider `prior`")) << said[0];
  // A flat prior contradicts nothing.
  model.priors.intercept = ScalarPrior::flat();
  EXPECT_EQ(mode_notes(Problem(data_, model, executor_), mode, executor_), std::vector<std::string>{});
}

TEST_F(ModeNotes, ABuildSaysThem) {
  const Problem problem(data_, {.family = {Family::GaussianIdentity, 1}, .prior_scale = 200}, executor_);
  const CoresetResult result = build_coreset(problem, {.size = 5}, executor_);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_TRUE(result.notes[0].starts_with("the residuals"));
}

}  // namespace
}  // namespace giga::test
