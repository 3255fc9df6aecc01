// Variables to coded parts, parts to terms. A category has a base level in a term if R's rule says so
// (ExpandedTerms::is_contrasted); in a formula without an intercept the first category of the first term that
// has one gets a column for each level.
#include "design/formula_design.hpp"

#include <algorithm>
#include <utility>

#include "design/column_limit.hpp"
#include "design/formula_functions.hpp"
#include "design/group_design.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr Index kMostKnots = 200, kHighestDegree = 20;

// What a variable is in every term.
struct Variable {
  std::shared_ptr<const RowValue> value;
  std::shared_ptr<const Basis> basis;
  std::string label;
};

std::shared_ptr<const Basis> basis_of(const Expression& call, const Formula& formula,
                                      const DesignState& state) {
  if (call.is_call("poly")) {
    const PolynomialCall poly = polynomial_call(call, formula);
    if (poly.raw) return power_basis(poly.degree);
    const LearntCall& learnt = learnt_call(state, deparse(call));
    if (std::ssize(learnt.alpha) != poly.degree || std::ssize(learnt.norm2) != poly.degree + 2)
      throw DataError("what was learnt for " + printable(learnt.call) + " is of another degree");
    return orthogonal_basis({learnt.center, learnt.alpha, learnt.norm2});
  }
  const SplineCall spline = spline_call(call, formula);
  const LearntCall& learnt = learnt_call(state, deparse(call));
  if (learnt.boundary.size() != 2 || !(learnt.boundary[0] < learnt.boundary[1]) ||
      !std::is_sorted(learnt.knots.begin(), learnt.knots.end()))
    throw DataError("what was learnt for " + printable(learnt.call) + " is not a boundary with knots inside");
  const SplineShape shape{learnt.knots, learnt.boundary[0], learnt.boundary[1], spline.degree,
                          spline.intercept};
  return spline.natural ? natural_spline_basis(shape) : b_spline_basis(shape);
}

Variable make_variable(const Expression& expression, const std::string& label,
                       const CompileContext& context) {
  Variable variable{nullptr, nullptr, label};
  const Expression* x = &expression;
  if (is_basis_call(expression)) {
    x = MatchedArguments(expression, context.formula)["x"];
    variable.basis = basis_of(expression, context.formula, context.state);
  }
  RowValue value = compile_value(*x, context);
  if (variable.basis != nullptr && value.type == ValueType::Category)
    throw FormulaError(context.formula.text, x->offset,
                       deparse(*x) + " is a category, where a number is expected");
  variable.value = std::make_shared<const RowValue>(std::move(value));
  return variable;
}

// The column that a category is: factor() and relevel() change its coding, not its rows.
std::string column_of(const Expression& category) {
  const Expression* node = &category;
  while ((node->is_call("factor") || node->is_call("relevel")) && !node->arguments.empty())
    node = node->arguments.front().value.get();
  return node->kind == Expression::Kind::Name ? node->text : "";
}

TermPart make_part(const Variable& variable, bool contrasted) {
  TermPart part{variable.value, variable.basis, {}, variable.label};
  if (variable.basis != nullptr) {
    const Index columns = variable.basis->num_columns();
    for (Index c = 0; c < columns; ++c)
      part.names.push_back(variable.label + (columns > 1 ? std::to_string(c + 1) : ""));
  } else if (variable.value->is_category()) {
    part.is_category = true;
    part.base = contrasted ? 1 : 0;
    const std::vector<std::string>& levels = variable.value->levels;
    for (std::size_t l = at(part.base); l < levels.size(); ++l)
      part.names.push_back(variable.label + levels[l]);
  } else {
    part.names.push_back(variable.label);
  }
  return part;
}

class Builder {
 public:
  Builder(const Formula& formula, const DesignState& state, const VariableSources& sources)
      : context_{formula, state, sources}, expanded_(expand_terms(formula, state.dot)) {}

  BuiltTerms build() {
    make_variables();
    BuiltTerms built;
    built.intercept = expanded_.intercept;
    summaries_.resize(variables_.size());
    std::vector<std::vector<TermPart>> coded = coded_terms();
    std::vector<CodedTerm> sizes;
    for (const std::vector<TermPart>& parts : coded) sizes.push_back(size_of(parts));
    require_few_columns("the formula", sizes);
    for (Index t = 0; t < std::ssize(coded); ++t) {
      built.terms.push_back(std::make_shared<const FormulaTerm>(std::move(coded[at(t)])));
      summarise(t, *built.terms.back());
    }
    for (CategorySummary& summary : summaries_)
      if (!summary.name.empty()) built.categories.push_back(std::move(summary));
    return built;
  }

 private:
  [[nodiscard]] bool is_category(Index v) const {
    const Variable& variable = variables_[at(v)];
    return variable.basis == nullptr && variable.value->is_category();
  }

  // Only those that a term has: the table need not have the others.
  void make_variables() {
    std::vector<bool> used(expanded_.variables.size(), false);
    for (const TermVariables& term : expanded_.terms)
      for (const Index v : term) used[at(v)] = true;
    for (std::size_t v = 0; v < used.size(); ++v) {
      if (!used[v]) {
        variables_.emplace_back();
        continue;
      }
      variables_.push_back(make_variable(*expanded_.variables[v], expanded_.labels[v], context_));
      const Variable& variable = variables_.back();
      if (variable.basis == nullptr && variable.value->is_category() && variable.value->levels.size() < 2)
        throw DataError("the category " + variable.label + " has " +
                        (variable.value->levels.empty()
                             ? "no level"
                             : "the one level '" + printable(variable.value->levels.front()) + "'") +
                        ", so it can explain nothing; leave it out of the formula");
    }
  }

  [[nodiscard]] std::vector<std::vector<TermPart>> coded_terms() const {
    std::vector<std::vector<TermPart>> coded(expanded_.terms.size());
    bool first_category = !expanded_.intercept;
    for (Index t = 0; t < std::ssize(expanded_.terms); ++t) {
      for (const Index v : expanded_.terms[at(t)]) {
        const bool category = is_category(v);
        const bool contrasted = category && expanded_.is_contrasted(t, v) && !first_category;
        if (category) first_category = false;
        coded[at(t)].push_back(make_part(variables_[at(v)], contrasted));
      }
    }
    return coded;
  }

  // A product of many columns is not computed past what is refused anyway.
  static CodedTerm size_of(const std::vector<TermPart>& parts) {
    constexpr Index kFarTooMany = Index{1} << 40;
    CodedTerm term{"", 1};
    for (const TermPart& part : parts) {
      term.label.append(term.label.empty() ? "" : ":").append(part.label);
      if (term.columns < kFarTooMany) term.columns *= part.num_columns();
    }
    return term;
  }

  void summarise(Index t, const FormulaTerm& term) {
    for (const Index v : expanded_.terms[at(t)]) {
      if (!is_category(v)) continue;
      const std::vector<std::string>& levels = variables_[at(v)].value->levels;
      CategorySummary& summary = summaries_[at(v)];
      // Terms with all levels and terms without the base: the first has the say.
      if (summary.name.empty())
        summary = {variables_[at(v)].label, std::ssize(levels), 0,
                   term.has_base(v_place(t, v)) ? levels[0] : "", column_of(*expanded_.variables[at(v)])};
      summary.columns += term.num_columns();
    }
  }

  [[nodiscard]] Index v_place(Index t, Index v) const {
    const TermVariables& term = expanded_.terms[at(t)];
    return std::find(term.begin(), term.end(), v) - term.begin();
  }

  CompileContext context_;
  ExpandedTerms expanded_;
  std::vector<Variable> variables_;
  std::vector<CategorySummary> summaries_;
};

}  // namespace

bool is_basis_call(const Expression& expression) {
  return expression.is_call("poly") || expression.is_call("ns") || expression.is_call("bs");
}

SplineCall spline_call(const Expression& call, const Formula& formula) {
  const MatchedArguments matched(call, formula);
  SplineCall spline{matched["x"], call.text == "ns"};
  if (!spline.natural && matched["degree"] != nullptr)
    spline.degree = constant_count(*matched["degree"], formula, 1, 10);
  if (matched["intercept"] != nullptr) spline.intercept = constant_flag(*matched["intercept"], formula);
  if (const Expression* boundary = matched["Boundary.knots"]; boundary != nullptr) {
    spline.boundary = constant_numbers(*boundary, formula, "two boundary knots such as c(0, 1)");
    std::sort(spline.boundary.begin(), spline.boundary.end());
    if (spline.boundary.size() != 2 || spline.boundary[0] == spline.boundary[1])
      throw FormulaError(formula.text, boundary->offset, "expected two boundary knots such as c(0, 1)");
  }
  if (const Expression* knots = matched["knots"]; knots != nullptr) {
    spline.knots = constant_numbers(*knots, formula, "knots such as c(1, 2)");
    std::sort(spline.knots.begin(), spline.knots.end());
    if (std::ssize(spline.knots) > kMostKnots)
      throw FormulaError(formula.text, knots->offset,
                         "there can be " + std::to_string(kMostKnots) + " knots");
  } else if (matched["df"] != nullptr) {
    // As many columns as asked for: what they are without inner knots, and one for each knot.
    const Index without = (spline.natural ? 1 : spline.degree) + (spline.intercept ? 1 : 0);
    spline.inner_knots = constant_count(*matched["df"], formula, without, without + kMostKnots) - without;
  }
  return spline;
}

PolynomialCall polynomial_call(const Expression& call, const Formula& formula) {
  const MatchedArguments matched(call, formula);
  PolynomialCall poly{matched["x"]};
  if (matched["degree"] != nullptr)
    poly.degree = constant_count(*matched["degree"], formula, 1, kHighestDegree);
  if (matched["raw"] != nullptr) poly.raw = constant_flag(*matched["raw"], formula);
  return poly;
}

BuiltTerms build_terms(const Formula& formula, const DesignState& state, const VariableSources& sources) {
  if (sources.size() != state.variables.size())
    throw std::invalid_argument("there must be a source for every variable of the design");
  BuiltTerms built = Builder(formula, state, sources).build();
  built.groups = group_effects(formula, state, sources);
  return built;
}

FormulaTerms terms_of(const DesignState& state, const VariableSources& sources) {
  BuiltTerms built = build_terms(parse_formula(state.formula), state, sources);
  FormulaTerms made{{}, built.intercept, std::move(built.categories)};
  // Features that lie side by side in the table and in the formula are one term, which is faster.
  for (std::size_t t = 0; t < built.terms.size();) {
    const Index first = built.terms[t]->plain_feature();
    std::vector<std::string> names;
    while (first >= 0 && t < built.terms.size() &&
           built.terms[t]->plain_feature() == first + std::ssize(names))
      names.push_back(built.terms[t++]->column_name(0));
    if (first >= 0)
      made.terms.push_back(std::make_shared<const NumericTerm>(first, std::move(names)));
    else
      made.terms.push_back(built.terms[t++]);
  }
  made.groups = std::move(built.groups);
  made.terms.insert(made.terms.end(), made.groups.begin(), made.groups.end());
  return made;
}

}  // namespace giga
