#include "experiments/statistics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace giga::experiments {
namespace {

TEST(Statistics, QuantilesAreThoseOfR) {
  // quantile(c(7, 1, 3, 10), c(0.25, 0.5, 0.75)) in R: 2.5, 5, 7.75
  const Quartiles q = quartiles({7, 1, 3, 10});
  EXPECT_DOUBLE_EQ(q.low, 2.5);
  EXPECT_DOUBLE_EQ(q.mid, 5);
  EXPECT_DOUBLE_EQ(q.high, 7.75);
  EXPECT_DOUBLE_EQ(quantile({4, 2}, 0), 2);
  EXPECT_DOUBLE_EQ(quantile({4, 2}, 1), 4);
}

TEST(Statistics, OneTrialHasOneValue) {
  const Quartiles q = quartiles({3.5});
  EXPECT_EQ(q.low, 3.5);
  EXPECT_EQ(q.mid, 3.5);
  EXPECT_EQ(q.high, 3.5);
}

TEST(Statistics, NoValuesAreRefused) {
  EXPECT_THROW((void)median({}), std::invalid_argument);
  EXPECT_THROW((void)quantile({1}, 1.5), std::invalid_argument);
}

TEST(Statistics, ALineIsFoundAndItsShareIsOne) {
  const Line line = fit_line({1, 2, 3, 4}, {5, 3, 1, -1});
  EXPECT_NEAR(line.slope, -2, 1e-12);
  EXPECT_NEAR(line.share, 1, 1e-12);
  EXPECT_LT(fit_line({1, 2, 3, 4}, {0, 1, 1, 0}).share, 1e-12);
}

}  // namespace
}  // namespace giga::experiments
