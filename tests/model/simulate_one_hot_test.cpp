// Simulated categories: one 1 per factor and row, levels as frequent as the power says, labels of the
// likelihood. Frequencies and labels are judged over all 123 columns, hence by five standard errors.
#include "giga/model/simulate_one_hot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace giga::test {
namespace {

std::vector<double> all_rows(const SimulatedOneHot& table) {
  std::vector<double> rows(at(table.num_rows() * (table.num_features() + 1)));
  table.read(0, table.num_rows(), rows.data());
  return rows;
}

// P(l) = l^-power / sum_m m^-power, column after column.
std::vector<double> probabilities_of(const std::vector<Index>& levels, double power) {
  std::vector<double> all;
  for (const Index many : levels) {
    double total = 0;
    for (Index l = many; l >= 1; --l) total += std::pow(static_cast<double>(l), -power);
    for (Index l = 1; l <= many; ++l) all.push_back(std::pow(static_cast<double>(l), -power) / total);
  }
  return all;
}

std::vector<double> counts_of(const std::vector<double>& rows, Index dim) {
  std::vector<double> counts(at(dim), 0.0);
  for (auto row = rows.begin(); row != rows.end(); row += dim + 1)
    std::transform(counts.begin(), counts.end(), row, counts.begin(), std::plus<>());
  return counts;
}

TEST(SimulatedOneHot, LevelsAscendFromTwoAndSumToTheNumberOfColumns) {
  std::vector<Index> dims(3000);
  std::iota(dims.begin(), dims.end(), 2);
  dims.push_back(100'000);
  for (const Index dim : dims) {
    const std::vector<Index> levels = one_hot_levels(dim);
    ASSERT_EQ(std::accumulate(levels.begin(), levels.end(), Index{0}), dim);
    ASSERT_GE(levels.front(), 2) << dim;
    ASSERT_TRUE(std::ranges::is_sorted(levels)) << dim;
    ASSERT_EQ(std::ssize(levels), std::clamp(dim / 3, Index{1}, Index{12})) << dim;
  }
}

TEST(SimulatedOneHot, ADozenFactorsHaveTwoToThirtyFiveLevels) {
  EXPECT_EQ(one_hot_levels(123), (std::vector<Index>{2, 3, 3, 3, 4, 5, 6, 9, 12, 17, 24, 35}));
  EXPECT_EQ(one_hot_levels(59), (std::vector<Index>{2, 2, 2, 3, 3, 3, 3, 5, 5, 7, 10, 14}));
  EXPECT_EQ(one_hot_levels(2), std::vector<Index>{2});
}

TEST(SimulatedOneHot, EveryRowHasExactlyOneLevelOfEachFactorAndALabel) {
  for (const Index dim : {2, 7, 59, 123}) {
    const SimulatedOneHot table({.rows = 2000, .dim = dim});
    const std::vector<double> rows = all_rows(table);
    for (auto cell = rows.begin(); cell != rows.end(); ++cell) {
      for (const Index levels : table.levels()) {
        ASSERT_EQ(std::count(cell, cell + levels, 1.0), 1);
        ASSERT_EQ(std::count(cell, cell + levels, 0.0), levels - 1);
        cell += levels;
      }
      ASSERT_EQ(std::abs(*cell), 1);
    }
  }
}

TEST(SimulatedOneHot, LevelsAreAsFrequentAsThePowerSaysWithinFiveStandardErrors) {
  for (const double power : {0.0, 1.0, 2.5}) {
    const SimulatedOneHot table({.power = power});
    const auto rows = static_cast<double>(table.num_rows());
    const std::vector<double> counts = counts_of(all_rows(table), table.num_features());
    const std::vector<double> probabilities = probabilities_of(table.levels(), power);
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const double p = probabilities[j];
      EXPECT_NEAR(counts[j], rows * p, 5 * std::sqrt(rows * p * (1 - p))) << power << " column " << j;
    }
  }
}

TEST(SimulatedOneHot, EveryLevelOccursAndTheRarestInAHandfulOfRows) {
  const SimulatedOneHot table({});
  const std::vector<double> counts = counts_of(all_rows(table), table.num_features());
  const double rarest = *std::ranges::min_element(counts);
  EXPECT_GE(rarest, 1);
  EXPECT_LE(rarest, 5);
}

TEST(SimulatedOneHot, EffectsHaveMeanZeroUnderTheProbabilitiesOfTheLevels) {
  const SimulatedOneHot table({.power = 1.5, .effect = 3, .intercept = 0.25});
  const std::vector<double> probabilities = probabilities_of(table.levels(), 1.5);
  auto p = probabilities.begin();
  auto effect = table.theta().begin();
  for (const Index levels : table.levels()) {
    EXPECT_NEAR(std::inner_product(p, p + levels, effect, 0.0), 0, 1e-13);
    p += levels;
    effect += levels;
  }
  EXPECT_EQ(table.theta().back(), 0.25);
}

// The squares about the plain mean of each factor, which centring does not change, sum to effect^2 times a
// chi-squared number with (columns - factors) degrees of freedom.
TEST(SimulatedOneHot, EffectsHaveTheVarianceAskedForWithinFourStandardErrors) {
  const SimulatedOneHot table({.dim = 5000, .effect = 3});
  double squares = 0;
  auto effect = table.theta().begin();
  for (const Index levels : table.levels()) {
    const double mean = std::accumulate(effect, effect + levels, 0.0) / static_cast<double>(levels);
    for (const auto end = effect + levels; effect != end; ++effect) squares += std::pow(*effect - mean, 2);
  }
  const double freedom = 5000 - 12;
  EXPECT_NEAR(squares / 9 / freedom, 1, 4 * std::sqrt(2 / freedom));
}

// y has mean 2 p - 1 and variance 4 p (1 - p), p = 1 / (1 + exp(-s)): what is left of the labels sums to 0
// among the rows of every level, and among all rows.
TEST(SimulatedOneHot, LabelsFollowTheLikelihoodWithinFiveStandardErrors) {
  const SimulatedOneHot table({});
  const Index dim = table.num_features();
  const std::vector<double> rows = all_rows(table);
  std::vector<double> left(at(dim + 1), 0.0), variance(at(dim + 1), 0.0);
  for (auto row = rows.begin(); row != rows.end(); row += dim + 1) {
    const double s = std::inner_product(row, row + dim, table.theta().begin(), table.theta().back());
    const double p = 1 / (1 + std::exp(-s));
    for (Index j = 0; j <= dim; ++j) {
      if (j < dim && row[j] == 0) continue;
      left[at(j)] += row[dim] - (2 * p - 1);
      variance[at(j)] += 4 * p * (1 - p);
    }
  }
  for (Index j = 0; j <= dim; ++j)
    EXPECT_LT(std::abs(left[at(j)]), 5 * std::sqrt(variance[at(j)])) << "column " << j;
}

TEST(SimulatedOneHot, AboutAQuarterOfTheLabelsAreOne) {
  double share = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SimulatedOneHot table({.rows = 2000, .seed = seed});
    const std::vector<double> rows = all_rows(table);
    for (std::size_t i = at(table.num_features()); i < rows.size(); i += at(table.num_features() + 1))
      share += rows[i] == 1 ? 1 : 0;
  }
  EXPECT_NEAR(share / 40000, 0.25, 0.05);
}

TEST(SimulatedOneHot, ARowDependsOnTheSeedAndItsNumberAlone) {
  const SimulatedOneHot table({.rows = 300, .seed = 9}), longer({.rows = 5000, .seed = 9});
  const SimulatedOneHot other({.rows = 300, .seed = 10});
  const std::vector<double> rows = all_rows(table);
  std::vector<double> some(rows.size());
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 1}, {17, 40}, {255, 45}, {0, 300}}) {
    longer.read(first, count, some.data());
    EXPECT_TRUE(std::equal(rows.begin() + first * 124, rows.begin() + (first + count) * 124, some.begin()));
  }
  EXPECT_NE(all_rows(other), rows);
  EXPECT_NE(other.theta(), table.theta());
}

TEST(SimulatedOneHot, ColumnsAreNamedByFactorAndLevel) {
  EXPECT_EQ(SimulatedOneHot({.dim = 7}).feature_names(),
            (std::vector<std::string>{"a1", "a2", "a3", "b1", "b2", "b3", "b4"}));
  const std::vector<std::string> names = SimulatedOneHot({}).feature_names();
  EXPECT_EQ(std::ssize(names), 123);
  EXPECT_EQ(names.back(), "l35");
}

TEST(SimulatedOneHot, OptionsOutsideTheirRangeAreRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(SimulatedOneHot({.rows = 0}), std::invalid_argument);
  EXPECT_THROW(SimulatedOneHot({.dim = 1}), std::invalid_argument);
  EXPECT_THROW(SimulatedOneHot({.power = -1}), std::invalid_argument);
  EXPECT_THROW(SimulatedOneHot({.effect = -1}), std::invalid_argument);
  EXPECT_THROW(SimulatedOneHot({.intercept = kNan}), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
