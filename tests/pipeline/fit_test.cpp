#include "giga/pipeline/fit.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "giga/base/text.hpp"
#include "giga/data/read_dataset.hpp"
#include "support/regressions.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

Dataset made_up_data(const Executor& executor) {
  const TempDir folder;
  std::string text = "a,b,c,y\n";
  Stream random = stream(11, "fit");
  for (int n = 0; n < 1500; ++n) {
    const double a = random.normal(), b = 3 + 2 * random.normal(), c = random.normal();
    const double s = 0.8 * a - 0.5 * (b - 3) + 0.2 * c - 0.3;
    text += shortest(a) + "," + shortest(b) + "," + shortest(c) +
            (random.uniform() < 1 / (1 + std::exp(-s)) ? ",1\n" : ",0\n");
  }
  write_file(folder / "data.csv", text);
  return read_dataset(folder / "data.csv", {}, executor);
}

class Fit : public ::testing::Test {
 protected:
  static FitOptions quick() {
    FitOptions options;
    options.sample.warmup = 150;
    options.sample.draws = 200;
    return options;
  }

  Threads executor_{2};
  Dataset data_ = made_up_data(executor_);
  Problem problem_{data_, {.family = {Family::BernoulliLogit}}, executor_};
};

void expect_same(const FitResult& one, const FitResult& other) {
  EXPECT_EQ(one.coreset.coreset.rows, other.coreset.coreset.rows);
  EXPECT_EQ(one.coreset.coreset.weights, other.coreset.coreset.weights);
  ASSERT_EQ(one.chains.size(), other.chains.size());
  for (std::size_t c = 0; c < one.chains.size(); ++c) EXPECT_EQ(one.chains[c].draws, other.chains[c].draws);
  EXPECT_EQ(one.certificate.coreset.k_hat, other.certificate.coreset.k_hat);
  EXPECT_EQ(one.certificate.coreset.weights, other.certificate.coreset.weights);
  ASSERT_EQ(one.rounds.size(), other.rounds.size());
  for (std::size_t r = 0; r < one.rounds.size(); ++r) EXPECT_EQ(one.rounds[r].size, other.rounds[r].size);
}

TEST_F(Fit, EndsWithACertifiedCoresetOfTheSizeThatTheToleranceNeeds) {
  const FitResult result = fit(problem_, quick(), executor_);
  EXPECT_FALSE(result.stopped);
  EXPECT_TRUE(result.certificate.safe());
  EXPECT_LE(result.coreset.heldout_error, 0.05);
  EXPECT_EQ(result.rounds.size(), 1U);
  EXPECT_EQ(result.certificate.coreset.quantities_after.size(), 4U)
      << "coefficients on the scale of the data";
}

TEST_F(Fit, MakesAsManyDrawsAsTheirCheckAffords) {
  const auto draws = [&](Index chains, RowCount check_rows) {
    return resolved_sampling(problem_, {.chains = chains, .check_rows = check_rows}, 20).draws;
  };
  EXPECT_EQ(draws(4, RowCount::all()), 4000);
  EXPECT_EQ(draws(100, RowCount::all()), 300'000'000 / (100 * 1500));
  EXPECT_EQ(draws(100'000, RowCount::all()), 1000);
  EXPECT_EQ(draws(100, {}), 4000);
  FitOptions options;
  options.chains = 1;
  options.sample.warmup = 150;
  EXPECT_EQ(fit(problem_, options, executor_).chains[0].num_draws(), 4000);
}

TEST_F(Fit, MakesFewerTransitionsOnLargeCoresetsButNeverFewerThanAThousandDraws) {
  const auto sampling = [&](Index points, Index thin = 0, Index draws = 0) {
    FitOptions options;
    options.sample.thin = thin;
    options.sample.draws = draws;
    return resolved_sampling(problem_, options, points);
  };
  EXPECT_EQ(sampling(100).draws, 4000);
  EXPECT_EQ(sampling(100).thin, 2);
  const Index most = 200'000'000 / (8000 * problem_.likelihood().num_parameters());  // of the usual 8000
  EXPECT_EQ(sampling(most).thin, 2);
  EXPECT_EQ(sampling(most * 3 / 2).draws, 4000);
  EXPECT_EQ(sampling(most * 3 / 2).thin, 1);
  EXPECT_NEAR(static_cast<double>(sampling(most * 4).draws), 2000, 2);
  EXPECT_EQ(sampling(most * 1000).draws, 1000);
  EXPECT_EQ(sampling(most * 1000).thin, 1);
  EXPECT_EQ(sampling(most * 1000, 3).thin, 3) << "what was asked for stays";
  EXPECT_EQ(sampling(most * 1000, 0, 7).draws, 7);
}

TEST_F(Fit, ExtendsUntilCertifiedAndNoFurtherThanItsRounds) {
  FitOptions options = quick();
  options.coreset.tolerance = 0.95;
  const FitResult extended = fit(problem_, options, executor_);
  ASSERT_GE(extended.rounds.size(), 2U);
  EXPECT_TRUE(extended.certificate.safe());
  for (std::size_t r = 1; r < extended.rounds.size(); ++r)
    EXPECT_GT(extended.rounds[r].size, extended.rounds[r - 1].size);
  options.max_rounds = 1;
  const FitResult one = fit(problem_, options, executor_);
  EXPECT_EQ(one.rounds.size(), 1U);
  EXPECT_FALSE(one.certificate.safe());
}

TEST_F(Fit, GoesOnFromAnythingItSavedToTheSameBits) {
  FitOptions options = quick();
  options.coreset.tolerance = 0.95;
  std::vector<FitState> saved;
  const FitResult whole = fit(problem_, options, executor_,
                              {.save = [&saved](const FitState& state) { saved.push_back(state); }});
  ASSERT_GE(saved.size(), 5U) << "a coreset, chains, another round, its coreset, its chains";
  for (const FitState& state : saved) expect_same(fit(problem_, options, Threads(1), {}, state), whole);
}

// The build found the scores that check rows are drawn by; a state read from disk has them no longer. Both
// coresets are so small that their draws are wide, and rows are scored once more.
TEST(FitPasses, CountTheScoresOnceAndThoseOfWideDraws) {
  const Threads executor(2);
  constexpr Index kDim = 5;
  Rows rows = made_up(Family::BernoulliLogit, 20000, kDim, 3);
  auto model = std::make_unique<Regression>(std::move(rows.z), std::move(rows.y), std::vector<double>{},
                                            FamilyParameters{Family::BernoulliLogit});
  const Problem problem(std::move(model), Normal::isotropic(kDim));
  FitOptions options;
  options.sample.warmup = options.sample.draws = 150;
  options.coreset.candidates = RowCount::of(3000);
  options.coreset.tolerance = 0.9;
  options.max_rounds = 2;
  std::vector<FitState> saved;
  const FitResult whole =
      fit(problem, options, executor, {.save = [&saved](const FitState& state) { saved.push_back(state); }});
  ASSERT_EQ(whole.rounds.size(), 2U);
  ASSERT_TRUE(whole.certificate.checked.estimated);
  ASSERT_LT(whole.coreset.num_candidates, 20000);
  EXPECT_EQ(whole.certificate.checked.passes, 1);
  EXPECT_EQ(whole.passes.certify, 2) << "one in each round, for wide draws";
  for (FitState& state : saved) {
    if (state.coreset) state.coreset->remainder_scores.reset();
    EXPECT_EQ(fit(problem, options, executor, {}, state).passes.certify, whole.passes.certify);
  }
}

TEST_F(Fit, StopsInWhateverStageAnObserverAsksForIt) {
  for (const Stage stage :
       {Stage::Laplace, Stage::Project, Stage::Prepare, Stage::Construct, Stage::Sample, Stage::Certify}) {
    const FitResult result = fit(problem_, quick(), executor_, {.watch = [stage](const StageProgress& at) {
                                   return at.stage == stage ? Answer::Stop : Answer::Continue;
                                 }});
    EXPECT_TRUE(result.stopped) << name(stage);
  }
}

// Told to stop while a stage is at work, with no observer to say so.
TEST_F(Fit, StopsInWhateverStageItsExecutorIsToldTo) {
  for (const Stage stage :
       {Stage::Laplace, Stage::Project, Stage::Prepare, Stage::Construct, Stage::Sample, Stage::Certify}) {
    std::atomic<bool> stop = false;
    const Threads told(2, [&stop] { return stop.load(); });
    const FitResult result = fit(problem_, quick(), told, {.watch = [&](const StageProgress& at) {
                                   if (at.stage == stage) stop = true;
                                   return Answer::Continue;
                                 }});
    EXPECT_TRUE(result.stopped) << name(stage);
  }
}

TEST_F(Fit, RefusesOptionsOutOfRange) {
  FitOptions options = quick();
  options.chains = 0;
  EXPECT_THROW((void)fit(problem_, options, executor_), std::invalid_argument);
  options = quick();
  options.max_rounds = 0;
  EXPECT_THROW((void)fit(problem_, options, executor_), std::invalid_argument);
}

TEST_F(Fit, LaterRoundsSeeMoreThanTheCurvature) {
  FitState second;
  second.next_size = 40;
  const CoresetOptions first = round_options(problem_, quick(), {}),
                       next = round_options(problem_, quick(), second);
  EXPECT_EQ(first.projection, ProjectionKind::Curvature);
  EXPECT_EQ(first.remainder_dim, 0);
  EXPECT_GT(next.remainder_dim, 0);
  EXPECT_EQ(next.size, 40);
  EXPECT_EQ(next.tolerance, 0);
}

}  // namespace
}  // namespace giga::test
