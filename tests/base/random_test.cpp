#include "giga/base/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace giga {
namespace {

TEST(Random, SameSeedPurposeAndIndexGiveTheSameNumbers) {
  Stream x = stream(7, "vectors", 3), y = stream(7, "vectors", 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(x.bits(), y.bits());
}

TEST(Random, SeedPurposeAndIndexEachGiveAnotherStream) {
  const std::uint64_t first = stream(7, "vectors", 3).bits();
  EXPECT_NE(first, stream(8, "vectors", 3).bits());
  EXPECT_NE(first, stream(7, "uniform", 3).bits());
  EXPECT_NE(first, stream(7, "vectors", 4).bits());
  EXPECT_NE(first, stream(7 + (std::uint64_t{1} << 32), "vectors", 3).bits());
}

// 400,000 draws: each bound is five standard errors.
TEST(Random, NormalHasTheMomentsOfAStandardNormalWithinFiveStandardErrors) {
  Stream random = stream(1, "test");
  constexpr int kDraws = 400000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    m1 += x;
    m2 += x * x;
    m3 += x * x * x;
    m4 += x * x * x * x;
  }
  const double se = 5 / std::sqrt(static_cast<double>(kDraws));
  EXPECT_NEAR(m1 / kDraws, 0, se);
  EXPECT_NEAR(m2 / kDraws, 1, se * std::sqrt(2.0));
  EXPECT_NEAR(m3 / kDraws, 0, se * std::sqrt(15.0));
  EXPECT_NEAR(m4 / kDraws, 3, se * std::sqrt(96.0));
}

TEST(Random, UniformStaysInItsIntervalAndFillsItEvenly) {
  Stream random = stream(2, "test");
  constexpr int kDraws = 200000, kBins = 20;
  std::vector<int> counts(kBins, 0);
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++counts[static_cast<std::size_t>(x * kBins)];
  }
  constexpr double kExpected = static_cast<double>(kDraws) / kBins;
  for (const int count : counts) EXPECT_NEAR(count, kExpected, 5 * std::sqrt(kExpected));
}

TEST(Random, BelowReachesEveryValueEquallyOften) {
  Stream random = stream(3, "test");
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(random.below(1), 0U);
}

}  // namespace
}  // namespace giga
