// Merging coresets on disk. Where the likelihood is quadratic (gaussian, noise known) a few sums say all
// there is to say of a shard, so that what a merged coreset knows of all rows must be exact, however few
// points the shards have and however much their scales and levels differ. Other families are held against all
// rows.
#include "giga/job/merge.hpp"

#include <algorithm>
#include <cmath>

#include "giga/infer/laplace.hpp"
#include "giga/job/check.hpp"
#include "giga/job/sample.hpp"
#include "job/merge_fixture.hpp"

namespace giga::test {
namespace {

const ModelOptions kQuadratic{.family = {Family::GaussianIdentity, 0.7}};

// What two sums over rows differ by, in posterior standard deviations.
double apart(const Derivatives& one, const Derivatives& other, const Problem& problem,
             const std::vector<double>& theta, const Executor& executor) {
  const LaplaceResult mode = laplace(problem.likelihood(), problem.prior(), executor, {.start = theta});
  return second_order_error(difference(one, other), mode.posterior);
}

class MergedSums : public MergeJobs {
 protected:
  // Shards that differ in scale, in the levels they have, and in which level is the base.
  void write_different_shards() const {
    write_shard("a", {.carriers = {"AA", "DL"}});
    write_shard("b", {.rows = 300, .centre = 5, .spread = 3, .carriers = {"DL", "UA"}});
    write_shard("c", {.rows = 500, .centre = -2, .spread = 0.4, .carriers = {"AA", "WN", "UA"}});
  }
  void expect_sums_of_all_rows(const MergeRun& run, const std::vector<std::string>& names) const {
    write_all(names, "all");
    const auto all = all_rows("all", run.file);
    const Derivatives exact =
        all->problem.likelihood().evaluate(run.file.sums->point, Order::Hessian, executor_);
    const Derivatives& merged = run.file.sums->at_point;
    EXPECT_NEAR(merged.value, exact.value, 1e-9 * std::abs(exact.value));
    EXPECT_LT(apart(merged, exact, all->problem, run.file.sums->point, executor_), 1e-8);
    EXPECT_EQ(run.file.num_rows, all->data.num_rows());
  }
};

TEST_F(MergedSums, AreThoseOfAllRowsWhereTheLikelihoodIsQuadratic) {
  write_different_shards();
  for (const char* name : {"a", "b", "c"}) (void)build(name, kQuadratic, "length", 4);
  const MergeRun run = merge({"a", "b", "c"}, "merged");
  EXPECT_EQ(run.file.raw_columns,
            (std::vector<std::string>{"x", "z", "carrierDL", "carrierUA", "carrierWN"}));
  expect_sums_of_all_rows(run, {"a", "b", "c"});
}

TEST_F(MergedSums, AreThoseOfAllRowsWithAFormulaAndGroups) {
  write_different_shards();
  ModelOptions model = kQuadratic;
  model.formula = "length ~ x + I(x^2) + z:x + (1 + z | carrier)";
  for (const char* name : {"a", "b", "c"}) (void)build(name, model, "", 20);
  expect_sums_of_all_rows(merge({"c", "b", "a"}, "merged"), {"a", "b", "c"});
  model.formula = "length ~ z + carrier";
  for (const char* name : {"a", "b", "c"}) (void)build(name, model, "", 4);
  expect_sums_of_all_rows(merge({"c", "b", "a"}, "merged"), {"a", "b", "c"});
  model.formula = "length ~ 0 + z + carrier";
  for (const char* name : {"a", "b", "c"}) (void)build(name, model, "", 4);
  expect_sums_of_all_rows(merge({"c", "b", "a"}, "merged"), {"a", "b", "c"});
}

TEST_F(MergedSums, OfAMergedCoresetGoOnToTheNextMerge) {
  write_different_shards();
  for (const char* name : {"a", "b", "c"}) (void)build(name, kQuadratic, "length", 4);
  (void)merge({"a", "b"}, "first");
  expect_sums_of_all_rows(merge({"first", "c"}, "merged"), {"a", "b", "c"});
  (void)merge({"b", "c"}, "first", false);
  expect_sums_of_all_rows(merge({"a", "first"}, "merged"), {"a", "b", "c"});
}

TEST_F(MergedSums, ScaleAndPriorsAreThoseOfABuildOfAllRows) {
  write_different_shards();
  write_all({"a", "b", "c"}, "all");
  std::vector<ModelOptions> models(6);
  models[0].family = {Family::Gaussian};  // the prior is in units of the response
  models[1].family = {Family::Gaussian};
  models[1].priors.autoscale = true;
  models[2] = models[1];
  models[2].standardise = false;
  models[3].family = {Family::Gaussian};
  models[3].formula = "length ~ x + (z | carrier)";
  models[4].family = {Family::Gaussian};
  models[4].formula = "length ~ 0 + x + carrier";  // columns about 0, whatever the means of the shards
  models[5] = models[4];
  models[5].priors.autoscale = true;
  models[5].standardise = false;
  for (const ModelOptions& model : models) {
    for (const char* name : {"a", "b", "c", "all"}) (void)build(name, model);
    const CoresetFile merged = merge({"a", "b", "c"}, "merged").file;
    const CoresetFile all = find_coreset(coreset("all")).value();
    EXPECT_EQ(merged.raw_columns, all.raw_columns);
    EXPECT_EQ(merged.kinds.size(), all.kinds.size());
    for (std::size_t d = 0; d < all.scale.mean.size(); ++d) {
      EXPECT_NEAR(merged.scale.mean[d], all.scale.mean[d], 1e-12 * all.scale.scale[d]) << d;
      EXPECT_NEAR(merged.scale.scale[d], all.scale.scale[d], 1e-12 * all.scale.scale[d]) << d;
    }
    ASSERT_EQ(merged.model.priors.found.size(), all.model.priors.found.size());
    for (std::size_t d = 0; d < all.model.priors.found.size(); ++d) {
      const ScalarPrior &one = merged.model.priors.found[d], &other = all.model.priors.found[d];
      EXPECT_EQ(one.kind, other.kind);
      EXPECT_NEAR(one.location, other.location, 1e-9);
      EXPECT_NEAR(one.scale, other.scale, 1e-9 * other.scale) << d;
    }
  }
}

class Merging : public MergeJobs {
 protected:
  void write_alike(Index size = 40) const {
    for (const char* name : {"a", "b", "c"}) {
      write_shard(name, {.rows = 2000});
      (void)build(name, {}, "label", size);
    }
  }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    return read_file(coreset(name)) + read_file(companion_path(coreset(name)));
  }
};

TEST_F(Merging, ThePriorCountsOnce) {
  for (const char* name : {"a", "b", "c"}) {
    write_shard(name, {.rows = 60});
    ModelOptions model = kQuadratic;
    model.prior_scale = 0.2;  // strong enough to be seen
    (void)build(name, model, "length", 20);
  }
  const MergeRun run = merge({"a", "b", "c"}, "merged", true, 40);
  write_all({"a", "b", "c"}, "all");
  const auto all = all_rows("all", run.file);
  const WeightedProblem points = read_coreset(coreset("merged"), run.file, executor_);
  const LaplaceResult of_all = laplace(all->problem.likelihood(), all->problem.prior(), executor_);
  const LaplaceResult merged = laplace(points.problem->likelihood(), points.problem->prior(), executor_);
  const std::vector<double> sd = of_all.posterior.standard_deviations();
  const std::vector<double> merged_sd = merged.posterior.standard_deviations();
  for (std::size_t d = 0; d < sd.size(); ++d) {
    EXPECT_NEAR(merged.posterior.mean()[d], of_all.posterior.mean()[d], 1e-6 * sd[d]);
    EXPECT_NEAR(merged_sd[d], sd[d], 1e-6 * sd[d]);
  }
}

TEST_F(Merging, GivesTheSameBytesInAnyOrderAndOnAnyNumberOfThreads) {
  write_alike();
  std::vector<std::string> names = {"a", "b", "c"};
  (void)merge(names, "merged");
  const std::string first = bytes("merged");
  while (std::ranges::next_permutation(names).found) {
    (void)merge(names, "merged");
    EXPECT_EQ(bytes("merged"), first);
  }
  const Threads one(1);
  (void)run_merge(merge_job({"b", "a", "c"}, "merged"), one);
  EXPECT_EQ(bytes("merged"), first);
}

TEST_F(Merging, BoundsTheErrorAlikeWhoeverIsMergedFirst) {
  write_alike(0);
  const MergedError at_once = merge({"a", "b", "c"}, "abc", false).error;
  (void)merge({"a", "b"}, "ab", false);
  (void)merge({"b", "c"}, "bc", false);
  for (const MergedError& other :
       {merge({"ab", "c"}, "ab_c", false).error, merge({"a", "bc"}, "a_bc", false).error}) {
    EXPECT_EQ(other.bound, at_once.bound);
    EXPECT_NEAR(other.usual, at_once.usual, 1e-3 * at_once.usual);
  }
  // With reductions on the way the shards' part is the same, and so is their number.
  (void)merge({"a", "b"}, "ab");
  (void)merge({"b", "c"}, "bc");
  ShardSums one = *merge({"ab", "c"}, "ab_c").file.sums, other = *merge({"a", "bc"}, "a_bc").file.sums;
  EXPECT_EQ(one.reductions.size(), 2);
  EXPECT_EQ(other.reductions.size(), 2);
  one.reductions = other.reductions = {};
  EXPECT_EQ(merged_error(one).bound, merged_error(other).bound);
  EXPECT_LT(merged_error(one).bound, at_once.bound) << "what is known exactly was put right";
}

// sqrt(E |C' grad(L(w) - L)|^2 / D) over draws of the Laplace approximation of all rows.
double true_error(const Likelihood& points, const Problem& all, const Executor& executor) {
  const LaplaceResult mode = laplace(all.likelihood(), all.prior(), executor);
  const std::vector<double>& c = mode.posterior.factor();
  const auto dim = static_cast<std::size_t>(mode.posterior.dim());
  Stream random = stream(3, "draws");
  std::vector<double> theta(dim);
  double squares = 0;
  constexpr int kDraws = 400;
  for (int s = 0; s < kDraws; ++s) {
    mode.posterior.draw(random, theta.data());
    const auto one = points.evaluate(theta, Order::Gradient, executor).gradient;
    const auto other = all.likelihood().evaluate(theta, Order::Gradient, executor).gradient;
    for (std::size_t j = 0; j < dim; ++j) {
      double along = 0;
      for (std::size_t i = 0; i < dim; ++i) along += c[i * dim + j] * (one[i] - other[i]);
      squares += along * along;
    }
  }
  return std::sqrt(squares / (kDraws * static_cast<double>(dim)));
}

TEST_F(Merging, ErrsByNoMoreThanItTells) {
  write_alike(0);
  write_all({"a", "b", "c"}, "all");
  for (const bool reduce : {true, false}) {
    const MergeRun run = merge({"a", "b", "c"}, "merged", reduce);
    const auto all = all_rows("all", run.file);
    const WeightedProblem points = read_coreset(coreset("merged"), run.file, executor_);
    const double error = true_error(points.problem->likelihood(), all->problem, executor_);
    EXPECT_LE(error, run.error.bound) << reduce;
    EXPECT_LE(error, 2 * run.error.usual) << reduce;
    EXPECT_GE(error, run.error.usual / 4) << reduce;
    EXPECT_LE(run.error.usual, run.error.bound);
    EXPECT_EQ(run.file.coreset.size() < run.union_size, reduce);
  }
}

TEST_F(Merging, SaysOfEveryPointWhichRowOfWhichShardItWas) {
  write_alike();
  (void)merge({"a", "b"}, "first", false);
  const MergeRun run = merge({"first", "c"}, "merged", false);
  const Dataset points = read_dataset(
      coreset("merged"), {.response = "label", .features = std::vector<std::string>{"x"}}, executor_);
  std::vector<Index> rows;
  for (Index n = 0; n < points.num_rows(); ++n) rows.push_back(n);
  const auto cells = points.cells(rows);
  const CoresetFile& file = run.file;
  ASSERT_EQ(file.columns,
            (std::vector<std::string>{"shard", "id", "x", "z", "carrier", "label", "count", "length"}));
  ASSERT_EQ(std::ssize(cells), file.coreset.size());
  std::vector<std::string> seen;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string& shard = cells[k][2];
    EXPECT_EQ(shard, file.sums->shards[at(file.shard_of[k])].name);
    EXPECT_EQ(cells[k][0], std::to_string(file.coreset.rows[k]));
    EXPECT_EQ(cells[k][3], "'=" + shard.substr(0, 1) + cells[k][0])
        << "the id of the row in its shard, inert, and once only";
    seen.push_back(shard);
  }
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen, (std::vector<std::string>{"a-coreset.csv", "b-coreset.csv", "c-coreset.csv"}));
}

TEST_F(Merging, TheResultIsSampledAndCheckedAsAnyCoreset) {
  write_alike();
  (void)merge({"a", "b", "c"}, "merged");
  const CoresetFile file = find_coreset(coreset("merged")).value();
  SampleJob sampling;
  sampling.input = coreset("merged");
  sampling.coreset = file;
  sampling.sample.warmup = sampling.sample.draws = 200;
  EXPECT_EQ(run_sample(sampling, executor_).record.num_rows, 6000);
  CheckJob checking;
  checking.coreset = coreset("merged");
  checking.file = file;
  checking.read = file.read;
  checking.sample = sampling.sample;
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"a", "b", "c"}, std::vector<std::string>{"c", "a", "b"}}) {
    write_all(order, "all");
    checking.data = folder_ / "all.csv";
    EXPECT_TRUE(run_check(checking, executor_).certificate->safe());
  }
  write_shard("d", {.rows = 2000});
  write_all({"a", "b", "d"}, "all");
  EXPECT_NE(message_of<DataError>([&] { (void)run_check(checking, executor_); }).find("is not the table"),
            std::string::npos);
}

TEST_F(Merging, AShardThatDiffersIsTold) {
  write_alike();
  EXPECT_TRUE(merge({"a", "b", "c"}, "merged").notes.empty());
  write_shard("late", {.rows = 2000, .slope = -0.3});
  (void)build("late", {}, "label", 40);
  const MergeRun run = merge({"a", "late", "b"}, "merged");
  ASSERT_EQ(run.notes.size(), 1);
  EXPECT_NE(run.notes[0].find("late-coreset.csv"), std::string::npos) << run.notes[0];
  EXPECT_GT(run.inputs[1].distance, 3);
}

}  // namespace
}  // namespace giga::test
