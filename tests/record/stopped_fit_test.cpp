#include "giga/record/stopped_fit.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "support/flights.hpp"

namespace giga::test {
namespace {

namespace fs = std::filesystem;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr const char* kDigest = "0123456789abcdef";

// The same bits, but for those that tell one NaN from another.
::testing::AssertionResult same(double one, double other) {
  if (std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(other) ||
      (std::isnan(one) && std::isnan(other)))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << one << " and " << other;
}

::testing::AssertionResult same(const std::vector<double>& one, const std::vector<double>& other) {
  if (one.size() != other.size())
    return ::testing::AssertionFailure() << one.size() << " and " << other.size() << " numbers";
  for (std::size_t i = 0; i < one.size(); ++i)
    if (auto result = same(one[i], other[i]); !result) return result << " at " << i;
  return ::testing::AssertionSuccess();
}

void expect_same(const std::vector<FitRound>& one, const std::vector<FitRound>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t r = 0; r < one.size(); ++r) {
    EXPECT_EQ(one[r].size, other[r].size);
    EXPECT_TRUE(same(one[r].relative_error, other[r].relative_error));
    EXPECT_TRUE(same(one[r].heldout_error, other[r].heldout_error));
    EXPECT_TRUE(same(one[r].k_hat, other[r].k_hat));
    EXPECT_TRUE(same(one[r].effective_size, other[r].effective_size));
    EXPECT_EQ(one[r].doubt, other[r].doubt);
  }
}

void expect_same(const std::vector<StepRecord>& one, const std::vector<StepRecord>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t t = 0; t < one.size(); ++t) {
    EXPECT_EQ(one[t].step, other[t].step);
    EXPECT_EQ(one[t].row, other[t].row);
    EXPECT_EQ(one[t].size, other[t].size);
    for (double StepRecord::*number :
         {&StepRecord::step_length, &StepRecord::alignment, &StepRecord::relative_error, &StepRecord::bound,
          &StepRecord::heldout_error})
      EXPECT_TRUE(same(one[t].*number, other[t].*number));
  }
}

void expect_same(const CoresetResult& one, const CoresetResult& other) {
  EXPECT_EQ(one.coreset.rows, other.coreset.rows);
  EXPECT_TRUE(same(one.coreset.weights, other.coreset.weights));
  EXPECT_TRUE(same(one.multiplicity, other.multiplicity));
  EXPECT_EQ(one.build.method, other.build.method);
  EXPECT_EQ(one.build.coreset.rows, other.build.coreset.rows);
  EXPECT_TRUE(same(one.build.coreset.weights, other.build.coreset.weights));
  EXPECT_TRUE(same(one.build.relative_error, other.build.relative_error));
  EXPECT_EQ(one.build.termination, other.build.termination);
  expect_same(one.build.trace, other.build.trace);
  EXPECT_TRUE(same(one.heldout_error, other.heldout_error));
  EXPECT_TRUE(same(one.pihat.mean(), other.pihat.mean()));
  EXPECT_TRUE(same(one.pihat.factor(), other.pihat.factor()));
  ASSERT_EQ(one.laplace.has_value(), other.laplace.has_value());
  if (one.laplace) {
    EXPECT_TRUE(same(one.laplace->posterior.precision(), other.laplace->posterior.precision()));
    EXPECT_TRUE(same(one.laplace->log_joint, other.laplace->log_joint));
    EXPECT_TRUE(same(one.laplace->decrement, other.laplace->decrement));
    EXPECT_EQ(one.laplace->iterations, other.laplace->iterations);
    EXPECT_EQ(one.laplace->end, other.laplace->end);
    ASSERT_EQ(one.laplace->at_mode.has_value(), other.laplace->at_mode.has_value());
    if (one.laplace->at_mode) {
      EXPECT_TRUE(same(one.laplace->at_mode->value, other.laplace->at_mode->value));
      EXPECT_TRUE(same(one.laplace->at_mode->gradient, other.laplace->at_mode->gradient));
      EXPECT_TRUE(same(one.laplace->at_mode->hessian, other.laplace->at_mode->hessian));
    }
  }
  EXPECT_EQ(one.separable, other.separable);
  EXPECT_EQ(one.dim, other.dim);
  ASSERT_EQ(one.trials.size(), other.trials.size());
  for (std::size_t k = 0; k < one.trials.size(); ++k) {
    EXPECT_EQ(one.trials[k].dim, other.trials[k].dim);
    EXPECT_TRUE(same(one.trials[k].heldout_error, other.trials[k].heldout_error));
  }
  EXPECT_TRUE(same(one.norm_sum, other.norm_sum));
  EXPECT_TRUE(same(one.target_norm, other.target_norm));
  EXPECT_EQ(one.num_zero_rows, other.num_zero_rows);
  EXPECT_EQ(one.selector, other.selector);
  EXPECT_EQ(one.notes, other.notes);
}

void expect_same(const Chain& one, const Chain& other) {
  EXPECT_EQ(one.dim, other.dim);
  EXPECT_TRUE(same(one.draws, other.draws));
  EXPECT_TRUE(same(one.step_size, other.step_size));
  EXPECT_EQ(one.metric, other.metric);
  EXPECT_TRUE(same(one.inverse_metric, other.inverse_metric));
  EXPECT_EQ(one.num_gradients, other.num_gradients);
  EXPECT_EQ(one.num_not_finite, other.num_not_finite);
  EXPECT_EQ(one.attempts, other.attempts);
  EXPECT_TRUE(same(one.e_bfmi, other.e_bfmi));
  ASSERT_EQ(one.stats.size(), other.stats.size());
  for (std::size_t s = 0; s < one.stats.size(); ++s) {
    EXPECT_TRUE(same(one.stats[s].log_density, other.stats[s].log_density));
    EXPECT_TRUE(same(one.stats[s].accept_stat, other.stats[s].accept_stat));
    EXPECT_TRUE(same(one.stats[s].energy, other.stats[s].energy));
    EXPECT_EQ(one.stats[s].tree_depth, other.stats[s].tree_depth);
    EXPECT_EQ(one.stats[s].num_leapfrog, other.stats[s].num_leapfrog);
    EXPECT_EQ(one.stats[s].divergent, other.stats[s].divergent);
  }
}

void expect_same(const FitState& one, const FitState& other) {
  expect_same(one.rounds, other.rounds);
  EXPECT_EQ(one.next_size, other.next_size);
  ASSERT_EQ(one.coreset.has_value(), other.coreset.has_value());
  if (one.coreset) expect_same(*one.coreset, *other.coreset);
  ASSERT_EQ(one.chains.size(), other.chains.size());
  for (std::size_t c = 0; c < one.chains.size(); ++c) expect_same(one.chains[c], other.chains[c]);
  EXPECT_TRUE(same(one.seconds.construct, other.seconds.construct));
  EXPECT_TRUE(same(one.seconds.sample, other.seconds.sample));
}

// A fit of two rounds, and all that it saved on the way.
class StoppedFitFiles : public ::testing::Test {
 protected:
  StoppedFitFiles() {
    options_.coreset.tolerance = 0.95;
    options_.sample.warmup = 150;
    options_.sample.draws = kDraws;
    options_.chains = 2;
  }

  static Dataset flights(const TempDir& folder, const Executor& executor) {
    write_flights(folder / "flights.csv", 500);
    return read_dataset(folder / "flights.csv",
                        {.response = "late", .features = std::vector<std::string>{"distance", "wind"}},
                        executor);
  }

  FitResult whole() {
    return fit(problem_, options_, executor_,
               {.save = [this](const FitState& state) { saved_.push_back(state); }});
  }

  // A state in which every number that may be so is not finite.
  FitState hard_state() {
    if (saved_.empty()) (void)whole();
    FitState state = saved_[1];
    state.rounds = {{4, 0.5, std::nan(""), kInfinite, std::nan(""), Doubt::HighKhat},
                    {9, 0.1, -0.0, 0.7, 3.25, Doubt::Disagrees}};
    state.next_size = 18;
    StepRecord& step = state.coreset->build.trace.back();
    step.step_length = step.alignment = step.bound = step.heldout_error = std::nan("");
    state.coreset->heldout_error = std::nan("");
    state.coreset->notes = {"a note", "another, in \"quotes\""};
    state.coreset->trials = {{500, 0.25, std::nan(""), 7}};
    state.chains[0].draws[1] = -0.0;
    state.chains[0].stats[2].log_density = -kInfinite;
    state.chains[1].num_not_finite = 3;
    return state;
  }

  StoppedFit saved_on_disk(const FitState& state) {
    StoppedFit stopped(folder_ / "out");
    stopped.begin({"flights.csv", folder_ / "flights.csv", {}});
    stopped.save(state, options_.sample, kDigest);
    return stopped;
  }

  [[nodiscard]] std::string refusal(const std::string& digest = kDigest, Index draws = kDraws) const {
    return message_of<DataError>([&] {
      const StoppedFit stopped(folder_ / "out");
      for (const Chain& chain : stopped.load(digest).chains) stopped.require_draws(chain, draws);
    });
  }

  static constexpr Index kDraws = 60;
  TempDir folder_;
  Threads executor_{2};
  Dataset data_ = flights(folder_, executor_);
  Problem problem_{data_, {}, executor_};
  FitOptions options_;
  std::vector<FitState> saved_;
};

TEST_F(StoppedFitFiles, EveryStateComesBackBitForBitAndTheFitGoesOnFromIt) {
  const FitResult straight = whole();
  ASSERT_GE(saved_.size(), 5U) << "a coreset, chains, another round, its coreset, its chains";
  for (const FitState& state : saved_) {
    const FitState loaded = saved_on_disk(state).load(kDigest);
    expect_same(loaded, state);
    const FitResult result = fit(problem_, options_, executor_, {}, loaded);
    EXPECT_EQ(result.coreset.coreset.rows, straight.coreset.coreset.rows);
    EXPECT_TRUE(same(result.certificate.coreset.weights, straight.certificate.coreset.weights));
    EXPECT_TRUE(same(result.certificate.coreset.k_hat, straight.certificate.coreset.k_hat));
    expect_same(result.rounds, straight.rounds);
  }
}

// Of many rows the log ratios are estimated about the mode; the prior is tight enough for a finding.
TEST_F(StoppedFitFiles, AFitOfManyRowsGoesOnToTheSameVerdicts) {
  write_flights(folder_ / "many.csv", 12'000);
  const Dataset data =
      read_dataset(folder_ / "many.csv",
                   {.response = "late", .features = std::vector<std::string>{"distance", "wind"}}, executor_);
  const Problem problem(data, {.family = {Family::BernoulliLogit}, .prior_scale = 0.05}, executor_);
  FitOptions options;
  options.sample = {.warmup = 200, .draws = 300};
  options.chains = 2;
  std::vector<FitState> states;
  const FitResult straight =
      fit(problem, options, executor_, {.save = [&](const FitState& state) { states.push_back(state); }});
  ASSERT_TRUE(straight.model_check);
  ASSERT_TRUE(straight.certificate.checked.estimated);
  ASSERT_FALSE(straight.model_check->findings.empty());
  ASSERT_EQ(straight.model_check->findings[0].misfit, Misfit::Prior);
  for (const FitState& state : states) {
    StoppedFit stopped(folder_ / "out");
    stopped.begin({"many.csv", folder_ / "many.csv", {}});
    stopped.save(state, options.sample, kDigest);
    const FitResult resumed = fit(problem, options, executor_, {}, stopped.load(kDigest));
    EXPECT_TRUE(same(resumed.certificate.coreset.weights, straight.certificate.coreset.weights));
    ASSERT_TRUE(resumed.model_check);
    ASSERT_EQ(resumed.model_check->findings.size(), straight.model_check->findings.size());
    for (std::size_t k = 0; k < straight.model_check->findings.size(); ++k) {
      EXPECT_TRUE(same(resumed.model_check->findings[k].size, straight.model_check->findings[k].size));
      EXPECT_EQ(resumed.model_check->findings[k].words, straight.model_check->findings[k].words);
    }
    EXPECT_TRUE(same(resumed.model_check->calibration, straight.model_check->calibration));
  }
}

TEST_F(StoppedFitFiles, NumbersThatAreNotFiniteComeBackAsTheyWere) {
  const FitState state = hard_state();
  const FitState loaded = saved_on_disk(state).load(kDigest);
  expect_same(loaded, state);
  EXPECT_EQ(loaded.rounds[0].k_hat, kInfinite);
  EXPECT_TRUE(std::isnan(loaded.coreset->build.trace.back().heldout_error));
}

// The norm may be taken under the prior, which no file repeats.
TEST_F(StoppedFitFiles, AFitUnderThePriorGoesOnToTheSameRecord) {
  options_.coreset.pihat = PihatKind::Prior;
  const FitResult straight = whole();
  for (const FitState& state : saved_) {
    const FitState loaded = saved_on_disk(state).load(kDigest);
    const FitResult result = fit(problem_, options_, executor_, {}, loaded);
    EXPECT_TRUE(same(result.coreset.pihat.mean(), straight.coreset.pihat.mean()));
    EXPECT_TRUE(same(result.coreset.pihat.factor(), straight.coreset.pihat.factor()));
  }
}

TEST_F(StoppedFitFiles, NothingSavedIsAnEmptyState) {
  StoppedFit stopped(folder_ / "out");
  EXPECT_FALSE(stopped.exists());
  EXPECT_THROW((void)stopped.request(), InputMissing);
  stopped.begin({"flights.csv", folder_ / "flights.csv", {}});
  EXPECT_TRUE(stopped.exists());
  EXPECT_FALSE(stopped.has_state());
  EXPECT_TRUE(stopped.load(kDigest).rounds.empty());
  EXPECT_FALSE(stopped.load(kDigest).coreset);
}

TEST_F(StoppedFitFiles, TheRequestComesBackWithAnyBytesInItsPath) {
  const std::string odd = "/data/\xFF\xE9 \xC3\xA9 \"quoted\"\n.csv";
  StoppedFit(folder_ / "out").begin({"odd.csv", odd, {{"max_depth", "12"}, {"features", "a,\"b\""}}});
  const StoppedFit::Request request = StoppedFit(folder_ / "out").request();
  EXPECT_EQ(request.input, "odd.csv");
  EXPECT_EQ(request.absolute_input.native(), odd);
  ASSERT_EQ(request.settings.size(), 2U);
  EXPECT_EQ(request.settings[1].name, "features");
  EXPECT_EQ(request.settings[1].value, "a,\"b\"");
}

TEST_F(StoppedFitFiles, DamagedFilesAreRefused) {
  const FitState state = hard_state();
  const fs::path partial = folder_ / "out/partial";
  for (const char* name : {"state.json", "chain_3_1.csv", "chain_3_2.csv"}) {
    (void)saved_on_disk(state);
    const std::string bytes = read_file(partial / name);
    ASSERT_FALSE(bytes.empty()) << name;
    std::string digit = bytes;
    const std::size_t at = digit.find_last_of("12345678");
    digit[at] = static_cast<char>(digit[at] + 1);
    for (const std::string& damaged : {std::string(), bytes.substr(0, bytes.size() / 2), digit}) {
      write_file(partial / name, damaged);
      EXPECT_NE(refusal().find(std::string(name) + ": is damaged"), std::string::npos) << refusal();
      EXPECT_NE(refusal().find("start anew with `force`"), std::string::npos) << refusal();
    }
    write_file(partial / name, bytes);
    EXPECT_EQ(refusal(), "(nothing thrown)");
  }
  fs::remove(partial / "chain_3_2.csv");
  EXPECT_NE(refusal().find("chain_3_2.csv: is damaged (it is gone)"), std::string::npos) << refusal();
}

TEST_F(StoppedFitFiles, ARefusalSaysWhereAStateIsDamaged) {
  (void)saved_on_disk(hard_state());
  const fs::path path = folder_ / "out/partial/state.json";
  const std::string bytes = read_file(path);
  const auto refusal_of = [&](const std::string& damaged) {
    write_file(path, damaged);
    return refusal();
  };
  const auto says = [&](const std::string& what) {
    return printable_path(path) + ": is damaged (" + what + "); start anew with `force`";
  };
  EXPECT_EQ(refusal_of(bytes.substr(0, bytes.size() / 2)), says("it was cut short"));
  std::string other = bytes;
  other.insert(other.find('\n', other.find('\n') + 1) + 1, "?");
  EXPECT_EQ(refusal_of(other), says("it is not JSON from line 3 on"));
  EXPECT_EQ(refusal_of("{}"), says("it lacks its digest"));
  EXPECT_EQ(refusal_of("[1]"), says("it lacks its digest"));
}

TEST_F(StoppedFitFiles, StatesOfOtherDataDrawsOrVersionsAreRefused) {
  (void)saved_on_disk(hard_state());
  EXPECT_NE(refusal("fedcba9876543210").find("the data have changed"), std::string::npos);
  EXPECT_NE(refusal(kDigest, kDraws + 1).find("are made now"), std::string::npos);
  const fs::path path = folder_ / "out/partial/request.json";
  std::string text = read_file(path);
  const std::size_t at = text.find("flights.csv");
  write_file(path, text.replace(at, 1, "F"));
  EXPECT_NE(message_of<DataError>([&] {
              (void)StoppedFit(folder_ / "out").request();
            }).find("request.json: is damaged (it was changed)"),
            std::string::npos);
}

TEST_F(StoppedFitFiles, AFolderOfTheUsersIsNeitherTakenNorRemoved) {
  fs::create_directories(folder_ / "out/partial");
  write_file(folder_ / "out/partial/thesis.txt", "mine");
  StoppedFit stopped(folder_ / "out");
  EXPECT_THROW(stopped.begin({"flights.csv", folder_ / "flights.csv", {}}), CannotCreate);
  stopped.remove();
  EXPECT_EQ(read_file(folder_ / "out/partial/thesis.txt"), "mine");
  fs::remove(folder_ / "out/partial/thesis.txt");
  stopped.begin({"flights.csv", folder_ / "flights.csv", {}});
  write_file(folder_ / "out/other.txt", "mine too");
  stopped.remove();
  EXPECT_FALSE(fs::exists(folder_ / "out/partial"));
  EXPECT_EQ(read_file(folder_ / "out/other.txt"), "mine too");
}

}  // namespace
}  // namespace giga::test
