#include "giga/design/design_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "design/tables.hpp"
#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "support/pretend_ranks.hpp"

namespace giga::test {
namespace {

using Names = std::vector<std::string>;

// Six rows with a column of each kind. 2024-02-29 is day 19782, a Thursday.
Dataset table() {
  return make_table({{"x", {1, 2, 3, 4, 5, 7.5}},
                     {"m", {2, 1, 12, 2, 1, 12}},
                     category("a", {"p", "q", "r", "p", "q", "r"}),
                     category("b", {"u", "v", "u", "v", "u", "v"}),
                     category("late", {"TRUE", "FALSE", "TRUE", "TRUE", "FALSE", "TRUE"}),
                     category("one", {"o", "o", "o", "o", "o", "o"}),
                     {"day", {19782, 19783, 19784, -1, 0, 19723}, ColumnKind::Date},
                     {"time", {19782, 19782.5, 19782 + 23.0 / 24, -0.25, 0.04, 1}, ColumnKind::Time}});
}

struct Matrix {
  Names names;
  std::vector<std::vector<double>> columns;
  FormulaTerms made;
};

Matrix matrix_of(const DesignState& state, const Dataset& data) {
  Matrix matrix{{}, {}, terms_of(state, sources_of(state, data, false))};
  std::vector<const double*> x;
  for (Index n = 0; n < data.num_rows(); ++n) x.push_back(data.features(n));
  for (const auto& term : matrix.made.terms) {
    const Index columns = term->num_columns();
    const std::vector<double> mean(at(columns), 0.0), inverse(at(columns), 1.0);
    std::vector<double> z(at(columns * data.num_rows()));
    term->write(x.data(), data.num_rows(), {z.data(), 1, data.num_rows(), mean.data(), inverse.data()});
    for (Index c = 0; c < columns; ++c) {
      matrix.names.push_back(term->column_name(c));
      matrix.columns.emplace_back(z.begin() + c * data.num_rows(), z.begin() + (c + 1) * data.num_rows());
    }
  }
  return matrix;
}

Matrix matrix_of(const std::string& text, const Dataset& data) {
  const Threads executor(1);
  return matrix_of(learn_design(parse_formula(text), data, executor), data);
}

Names names_of(const std::string& text) {
  return matrix_of(text, table()).names;
}

std::vector<double> column(const std::string& text) {
  return matrix_of(text, table()).columns.at(0);
}

TEST(DesignState, CategoriesAreCodedAsInR) {
  EXPECT_EQ(names_of("~ a + x"), Names({"aq", "ar", "x"}));
  EXPECT_EQ(names_of("~ 0 + a + b"), Names({"ap", "aq", "ar", "bv"}));
  EXPECT_EQ(names_of("~ a:b"), Names({"ap:bu", "aq:bu", "ar:bu", "ap:bv", "aq:bv", "ar:bv"}));
  EXPECT_EQ(names_of("~ x*a"), Names({"x", "aq", "ar", "x:aq", "x:ar"}));
  EXPECT_EQ(names_of("~ x:a"), Names({"x:ap", "x:aq", "x:ar"}));
  EXPECT_EQ(names_of("~ a/b"), Names({"aq", "ar", "ap:bv", "aq:bv", "ar:bv"}));
  EXPECT_EQ(names_of("~ late"), Names({"lateTRUE"}));
  EXPECT_EQ(names_of("~ I(x > 2)"), Names({"I(x > 2)TRUE"}));
  EXPECT_EQ(names_of("~ factor(m)"), Names({"factor(m)2", "factor(m)12"}));
  EXPECT_EQ(names_of("~ relevel(a, 'q')"), Names({"relevel(a, \"q\")p", "relevel(a, \"q\")r"}));
  EXPECT_EQ(names_of("~ factor(a, levels = c('r', 'q', 'p'))").front(),
            "factor(a, levels = c(\"r\", \"q\", \"p\"))q");
  const Matrix matrix = matrix_of("~ 0 + a:x", table());
  EXPECT_EQ(matrix.columns[2], (std::vector<double>{0, 0, 3, 0, 0, 7.5}));
}

TEST(DesignState, ExpressionsAreThoseOfR) {
  EXPECT_EQ(column("~ I(x^2)"), (std::vector<double>{1, 4, 9, 16, 25, 56.25}));
  EXPECT_EQ(column("~ I(-m %% 5)"), (std::vector<double>{3, 4, 3, 3, 4, 3}));
  EXPECT_EQ(column("~ I(x %/% 2)"), (std::vector<double>{0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(column("~ round(x/2)"), (std::vector<double>{0, 1, 2, 2, 2, 4}));
  EXPECT_EQ(column("~ pmin(x, m, 3)"), (std::vector<double>{1, 1, 3, 2, 1, 3}));
  EXPECT_EQ(column("~ I((x > 2) + late)"), (std::vector<double>{1, 0, 2, 2, 1, 2}));
  EXPECT_EQ(column("~ I(a == 'q' | !late)"), (std::vector<double>{0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(column("~ I('p' != a)"), (std::vector<double>{0, 1, 1, 0, 1, 1}));
  EXPECT_EQ(column("~ sign(x - 3)"), (std::vector<double>{-1, -1, 0, 1, 1, 1}));
  EXPECT_EQ(column("~ I(TRUE & x > 4)"), (std::vector<double>{0, 0, 0, 0, 1, 1}));
}

TEST(DesignState, DatesHavePartsAndCompareWithTexts) {
  EXPECT_EQ(column("~ month(day)"), (std::vector<double>{2, 3, 3, 12, 1, 1}));
  EXPECT_EQ(column("~ year(day)"), (std::vector<double>{2024, 2024, 2024, 1969, 1970, 2024}));
  EXPECT_EQ(column("~ weekday(day)"), (std::vector<double>{4, 5, 6, 3, 4, 1}));
  EXPECT_EQ(column("~ hour(time)"), (std::vector<double>{0, 12, 23, 18, 0, 0}));
  EXPECT_EQ(column("~ I(day > \"2024-02-29\")"), (std::vector<double>{0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(column("~ I(\"2024-02-29\" > day)"), (std::vector<double>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(names_of("~ factor(month(day))"),
            Names({"factor(month(day))2", "factor(month(day))3", "factor(month(day))12"}));
  EXPECT_THROW((void)names_of("~ month(x)"), FormulaError);
  EXPECT_THROW((void)names_of("~ hour(day)"), FormulaError);
  EXPECT_THROW((void)names_of("~ I(day > \"yesterday\")"), FormulaError);
}

TEST(DesignState, TypesThatDoNotFitAreErrorsUnderThePlace) {
  for (const auto& [text, place] :
       std::vector<std::pair<std::string, Index>>{{"~ log(a)", 6},
                                                  {"~ poly(a, 2)", 7},
                                                  {"~ ns(x + a, 3)", 9},
                                                  {"~ I(a == 'z')", 9},
                                                  {"~ I(x == 'p')", 9},
                                                  {"~ I(a < 'p')", 6},
                                                  {"~ relevel(a, 'z')", 13},
                                                  {"~ relevel(m, '1')", 10},
                                                  {"~ offset(a)", 9},
                                                  {"~ bs(x, knots = 9)", 2},
                                                  {"~ factor(a, levels = c(1, 2))", 21}}) {
    try {
      (void)names_of(text);
      ADD_FAILURE() << text;
    } catch (const FormulaError& error) {
      EXPECT_EQ(error.offset(), place) << error.what();
    }
  }
}

TEST(DesignState, DataThatCannotBeUsedAreNamed) {
  const auto words = [](const std::string& text) -> std::string {
    try {
      (void)names_of(text);
    } catch (const DataError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(words("~ log(x - 3)"), "t.csv, row 1: log(x - 3) is not a number (x is 1)");
  EXPECT_EQ(words("~ a:log(x - 1)"), "t.csv, row 1: log(x - 1) is -Inf (x is 1)");
  EXPECT_EQ(words("~ I(1/(x - 4))"), "t.csv, row 4: I(1/(x - 4)) is Inf (x is 4)");
  EXPECT_EQ(words("~ ns(sqrt(x - 2), 2)"), "t.csv, row 1: sqrt(x - 2) is not a number (x is 1)");
  EXPECT_EQ(words("~ I(log(x - 2) > 0)"),
            "t.csv, row 1: I(log(x - 2) > 0) has a level that was not learnt (x is 1)");
  EXPECT_EQ(words("~ factor(a, levels = c('p', 'q'))"),
            "t.csv, row 3: factor(a, levels = c(\"p\", \"q\")) has a level that was not learnt (a is 'r')");
  EXPECT_EQ(words("~ one + x"),
            "the category one has the one level 'o', so it can explain nothing; leave it out of the formula");
  EXPECT_EQ(words("~ poly(m, 3)"), "t.csv: poly(m, 3) needs more than 3 different values, but there are 3");
  EXPECT_EQ(words("~ ns(pmin(x, 3), 2)"),
            "t.csv: ns(pmin(x, 3), 2) has a knot at the largest value, 3, which too many rows have; use "
            "fewer knots or "
            "name them");
  EXPECT_EQ(words("~ bs(I(0 * x))"), "t.csv: bs(I(0 * x)) needs different values, but all are 0");
  EXPECT_EQ(words("~ exp(x * 200):exp(m * 100)"), "t.csv, row 3: exp(m * 100) is Inf (m is 12)");
  EXPECT_EQ(words("~ exp(x * 100):exp(m * 50)"), "t.csv, row 3: the product exp(x * 100):exp(m * 50) is Inf");
}

TEST(DesignState, RowsOfWeightZeroTeachNothing) {
  const Threads executor(1);
  const Dataset data = make_table(
      {{"x", {1, 2, 3, 4, -1, 100}}, category("a", {"p", "q", "q", "p", "z", "q"})}, {1, 2, 1, 0.5, 0, 0});
  const Dataset without = make_table({{"x", {1, 2, 3, 4}}, category("a", {"p", "q", "q", "p"})});
  const Formula formula = parse_formula("~ ns(x, 2) + poly(log(x), 2) + factor(x) + factor(a)");
  const DesignState state = learn_design(formula, data, executor);
  EXPECT_EQ(state.learnt, learn_design(formula, without, executor).learnt);
  EXPECT_EQ(state.learnt[3].levels, Names({"p", "q"}));
}

// Three blocks of rows with numbers that are not round.
Dataset long_table() {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  std::vector<double> x, z, a, b;
  for (int n = 0; n < 10'000; ++n) {
    x.push_back(normal(random));
    z.push_back(std::exp(normal(random)));
    a.push_back(static_cast<double>(random() % 12));
    b.push_back(static_cast<double>(random() % 3));
  }
  Names levels;
  for (int l = 0; l < 12; ++l) levels.push_back(std::string(1, static_cast<char>('A' + l)));
  return make_table({{"x", x},
                     {"z", z},
                     {"a", a, ColumnKind::Category, levels},
                     {"b", b, ColumnKind::Category, {"u", "v", "w"}}});
}

const char* const kLong =
    "~ a*ns(x, 4) + poly(log(z), 3):b + bs(z, df = 5) + I(x^2) + x:z:b + factor(round(x))";

TEST(DesignState, HasTheSameBitsForAnyExecutor) {
  const Dataset data = long_table();
  const DesignState want = learn_design(parse_formula(kLong), data, Threads(1));
  EXPECT_EQ(learn_design(parse_formula(kLong), data, Threads(3)), want);
  EXPECT_EQ(learn_design(parse_formula(kLong), data, PretendRanks(3)), want);
}

TEST(DesignState, RowsHaveTheSameBitsHoweverTheyAreAskedFor) {
  const Dataset data = long_table();
  const DesignState state = learn_design(parse_formula(kLong), data, Threads(2));
  const FormulaTerms made = terms_of(state, sources_of(state, data));
  std::mt19937 random(23);
  for (const auto& term : made.terms) {
    const Index columns = term->num_columns();
    std::vector<double> mean, inverse;
    for (Index c = 0; c < columns; ++c) {
      mean.push_back(0.1 * static_cast<double>(c) + 0.3);
      inverse.push_back(1 / (0.7 + static_cast<double>(c)));
    }
    std::vector<const double*> x;
    for (Index n = 0; n < 1000; ++n) x.push_back(data.features(n));
    std::vector<double> together(at(1000 * columns)), apart(at(columns)), turned(at(70 * columns));
    term->write(x.data(), 1000, {together.data(), columns, 1, mean.data(), inverse.data()});
    for (int trial = 0; trial < 50; ++trial) {
      const Index n = static_cast<Index>(random() % 900);
      term->write(x.data() + n, 1, {apart.data(), columns, 1, mean.data(), inverse.data()});
      term->write(x.data() + n, 70, {turned.data(), 1, 70, mean.data(), inverse.data()});
      for (Index c = 0; c < columns; ++c) {
        ASSERT_EQ(apart[at(c)], together[at(n * columns + c)]) << term->column_name(c);
        for (const Index i : {0, 69})
          ASSERT_EQ(turned[at(c * 70 + i)], together[at((n + i) * columns + c)]) << term->column_name(c);
      }
    }
  }
}

TEST(DesignState, MakesTheSameColumnsOfATableWithOtherLevelsAndAnotherOrder) {
  const Threads executor(1);
  const DesignState state =
      learn_design(parse_formula("~ a*x + factor(a) + relevel(b, 'v')"), table(), executor);
  const Dataset newer =
      make_table({category("b", {"v", "u", "v"}), category("a", {"r", "q", "q"}), {"x", {3, 2, 5}}});
  const Matrix old = matrix_of(state, table()), now = matrix_of(state, newer);
  EXPECT_EQ(now.names, old.names);
  const std::vector<Index> same = {2, 1, 4};  // rows of the old table with the same x and a
  const std::size_t releveled = 5;            // the one column that is made of b
  EXPECT_EQ(now.columns[releveled], (std::vector<double>{0, 1, 0}));
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t n = 0; n < 3 && c != releveled; ++n)
      EXPECT_EQ(now.columns[c][n], old.columns[c][at(same[n])]) << now.names[c];
  const VariableSources by_name = sources_of(state, Names{"b", "x", "a"});
  EXPECT_EQ(by_name[0].feature, 2);
  EXPECT_EQ(by_name[1].feature, 1);
}

TEST(DesignState, NamesALevelThatItDoesNotKnowAndMakesItNaN) {
  const Threads executor(1);
  const DesignState state = learn_design(parse_formula("~ a + x:a + factor(m)"), table(), executor);
  const Dataset newer = make_table({{"x", {1, 2}}, {"m", {2, 2}}, category("a", {"p", "new"})});
  const Matrix matrix = matrix_of(state, newer);
  for (std::size_t c = 0; c < 7; ++c) {
    const bool of_month = matrix.names[c].starts_with("factor(m)");
    EXPECT_FALSE(std::isnan(matrix.columns[c][0]));
    EXPECT_EQ(std::isnan(matrix.columns[c][1]), !of_month) << matrix.names[c];
  }
  try {
    check_rows(state, newer, executor);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "t.csv, row 2: a has a level that was not learnt (a is 'new')");
  }
  EXPECT_THROW((void)sources_of(state, make_table({{"x", {1}}, {"m", {1}}})), DataError);
  EXPECT_THROW((void)sources_of(state, make_table({{"x", {1}}, {"m", {1}}, {"a", {1}}})), DataError);
}

TEST(DesignState, TellsWhatCategoriesBecame) {
  const Matrix matrix = matrix_of("~ a*x + a:b + factor(m) - 1", table());
  const auto& categories = matrix.made.categories;
  ASSERT_EQ(categories.size(), 3U);
  EXPECT_EQ(categories[0].name, "a");
  EXPECT_EQ(categories[0].levels, 3);
  EXPECT_EQ(categories[0].columns, 3 + 2 + 3);
  EXPECT_EQ(categories[0].base, "") << "without an intercept the first category has all its levels";
  EXPECT_EQ(categories[1].name, "b");
  EXPECT_EQ(categories[1].base, "u");
  EXPECT_EQ(categories[2].name, "factor(m)");
  EXPECT_EQ(categories[2].base, "1");
  EXPECT_FALSE(matrix.made.intercept);
}

TEST(DesignState, ADotTakesWhatTheTableHasButForTheExcluded) {
  const Threads executor(1);
  const Names excluded = {"one", "day", "time"};
  const DesignState state = learn_design(parse_formula("x ~ . - b"), table(), executor, excluded);
  EXPECT_EQ(state.dot, Names({"m", "a", "b", "late"}));
  EXPECT_EQ(matrix_of(state, table()).names, Names({"m", "aq", "ar", "lateTRUE"}));
  ASSERT_EQ(state.variables.size(), 4U);
  EXPECT_TRUE(state.variables[0].response_only);
  EXPECT_EQ(state.variables[2].levels, Names({"p", "q", "r"}));
}

TEST(DesignState, NumbersThatLieTogetherAreOneTerm) {
  const Dataset data = make_table({{"u", {1, 2}}, {"v", {3, 5}}, {"w", {4, 7}}});
  EXPECT_EQ(matrix_of("~ .", data).made.terms.size(), 1U);
  const Matrix apart = matrix_of("~ w + u + v", data);
  EXPECT_EQ(apart.made.terms.size(), 2U);
  EXPECT_EQ(apart.names, Names({"w", "u", "v"}));
  EXPECT_EQ(apart.columns, (std::vector<std::vector<double>>{{4, 7}, {1, 2}, {3, 5}}));
}

TEST(DesignState, RefusesAnIdentifierAsAFactorAndValuesThatWereNotLearnt) {
  const Threads executor(1);
  std::vector<double> id;
  for (int n = 0; n < 12'000; ++n) id.push_back(n);
  EXPECT_THROW((void)learn_design(parse_formula("~ factor(id)"), make_table({{"id", id}}), executor),
               DataError);
  DesignState state = learn_design(parse_formula("~ ns(x, 3) + poly(m, 2)"), table(), executor);
  const VariableSources sources = sources_of(state, table());
  DesignState broken = state;
  broken.learnt[0].boundary = {3, 3};
  EXPECT_THROW((void)terms_of(broken, sources), DataError);
  broken = state;
  broken.learnt[1].norm2.pop_back();
  EXPECT_THROW((void)terms_of(broken, sources), DataError);
  broken = state;
  broken.learnt.clear();
  EXPECT_THROW((void)terms_of(broken, sources), DataError);
  EXPECT_THROW((void)terms_of(state, VariableSources{}), std::invalid_argument);
}

TEST(DesignState, RandomFormulasEndInColumnsOrInWords) {
  const Names parts = {"x",
                       "m",
                       "a",
                       "b",
                       "late",
                       "day",
                       "time",
                       "one",
                       ".",
                       "I(",
                       "log(",
                       "factor(",
                       "relevel(",
                       "ns(",
                       "bs(",
                       "poly(",
                       "month(",
                       "hour(",
                       "pmax(",
                       "offset(",
                       "(",
                       ")",
                       ")",
                       ")",
                       ",",
                       "+",
                       "+",
                       "*",
                       ":",
                       "-",
                       "/",
                       "^",
                       "%in%",
                       "%%",
                       "==",
                       ">",
                       "!",
                       "&",
                       "|",
                       "1",
                       "2",
                       "3",
                       "0.5",
                       "'p'",
                       "df =",
                       "levels = c(",
                       "intercept = TRUE",
                       "knots =",
                       "1 |"};
  const Threads executor(1);
  const Dataset data = table();
  std::mt19937 random(29);
  Index made = 0, refused = 0;
  for (int trial = 0; trial < 60'000; ++trial) {
    std::string text = "~ " + parts[random() % 20];
    for (std::size_t more = random() % 8; more > 0; --more) text += " " + parts[random() % parts.size()];
    for (Index open = std::count(text.begin(), text.end(), '(');
         open > std::count(text.begin(), text.end(), ')');)
      text += ")";
    try {
      const Matrix matrix = matrix_of(learn_design(parse_formula(text), data, executor), data);
      ++made;
      for (std::size_t c = 0; c < matrix.columns.size(); ++c)
        for (const double value : matrix.columns[c])
          ASSERT_TRUE(std::isfinite(value)) << text << " " << matrix.names[c];
    } catch (const FormulaError& error) {
      ++refused;
      ASSERT_LT(error.offset(), std::ssize(text)) << text;
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(made, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace giga::test
