// Terms are sets of variables. With L and R the terms of the operands,
//
//     l + r     L, then R                      l : r      every l with every r
//     l * r     L, R, every l with every r     l ^ k      L with L, k - 1 times
//     l / r     L, then R with all of L        l %in% r   L with all of R
//     l - r     L without R
//
// each term kept where it comes first. 1 and 0 are no terms: they switch the intercept on and off, the other
// way round to the right of a minus; the last one rules.
#include "design/formula_terms.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "design/formula_check.hpp"
#include "design/formula_functions.hpp"
#include "design/near_names.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr Index kMostTerms = 10'000;

using TermList = std::vector<TermVariables>;

TermVariables together(const TermVariables& one, const TermVariables& other) {
  TermVariables both;
  std::set_union(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
  return both;
}

TermVariables all_of(const TermList& list) {
  TermVariables all;
  for (const TermVariables& term : list) all = together(all, term);
  return all;
}

class Expander {
 public:
  Expander(const Formula& formula, const std::vector<std::string>& dot) : formula_(formula), dot_(dot) {}

  ExpandedTerms expand() {
    if (formula_.terms != nullptr) {
      find_variables(*formula_.terms);
      found_.terms = terms_of(*formula_.terms);
    }
    std::stable_sort(found_.terms.begin(), found_.terms.end(),
                     [](const auto& one, const auto& other) { return one.size() < other.size(); });
    refuse_response();
    return std::move(found_);
  }

 private:
  void add_variable(const ExpressionPointer& variable) {
    const std::string label = deparse(*variable);
    if (!ids_.try_emplace(label, std::ssize(found_.labels)).second) return;
    found_.variables.push_back(variable);
    found_.labels.push_back(label);
    offsets_.push_back(variable->offset);
  }

  // In the order of the text, those of terms that are taken away again too: columns within an interaction
  // come in this order.
  void find_variables(const Expression& node) {
    if (node.kind == Expression::Kind::Dot) {
      for (const std::string& name : dot_) {
        auto column = std::make_shared<Expression>();
        column->kind = Expression::Kind::Name;
        column->text = name;
        column->offset = node.offset;
        add_variable(column);
      }
    } else if (is_variable(node)) {
      if (!node.is_call("offset")) add_variable(std::make_shared<Expression>(node));
    } else {
      const bool power = node.is_call("^");
      for (std::size_t i = 0; i < node.arguments.size() - (power ? 1 : 0) && !node.arguments.empty(); ++i)
        find_variables(*node.arguments[i].value);
    }
  }

  [[nodiscard]] TermVariables id_of(const Expression& variable) const { return {ids_.at(deparse(variable))}; }

  // The list without repeats, within the limit.
  TermList distinct(const TermList& list, const Expression& node) const {
    TermList kept;
    std::set<TermVariables> met;
    for (const TermVariables& term : list)
      if (met.insert(term).second) kept.push_back(term);
    if (std::ssize(kept) > kMostTerms)
      throw FormulaError(formula_.text, node.offset,
                         "this makes more than " + grouped(kMostTerms) + " terms; name those that matter");
    return kept;
  }

  TermList products(const TermList& left, const TermList& right, const Expression& node) const {
    if (std::ssize(left) * std::ssize(right) > 20 * kMostTerms)
      throw FormulaError(formula_.text, node.offset,
                         "this makes more than " + grouped(kMostTerms) + " terms; name those that matter");
    TermList all;
    for (const TermVariables& one : left)
      for (const TermVariables& other : right) all.push_back(together(one, other));
    return distinct(all, node);
  }

  void set_intercept(bool one) { found_.intercept = one == adding_; }

  TermList taken_away(const Expression& node) {
    adding_ = !adding_;
    TermList list = terms_of(node);
    adding_ = !adding_;
    return list;
  }

  TermList terms_of(const Expression& node) {
    if (node.kind == Expression::Kind::Number) {
      set_intercept(node.number == 1);
      return {};
    }
    if (node.kind == Expression::Kind::Dot) {
      TermList list;
      for (const std::string& name : dot_) {
        Expression column{Expression::Kind::Name, name};
        list.push_back(id_of(column));
      }
      return list;
    }
    if (node.is_call("offset")) {
      found_.offsets.push_back(node.arguments.front().value);
      return {};
    }
    if (is_variable(node)) return {id_of(node)};
    if (node.arguments.size() == 1)
      return node.text == "-" ? (taken_away(node.argument(0)), TermList{}) : terms_of(node.argument(0));
    return operated(node);
  }

  TermList operated(const Expression& node) {
    TermList left = terms_of(node.argument(0));
    if (node.text == "^") {
      TermList power = left;
      for (int k = 1; k < static_cast<int>(node.argument(1).number); ++k) {
        TermList next = products(left, power, node);
        if (next == power) break;
        power = std::move(next);
      }
      return power;
    }
    if (node.text == "-") {
      const TermList away = taken_away(node.argument(1));
      std::erase_if(left, [&away](const TermVariables& term) {
        return std::find(away.begin(), away.end(), term) != away.end();
      });
      return left;
    }
    TermList right = terms_of(node.argument(1));
    if (node.text == ":") return products(left, right, node);
    if (node.text == "%in%") return products(left, {all_of(right)}, node);
    TermList added = right;
    if (node.text == "*") {
      const TermList crossed = products(left, right, node);
      added.insert(added.end(), crossed.begin(), crossed.end());
    } else if (node.text == "/") {
      added = products({all_of(left)}, right, node);
    }
    left.insert(left.end(), added.begin(), added.end());
    return distinct(left, node);
  }

  void refuse_response() const {
    if (formula_.response == nullptr) return;
    const auto found = ids_.find(deparse(*formula_.response));
    if (found == ids_.end()) return;
    for (const TermVariables& term : found_.terms)
      if (std::find(term.begin(), term.end(), found->second) != term.end())
        throw FormulaError(formula_.text, offsets_[at(found->second)],
                           "the response " + found->first + " is also among the terms");
  }

  const Formula& formula_;
  const std::vector<std::string>& dot_;
  std::map<std::string, Index> ids_;
  std::vector<Index> offsets_;  // where each variable is in the text
  bool adding_ = true;
  ExpandedTerms found_;
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Columns of a tree that the table has, in their order; throws for one that it does not have.
void add_columns(const Formula& formula, const Expression& tree, std::span<const std::string> table,
                 std::vector<std::string>& names) {
  for_each_node(tree, [&](const Expression& node) {
    if (node.kind != Expression::Kind::Name) return;
    if (std::find(table.begin(), table.end(), node.text) != table.end()) {
      add_once(names, node.text);
    } else if (!is_constant_name(node.text)) {
      throw FormulaError(
          formula.text, node.offset,
          "the table has no column '" + printable(node.text) + "'" + did_you_mean(node.text, table));
    }
  });
}

bool has_dot(const Formula& formula) {
  bool found = false;
  const auto look = [&found](const Expression& node) { found = found || node.kind == Expression::Kind::Dot; };
  if (formula.terms != nullptr) for_each_node(*formula.terms, look);
  for (const GroupTerm& group : formula.groups) for_each_node(*group.terms, look);
  return found;
}

}  // namespace

bool is_constant_name(const std::string& name) {
  return name == "TRUE" || name == "FALSE" || name == "T" || name == "F" || name == "pi";
}

bool ExpandedTerms::is_contrasted(Index term, Index variable) const {
  TermVariables rest = terms[at(term)];
  std::erase(rest, variable);
  if (rest.empty()) return true;
  // The margin itself is what is usually there, and it comes at once.
  const auto end = terms.begin() + term;
  if (std::find(terms.begin(), end, rest) != end) return true;
  return std::any_of(terms.begin(), end, [&rest](const TermVariables& earlier) {
    return std::includes(earlier.begin(), earlier.end(), rest.begin(), rest.end());
  });
}

ExpandedTerms expand_terms(const Formula& formula, const std::vector<std::string>& dot) {
  return Expander(formula, dot).expand();
}

FormulaColumns formula_columns(const Formula& formula, std::span<const std::string> names,
                               std::span<const std::string> excluded) {
  FormulaColumns columns;
  if (formula.response != nullptr) add_columns(formula, *formula.response, names, columns.response);
  if (has_dot(formula)) {
    // What tells groups apart is not a term as well.
    std::vector<std::string> by_group;
    for (const GroupTerm& group : formula.groups) add_columns(formula, *group.group, names, by_group);
    for (const std::string& name : names) {
      const auto is_name = [&name](const std::string& other) { return other == name; };
      if (std::any_of(columns.response.begin(), columns.response.end(), is_name)) continue;
      if (std::any_of(excluded.begin(), excluded.end(), is_name)) continue;
      if (std::any_of(by_group.begin(), by_group.end(), is_name)) continue;
      columns.dot.push_back(name);
    }
  }
  // Names of terms that are taken away are looked up too: a slip of the pen there would keep the term.
  std::vector<std::string> all;
  if (formula.terms != nullptr) add_columns(formula, *formula.terms, names, all);
  const ExpandedTerms expanded = expand_terms(formula, columns.dot);
  for (std::size_t v = 0; v < expanded.variables.size(); ++v) {
    const bool used = std::any_of(expanded.terms.begin(), expanded.terms.end(), [v](const auto& term) {
      return std::binary_search(term.begin(), term.end(), static_cast<Index>(v));
    });
    if (used) add_columns(formula, *expanded.variables[v], names, columns.terms);
  }
  for (const ExpressionPointer& offset : expanded.offsets)
    add_columns(formula, *offset, names, columns.terms);
  for (const GroupTerm& group : formula.groups) {
    add_columns(formula, *group.terms, names, columns.terms);
    add_columns(formula, *group.group, names, columns.terms);
  }
  return columns;
}

}  // namespace giga
