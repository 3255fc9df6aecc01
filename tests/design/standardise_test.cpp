#include "giga/design/standardise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "design/tables.hpp"
#include "giga/base/threads.hpp"
#include "giga/design/design.hpp"
#include "giga/design/design_state.hpp"
#include "support/pretend_ranks.hpp"

namespace giga::test {
namespace {

// Several blocks; a large mean, a constant, a category.
Dataset table(double factor = 1, bool weighted = false) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> x, big, constant, a, weights;
  for (int n = 0; n < 10'000; ++n) {
    x.push_back(factor * normal(random));
    big.push_back(1e6 + normal(random));
    constant.push_back(0.1);
    a.push_back(static_cast<double>(random() % 3));
    weights.push_back(static_cast<double>(random() % 4));
  }
  return make_table({{"x", x},
                     {"big", big},
                     {"constant", constant},
                     {"a", a, ColumnKind::Category, {"p", "q", "r", "never"}}},
                    weighted ? weights : std::vector<double>{});
}

void expect_same(const Standardisation& got, const Standardisation& want) {
  EXPECT_EQ(got.mean, want.mean);
  EXPECT_EQ(got.scale, want.scale);
  EXPECT_EQ(got.constant, want.constant);
}

TEST(Standardise, ColumnsAboutZeroKeepTheirZeroAndHaveARootMeanSquareOfOne) {
  const Threads executor(2);
  for (const bool weighted : {false, true}) {
    const Dataset data = table(1, weighted);
    const DistinctRows rows = distinct_rows(data, executor);
    const Design::Terms terms = {
        std::make_shared<NumericTerm>(0, std::vector<std::string>{"x", "big", "constant", "a"})};
    const Standardisation scale = about_zero(standardise(terms, data, rows, executor));
    EXPECT_EQ(scale.mean, std::vector<double>(4, 0.0));
    EXPECT_TRUE(scale.constant.empty());  // 0.1 in every row is +1, and has a coefficient
    for (Index d = 0; d < 4; ++d) {
      double weight = 0, squares = 0;
      for (Index n = 0; n < data.num_rows(); ++n) {
        const double w = weighted ? data.weights()[at(n)] : 1, x = data.features(n)[d] / scale.scale[at(d)];
        weight += w;
        squares += w * x * x;
      }
      EXPECT_NEAR(squares / weight, 1, 1e-9) << d;
    }
  }
}

TEST(Standardise, AColumnOfZerosSaysNothingAboutZeroEither) {
  const Standardisation scale = about_zero({.mean = {0, -3}, .scale = {1, 1}, .constant = {0, 1}});
  EXPECT_EQ(scale.constant, std::vector<Index>{0});
  EXPECT_EQ(scale.scale, (std::vector<double>{1, 3}));
}

TEST(Standardise, FeaturesHaveTheSameBitsAsColumnsOfATerm) {
  const Threads executor(2);
  // Squares of 1e200 overflow, so that one takes the way through extended precision.
  for (const double factor : {1.0, 1e200}) {
    for (const bool weighted : {false, true}) {
      const Dataset data = table(factor, weighted);
      const DistinctRows rows = distinct_rows(data, executor);
      // One term of all features is read where it lies, two are written out first.
      const Design::Terms together = {
          std::make_shared<NumericTerm>(0, std::vector<std::string>{"x", "b", "c", "a"})};
      const Standardisation want = standardise(together, data, rows, executor);
      expect_same(standardise(data, rows, executor),
                  standardise(Design::all_features(data), data, rows, executor));
      const Design::Terms apart = {std::make_shared<NumericTerm>(0, std::vector<std::string>{"x"}),
                                   std::make_shared<NumericTerm>(1, std::vector<std::string>{"b", "c", "a"})};
      expect_same(standardise(apart, data, rows, executor), want);
      EXPECT_EQ(want.constant, std::vector<Index>{2});
    }
  }
}

TEST(Standardise, DummiesHaveTheMeanAndTheSpreadOfAShare) {
  const Threads executor(2);
  const Dataset data = table();
  const DesignState state = learn_design(parse_formula("~ a + x:a"), data, executor);
  const FormulaTerms made = terms_of(state, sources_of(state, data));
  const DistinctRows rows = distinct_rows(data, executor);
  const Standardisation scale = standardise(made.terms, data, rows, executor);
  ASSERT_EQ(scale.mean.size(), 7U);  // a: q, r, never; x:a: all four
  double share = 0;
  for (Index n = 0; n < data.num_rows(); ++n) share += data.features(n)[3] == 1 ? 1 : 0;
  share /= 10'000;
  EXPECT_NEAR(scale.mean[0], share, 1e-14);
  EXPECT_NEAR(scale.scale[0], std::sqrt(share * (1 - share)), 1e-14);
  EXPECT_EQ(scale.constant, (std::vector<Index>{2, 6})) << "the level that never occurs";
  expect_same(standardise(made.terms, data, rows, PretendRanks(3)), scale);
  expect_same(standardise(made.terms, data, rows, Threads(1)), scale);
}

}  // namespace
}  // namespace giga::test
