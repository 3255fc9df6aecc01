#include <gtest/gtest.h>

#include "design/formula_terms.hpp"
#include "design/near_names.hpp"
#include "giga/design/formula.hpp"

namespace giga::test {
namespace {

using Names = std::vector<std::string>;

// "a b a:b", with "1" before it if there is an intercept.
std::string expanded(const std::string& text, const Names& dot = {}) {
  const ExpandedTerms found = expand_terms(parse_formula(text), dot);
  std::string terms = found.intercept ? "1" : "0";
  for (const TermVariables& term : found.terms) {
    terms += " ";
    for (std::size_t i = 0; i < term.size(); ++i) terms += (i > 0 ? ":" : "") + found.labels[at(term[i])];
  }
  return terms;
}

TEST(ExpandTerms, MultipliesOutAsR) {
  EXPECT_EQ(expanded("~ a*b"), "1 a b a:b");
  EXPECT_EQ(expanded("~ a:b + a + b"), "1 a b a:b");
  EXPECT_EQ(expanded("~ b:a + a"), "1 a b:a");
  EXPECT_EQ(expanded("~ a/b"), "1 a a:b");
  EXPECT_EQ(expanded("~ (a + b)/c"), "1 a b a:b:c");
  EXPECT_EQ(expanded("~ a + b %in% a"), "1 a a:b");
  EXPECT_EQ(expanded("~ (a + b) %in% c"), "1 a:c b:c");
  EXPECT_EQ(expanded("~ (a + b + c)^2"), "1 a b c a:b a:c b:c");
  EXPECT_EQ(expanded("~ (a + b)^7"), "1 a b a:b");
  EXPECT_EQ(expanded("~ a*b*c - a:b"), "1 a b c a:c b:c a:b:c");
  EXPECT_EQ(expanded("~ a*b - (a:b + b)"), "1 a");
  EXPECT_EQ(expanded("~ a + a + (a)"), "1 a");
  EXPECT_EQ(expanded("~ a:a"), "1 a");
  EXPECT_EQ(expanded("~ I(x^2) + x:log(x)"), "1 I(x^2) x:log(x)");
}

TEST(ExpandTerms, TheLastWordOnTheInterceptRules) {
  EXPECT_EQ(expanded("~ 0 + a"), "0 a");
  EXPECT_EQ(expanded("~ a - 1"), "0 a");
  EXPECT_EQ(expanded("~ a + 0 + 1"), "1 a");
  EXPECT_EQ(expanded("~ 0 + a - 0"), "1 a");
  EXPECT_EQ(expanded("~ -(-1) + a"), "1 a");
  EXPECT_EQ(expanded("~ (0 + x)*a"), "0 x a x:a");
  EXPECT_EQ(expanded("~ 1"), "1");
}

TEST(ExpandTerms, ADotIsEveryOtherColumnAsATermOfItsOwn) {
  EXPECT_EQ(expanded("y ~ . - b", {"a", "b", "c"}), "1 a c");
  EXPECT_EQ(expanded("y ~ .^2", {"a", "b"}), "1 a b a:b");
  EXPECT_EQ(expanded("y ~ b + .", {"a", "b"}), "1 b a");
}

TEST(ExpandTerms, OffsetsAreNoTerms) {
  const ExpandedTerms found = expand_terms(parse_formula("y ~ x + offset(log(n)) + offset(m)"), {});
  EXPECT_EQ(found.labels, Names({"x"}));
  ASSERT_EQ(found.offsets.size(), 2U);
  EXPECT_EQ(deparse(*found.offsets[0]), "log(n)");
}

TEST(ExpandTerms, RefusesTheResponseAsATermAndTooManyTerms) {
  EXPECT_THROW((void)expand_terms(parse_formula("y ~ x + y"), {}), FormulaError);
  EXPECT_THROW((void)expand_terms(parse_formula("log(y) ~ x*log(y)"), {}), FormulaError);
  EXPECT_NO_THROW((void)expand_terms(parse_formula("log(y) ~ y"), {}));
  Names many;
  for (int i = 0; i < 300; ++i) many.push_back("x" + std::to_string(i));
  EXPECT_THROW((void)expand_terms(parse_formula("y ~ .^3"), many), FormulaError);
}

TEST(ExpandTerms, ACategoryHasABaseWhereItsMarginIsPartOfAnEarlierTerm) {
  const auto coded = [](const std::string& text, Index term, Index variable) {
    return expand_terms(parse_formula(text), {}).is_contrasted(term, variable);
  };
  EXPECT_TRUE(coded("~ a", 0, 0));
  EXPECT_FALSE(coded("~ a:b", 0, 0));
  EXPECT_FALSE(coded("~ a:b", 0, 1));
  EXPECT_TRUE(coded("~ x + x:a", 1, 1));
  EXPECT_FALSE(coded("~ x:a", 0, 1));
  EXPECT_FALSE(coded("~ a + a:b", 1, 0));  // b alone is not there
  EXPECT_TRUE(coded("~ a + a:b", 1, 1));
  EXPECT_TRUE(coded("~ a:b + a:b:c", 1, 2));
  EXPECT_FALSE(coded("~ a:b + a:b:c", 1, 0));
  EXPECT_TRUE(coded("~ a:b + b:c", 1, 2));  // b is part of a:b
}

const Names kTable = {"y", "x", "dep_delay", "carrier", "w", "n"};

TEST(FormulaColumns, AreThoseOfEachSideOnceInOrder) {
  const FormulaColumns columns =
      formula_columns(parse_formula("log(y) ~ carrier*ns(x, 3) + offset(log(n)) + (x | carrier)"), kTable);
  EXPECT_EQ(columns.response, Names({"y"}));
  EXPECT_EQ(columns.terms, Names({"carrier", "x", "n"}));
  EXPECT_TRUE(columns.dot.empty());
}

TEST(FormulaColumns, ADotLeavesOutTheResponseAndTheExcluded) {
  const Names excluded = {"w"};
  const FormulaColumns columns = formula_columns(parse_formula("log(y) ~ . - n"), kTable, excluded);
  EXPECT_EQ(columns.dot, Names({"x", "dep_delay", "carrier", "n"}));
  EXPECT_EQ(columns.terms, Names({"x", "dep_delay", "carrier"}));
  EXPECT_EQ(formula_columns(parse_formula("cbind(y, n - y) ~ ."), kTable).dot,
            Names({"x", "dep_delay", "carrier", "w"}));
}

TEST(FormulaColumns, NamesAColumnThatIsNotThereAndThoseNearIt) {
  for (const char* text : {"y ~ carier", "y ~ . - carier", "y ~ x + log(carier)", "y ~ (1 | carier)"}) {
    try {
      (void)formula_columns(parse_formula(text), kTable);
      FAIL() << text;
    } catch (const FormulaError& error) {
      EXPECT_EQ(error.sentence(), "the table has no column 'carier'; did you mean 'carrier'?");
      EXPECT_EQ(error.offset(), static_cast<Index>(std::string(text).find("carier")));
    }
  }
  EXPECT_NO_THROW((void)formula_columns(parse_formula("y ~ sin(2 * pi * x) + poly(x, 2, raw = T)"), kTable));
}

TEST(NearNames, CountChangesAndSwapsAndBeginnings) {
  EXPECT_EQ(word_distance("log", "lgo"), 1);
  EXPECT_EQ(word_distance("kitten", "sitting"), 3);
  EXPECT_EQ(near_names("dep", kTable), Names({"dep_delay"}));
  EXPECT_EQ(near_names("CARRIER", kTable), Names({"carrier"}));
  EXPECT_TRUE(near_names("temperature", kTable).empty());
}

}  // namespace
}  // namespace giga::test
