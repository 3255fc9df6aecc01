// What a coreset keeps of many rows is estimated from some of them, and hardly differs from their sum.
#include "giga/pipeline/shard_sums.hpp"

#include <gtest/gtest.h>

#include "giga/base/threads.hpp"
#include "giga/data/npy.hpp"
#include "giga/data/read_dataset.hpp"
#include "giga/model/simulate_data.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/project/smoothed_derivatives.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

Dataset simulated(Index rows, const std::filesystem::path& file, const Executor& executor) {
  const SimulatedData data({.family = {Family::BernoulliLogit}, .rows = rows, .theta = {3, 3, -4}});
  std::vector<double> values(at(rows * 3));
  data.read(0, rows, values.data());
  NpyWriter writer(file, rows, 3, false);
  writer.append(values);
  writer.commit();
  return read_dataset(file, {}, executor);
}

TEST(ShardSums, OfManyRowsAreEstimatedWithinAThousandthOfAStandardDeviation) {
  const TempDir folder;
  const Threads executor;
  const Dataset data = simulated(120'000, folder / "data.npy", executor);
  const Problem problem(data, {.family = {Family::BernoulliLogit}}, executor);
  const CoresetResult result = build_coreset(problem, fit_coreset_options(), executor);
  const ShardSums sums = shard_sums(problem, result, executor);

  const Likelihood& all = problem.likelihood();
  const auto points = all.subset(result.build.coreset.rows, result.coreset.weights);
  const Derivatives exact = difference(smoothed_derivatives(*points->linear_model(), result.pihat, executor),
                                       smoothed_derivatives(*all.linear_model(), result.pihat, executor));
  const Derivatives at_mode =
      difference(points->evaluate(sums.point, Order::Hessian, executor), sums.at_point);
  EXPECT_LT(second_order_error(difference(sums.excess, exact), result.pihat), 1e-3);
  // The expansion at the mode alone is further off: there is something to be estimated.
  EXPECT_GT(second_order_error(difference(at_mode, exact), result.pihat), 3e-3);
}

}  // namespace
}  // namespace giga::test
