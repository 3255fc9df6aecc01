// The terms of a formula, multiplied out as R's terms() does.
#pragma once

#include <string>
#include <vector>

#include "giga/design/formula.hpp"

namespace giga {

/// Variables of a term, ascending.
using TermVariables = std::vector<Index>;

struct ExpandedTerms {
  std::vector<ExpressionPointer> variables;  // in the order in which the formula has them
  std::vector<std::string> labels;           // of the variables, as R writes them
  std::vector<TermVariables> terms;          // by degree, then in the order in which they appear
  std::vector<ExpressionPointer> offsets;    // what is within offset()
  bool intercept = true;

  /// Whether a category in a term has a base level. R's rule: it has, if the term without it is the
  /// intercept or part of an earlier term. For terms without an intercept see formula_design.cpp.
  [[nodiscard]] bool is_contrasted(Index term, Index variable) const;
};

/// `dot`: the columns that '.' stands for. Throws FormulaError where there would be too many terms, and where
/// the response is among the terms.
[[nodiscard]] ExpandedTerms expand_terms(const Formula& formula, const std::vector<std::string>& dot);

/// Whether `name` is a value and not a column where the table has no such column: TRUE, pi.
[[nodiscard]] bool is_constant_name(const std::string& name);

/// Calls visit(node) for every node of a tree.
template <typename Visit>
void for_each_node(const Expression& node, const Visit& visit) {
  visit(node);
  for (const Expression::Argument& argument : node.arguments) for_each_node(*argument.value, visit);
}

}  // namespace giga
