// The functions that a formula may call.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "giga/design/formula.hpp"

namespace giga {

struct FormulaFunction {
  enum class Kind {
    Number,    // of numbers: log, pmin
    Identity,  // I
    DatePart,  // of a day or a moment: month
    Factor,    // categories: factor, relevel
    Basis,     // several columns of a number: poly, ns, bs
    Offset,
    Cbind,
    List,  // c, within the arguments of the others
  };

  std::string_view name;
  Kind kind;
  Index fewest, most;                       // arguments
  std::string_view usage;                   // "poly(x, 2)"
  std::vector<std::string_view> arguments;  // their names in order, as R has them; empty: none is named
};

/// Nothing for an unknown name.
[[nodiscard]] const FormulaFunction* formula_function(std::string_view name);
[[nodiscard]] const std::vector<FormulaFunction>& formula_functions();

/// A call's arguments by name, those without one in the order of R's definition. Missing ones are null.
/// Throws FormulaError for an unknown or repeated name, and for one argument too many.
class MatchedArguments {
 public:
  MatchedArguments(const Expression& call, const Formula& formula);
  [[nodiscard]] const Expression* operator[](std::string_view name) const;

 private:
  const FormulaFunction* function_;
  std::vector<const Expression*> values_;
};

/// Values that are written out: 3, -1.5, c(1, 2), TRUE. Throw FormulaError for anything else; `what` is what
/// is expected, such as "a number".
[[nodiscard]] std::vector<double> constant_numbers(const Expression& value, const Formula& formula,
                                                   const std::string& what);
[[nodiscard]] double constant_number(const Expression& value, const Formula& formula);
[[nodiscard]] Index constant_count(const Expression& value, const Formula& formula, Index least, Index most);
[[nodiscard]] bool constant_flag(const Expression& value, const Formula& formula);
[[nodiscard]] bool is_true(const Expression& value);
[[nodiscard]] bool is_false(const Expression& value);

}  // namespace giga
