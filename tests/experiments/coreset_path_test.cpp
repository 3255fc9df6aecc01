#include "experiments/coreset_path.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "giga/base/threads.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/project/random_projection.hpp"
#include "support/shared_data.hpp"

namespace giga::experiments {
namespace {

class Fixture {
 public:
  explicit Fixture(const SetInfo& info, const Settings& settings)
      : set(info, settings, executor),
        approximation(laplace(set.model(), set.prior(), executor)),
        projection(set.model(), approximation.posterior, {.dim = 30, .seed = 5}),
        table(projection, executor) {}

  Threads executor{1};
  RegressionSet set;
  LaplaceResult approximation;
  RandomProjection projection;
  VectorTable table;
};

Settings small() {
  Settings settings;
  settings.scale.regression_rows = 400;
  return settings;
}

TEST(CoresetPath, PassesThroughTheCoresetsOfStraightBuilds) {
  const Settings settings = small();
  const Fixture on(kSets[0], settings);
  for (const Method method : {Method::Giga, Method::FrankWolfe, Method::Corrective}) {
    const std::vector<Stop> path = greedy_path(on.set, on.table, method, {1, 4, 10});
    ASSERT_EQ(path.size(), 3U);
    const Index most = method == Method::Corrective ? 10 : 4;
    const BuildResult straight = build(on.table, method, {.size = 4, .max_steps = most}, {});
    EXPECT_EQ(path[1].rows, straight.coreset.rows);
    EXPECT_EQ(path[1].counts, straight.coreset.weights) << "no row is met twice";
    EXPECT_EQ(path[1].relative_error, straight.relative_error);
    EXPECT_LE(path[2].steps, 10);
  }
}

TEST(CoresetPath, RandomPointsStandForAllObservations) {
  const Settings settings = small();
  const Fixture on(kSets[3], settings);
  const std::vector<Stop> path = random_path(on.set, on.table, {1, 50, 300}, 9);
  for (const Stop& stop : path) {
    EXPECT_NEAR(std::accumulate(stop.counts.begin(), stop.counts.end(), 0.0), 400, 1e-9);
    EXPECT_LE(stop.num_points(), stop.asked);
  }
  EXPECT_LT(path[2].num_points(), 300) << "some rows should have been drawn twice";
}

TEST(CoresetPath, RepeatedRowsAreDrawnAsOftenAsTheyAreMet) {
  GIGA_NEEDS_SHARED("phishing.npz");
  Settings settings;
  settings.data = test::shared_data("");
  const RegressionSet set(kSets[1], settings, Threads(1));
  ASSERT_EQ(set.num_data_rows(), 11055);
  ASSERT_EQ(set.model().num_rows(), 11055 - 5206);
  std::vector<double> met(static_cast<std::size_t>(set.model().num_rows()), 0);
  for (Index n = 0; n < set.num_data_rows(); ++n) met[static_cast<std::size_t>(set.distinct_row(n))] += 1;
  for (Index k = 0; k < set.model().num_rows(); ++k)
    ASSERT_EQ(met[static_cast<std::size_t>(k)], set.model().multiplicity(k));
}

}  // namespace
}  // namespace giga::experiments
