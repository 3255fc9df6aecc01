// Columns and names of group effects, and what is refused.
#include "giga/design/group_effect.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "design/tables.hpp"
#include "giga/base/error.hpp"
#include "giga/design/both_scales.hpp"
#include "giga/design/design_state.hpp"
#include "support/executors.hpp"

namespace giga::test {
namespace {

using Names = std::vector<std::string>;
using Columns = std::vector<std::vector<double>>;

Dataset table() {
  return make_table({{"x", {1, 2, 3, 4, 5, 7.5}},
                     {"m", {2, 1, 12, 2, 1, 12}},
                     {"y", {0, 1, 0, 1, 1, 0}},
                     category("g", {"p", "q", "r", "p", "q", "r"}),
                     category("h", {"u", "v", "u", "v", "u", "v"}),
                     category("one", {"o", "o", "o", "o", "o", "o"})});
}

struct Matrix {
  Names names, labels;
  Columns columns;
  FormulaTerms made;
};

Matrix matrix_of(const DesignState& state, const Dataset& data) {
  Matrix out{{}, {}, {}, terms_of(state, sources_of(state, data, false))};
  std::vector<const double*> x;
  for (Index n = 0; n < data.num_rows(); ++n) x.push_back(data.features(n));
  for (const auto& term : out.made.terms) {
    const Index columns = term->num_columns();
    const std::vector<double> mean(at(columns), 0.0), inverse(at(columns), 1.0);
    std::vector<double> z(at(columns * data.num_rows()), -1.0);
    term->write(x.data(), data.num_rows(), {z.data(), columns, 1, mean.data(), inverse.data()});
    for (Index c = 0; c < columns; ++c) {
      out.names.push_back(term->column_name(c));
      out.labels.push_back(term->label(c));
      out.columns.emplace_back();
      for (Index n = 0; n < data.num_rows(); ++n) out.columns.back().push_back(z[at(n * columns + c)]);
    }
  }
  return out;
}

DesignState learnt(const std::string& text, const Dataset& data = table()) {
  return learn_design(parse_formula(text), data, threads(1));
}

Matrix matrix_of(const std::string& text) {
  return matrix_of(learnt(text), table());
}

std::string error_of(const std::string& text) {
  try {
    (void)matrix_of(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(GroupEffect, HasAColumnOfZerosForItsSdAndOneForEveryGroup) {
  const Matrix matrix = matrix_of("y ~ x + (1 | g)");
  EXPECT_EQ(matrix.names, (Names{"x", "sd[(Intercept) g]", "b[(Intercept) g:p]", "b[(Intercept) g:q]",
                                 "b[(Intercept) g:r]"}));
  EXPECT_EQ(matrix.columns, (Columns{{1, 2, 3, 4, 5, 7.5},
                                     {0, 0, 0, 0, 0, 0},
                                     {1, 0, 0, 1, 0, 0},
                                     {0, 1, 0, 0, 1, 0},
                                     {0, 0, 1, 0, 0, 1}}));
  EXPECT_EQ(matrix.labels[1], kGroupSds);
  EXPECT_EQ(matrix.made.population().size(), 1U);
  EXPECT_TRUE(matrix.made.intercept);
}

TEST(GroupEffect, SlopesHaveEffectsOfTheirOwn) {
  const Columns slopes = {{0, 0, 0, 0, 0, 0}, {1, 0, 3, 0, 5, 0}, {0, 2, 0, 4, 0, 7.5}};
  for (const char* text :
       {"y ~ (x | h)", "y ~ (1 + x | h)", "y ~ (1 + x || h)", "y ~ (1 | h) + (0 + x | h)"}) {
    const Matrix matrix = matrix_of(text);
    EXPECT_EQ(matrix.names, (Names{"sd[(Intercept) h]", "b[(Intercept) h:u]", "b[(Intercept) h:v]", "sd[x h]",
                                   "b[x h:u]", "b[x h:v]"}))
        << text;
    EXPECT_EQ(Columns(matrix.columns.begin() + 3, matrix.columns.end()), slopes) << text;
  }
  EXPECT_EQ(matrix_of("y ~ (0 + x | h)").names, (Names{"sd[x h]", "b[x h:u]", "b[x h:v]"}));
  EXPECT_EQ(matrix_of("y ~ (x - 1 | h)").columns, slopes);
  EXPECT_EQ(matrix_of("y ~ (0 + I(x^2) | h)").columns[1], (std::vector<double>{1, 0, 9, 0, 25, 0}));
}

TEST(GroupEffect, NumbersAreGroupsAsFactorsAre) {
  const Matrix number = matrix_of("y ~ (1 | m)"), called = matrix_of("y ~ (1 | factor(m))");
  EXPECT_EQ(number.names,
            (Names{"sd[(Intercept) m]", "b[(Intercept) m:1]", "b[(Intercept) m:2]", "b[(Intercept) m:12]"}));
  EXPECT_EQ(called.names[1], "b[(Intercept) factor(m):1]");
  EXPECT_EQ(number.columns, called.columns);
  EXPECT_EQ(number.columns[3], (std::vector<double>{0, 0, 1, 0, 0, 1}));
}

TEST(GroupEffect, GroupsThatWereNotLearntLeaveTheColumnsZeroAndHaveAName) {
  const DesignState state = learnt("y ~ (1 + x | g)");
  const Dataset other = make_table({{"x", {1, 2, 3}}, category("g", {"q", "zz", "aa"})});
  const Matrix matrix = matrix_of(state, other);
  EXPECT_EQ(matrix.columns[2], (std::vector<double>{1, 0, 0}));
  for (const std::size_t c : {1U, 3U}) EXPECT_EQ(matrix.columns[c], (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(matrix.columns[6], (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(matrix.made.groups[0]->coefficient_name(other.features(1)), "b[(Intercept) g:zz]");
  EXPECT_EQ(matrix.made.groups[1]->coefficient_name(other.features(2)), "b[x g:aa]");
  EXPECT_EQ(matrix.made.groups[1]->coefficient_name(other.features(0)), "b[x g:q]");
  EXPECT_NO_THROW(check_rows(state, other, threads(1), false, true));
  EXPECT_THROW(check_rows(state, other, threads(1), false), DataError);
  const DesignState numbers = learnt("y ~ (1 | m)");
  const Dataset months = make_table({{"m", {1, 7}}});
  EXPECT_EQ(matrix_of(numbers, months).made.groups[0]->coefficient_name(months.features(1)),
            "b[(Intercept) m:7]");
}

TEST(GroupEffect, TheDotDoesNotStandForWhatTellsGroupsApart) {
  EXPECT_EQ(matrix_of("y ~ . - one - h - m + (1 | g)").names[0], "x");
  EXPECT_EQ(matrix_of("y ~ . - one - h - m + (1 | g)").names[1], "sd[(Intercept) g]");
}

TEST(GroupEffect, WhatCannotBeOneIsRefusedInWords) {
  const auto expect = [](const std::string& text, const std::string& said) {
    EXPECT_NE(error_of(text).find(said), std::string::npos) << text << ": " << error_of(text);
  };
  expect("y ~ (1 | one)", "the one level 'o'");
  expect("y ~ (1 | g) + (1 + x | g)", "there already");
  expect("y ~ (0 | g)", "nothing varies by group");
  expect("y ~ (h | g)", "only numbers can vary by group");
  expect("y ~ (x:m | g)", "a product cannot vary");
  expect("y ~ (x * m | g)", "a product cannot vary");
  expect("y ~ (poly(x, 2) | g)", "cannot vary by group");
  expect("y ~ (. | g)", "name the columns");
  expect("y ~ (1 | g:h)", "one column or one call");
  expect("y ~ (1 | g/h)", "one column or one call");
  expect("y ~ (log(x - 1) | g)", "log(x - 1)");  // log(0) in a row
  TableColumn many{"id", {}};
  TableColumn y{"y", {}};
  for (int n = 0; n < 600; ++n) {
    many.values.push_back(n + 0.5);
    y.values.push_back(n % 2);
  }
  try {
    (void)learnt("y ~ (1 | id)", make_table({many, y}));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("600 coefficients"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("at most 500"), std::string::npos) << error.what();
  }
}

TEST(GroupEffect, SdsAreShownAsTheyAreAndSampledAsLogarithms) {
  const Standardisation scale{{5, 0, 0, 0}, {2, 1, 1, 1}, {}, {1}};
  const BothScales both({"x", "sd[(Intercept) g]", "b[(Intercept) g:p]", "b[(Intercept) g:q]"}, scale, true,
                        true);
  EXPECT_EQ(both.names(), (Names{"x", "sd[(Intercept) g]", "b[(Intercept) g:p]", "b[(Intercept) g:q]",
                                 "(intercept)", "std_x", "log_sd[(Intercept) g]", "std_b[(Intercept) g:p]",
                                 "std_b[(Intercept) g:q]", "std_(intercept)"}));
  const std::vector<double> theta = {4, std::log(0.5), 0.3, -0.2, 1};
  EXPECT_EQ(both.values(theta.data()),
            (std::vector<double>{2, 0.5, 0.3, -0.2, -9, 4, std::log(0.5), 0.3, -0.2, 1}));
  EXPECT_EQ(both.log_of(1), 1);
  EXPECT_EQ(both.log_of(2), -1);
  EXPECT_TRUE(both.has_logs());
  for (Index k = 0; k < both.num_original(); ++k) EXPECT_EQ(both.is_of_group(k), k == 2 || k == 3) << k;
  const BothScales plain({"sd[(Intercept) g]", "b[(Intercept) g:p]"}, {{0, 0}, {1, 1}, {}, {0}}, false,
                         false);
  EXPECT_EQ(plain.values(theta.data())[0], std::exp(4.0));
  EXPECT_EQ(plain.num_original(), 2);
}

TEST(GroupEffect, ColumnsOfEachEffectFollowItsSd) {
  const auto groups = group_columns({std::vector<double>(9), std::vector<double>(9), {}, {2, 6}});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ((std::vector<Index>{groups[0].sd, groups[0].first, groups[0].count}),
            (std::vector<Index>{2, 3, 3}));
  EXPECT_EQ((std::vector<Index>{groups[1].sd, groups[1].first, groups[1].count}),
            (std::vector<Index>{6, 7, 2}));
  EXPECT_TRUE(group_columns(Standardisation::identity(3)).empty());
}

}  // namespace
}  // namespace giga::test
