#include "construct/active_set.hpp"

#include <gtest/gtest.h>

#include "construct/laws.hpp"
#include "support/executors.hpp"

namespace giga {
namespace {

const std::vector<double> kData = {3, 4, 0, 1, 3, 4, 0.0, 1, -0.0, 1};

TEST(ActiveSet, MergesIdenticalVectors) {
  const DenseRows rows(MatrixView::of(kData.data(), 5, 2));
  ActiveSet active;
  EXPECT_EQ(active.slot_of(rows, 2), 0);
  EXPECT_EQ(active.slot_of(rows, 0), 0);  // the vector of row 2
  EXPECT_EQ(active.slot_of(rows, 1), 1);
  EXPECT_EQ(active.slot_of(rows, 3), 1);
  EXPECT_EQ(active.slot_of(rows, 4), 1);  // -0 is 0
  EXPECT_EQ(active.size(), 2);
  EXPECT_EQ(active.num_points(), 0);
  EXPECT_EQ(active.norm_of(0), 5);
}

TEST(ActiveSet, ListsThePositiveWeightsByRow) {
  const DenseRows rows(MatrixView::of(kData.data(), 5, 2));
  ActiveSet active;
  (void)active.slot_of(rows, 2);
  (void)active.slot_of(rows, 1);
  active.set_weights({0.5, 2});
  EXPECT_EQ(active.coreset().rows, (std::vector<Index>{1, 2}));
  EXPECT_EQ(active.coreset().weights, (std::vector<double>{2, 0.5}));
  const ExtendedVector sum = active.combine(rows, active.weights(), 2);  // (0.5 (3, 4) + 2 (0, 1)) / 2
  EXPECT_EQ(sum, (ExtendedVector{0.75L, 2}));
  active.set_weights({0, 2});
  active.drop_zeros();
  EXPECT_EQ(active.size(), 1);
  EXPECT_EQ(active.coreset().rows, (std::vector<Index>{1}));
  EXPECT_EQ(active.slot_of(rows, 0), 1);
}

// Every row three times, in an order that mixes them.
TEST(ActiveSet, NoMethodEverHoldsTwoIdenticalRows) {
  for (Index seed = 0; seed < 20 && !HasFailure(); ++seed) {
    test::VectorSet p = test::gaussian_vectors(60, 6, seed);
    for (Index n = 20; n < 60; ++n) std::copy_n(p.row((n * 7) % 20), p.dim, p.data.begin() + n * p.dim);
    const DenseRows rows(p.view());
    for (const SelectorKind kind : {SelectorKind::Scan, SelectorKind::Quantised, SelectorKind::CapTree}) {
      const VectorTable table(rows, test::threads(1), {.selector = kind});
      for (const Method method : test::kAllMethods) {
        const BuildResult result = test::build(table, method, 30);
        test::expect_sound(p, table, result);
        EXPECT_LE(result.coreset.size(), 20);
        if (!is_greedy(method)) continue;
        for (const Index row : result.coreset.rows) EXPECT_LT(row, 20) << "ties go to the lowest row";
      }
    }
  }
}

}  // namespace
}  // namespace giga
