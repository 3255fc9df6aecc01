// Models given row by row.
#include "giga/model/likelihood.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "giga/model/gaussian_mean.hpp"

namespace giga::test {
namespace {

TEST(Likelihood, ASubsetOfNoRowsHasNoRows) {
  const Threads executor(1);
  const auto model = likelihood_of(GaussianMean({1, 2, 3, 4, 5, 6}, 2));
  const std::vector<double> theta = {0.5, -1};
  const auto none = model->subset({}, {});
  EXPECT_EQ(none->num_rows(), 0);
  EXPECT_EQ(none->num_parameters(), 2);
  const Derivatives sum = none->evaluate(theta, Order::Hessian, executor);
  EXPECT_EQ(sum.value, 0);
  EXPECT_EQ(sum.gradient, std::vector<double>(2, 0.0));
  EXPECT_EQ(sum.hessian, std::vector<double>(4, 0.0));
  EXPECT_EQ(none->subset({}, {})->num_rows(), 0);
}

TEST(Likelihood, ASubsetOfASubsetHasTheRowsOfTheFirst) {
  const Threads executor(1);
  const auto model = likelihood_of(GaussianMean({1, 2, 3, 4, 5, 6}, 2));
  const auto some = model->subset(std::vector<Index>{2, 1}, std::vector<double>{1, 1});
  const auto last = some->subset(std::vector<Index>{0}, std::vector<double>{3});
  const auto straight = model->subset(std::vector<Index>{2}, std::vector<double>{3});
  const std::vector<double> theta = {0.5, -1};
  EXPECT_EQ(last->num_rows(), 1);
  EXPECT_EQ(last->multiplicity(0), 3);
  EXPECT_EQ(last->evaluate(theta, Order::Value, executor).value,
            straight->evaluate(theta, Order::Value, executor).value);
  EXPECT_THROW((void)model->subset(std::vector<Index>{0, 1}, std::vector<double>{1}), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
