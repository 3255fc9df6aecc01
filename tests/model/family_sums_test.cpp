// Sums over rows of a family: the kernels that add many rows at many points at once.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "giga/base/random.hpp"
#include "model/family_kernels.hpp"
#include "model/reference.hpp"
#include "model/tile_kernels.hpp"

namespace giga {
namespace {

using test::bits_of;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr FamilyParameters kBernoulli = {Family::BernoulliLogit};

void add_logistic_rows(const double* y, const double* const* s, Index count, Index many, double* out) {
  kernels::of(kBernoulli).add_rows(y, s, count, many, out);
}

// kCount rows at `many` predictors, far ones among them.
constexpr Index kCount = 12;
struct Grid {
  std::vector<double> y;
  std::vector<std::vector<double>> s;
  std::vector<const double*> rows;
};
Grid grid(Index many) {
  Grid out;
  Stream random = stream(12, "grid");
  for (Index i = 0; i < kCount; ++i) {
    out.y.push_back(random.uniform() < 0.5 ? -1 : 1);
    out.s.emplace_back(static_cast<std::size_t>((many + 7) / 8 * 8), 0.0);
    for (Index j = 0; j < many; ++j)
      out.s.back()[static_cast<std::size_t>(j)] =
          random.normal() * std::pow(10.0, static_cast<double>(j % 4));
  }
  for (const auto& row : out.s) out.rows.push_back(row.data());
  return out;
}

TEST(FamilySums, SumsOfBernoulliRowsAreThoseOfTheFormula) {
  for (const Index count : {Index{1}, Index{5}, kCount}) {
    const Grid g = grid(203);
    std::vector<double> out(203, -1.5);
    add_logistic_rows(g.y.data(), g.rows.data(), count, 203, out.data());
    for (std::size_t j = 0; j < out.size(); ++j) {
      long double sum = -1.5L;
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const long double t = -static_cast<long double>(g.y[i] * g.s[i][j]);
        sum -= std::max(t, 0.0L) + std::log1p(std::exp(-std::abs(t)));
      }
      const double bound = 1e-15 * static_cast<double>(count) + 2e-15 * static_cast<double>(std::abs(sum));
      EXPECT_NEAR(out[j], static_cast<double>(sum), bound) << j;
    }
  }
}

TEST(FamilySums, SumsOfBernoulliRowsAreInfiniteOrNanWhereARowIs) {
  Grid g = grid(16);
  g.s[3][0] = -g.y[3] * kInf;
  g.s[3][1] = g.y[3] * kInf;
  g.s[7][2] = kNan;
  std::vector<double> out(16, 0.0);
  add_logistic_rows(g.y.data(), g.rows.data(), kCount, 16, out.data());
  EXPECT_EQ(out[0], -kInf);
  EXPECT_TRUE(std::isfinite(out[1]));
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_TRUE(std::isfinite(out[3]));
}

TEST(FamilySums, SumsOfRowsHaveTheSameBitsForEveryInstructionSetOfThisMachine) {
  const Grid g = grid(203);
  const auto sums = [&] {
    std::vector<double> out(203, 0.5), products(3 * 210, 0.25), values;
    add_logistic_rows(g.y.data(), g.rows.data(), kCount, 203, out.data());
    for (const auto& row : g.s) values.insert(values.end(), row.begin(), row.begin() + 203);
    kernels::add_products(g.s[0].data(), kCount, 3, values.data(), 203, 203, products.data(), 210);
    out.insert(out.end(), products.begin(), products.end());
    return bits_of(out);
  };
  const auto best = sums();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_TRUE(best == sums()) << hwy::TargetName(target);
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
}

}  // namespace
}  // namespace giga
