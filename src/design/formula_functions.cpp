// The table of functions, and how R matches the arguments of a call.
#include "design/formula_functions.hpp"

#include <algorithm>
#include <cmath>

#include "design/near_names.hpp"
#include "giga/base/text.hpp"

namespace giga {

const std::vector<FormulaFunction>& formula_functions() {
  using Kind = FormulaFunction::Kind;
  static const std::vector<FormulaFunction> kAll = {
      {"log", Kind::Number, 1, 1, "log(x)", {}},
      {"log2", Kind::Number, 1, 1, "log2(x)", {}},
      {"log10", Kind::Number, 1, 1, "log10(x)", {}},
      {"log1p", Kind::Number, 1, 1, "log1p(x)", {}},
      {"exp", Kind::Number, 1, 1, "exp(x)", {}},
      {"expm1", Kind::Number, 1, 1, "expm1(x)", {}},
      {"sqrt", Kind::Number, 1, 1, "sqrt(x)", {}},
      {"abs", Kind::Number, 1, 1, "abs(x)", {}},
      {"sin", Kind::Number, 1, 1, "sin(x)", {}},
      {"cos", Kind::Number, 1, 1, "cos(x)", {}},
      {"floor", Kind::Number, 1, 1, "floor(x)", {}},
      {"ceiling", Kind::Number, 1, 1, "ceiling(x)", {}},
      {"round", Kind::Number, 1, 1, "round(x)", {}},
      {"sign", Kind::Number, 1, 1, "sign(x)", {}},
      {"pmin", Kind::Number, 2, 100, "pmin(x, 10)", {}},
      {"pmax", Kind::Number, 2, 100, "pmax(x, 0)", {}},
      {"I", Kind::Identity, 1, 1, "I(x^2)", {}},
      {"month", Kind::DatePart, 1, 1, "month(day)", {}},
      {"weekday", Kind::DatePart, 1, 1, "weekday(day)", {}},
      {"year", Kind::DatePart, 1, 1, "year(day)", {}},
      {"hour", Kind::DatePart, 1, 1, "hour(time)", {}},
      {"factor", Kind::Factor, 1, 2, "factor(x) or factor(x, levels = c(...))", {"x", "levels"}},
      {"relevel", Kind::Factor, 2, 2, "relevel(x, ref = \"level\")", {"x", "ref"}},
      {"poly", Kind::Basis, 1, 3, "poly(x, 2)", {"x", "degree", "raw"}},
      {"ns", Kind::Basis, 1, 5, "ns(x, df = 3)", {"x", "df", "knots", "intercept", "Boundary.knots"}},
      {"bs",
       Kind::Basis,
       1,
       6,
       "bs(x, df = 5)",
       {"x", "df", "knots", "degree", "intercept", "Boundary.knots"}},
      {"offset", Kind::Offset, 1, 1, "offset(log(days))", {}},
      {"cbind", Kind::Cbind, 2, 2, "cbind(successes, failures)", {}},
      {"c", Kind::List, 1, 100000, "c(1, 2)", {}},
  };
  return kAll;
}

const FormulaFunction* formula_function(std::string_view name) {
  for (const FormulaFunction& function : formula_functions())
    if (function.name == name) return &function;
  return nullptr;
}

// R's order: named arguments first, then the others to the places left. poly() has its degree after `...`,
// so a number without a name is its degree all the same.
MatchedArguments::MatchedArguments(const Expression& call, const Formula& formula)
    : function_(formula_function(call.text)), values_(function_->arguments.size(), nullptr) {
  const auto& names = function_->arguments;
  for (const Expression::Argument& given : call.arguments) {
    if (given.name.empty()) continue;
    const auto found = std::find(names.begin(), names.end(), given.name);
    if (found == names.end()) {
      const std::vector<std::string> known(names.begin(), names.end());
      throw FormulaError(
          formula.text, given.value->offset,
          call.text + "() has no argument '" + printable(given.name) + "'" + did_you_mean(given.name, known));
    }
    const Expression*& place = values_[at(found - names.begin())];
    if (place != nullptr)
      throw FormulaError(formula.text, given.value->offset,
                         "the argument '" + given.name + "' is given twice");
    place = given.value.get();
  }
  for (const Expression::Argument& given : call.arguments) {
    if (!given.name.empty()) continue;
    const auto free = std::find(values_.begin(), values_.end(), nullptr);
    if (free == values_.end())
      throw FormulaError(formula.text, given.value->offset,
                         call.text + "() has more arguments than it takes: " + std::string(function_->usage));
    *free = given.value.get();
  }
  if (values_.front() == nullptr)
    throw FormulaError(formula.text, call.offset,
                       call.text + "() has no variable: " + std::string(function_->usage));
}

const Expression* MatchedArguments::operator[](std::string_view name) const {
  const auto& names = function_->arguments;
  return values_[at(std::find(names.begin(), names.end(), name) - names.begin())];
}

bool is_true(const Expression& value) {
  return value.kind == Expression::Kind::Name && (value.text == "TRUE" || value.text == "T");
}

bool is_false(const Expression& value) {
  return value.kind == Expression::Kind::Name && (value.text == "FALSE" || value.text == "F");
}

std::vector<double> constant_numbers(const Expression& value, const Formula& formula,
                                     const std::string& what) {
  if (value.kind == Expression::Kind::Number) return {value.number};
  const bool sign = (value.is_call("-") || value.is_call("+")) && value.arguments.size() == 1;
  if (sign && value.argument(0).kind == Expression::Kind::Number)
    return {value.text == "-" ? -value.argument(0).number : value.argument(0).number};
  if (value.is_call("c")) {
    std::vector<double> all;
    for (const Expression::Argument& each : value.arguments) {
      const std::vector<double> some = constant_numbers(*each.value, formula, what);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  throw FormulaError(formula.text, value.offset, "expected " + what + " here, written out");
}

double constant_number(const Expression& value, const Formula& formula) {
  const std::vector<double> numbers = constant_numbers(value, formula, "a number");
  if (numbers.size() != 1) throw FormulaError(formula.text, value.offset, "expected one number here");
  return numbers.front();
}

Index constant_count(const Expression& value, const Formula& formula, Index least, Index most) {
  const double number = constant_number(value, formula);
  if (!(number >= static_cast<double>(least) && number <= static_cast<double>(most)) ||
      number != std::floor(number))
    throw FormulaError(
        formula.text, value.offset,
        "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) + " here");
  return static_cast<Index>(number);
}

bool constant_flag(const Expression& value, const Formula& formula) {
  if (is_true(value)) return true;
  if (is_false(value)) return false;
  throw FormulaError(formula.text, value.offset, "expected TRUE or FALSE here");
}

}  // namespace giga
