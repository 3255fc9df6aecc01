#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "construct/laws.hpp"
#include "support/executors.hpp"
#include "support/oracle.hpp"

namespace giga {
namespace {

using test::Oracle;
using test::VectorSet;

BuildResult sample(const VectorTable& table, Method method, Index size, std::uint64_t seed) {
  return method == Method::Importance ? importance(table, {.size = size, .seed = seed})
                                      : uniform(table, {.size = size, .seed = seed});
}

constexpr Method kSampling[] = {Method::Importance, Method::Uniform};

// The mean of L(w) over many seeds is L, within five standard errors in each of 4 components.
TEST(Sampling, IsUnbiasedWithinFiveStandardErrors) {
  VectorSet p = test::gaussian_vectors(30, 4, 1);
  for (Index n = 0; n < p.rows; ++n) {  // norms differ by up to 30, one row is zero, two are identical
    for (Index j = 0; j < p.dim; ++j)
      p.data[static_cast<std::size_t>(n * p.dim + j)] *= static_cast<double>(n);
  }
  std::copy_n(p.row(7), p.dim, p.data.begin() + 21 * p.dim);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(1));
  constexpr int kSeeds = 20000;
  for (const Method method : kSampling) {
    std::vector<double> sum(4, 0.0), squares(4, 0.0), target(4, 0.0);
    for (Index n = 0; n < p.rows; ++n) {
      for (std::size_t j = 0; j < 4; ++j) target[j] += p.row(n)[j];
    }
    for (int seed = 0; seed < kSeeds; ++seed) {
      const BuildResult result = sample(table, method, 3, static_cast<std::uint64_t>(seed));
      for (std::size_t j = 0; j < 4; ++j) {
        double value = 0;
        for (std::size_t k = 0; k < result.coreset.rows.size(); ++k)
          value += result.coreset.weights[k] * p.row(result.coreset.rows[k])[j];
        sum[j] += value;
        squares[j] += value * value;
      }
    }
    for (std::size_t j = 0; j < 4; ++j) {
      const double mean = sum[j] / kSeeds;
      const double standard_error = std::sqrt((squares[j] / kSeeds - mean * mean) / kSeeds);
      EXPECT_NEAR(mean, target[j], 5 * standard_error) << name(method) << ", component " << j;
    }
  }
}

// Chi-square of the chosen rows against their probabilities: 5 standard deviations of its distribution.
TEST(Sampling, DrawsRowsWithTheStatedProbabilities) {
  const VectorSet p = [] {
    VectorSet made = test::gaussian_vectors(12, 3, 2);
    for (Index n = 0; n < made.rows; ++n) {
      for (Index j = 0; j < made.dim; ++j)
        made.data[static_cast<std::size_t>(n * made.dim + j)] *= static_cast<double>(1 + n);
    }
    return made;
  }();
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(1));
  const Oracle oracle(rows);
  for (const Method method : kSampling) {
    std::vector<double> counts(12, 0.0);
    double draws = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      for (const StepRecord& record : sample(table, method, 100, seed).trace) {
        counts[static_cast<std::size_t>(record.row)] += 1;
        draws += 1;
      }
    }
    double chi_square = 0;
    for (Index n = 0; n < 12; ++n) {
      const double share =
          method == Method::Uniform ? 1.0 / 12 : static_cast<double>(oracle.norm_of(n) / oracle.norm_sum());
      const double expected = share * draws;
      chi_square += std::pow(counts[static_cast<std::size_t>(n)] - expected, 2) / expected;
    }
    EXPECT_LT(chi_square, 11 + 5 * std::sqrt(22.0)) << name(method);
  }
}

TEST(Sampling, IsAFunctionOfItsSeed) {
  const VectorSet p = test::gaussian_vectors(200, 5, 3);
  const DenseRows rows(p.view());
  const VectorTable one(rows, test::threads(1)), two(rows, test::threads(2));
  for (const Method method : kSampling) {
    const BuildResult first = sample(one, method, 20, 9);
    test::expect_same_bits(sample(two, method, 20, 9), first, std::string(name(method)));
    EXPECT_NE(sample(one, method, 20, 10).coreset.rows, first.coreset.rows);
  }
  EXPECT_NE(importance(one, {.size = 20, .seed = 9}).coreset.rows,
            uniform(one, {.size = 20, .seed = 9}).coreset.rows);
}

TEST(Sampling, HasAtMostAsManyPointsAsDraws) {
  const VectorSet p = test::gaussian_vectors(10, 5, 4);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(1));
  for (const Method method : kSampling) {
    const BuildResult result = sample(table, method, 50, 1);
    EXPECT_EQ(result.trace.size(), 50U);
    EXPECT_LE(result.coreset.size(), 10);
    EXPECT_EQ(name(result.termination), "size_reached");
    for (const StepRecord& record : result.trace)
      EXPECT_TRUE(std::isnan(record.step_length) && std::isnan(record.alignment) && std::isnan(record.bound));
  }
}

TEST(Sampling, GivesZeroRowsNoWeight) {
  const std::vector<double> data = {0, 0, 1, 2, 0, 0, 3, -1, 0, 0};
  const DenseRows rows(MatrixView::of(data.data(), 5, 2));
  const VectorTable table(rows, test::threads(1));
  for (const Method method : kSampling) {
    std::set<Index> seen;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const BuildResult result = sample(table, method, 10, seed);
      seen.insert(result.coreset.rows.begin(), result.coreset.rows.end());
      for (const double weight : result.coreset.weights) EXPECT_TRUE(std::isfinite(weight) && weight > 0);
    }
    EXPECT_EQ(seen, (std::set<Index>{1, 3})) << name(method);
  }
}

}  // namespace
}  // namespace giga
