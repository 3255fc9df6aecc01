// Learning from data, and checking what comes of it.
//
// Values of an expression are kept for all rows, on every rank, while one call learns from them (8 bytes a
// row), in the order of the rows; sums over them are folds, quantiles are exact. So no result depends on the
// executor.
#include "giga/design/design_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "base/shared_entries.hpp"
#include "design/formula_design.hpp"
#include "design/formula_functions.hpp"
#include "design/group_design.hpp"
#include "design/near_names.hpp"
#include "design/row_value.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"

namespace giga {
namespace {

constexpr Index kMostLevels = 10'000;  // of factor()

class Learner {
 public:
  Learner(const Formula& formula, const Dataset& data, DesignState& state, const Executor& executor)
      : formula_(formula),
        data_(data),
        state_(state),
        executor_(executor),
        sources_(sources_of(state, data)) {}

  // What is within a call is learnt before the call.
  void learn(const Expression& node) {
    for (const Expression::Argument& argument : node.arguments) learn(*argument.value);
    const std::string call = deparse(node);
    for (const LearntCall& known : state_.learnt)
      if (known.call == call) return;
    if (node.is_call("factor")) learn_factor(node, call);
    if (node.is_call("poly")) learn_poly(node, call);
    if (node.is_call("ns") || node.is_call("bs")) learn_spline(node, call);
  }

  // Numbers and groups of a group term.
  void learn(const GroupTerm& group) {
    // Calls within the groups are learnt before it is asked whether they are categories.
    learn(*group.group);
    for (const ExpressionPointer& value : group_values(group, {formula_, state_, sources_})) learn(*value);
  }

 private:
  RowValue compiled(const Expression& node) const {
    return compile_value(node, {formula_, state_, sources_});
  }

  // The blocks of rows that are here.
  template <typename Visit>
  void for_blocks(const Visit& visit) const {
    data_.check_together(executor_, [&] { for_each_block(executor_, data_.held(), visit); });
  }

  // One block of values, checked.
  void block_values(const RowValue& value, Index first, Index count, double* values) const {
    value.evaluate(data_, first, count, values);
    const Index n = first_unusable(data_, first, count, values);
    if (n >= 0) throw DataError(unusable(value, values[n - first], state_, sources_, data_, n));
  }

  // Of all rows with a weight, in their order.
  [[nodiscard]] std::vector<double> all_values(const Expression& node) const {
    const RowValue value = compiled(node);
    if (value.type == ValueType::Category)
      throw FormulaError(formula_.text, node.offset,
                         deparse(node) + " is a category, where a number is expected");
    std::vector<double> values(at(data_.num_rows()));
    for_blocks([&](Index first, Index count) { block_values(value, first, count, values.data() + first); });
    if (data_.is_shared()) share_rows(executor_, data_.num_rows(), {entries_of(values.data())});
    if (!data_.weights().empty()) {
      std::vector<char> counts(values.size());
      for_blocks([&](Index first, Index count) {
        for (Index n = first; n < first + count; ++n) counts[at(n)] = data_.weight(n) > 0 ? 1 : 0;
      });
      if (data_.is_shared()) share_rows(executor_, data_.num_rows(), {entries_of(counts.data())});
      Index kept = 0;
      for (Index n = 0; n < data_.num_rows(); ++n)
        if (counts[at(n)] != 0) values[at(kept++)] = values[at(n)];
      values.resize(at(kept));
    }
    if (values.empty()) throw DataError(data_.name() + ": no row has a weight above 0");
    return values;
  }

  // The values that occur, ascending.
  [[nodiscard]] std::vector<double> distinct_values(const RowValue& value) const {
    std::vector<std::vector<double>> found(at(num_blocks(data_.num_rows())));
    for_blocks([&](Index first, Index count) {
      std::vector<double> values(at(count)), kept;
      block_values(value, first, count, values.data());
      for (Index i = 0; i < count; ++i)
        if (data_.weight(first + i) > 0) kept.push_back(values[at(i)]);
      std::sort(kept.begin(), kept.end());
      kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
      found[at(first / kBlockRows)] = std::move(kept);
    });
    std::set<double> all;
    const auto add = [&all](const std::vector<double>& values) {
      if (std::ssize(all) <= kMostLevels) all.insert(values.begin(), values.end());
    };
    for (const std::vector<double>& block : found) add(block);
    if (data_.is_shared()) {
      for (const Bytes& bytes : gathered(executor_, [&all] {
             const std::vector<double> own(all.begin(), all.end());
             const auto view = std::as_bytes(std::span(own));
             return Bytes(view.begin(), view.end());
           })) {
        std::vector<double> values(bytes.size() / sizeof(double));
        if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        add(values);
      }
    }
    if (std::ssize(all) > kMostLevels)
      throw DataError(data_.name() + ": factor(" + value.text + ") has more than " + grouped(kMostLevels) +
                      " levels; it looks like a number or an identifier rather than a category");
    return {all.begin(), all.end()};
  }

  void learn_factor(const Expression& node, const std::string& call) {
    const MatchedArguments matched(node, formula_);
    if (matched["levels"] != nullptr) return;
    const RowValue value = compiled(*matched["x"]);
    LearntCall learnt{call};
    const std::vector<double> values = distinct_values(value);
    if (value.type != ValueType::Category) {
      learnt.values = values;
    } else {
      for (const double level : values)
        learnt.levels.push_back(value.levels[static_cast<std::size_t>(level)]);
    }
    state_.learnt.push_back(std::move(learnt));
  }

  void learn_poly(const Expression& node, const std::string& call) {
    const PolynomialCall poly = polynomial_call(node, formula_);
    if (poly.raw) return;
    const std::vector<double> x = all_values(*poly.x);
    // A polynomial through all points has nothing left to be orthogonal to.
    std::set<double> distinct;
    for (const double value : x) {
      distinct.insert(value);
      if (std::ssize(distinct) > poly.degree) break;
    }
    if (std::ssize(distinct) <= poly.degree)
      throw DataError(data_.name() + ": " + call + " needs more than " +
                      plural(poly.degree, "different value") + ", but there are " +
                      std::to_string(distinct.size()));
    OrthogonalPolynomials found = learn_polynomials(x, poly.degree, executor_);
    LearntCall learnt{call};
    learnt.center = found.center;
    learnt.alpha = std::move(found.alpha);
    learnt.norm2 = std::move(found.norm2);
    state_.learnt.push_back(std::move(learnt));
  }

  void learn_spline(const Expression& node, const std::string& call) {
    const SplineCall spline = spline_call(node, formula_);
    std::vector<double> x = all_values(*spline.x);
    LearntCall learnt{call};
    learnt.knots = spline.knots;
    learnt.boundary = spline.boundary;
    if (learnt.boundary.empty()) {
      const auto [low, high] = std::minmax_element(x.begin(), x.end());
      learnt.boundary = {*low, *high};
      if (*low == *high)
        throw DataError(data_.name() + ": " + call + " needs different values, but all are " +
                        shortest(*low));
    } else {
      std::erase_if(
          x, [&learnt](double value) { return value < learnt.boundary[0] || value > learnt.boundary[1]; });
    }
    if (spline.inner_knots > 0) {
      if (x.empty()) throw DataError(data_.name() + ": " + call + " has no value between its boundary knots");
      learnt.knots = inner_quantiles(x, spline.inner_knots);
    }
    // R cannot compute these either: the second derivative at that end is not defined.
    if (spline.natural && !learnt.knots.empty() && learnt.knots.back() == learnt.boundary[1])
      throw DataError(data_.name() + ": " + call + " has a knot at the largest value, " +
                      shortest(learnt.boundary[1]) +
                      ", which too many rows have; use fewer knots or name them");
    for (const double knot : learnt.knots)
      if (knot < learnt.boundary[0] || knot > learnt.boundary[1])
        throw FormulaError(formula_.text, node.offset,
                           "the knot " + shortest(knot) + " is outside the boundary, which is from " +
                               shortest(learnt.boundary[0]) + " to " + shortest(learnt.boundary[1]));
    state_.learnt.push_back(std::move(learnt));
  }

  const Formula& formula_;
  const Dataset& data_;
  DesignState& state_;
  const Executor& executor_;
  VariableSources sources_;
};

const Column* column_named(const Dataset& data, const std::string& name) {
  for (const Column& column : data.columns())
    if (column.name == name && (column.role == ColumnRole::Feature || column.role == ColumnRole::Response))
      return &column;
  return nullptr;
}

DesignState empty_state(const Formula& formula, const Dataset& data, std::span<const std::string> excluded) {
  std::vector<std::string> names, left_out(excluded.begin(), excluded.end());
  for (const Column& column : data.columns()) {
    if (column.role != ColumnRole::Feature && column.role != ColumnRole::Response) continue;
    names.push_back(column.name);
    if (column.role == ColumnRole::Response) left_out.push_back(column.name);
  }
  const FormulaColumns columns = formula_columns(formula, names, left_out);
  DesignState state{formula.text, columns.dot, {}, {}};
  for (const bool left : {true, false}) {
    for (const std::string& name : left ? columns.response : columns.terms) {
      const auto& terms = columns.terms;
      const bool in_terms = std::find(terms.begin(), terms.end(), name) != terms.end();
      if (variable_index(state, name) >= 0) continue;
      const Column& column = *column_named(data, name);
      state.variables.push_back({name, column.kind, column.levels, !in_terms});
    }
  }
  return state;
}

const char* kind_words(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::Number: return "numbers";
    case ColumnKind::Category: return "a category";
    case ColumnKind::Date: return "dates";
    case ColumnKind::Time: return "times";
  }
  return "";
}

}  // namespace

VariableSources sources_of(const DesignState& state, const Dataset& data, bool response) {
  VariableSources sources;
  for (const DesignVariable& variable : state.variables) {
    const Column* column = column_named(data, variable.name);
    VariableSource source;
    if (column != nullptr && column->kind != variable.kind) {
      throw DataError(data.name() + ": column " + quoted_text(variable.name) + " has " +
                      kind_words(column->kind) + ", but the formula learnt from " +
                      kind_words(variable.kind));
    }
    if (column != nullptr) {
      const bool left = column->role == ColumnRole::Response;
      if (left && !variable.response_only)
        throw DataError(data.name() + ": column " + quoted_text(variable.name) +
                        " is read as the response of the table, so it cannot be among the terms");
      source = {left ? VariableSource::kResponse : column->feature, column->levels};
    } else if (!variable.response_only || response) {
      std::vector<std::string> names;
      for (const Column& each : data.columns()) names.push_back(each.name);
      throw DataError(data.name() + ": there is no column " + quoted_text(variable.name) +
                      ", which the formula needs" + did_you_mean(variable.name, names));
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

VariableSources sources_of(const DesignState& state, std::span<const std::string> features) {
  VariableSources sources;
  for (const DesignVariable& variable : state.variables) {
    const auto found = std::find(features.begin(), features.end(), variable.name);
    sources.push_back(
        {found == features.end() ? VariableSource::kMissing : found - features.begin(), variable.levels});
  }
  return sources;
}

DesignState learn_design(const Formula& formula, const Dataset& data, const Executor& executor,
                         std::span<const std::string> excluded) {
  DesignState state = empty_state(formula, data, excluded);
  Learner learner(formula, data, state, executor);
  if (formula.response != nullptr) learner.learn(*formula.response);
  const ExpandedTerms expanded = expand_terms(formula, state.dot);
  for (Index v = 0; v < std::ssize(expanded.variables); ++v) {
    const bool used = std::any_of(
        expanded.terms.begin(), expanded.terms.end(),
        [v](const TermVariables& term) { return std::binary_search(term.begin(), term.end(), v); });
    if (used) learner.learn(*expanded.variables[at(v)]);
  }
  for (const ExpressionPointer& offset : expanded.offsets) learner.learn(*offset);
  for (const GroupTerm& group : formula.groups) learner.learn(group);
  check_rows(state, data, executor);
  return state;
}

void check_rows(const DesignState& state, const Dataset& data, const Executor& executor, bool response,
                bool new_groups) {
  const Formula formula = parse_formula(state.formula);
  const VariableSources sources = sources_of(state, data, response);
  const BuiltTerms built = build_terms(formula, state, sources);
  const FormulaOffset offset(state, sources);
  std::optional<FormulaResponse> left;
  if (response && formula.response != nullptr) left.emplace(state, sources);
  const auto check = [&](Index first, Index count) {
    FormulaTerm::Fault lowest;
    const auto take = [&lowest](FormulaTerm::Fault fault) {
      if (fault.row >= 0 && (lowest.row < 0 || fault.row < lowest.row)) lowest = std::move(fault);
    };
    for (const auto& term : built.terms) take(term->find_fault(state, sources, data, first, count));
    for (const auto& effect : built.groups)
      take(find_group_fault(*effect, state, sources, data, first, count, new_groups));
    if (lowest.row >= 0) throw DataError(lowest.words);
    std::vector<double> values(at(count)), trials(at(count));
    if (!offset.empty()) offset.write(data, first, count, values.data());
    if (left) left->write(data, first, count, values.data(), left->has_trials() ? trials.data() : nullptr);
  };
  data.check_together(executor, [&] { for_each_block(executor, data.held(), check); });
}

}  // namespace giga
