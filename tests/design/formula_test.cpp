#include "giga/design/formula.hpp"

#include <gtest/gtest.h>

#include <random>

namespace giga::test {
namespace {

// Names of all calls, in brackets: how the parser grouped things.
std::string shape(const Expression& node) {
  if (node.kind != Expression::Kind::Call) return deparse(node);
  std::string text = "(" + node.text;
  for (const auto& argument : node.arguments) text += " " + shape(*argument.value);
  return text + ")";
}

std::string right_side(const std::string& text) {
  return shape(*parse_formula("y ~ " + text).terms);
}

FormulaError error_of(const std::string& text) {
  try {
    (void)parse_formula(text);
  } catch (const FormulaError& error) {
    return error;
  }
  ADD_FAILURE() << text << " was read";
  return {text, 0, ""};
}

TEST(ParseFormula, OperatorsBindAsInR) {
  EXPECT_EQ(right_side("a + b:c"), "(+ a (: b c))");
  EXPECT_EQ(right_side("a*b + c - d"), "(- (+ (* a b) c) d)");
  EXPECT_EQ(right_side("a %in% b:c"), "(%in% a (: b c))");
  EXPECT_EQ(right_side("a * b %in% c"), "(* a (%in% b c))");
  EXPECT_EQ(right_side("I(-x^2)"), "(I (- (^ x 2)))");
  EXPECT_EQ(right_side("I(x^y^2)"), "(I (^ x (^ y 2)))");
  EXPECT_EQ(right_side("I(2^-x)"), "(I (^ 2 (- x)))");
  EXPECT_EQ(right_side("I(!x > 1 & z == 2 | u)"), "(I (| (& (! (> x 1)) (== z 2)) u))");
  EXPECT_EQ(right_side("I(x - 1 - 2)"), "(I (- (- x 1) 2))");
  EXPECT_EQ(right_side("I(x**2)"), "(I (^ x 2))");
  EXPECT_EQ(right_side("I(x %% 2 * 3)"), "(I (* (%% x 2) 3))");
}

TEST(ParseFormula, TextIsWrittenBackAsRDeparsesIt) {
  const auto back = [](const std::string& text) { return deparse(*parse_formula("~" + text).terms); };
  EXPECT_EQ(back("I( x ^2+1 )"), "I(x^2 + 1)");
  EXPECT_EQ(back("ns(x,df=3)"), "ns(x, df = 3)");
  EXPECT_EQ(back("I(x%%2/z%/%3)"), "I(x%%2/z%/%3)");
  EXPECT_EQ(back("relevel( a ,'U\"A')"), "relevel(a, \"U\\\"A\")");
  EXPECT_EQ(back("`dep delay`:`x`"), "`dep delay`:x");
  EXPECT_EQ(back("a %in% b"), "a %in% b");
  EXPECT_EQ(back("I(100000*x+123456-0.0001+1e-15+.5+3L)"),
            "I(1e+05 * x + 123456 - 1e-04 + 1e-15 + 0.5 + 3L)");
  EXPECT_EQ(back("I(!x&z!=1)"), "I(!x & z != 1)");
  EXPECT_EQ(deparse(0.1 + 0.2), "0.3");
  EXPECT_EQ(deparse(-1234567.125), "-1234567.125");
  EXPECT_EQ(deparse(1e15), "1e+15");
  EXPECT_EQ(deparse(1e-300), "1e-300");
}

TEST(ParseFormula, FormulasThatDifferInBlanksHaveOneText) {
  const auto back = [](const std::string& text) { return deparse(parse_formula(text)); };
  EXPECT_EQ(back("late~hour+ carrier"), "late ~ hour + carrier");
  EXPECT_EQ(back("  late  ~ hour\t+carrier "), back("late~hour+carrier"));
  EXPECT_EQ(back("y ~ ns( x,df=3 ) * relevel(c, 'a')"), back("y~ns(x, df = 3)*relevel(c,\"a\")"));
  EXPECT_EQ(back("~ I(.5 * x)"), back("~I(0.50*x)"));
  EXPECT_EQ(back("y ~ (1|g) + x"), back("y ~ x + (1 | g)"));
  EXPECT_EQ(back("y ~ (1|g)"), "y ~ (1 | g)");
  EXPECT_EQ(back("y ~ `a b`"), "y ~ `a b`");
  // `!` takes all that follows it.
  EXPECT_EQ(back("y ~ (1|g) + x %in% !z"), "y ~ (1 | g) + x %in% !z");
  EXPECT_EQ(back("y ~ (1|g) + (!z)"), "y ~ (!z) + (1 | g)");
  for (const char* other : {"late ~ hour - carrier", "late ~ carrier + hour", "late ~ (hour + carrier)",
                            "late ~ `hour ` + carrier", "hour ~ late + carrier"})
    EXPECT_NE(back(other), back("late ~ hour + carrier")) << other;
  EXPECT_NE(back("y ~ relevel(c, 'a')"), back("y ~ relevel(c, 'a ')"));
}

TEST(ParseFormula, KeepsGroupTermsApart) {
  const Formula formula = parse_formula("y ~ x + (1 | g) + z + (1 + x || `a b`)");
  EXPECT_EQ(deparse(*formula.terms), "x + z");
  ASSERT_EQ(formula.groups.size(), 2U);
  EXPECT_EQ(formula.groups[0].text, "1 | g");
  EXPECT_TRUE(formula.groups[0].correlated);
  EXPECT_EQ(deparse(*formula.groups[1].terms), "1 + x");
  EXPECT_EQ(deparse(*formula.groups[1].group), "`a b`");
  EXPECT_FALSE(formula.groups[1].correlated);
  EXPECT_EQ(parse_formula("y ~ (1 | g)").terms, nullptr);
  EXPECT_EQ(deparse(*parse_formula("y ~ (1 | g) - 1").terms), "-1");
}

TEST(ParseFormula, HasOneSideOrTwo) {
  EXPECT_EQ(parse_formula("~ x").response, nullptr);
  EXPECT_EQ(deparse(*parse_formula("I(arr_delay >= 15) ~ x").response), "I(arr_delay >= 15)");
  EXPECT_EQ(deparse(*parse_formula("cbind(k, n - k) ~ x").response), "cbind(k, n - k)");
  EXPECT_EQ(deparse(*parse_formula("log(y) ~ 1").response), "log(y)");
}

TEST(ParseFormula, SaysWhatIsWrongUnderThePlace) {
  const FormulaError error = error_of("y ~ x + lgo(z)");
  EXPECT_EQ(error.offset(), 8);
  EXPECT_EQ(error.rendering(), "y ~ x + lgo(z)\n        ^");
  EXPECT_EQ(error.sentence(), "there is no function 'lgo'; did you mean 'log'?");
  EXPECT_EQ(std::string(error.what()), "`formula`: " + error.sentence() + "\n" + error.rendering());
  EXPECT_EQ(error_of("y ~ x +").rendering(), "y ~ x +\n      ^");
  EXPECT_EQ(error_of("y ~ log(x").sentence(), "this '(' is never closed");
  EXPECT_EQ(error_of("y ~ log(x").offset(), 7);
  EXPECT_EQ(error_of("y ~ x)").sentence(), "this ')' closes nothing");
  EXPECT_NE(error_of("y ~ 2 * x").sentence().find("I(2 * x)"), std::string::npos);
  EXPECT_NE(error_of("y ~ x = 2").sentence().find("=="), std::string::npos);
  EXPECT_NE(error_of("y ~ x + 1 | g").sentence().find("(1 | g)"), std::string::npos);
  EXPECT_EQ(error_of("y x + z").sentence(), "expected an operator such as + or : before 'x'");
  EXPECT_NE(error_of("x + z").sentence().find("no '~'"), std::string::npos);
}

TEST(ParseFormula, DrawsTheCaretByCharactersAndCutsLongFormulas) {
  // Each of the two letters before the place has two bytes.
  EXPECT_EQ(error_of("\xC3\xA4\xC3\xB6 ~ ?").rendering(), "\xC3\xA4\xC3\xB6 ~ ?\n     ^");
  EXPECT_EQ(error_of("y ~\n\t?").rendering(), "y ~  ?\n     ^");
  std::string sum = "y ~ x";
  for (int i = 0; i < 200; ++i) sum += " + x" + std::to_string(i);
  const std::string drawn = error_of(sum + " + ? + z").rendering();
  const std::size_t line = drawn.find('\n');
  EXPECT_LT(line, 110U);
  EXPECT_EQ(drawn[drawn.find('^') - line - 1], '?');
}

TEST(ParseFormula, RefusesSillySizes) {
  EXPECT_THROW((void)parse_formula("y ~ " + std::string(100'000, '(')), FormulaError);
  EXPECT_THROW((void)parse_formula("y ~ " + std::string(90'000, '-') + "x"), FormulaError);
  std::string sum = "y ~ x";
  for (int i = 0; i < 5000; ++i) sum += "+x";
  EXPECT_THROW((void)parse_formula(sum), FormulaError);
  EXPECT_THROW((void)parse_formula("y ~ " + std::string(200'000, 'x')), FormulaError);
  std::string deep = "y ~ I(", end;
  for (int i = 0; i < 100; ++i) {
    deep += "(";
    end += ")";
  }
  EXPECT_NO_THROW((void)parse_formula(deep + "x" + end + ")"));
}

void expect_error_within(const std::string& text) {
  try {
    (void)parse_formula(text);
    ADD_FAILURE() << "'" << text << "' was read";
  } catch (const FormulaError& error) {
    EXPECT_GE(error.offset(), 0) << text;
    EXPECT_LT(error.offset(), std::max<Index>(1, std::ssize(text))) << text;
    EXPECT_GT(error.sentence().size(), 10U) << text;
    const std::size_t line = error.rendering().find('\n');
    ASSERT_NE(line, std::string::npos) << text;
    const std::size_t caret = error.rendering().size() - line - 2;
    EXPECT_EQ(error.rendering().back(), '^') << text;
    EXPECT_LT(caret, std::max<std::size_t>(1, line)) << error.rendering();
  }
}

TEST(ParseFormula, BrokenFormulasGetACaretWithinTheText) {
  const std::vector<std::string> broken = {"lgo(x)",
                                           "log()",
                                           "log(x",
                                           "log(x, z)",
                                           "log(,x)",
                                           "log(x,)",
                                           "(x",
                                           "x)",
                                           "()",
                                           "x z",
                                           "x(z",
                                           "x + + ",
                                           "* x",
                                           "x *",
                                           "x : ",
                                           ": x",
                                           "x ^ 2.5",
                                           "x ^ z",
                                           "x ^ 0",
                                           "(x + z)^-1",
                                           "2 * x",
                                           "x + 3",
                                           "\"x\"",
                                           "'x",
                                           "`x",
                                           "``",
                                           "x = 2",
                                           "x == 1 == 2",
                                           "x < 1 < 2",
                                           "x <- 1",
                                           "x && z",
                                           "x | z",
                                           "x || z",
                                           "1 | g",
                                           "(1 | 2)",
                                           "(1 | .)",
                                           "x %on% z",
                                           "x % z",
                                           "x $ z",
                                           "x[1]",
                                           "{x}",
                                           "x; z",
                                           "x @ z",
                                           "x ? z",
                                           "#x",
                                           "x \\ z",
                                           "1x",
                                           "1e",
                                           "1e999",
                                           "x ~ z",
                                           "~ x",
                                           "I()",
                                           "I(x:z)",
                                           "I(.)",
                                           "log(.)",
                                           "I(poly(x, 2))",
                                           "poly()",
                                           "poly(x, df = 2)",
                                           "ns(x, 3, 4, TRUE, 5, 6)",
                                           "ns(df = 3)",
                                           "bs(x, x = z)",
                                           "bs(\"x\")",
                                           "cbind(x, z)",
                                           "offset(x):z",
                                           "offset()",
                                           "x - offset(z)",
                                           "relevel(x)",
                                           "relevel(x, 2)",
                                           "relevel(x, z)",
                                           "factor(x, levels = z)",
                                           "factor(x, levels = c(\"a\", 1))",
                                           "c(1, 2)",
                                           "I(c(1, 2))",
                                           "log(x = z)",
                                           "x:1",
                                           "NULL",
                                           "NA",
                                           "if",
                                           "function(x)",
                                           "TRUE",
                                           "log(\"x\")",
                                           "I(x + \"a\")",
                                           "\"a\\q\"",
                                           "`log`(x)",
                                           "I(x %in% z)",
                                           "pmin(x)",
                                           "x ! z",
                                           "I(factor(x) + 1)",
                                           "month()",
                                           "%%",
                                           "x, z",
                                           "I(x,z)",
                                           "!"};
  Index count = 0;
  for (const std::string& text : broken) {
    for (const char* before : {"y ~ ", "y ~ u + ", "cbind(k, n - k) ~ a*b + "}) {
      expect_error_within(before + text);
      ++count;
    }
  }
  for (const std::string text : {"",
                                 " ",
                                 "~",
                                 "y ~",
                                 "y",
                                 "y ~ x ~ z",
                                 "1 ~ x",
                                 ". ~ x",
                                 "\"y\" ~ x",
                                 "poly(y, 2) ~ x",
                                 "offset(y) ~ x",
                                 "cbind(y) ~ x",
                                 "cbind(a, b, c) ~ x",
                                 "y + ~ x",
                                 "(y ~ x)",
                                 "y, z ~ x",
                                 "y:z ~ x",
                                 "log(cbind(a, b)) ~ x",
                                 "ns(y, 2) ~ x",
                                 ")",
                                 "y ~ x \x01"}) {
    expect_error_within(text);
    ++count;
  }
  EXPECT_GE(count, 200);
}

TEST(ParseFormula, RandomChangesNeverCrashIt) {
  const std::vector<std::string> valid = {
      "y ~ x + z", "log(y) ~ poly(x, 2) * a + offset(log(n))", "cbind(k, n - k) ~ . - id + (1 + x | g)",
      "I(d >= 15) ~ ns(temp, df = 3):`odd name` + relevel(carrier, \"UA\")",
      "~ (a + b + c)^2 - a:b + a %in% b / c + factor(x, levels = c(1, 2)) + 0"};
  const std::string letters = "xyz019.+-*/:^~()|&!<>=%`\"',\\ \xC3 I";
  std::mt19937 random(7);
  Index refused = 0, read = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string text = valid[random() % valid.size()];
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t place = random() % text.size();
      const char letter = letters[random() % letters.size()];
      switch (random() % 3) {
        case 0: text[place] = letter; break;
        case 1: text.insert(text.begin() + static_cast<Index>(place), letter); break;
        default:
          if (text.size() > 1) text.erase(place, 1);
      }
    }
    try {
      (void)parse_formula(text);
      ++read;
    } catch (const FormulaError& error) {
      ++refused;
      ASSERT_LT(error.offset(), std::ssize(text)) << text;
      const std::size_t line = error.rendering().find('\n');
      ASSERT_LT(error.rendering().size() - line - 2, line) << error.rendering();
    }
  }
  EXPECT_GT(refused, 5000);
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace giga::test
