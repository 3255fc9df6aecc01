#include "giga/design/rare_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "design/tables.hpp"
#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "support/pretend_ranks.hpp"

namespace giga::test {
namespace {

using Texts = std::vector<std::string>;

// Each level so many times, in turn while there are any left.
// NOLINTNEXTLINE(performance-unnecessary-value-param): it is counted down
Dataset levels(std::vector<std::pair<std::string, int>> counts, const std::vector<double>& weights = {}) {
  Texts texts;
  for (bool more = true; more;) {
    more = false;
    for (auto& [level, left] : counts) {
      if (left == 0) continue;
      texts.push_back(level);
      more = --left > 0 || more;
    }
  }
  return make_table({category("c", texts)}, weights);
}

Texts notes(const Dataset& data) {
  return rare_level_notes(data, table_categories(data), Threads(1));
}

Texts notes(const Dataset& data, const std::string& formula) {
  const Threads executor(1);
  const DesignState state = learn_design(parse_formula(formula), data, executor);
  return rare_level_notes(data, terms_of(state, sources_of(state, data, false)).categories, executor);
}

TEST(RareLevels, AreNamedWithTheirRows) {
  EXPECT_EQ(
      notes(levels({{"a", 9}, {"b", 1}, {"d", 5}})),
      (Texts{"c: the level 'b' occurs in 1 row: the data tell little about its coefficient, and the prior "
             "decides the rest"}));
  EXPECT_EQ(
      notes(levels({{"a", 9}, {"b", 4}, {"d", 5}, {"e", 2}})),
      (Texts{"c: 2 of 4 levels occur in fewer than 5 rows each ('b' in 4, 'e' in 2): the data tell little "
             "about their coefficients, and the prior decides the rest"}));
  EXPECT_TRUE(notes(levels({{"a", 5}, {"b", 5}})).empty());
  EXPECT_TRUE(notes(levels({{"a", 3}})).empty());  // makes no column
}

TEST(RareLevels, ManyAreCountedAndAFewNamed) {
  std::vector<std::pair<std::string, int>> counts = {{"a", 20}};
  for (int k = 10; k < 30; ++k) counts.emplace_back("l" + std::to_string(k), 1);
  const Texts said = notes(levels(counts));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("20 of 21 levels"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("'l14' in 1, ...)"), std::string::npos) << said[0];
}

TEST(RareLevels, ARareBaseIsSaidWithTheWayToAnother) {
  const Texts said = notes(levels({{"a", 2}, {"b", 7}, {"d d", 8}}));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("c: the base 'a' occurs in 2 rows"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("relevel(c, \"d d\")"), std::string::npos) << said[0];
}

TEST(RareLevels, FollowTheFormula) {
  const Dataset data = levels({{"a", 2}, {"b", 7}, {"d", 8}});
  EXPECT_NE(notes(data, "~ c").front().find("the base 'a'"), std::string::npos);
  EXPECT_NE(notes(data, "~ relevel(c, 'b')").front().find("the level 'a' occurs in 2 rows"),
            std::string::npos);
  EXPECT_NE(notes(data, "~ factor(c)").front().find("the base 'a'"), std::string::npos);
  EXPECT_NE(notes(data, "~ 0 + c").front().find("the level 'a'"), std::string::npos);
  EXPECT_TRUE(notes(data, "~ I(c == 'b')").empty());  // its levels make no columns
  EXPECT_EQ(notes(data, "~ c + relevel(c, 'b')").size(), 1U);
}

TEST(RareLevels, ARowCountsByItsWeight) {
  // b has one row of weight 20, d five rows of weight 0.
  const std::vector<double> weights = {1, 20, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  const Dataset data = levels({{"a", 6}, {"b", 1}, {"d", 5}}, weights);
  EXPECT_TRUE(notes(data).empty());
}

TEST(RareLevels, AreTheSameUnderAnyExecutor) {
  Texts texts;
  for (int n = 0; n < 20000; ++n) texts.push_back("l" + std::to_string(n % 7));
  for (const int n : {3, 9000, 19999}) texts[static_cast<std::size_t>(n)] = "rare";
  const Dataset data = make_table({category("c", texts)});
  const Texts one = notes(data);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NE(one[0].find("'rare' occurs in 3 rows"), std::string::npos);
  EXPECT_EQ(rare_level_notes(data, table_categories(data), Threads(3)), one);
  EXPECT_EQ(rare_level_notes(data, table_categories(data), PretendRanks(3)), one);
}

// ---- and the other end: more columns than can be fitted

Dataset wide_table(int first, int second) {
  Texts one, two;
  for (int n = 0; n < std::max(first, second); ++n) {
    one.push_back("l" + std::to_string(n % first));
    two.push_back("m" + std::to_string(n % second));
  }
  return make_table(
      {category("few", one), category("many", two), {"x", std::vector<double>(one.size(), 1.0)}});
}

std::string refusal(const Dataset& data, const std::string& formula = "") {
  try {
    if (formula.empty()) {
      (void)Design::all_features(data);
    } else {
      (void)learn_design(parse_formula(formula), data, Threads(1));
    }
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(ColumnLimit, RefusesATableAndNamesTheCategoryWithTheMostColumns) {
  EXPECT_EQ(refusal(wide_table(4001, 6001)), "");
  EXPECT_EQ(
      refusal(wide_table(4001, 6002)),
      "t.csv: categories and other terms make 10,001 columns, at most 10,000 can be fitted; many makes 6,001 "
      "of them: leave it out, or join levels of its categories");
}

TEST(ColumnLimit, RefusesAFormulaAndNamesTheTermWithTheMostColumns) {
  const Dataset data = wide_table(70, 200);
  EXPECT_EQ(refusal(data, "~ few + many + x"), "");
  const std::string said = refusal(data, "~ x + few * many");
  EXPECT_NE(said.find("the formula: "), std::string::npos) << said;
  EXPECT_NE(said.find("make 13,999 columns"), std::string::npos) << said;  // 69 + 199 + 69 * 199
  EXPECT_NE(said.find("few:many makes 13,731 of them"), std::string::npos) << said;
}

TEST(ColumnLimit, ManyColumnsOfNumbersAreNoneOfItsBusiness) {
  std::vector<TableColumn> columns;
  for (int c = 0; c < 10'500; ++c) columns.push_back({"x" + std::to_string(c), {1.0, 2.0}});
  columns.push_back(category("c", {"a", "b"}));
  EXPECT_EQ(refusal(make_table(columns)), "");
}

}  // namespace
}  // namespace giga::test
