#include "experiments/fisher_distance.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "experiments/regression_sets.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/regression_posterior.hpp"

namespace giga::experiments {
namespace {

Settings small() {
  Settings settings;
  settings.scale.regression_rows = 5000;  // more than a block of rows
  return settings;
}

Chain points(Index count, Index dim) {
  Chain chain;
  chain.dim = dim;
  chain.stats.resize(static_cast<std::size_t>(count));
  for (Index i = 0; i < count * dim; ++i) chain.draws.push_back(0.1 * static_cast<double>(i % 7) - 0.2);
  return chain;
}

TEST(FisherDistance, IsTheMeanSquareOfTheDifferenceOfGradients) {
  const Settings settings = small();
  const Threads executor(1);
  const RegressionSet set(kSets[0], settings, executor);
  const Regression part = set.subset({3, 17, 4200}, {1000, 2500, 1500});
  const Chain chain = points(8, 3);
  const double got = FisherDistance(set.model(), chain, 4).of(part);
  double want = 0;
  for (const Index s : {0, 2, 4, 6}) {
    const std::span<const double> theta(chain.draw(s), 3);
    const Derivatives all = set.model().evaluate(theta, Order::Gradient, executor);
    const Derivatives few = part.evaluate(theta, Order::Gradient, executor);
    for (std::size_t d = 0; d < 3; ++d)
      want += (all.gradient[d] - few.gradient[d]) * (all.gradient[d] - few.gradient[d]) / 4;
  }
  EXPECT_NEAR(got, want, 1e-9 * want);
}

TEST(FisherDistance, IsZeroForAllRows) {
  const Settings settings = small();
  const Threads executor(1);
  const RegressionSet set(kSets[3], settings, executor);
  std::vector<Index> rows(static_cast<std::size_t>(set.model().num_rows()));
  std::iota(rows.begin(), rows.end(), 0);
  const std::vector<double> once(rows.size(), 1.0);
  EXPECT_LT(FisherDistance(set.model(), points(20, 2), 20).of(set.subset(rows, once)), 1e-18);
}

}  // namespace
}  // namespace giga::experiments
