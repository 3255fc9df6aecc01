#include <gtest/gtest.h>

#include <cmath>

#include "design/tables.hpp"
#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "giga/design/design_state.hpp"

namespace giga::test {
namespace {

Dataset table(const std::vector<double>& weights = {}) {
  return make_table({{"y", {1, 4, 0.5, 9}},
                     {"k", {1, 0, 2, 3}},
                     {"n", {4, 4, 2, 5}},
                     {"x", {0, 1, 2, 3}},
                     category("late", {"yes", "no", "no", "yes"})},
                    weights);
}

struct Made {
  DesignState state;
  VariableSources sources;
};

Made learn(const std::string& text, const Dataset& data) {
  const Threads executor(1);
  DesignState state = learn_design(parse_formula(text), data, executor);
  VariableSources sources = sources_of(state, data);
  return {std::move(state), std::move(sources)};
}

std::vector<double> values(const FormulaResponse& response, const Dataset& data) {
  std::vector<double> out(at(data.num_rows()));
  response.write(data, 0, data.num_rows(), out.data());
  return out;
}

std::string data_error(const std::string& text, const Dataset& data) {
  try {
    (void)learn(text, data);
  } catch (const DataError& error) {
    return error.what();
  }
  return "none";
}

TEST(FormulaResponse, IsAnExpressionUnderItsName) {
  const Dataset data = table();
  const Made made = learn("log(y) ~ x", data);
  const FormulaResponse response(made.state, made.sources);
  EXPECT_EQ(response.name(), "log(y)");
  EXPECT_TRUE(response.levels().empty());
  EXPECT_EQ(values(response, data), (std::vector<double>{0, std::log(4.0), std::log(0.5), std::log(9.0)}));
  double one = 0;
  response.write(data, 3, 1, &one);
  EXPECT_EQ(one, std::log(9.0));
}

TEST(FormulaResponse, ConditionsAndCategoriesHaveLevels) {
  const Dataset data = table();
  const Made condition = learn("I(y >= 4) ~ x", data);
  const FormulaResponse over(condition.state, condition.sources);
  EXPECT_EQ(over.levels(), (std::vector<std::string>{"FALSE", "TRUE"}));
  EXPECT_EQ(values(over, data), (std::vector<double>{0, 1, 0, 1}));
  const Made category = learn("late ~ x", data);
  const FormulaResponse late(category.state, category.sources);
  EXPECT_EQ(late.levels(), (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(values(late, data), (std::vector<double>{1, 0, 0, 1}));
  const Made turned = learn("relevel(late, 'yes') ~ x", data);
  EXPECT_EQ(values(FormulaResponse(turned.state, turned.sources), data), (std::vector<double>{0, 1, 1, 0}));
}

TEST(FormulaResponse, CbindIsSuccessesAndTrials) {
  const Dataset data = table();
  const Made made = learn("cbind(k, n - k) ~ x", data);
  const FormulaResponse response(made.state, made.sources);
  ASSERT_TRUE(response.has_trials());
  std::vector<double> successes(4), trials(4);
  response.write(data, 0, 4, successes.data(), trials.data());
  EXPECT_EQ(successes, (std::vector<double>{1, 0, 2, 3}));
  EXPECT_EQ(trials, (std::vector<double>{4, 4, 2, 5}));
  EXPECT_EQ(data_error("cbind(n, k - n) ~ x", data),
            "t.csv, row 1: k - n is -3, but a count cannot be below 0");
}

TEST(FormulaResponse, ThatIsNotFiniteNamesTheRowUnlessItsWeightIsZero) {
  EXPECT_EQ(data_error("log(k) ~ x", table()), "t.csv, row 2: log(k) is -Inf");
  EXPECT_EQ(data_error("log(k) ~ x", table({1, 0, 1, 1})), "none");
}

TEST(FormulaResponse, MayBeTheResponseOfTheTableWhichNoTermCanBe) {
  const Dataset data = table();
  const Made made = learn("I(`(response)` + 2) ~ x", data);
  const FormulaResponse response(made.state, made.sources);
  EXPECT_EQ(response.name(), "I(`(response)` + 2)");
  EXPECT_EQ(values(response, data), std::vector<double>(4, 2.0));
  EXPECT_EQ(
      data_error("y ~ log(`(response)`)", data),
      "t.csv: column '(response)' is read as the response of the table, so it cannot be among the terms");
}

TEST(FormulaResponse, IsNotNeededToMakeColumnsOfANewTable) {
  const Made made = learn("log(y) ~ x", table());
  const Dataset newer = make_table({{"x", {5, 6}}});
  EXPECT_THROW((void)sources_of(made.state, newer), DataError);
  const VariableSources sources = sources_of(made.state, newer, false);
  EXPECT_EQ(terms_of(made.state, sources).terms.size(), 1U);
  EXPECT_NO_THROW(check_rows(made.state, newer, Threads(1), false));
  EXPECT_THROW(FormulaResponse(made.state, sources), DataError);
}

TEST(FormulaOffset, IsTheSumOfAllOffsets) {
  const Dataset data = table();
  const Made made = learn("y ~ x + offset(log(n)) + offset(2 * k)", data);
  const FormulaOffset offset(made.state, made.sources);
  ASSERT_FALSE(offset.empty());
  std::vector<double> got(4), by_rows(4);
  offset.write(data, 0, 4, got.data());
  std::vector<const double*> x;
  for (Index n = 0; n < 4; ++n) x.push_back(data.features(n));
  offset.write(x.data(), 4, by_rows.data());
  EXPECT_EQ(got, by_rows);
  for (Index n = 0; n < 4; ++n) {
    const double* row = data.features(n);
    EXPECT_NEAR(got[at(n)], std::log(row[2]) + 2 * row[1], 1e-15);
  }
  EXPECT_EQ(data_error("y ~ offset(log(x))", data), "t.csv, row 1: log(x) is -Inf");
  const Made none = learn("y ~ x", data);
  EXPECT_TRUE(FormulaOffset(none.state, none.sources).empty());
}

}  // namespace
}  // namespace giga::test
