// From a state to terms: what terms_of, check_rows and learn_design share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "design/formula_term.hpp"
#include "design/formula_terms.hpp"
#include "giga/design/design_state.hpp"

namespace giga {

/// Splines as a call asks for them. Throws FormulaError for arguments that cannot be.
struct SplineCall {
  const Expression* x;
  bool natural;
  Index degree = 3;
  bool intercept = false;
  Index inner_knots = 0;                          // how many to learn, if knots are not given
  std::vector<double> knots = {}, boundary = {};  // as given
};
[[nodiscard]] SplineCall spline_call(const Expression& call, const Formula& formula);

struct PolynomialCall {
  const Expression* x;
  Index degree = 1;
  bool raw = false;
};
[[nodiscard]] PolynomialCall polynomial_call(const Expression& call, const Formula& formula);

/// poly, ns or bs
[[nodiscard]] bool is_basis_call(const Expression& expression);

struct BuiltTerms {
  std::vector<std::shared_ptr<const FormulaTerm>> terms;
  bool intercept = true;
  std::vector<CategorySummary> categories;
  GroupEffects groups = {};
};
[[nodiscard]] BuiltTerms build_terms(const Formula& formula, const DesignState& state,
                                     const VariableSources& sources);

}  // namespace giga
