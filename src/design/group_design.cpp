// Group terms to effects: (1 + x | g) is an effect of 1 and one of x, both by the groups g. A group that is a
// number is taken as factor(g).
#include "design/group_design.hpp"

#include <algorithm>
#include <utility>

#include "design/formula_check.hpp"
#include "design/formula_design.hpp"
#include "design/formula_functions.hpp"
#include "design/formula_terms.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

[[noreturn]] void fail(const Formula& formula, const Expression& node, const std::string& sentence) {
  throw FormulaError(formula.text, node.offset, sentence);
}

// The terms of a group: each of one number.
ExpandedTerms slopes_of(const GroupTerm& group, const Formula& formula) {
  for_each_node(*group.terms, [&](const Expression& node) {
    if (node.kind == Expression::Kind::Dot) fail(formula, node, "'.' cannot vary by group; name the columns");
  });
  const Formula alone{formula.text, nullptr, group.terms, {}};
  ExpandedTerms expanded = expand_terms(alone, {});
  for (const TermVariables& term : expanded.terms) {
    const Expression& first = *expanded.variables[at(term[0])];
    if (term.size() > 1)
      fail(formula, first, "a product cannot vary by group; make it a column, as in I(x * z)");
    if (is_basis_call(first))
      fail(formula, first, deparse(first) + " cannot vary by group; only 1 and numbers can");
  }
  if (!expanded.intercept && expanded.terms.empty())
    fail(formula, *group.terms, "nothing varies by group; write (1 | g) or (1 + x | g)");
  return expanded;
}

bool is_number(const RowValue& value) {
  return !value.is_category();
}

ExpressionPointer as_factor(const ExpressionPointer& group) {
  auto call = std::make_shared<Expression>();
  call->kind = Expression::Kind::Call;
  call->text = "factor";
  call->arguments = {{"", group}};
  call->offset = group->offset;
  return call;
}

// The groups as a category.
ExpressionPointer category_of(const GroupTerm& group, const CompileContext& context) {
  if (makes_terms(*group.group))
    fail(context.formula, *group.group,
         "groups are one column or one call, not " + deparse(*group.group) +
             "; make a column that tells them apart");
  // What calls would learn need not be known yet to say whether they make a category.
  const bool called = group.group->is_call("factor") || group.group->is_call("relevel");
  return called || !is_number(compile_value(*group.group, context)) ? group.group : as_factor(group.group);
}

// Groups as they are in a table of any levels: categories by its own levels, and not looked up.
RowValue key_of(const Expression& group, const CompileContext& context) {
  const Expression* inner = &group;
  while (inner->is_call("factor") || inner->is_call("relevel"))
    inner = MatchedArguments(*inner, context.formula)["x"];
  DesignState own = context.state;
  for (std::size_t v = 0; v < own.variables.size(); ++v) own.variables[v].levels = context.sources[v].levels;
  return compile_value(*inner, {context.formula, own, context.sources});
}

class Builder {
 public:
  Builder(const Formula& formula, const DesignState& state, const VariableSources& sources)
      : context_{formula, state, sources} {}

  GroupEffects build() {
    for (const GroupTerm& group : context_.formula.groups) add(group);
    return std::move(effects_);
  }

 private:
  void add(const GroupTerm& group) {
    const ExpandedTerms slopes = slopes_of(group, context_.formula);
    const ExpressionPointer category = category_of(group, context_);
    const GroupEffect::Groups groups{deparse(*group.group),
                                     std::make_shared<const RowValue>(compile_value(*category, context_)),
                                     std::make_shared<const RowValue>(key_of(*category, context_))};
    const std::vector<std::string>& levels = groups.place->levels;
    if (levels.size() < 2)
      throw DataError("the group " + printable(groups.name) + " has " +
                      (levels.empty() ? "no level" : "the one level '" + printable(levels.front()) + "'") +
                      ", so nothing can vary by it; leave (" + printable(group.text) +
                      ") out of the formula");
    if (slopes.intercept) put(group, groups, "(Intercept)", nullptr);
    for (const TermVariables& term : slopes.terms) {
      const Expression& slope = *slopes.variables[at(term[0])];
      RowValue value = compile_value(slope, context_);
      if (value.is_category())
        fail(context_.formula, slope,
             deparse(slope) +
                 " is a category, and only numbers can vary by group; write one as a number, "
                 "as in I(1 * (x == \"a\"))");
      put(group, groups, slopes.labels[at(term[0])], std::make_shared<const RowValue>(std::move(value)));
    }
  }

  void put(const GroupTerm& group, const GroupEffect::Groups& groups, std::string name,
           std::shared_ptr<const RowValue> slope) {
    auto effect = std::make_shared<const GroupEffect>(groups, std::move(name), std::move(slope));
    const auto is_same = [&effect](const auto& other) {
      return other->column_name(0) == effect->column_name(0);
    };
    if (std::ranges::any_of(effects_, is_same))
      fail(context_.formula, *group.group,
           std::string("(").append(group.text) + ") has an effect that is there already");
    coefficients_ += effect->num_columns() - 1;
    if (coefficients_ > kMostGroupCoefficients)
      throw DataError("the group effects have " + grouped(coefficients_) + " coefficients with those of (" +
                      printable(group.text) + "), which has " +
                      plural(std::ssize(effect->levels()), "level") + "; at most " +
                      grouped(kMostGroupCoefficients) +
                      " can be fitted: join small groups, or leave the term out of the formula");
    effects_.push_back(std::move(effect));
  }

  CompileContext context_;
  GroupEffects effects_;
  Index coefficients_ = 0;
};

}  // namespace

std::vector<ExpressionPointer> group_values(const GroupTerm& group, const CompileContext& context) {
  const ExpandedTerms slopes = slopes_of(group, context.formula);
  std::vector<ExpressionPointer> out;
  for (const TermVariables& term : slopes.terms) out.push_back(slopes.variables[at(term[0])]);
  out.push_back(category_of(group, context));
  return out;
}

GroupEffects group_effects(const Formula& formula, const DesignState& state, const VariableSources& sources) {
  return Builder(formula, state, sources).build();
}

FormulaTerm::Fault find_group_fault(const GroupEffect& effect, const DesignState& state,
                                    const VariableSources& sources, const Dataset& data, Index first,
                                    Index count, bool new_groups) {
  FormulaTerm::Fault fault;
  std::vector<double> values(at(count));
  const auto look = [&](const RowValue& value) {
    value.evaluate(data, first, count, values.data());
    const Index n = first_unusable(data, first, count, values.data());
    if (n >= 0 && (fault.row < 0 || n < fault.row))
      fault = {n, unusable(value, values[at(n - first)], state, sources, data, n)};
  };
  if (!new_groups) look(effect.groups());
  if (effect.slope_value() != nullptr) look(*effect.slope_value());
  return fault;
}

}  // namespace giga
