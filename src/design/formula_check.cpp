// Two languages share one tree. On the level of terms, + and : and ^ put terms together; within a call or a
// comparison they are arithmetic. The level of terms ends at names, calls and comparisons: the variables.
#include "design/formula_check.hpp"

#include <array>
#include <cmath>

#include "design/formula_design.hpp"
#include "design/formula_functions.hpp"
#include "design/near_names.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

using Kind = Expression::Kind;

bool is_one_of(const Expression& node, std::initializer_list<std::string_view> names) {
  if (node.kind != Kind::Call) return false;
  for (const std::string_view name : names)
    if (node.text == name) return true;
  return false;
}

bool is_comparison(const Expression& node) {
  return is_one_of(node, {"<", "<=", ">", ">=", "==", "!="});
}

bool is_bar(const Expression& node) {
  return is_one_of(node, {"|", "||"});
}

class Checker {
 public:
  explicit Checker(const Formula& formula) : formula_(formula) {}

  void response(const Expression& node) const {
    if (node.kind == Kind::Dot) fail(node, "'.' stands for all other columns, so it cannot be the response");
    if (node.kind == Kind::Number || node.kind == Kind::Text)
      fail(node, "the response must be a column or made of columns");
    if (is_one_of(node, {"offset", "poly", "ns", "bs"}))
      fail(node, node.text + "() belongs on the right of '~'");
    if (node.is_call("cbind")) {
      function(node);
      for (const auto& each : node.arguments) number(*each.value);
      return;
    }
    value(node);
  }

  // `alone`: only additions are around it, so that an offset may be here.
  void terms(const Expression& node, bool alone) const {
    switch (node.kind) {
      case Kind::Number:
        if (node.number != 0 && node.number != 1)
          fail(node,
               "a number among terms is 1 or 0, with and without an intercept; arithmetic is written in "
               "I(), such as I(2 * x)");
        return;
      case Kind::Text: fail(node, "a text is not a term; a column's name is written without quotes");
      case Kind::Name:
        if (is_true(node) || is_false(node)) {
          if (node.text.size() > 1) fail(node, "'" + node.text + "' is not a column");
        }
        return;
      case Kind::Dot: return;
      case Kind::Call: break;
    }
    if (node.is_call("^")) {
      terms(node.argument(0), false);
      const Expression& power = node.argument(1);
      if (power.kind != Kind::Number || power.number < 1 || power.number > kMostPower ||
          power.number != std::floor(power.number))
        fail(power, "the power of terms is a whole number from 1 to " + std::to_string(kMostPower) +
                        "; a column's power is I(x^2)");
      return;
    }
    if (is_bar(node))
      fail(node, "put a group term into brackets, (1 | g), and add it; 'or' between conditions is I(a | b)");
    if (makes_terms(node)) {
      const bool sums = node.is_call("+") || node.is_call("(");
      for (std::size_t i = 0; i < node.arguments.size(); ++i) {
        // What is taken away is on the right of a minus, or its only operand.
        const bool added = sums || (node.is_call("-") && i == 0 && node.arguments.size() == 2);
        terms(*node.arguments[i].value, alone && added);
      }
      if (node.is_call(":")) {
        for (const auto& each : node.arguments)
          if (each.value->kind == Kind::Number) fail(*each.value, "a number cannot interact with a term");
      }
      return;
    }
    variable(node, alone);
  }

  void group(const GroupTerm& group) const {
    terms(*group.terms, false);
    terms(*group.group, false);
    if (group.group->kind == Kind::Number || group.group->kind == Kind::Dot)
      fail(*group.group, "expected the column of the groups after '|'");
  }

 private:
  static constexpr int kMostPower = 100;

  [[noreturn]] void fail(const Expression& node, const std::string& sentence) const {
    throw FormulaError(formula_.text, node.offset, sentence);
  }

  void variable(const Expression& node, bool alone) const {
    if (node.is_call("offset")) {
      function(node);
      if (!alone) fail(node, "an offset is added to the other terms, with nothing but + around it");
      number(node.argument(0));
      return;
    }
    if (node.is_call("cbind")) fail(node, "cbind() belongs on the left of '~'");
    if (is_one_of(node, {"poly", "ns", "bs"})) {
      function(node);
      number(node.is_call("poly") ? *polynomial_call(node, formula_).x : *spline_call(node, formula_).x);
      return;
    }
    value(node);
  }

  // The right function, with as many arguments as it takes.
  void function(const Expression& call) const {
    const FormulaFunction* known = formula_function(call.text);
    if (known == nullptr) {
      std::vector<std::string> names;
      for (const FormulaFunction& each : formula_functions()) names.emplace_back(each.name);
      const std::string nearest = did_you_mean(call.text, names);
      fail(call,
           "there is no function '" + printable(call.text) + "'" +
               (nearest.empty() ? "; there are log, sqrt, exp, I, factor, relevel, poly, ns, bs, offset "
                                  "and others"
                                : nearest));
    }
    const Index given = std::ssize(call.arguments);
    const std::string usage(known->usage);
    if (given < known->fewest) fail(call, call.text + "() needs more than that: " + usage);
    if (given > known->most)
      fail(*call.arguments[at(known->most)].value, call.text + "() has an argument too many: " + usage);
    if (known->arguments.empty()) {
      for (const auto& each : call.arguments)
        if (!each.name.empty())
          fail(*each.value, "the arguments of " + call.text + "() have no names: " + usage);
    }
  }

  // Something with one value per row that is a number.
  void number(const Expression& node) const {
    if (node.kind == Kind::Text)
      fail(node, "a text is compared with a column, as in x == \"a\"; it is not a number");
    if (is_one_of(node, {"factor", "relevel"}))
      fail(node, node.text + "() makes a category, which is not a number");
    value(node);
  }

  // Something with one value per row: a number, a condition or a category.
  void value(const Expression& node) const {
    switch (node.kind) {
      case Kind::Number:
      case Kind::Text:
      case Kind::Name: return;
      case Kind::Dot: fail(node, "'.' stands for terms; within a call, write the column's name");
      case Kind::Call: break;
    }
    if (is_one_of(node, {":", "%in%", "||", "~"}))
      fail(node, "'" + node.text + "' puts terms together; it has no meaning within a call or a comparison");
    if (is_one_of(node, {"+", "-", "*", "/", "^", "%%", "%/%", "!", "&", "|"})) {
      for (const auto& each : node.arguments) number(*each.value);
      return;
    }
    if (node.is_call("(") || is_comparison(node)) {
      for (const auto& each : node.arguments) value(*each.value);
      return;
    }
    function(node);
    call(node);
  }

  void call(const Expression& node) const {
    switch (formula_function(node.text)->kind) {
      case FormulaFunction::Kind::Number:
        for (const auto& each : node.arguments) number(*each.value);
        return;
      case FormulaFunction::Kind::DatePart:
      case FormulaFunction::Kind::Identity: value(node.argument(0)); return;
      case FormulaFunction::Kind::Factor: {
        const MatchedArguments matched(node, formula_);
        value(*matched["x"]);
        if (node.text == "relevel") {
          if (matched["ref"]->kind != Kind::Text)
            fail(*matched["ref"], "the base level is a text: relevel(x, ref = \"level\")");
        } else if (matched["levels"] != nullptr) {
          levels(*matched["levels"]);
        }
        return;
      }
      case FormulaFunction::Kind::Basis:
      case FormulaFunction::Kind::Offset:
        fail(node, node.text + "() stands by itself as a term, not within another call");
      case FormulaFunction::Kind::Cbind: fail(node, "cbind() stands by itself on the left of '~'");
      case FormulaFunction::Kind::List:
        fail(node, "c() lists the values of an argument, such as knots = c(1, 2)");
    }
  }

  // c("a", "b") or c(1, 2), or one of either.
  void levels(const Expression& node) const {
    if (node.kind == Kind::Text) return;
    if (node.is_call("c") && node.argument(0).kind == Kind::Text) {
      for (const auto& each : node.arguments)
        if (each.value->kind != Kind::Text) fail(*each.value, "levels are all texts or all numbers");
      return;
    }
    (void)constant_numbers(node, formula_, "levels such as c(\"a\", \"b\")");
  }

  const Formula& formula_;
};

ExpressionPointer sum_of(const ExpressionPointer& left, const Expression& op,
                         const ExpressionPointer& right) {
  if (left == nullptr) return right;
  if (right == nullptr) return left;
  auto sum = std::make_shared<Expression>(op);
  sum->arguments = {{"", left}, {"", right}};
  return sum;
}

// The node without the group terms in its sums; null if nothing is left.
ExpressionPointer without_groups(const ExpressionPointer& node, Formula& formula) {
  if (node->is_call("(") && is_bar(node->argument(0))) {
    const Expression& bar = node->argument(0);
    formula.groups.push_back({bar.arguments[0].value, bar.arguments[1].value, bar.text == "|", deparse(bar)});
    return nullptr;
  }
  if (node->is_call("+") && node->arguments.size() == 2) {
    const ExpressionPointer left = without_groups(node->arguments[0].value, formula);
    return sum_of(left, *node, without_groups(node->arguments[1].value, formula));
  }
  if (node->is_call("-") && node->arguments.size() == 2) {
    const ExpressionPointer left = without_groups(node->arguments[0].value, formula);
    if (left != nullptr) return sum_of(left, *node, node->arguments[1].value);
    auto minus = std::make_shared<Expression>(*node);
    minus->arguments = {node->arguments[1]};
    return minus;
  }
  return node;
}

}  // namespace

bool makes_terms(const Expression& node) {
  return is_one_of(node, {"+", "-", "*", "/", ":", "^", "%in%", "("});
}

bool is_variable(const Expression& node) {
  return node.kind == Kind::Name || (node.kind == Kind::Call && !makes_terms(node));
}

void separate_groups(const ExpressionPointer& right, Formula& formula) {
  formula.terms = without_groups(right, formula);
}

void check_formula(const Formula& formula) {
  const Checker checker(formula);
  if (formula.response != nullptr) checker.response(*formula.response);
  if (formula.terms != nullptr) checker.terms(*formula.terms, true);
  for (const GroupTerm& group : formula.groups) checker.group(group);
}

}  // namespace giga
