// What the tree of a formula may be made of.
#pragma once

#include "giga/design/formula.hpp"

namespace giga {

/// Fills `formula.terms` and `formula.groups` from the right side of a formula.
void separate_groups(const ExpressionPointer& right, Formula& formula);

/// Throws FormulaError unless every part can mean something: functions are known and have their arguments,
/// terms are terms, arithmetic is within I() or another call.
void check_formula(const Formula& formula);

/// Whether an operator of formulas makes terms of terms: + - * / : ^ %in% (
[[nodiscard]] bool makes_terms(const Expression& node);

/// Whether a node at the place of a term is a variable: a name, a comparison, a call of a function.
[[nodiscard]] bool is_variable(const Expression& node);

}  // namespace giga
