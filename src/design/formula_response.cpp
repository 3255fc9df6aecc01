// The left side of a formula and its offsets, by rows.
#include <cmath>
#include <stdexcept>

#include "design/formula_terms.hpp"
#include "design/row_value.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/design/design_state.hpp"

namespace giga {
namespace {

std::shared_ptr<const RowValue> compiled(const Expression& node, const CompileContext& context) {
  return std::make_shared<const RowValue>(compile_value(node, context));
}

// Values of a block; the words for the first that cannot be used name the row.
void checked(const RowValue& value, const Dataset& data, Index first, Index count, bool at_least_0,
             double* values) {
  value.evaluate(data, first, count, values);
  for (Index i = 0; i < count; ++i) {
    if (std::isfinite(values[i]) && (!at_least_0 || values[i] >= 0)) continue;
    if (!(data.weight(first + i) > 0)) continue;
    const std::string place = data.name() + ", " + data.place(first + i) + ": " + value.text;
    if (value.is_category()) throw DataError(place + " has a level that was not learnt");
    throw DataError(place + " is " + value_text(values[i]) +
                    (std::isfinite(values[i]) ? ", but a count cannot be below 0" : ""));
  }
}

}  // namespace

FormulaResponse::FormulaResponse(const DesignState& state, const VariableSources& sources) {
  const Formula formula = parse_formula(state.formula);
  if (formula.response == nullptr)
    throw std::invalid_argument("the formula has no response on the left of '~'");
  const CompileContext context{formula, state, sources};
  name_ = deparse(*formula.response);
  if (formula.response->is_call("cbind")) {
    value_ = compiled(formula.response->argument(0), context);
    failures_ = compiled(formula.response->argument(1), context);
    for (const Index i : {0, 1}) {
      const Expression& part = formula.response->argument(i);
      if ((i == 0 ? value_ : failures_)->type == ValueType::Category)
        throw FormulaError(formula.text, part.offset,
                           deparse(part) + " is a category, where a count is expected");
    }
    return;
  }
  value_ = compiled(*formula.response, context);
  levels_ = value_->levels;
}

void FormulaResponse::write(const Dataset& data, Index first, Index count, double* values,
                            double* trials) const {
  checked(*value_, data, first, count, has_trials(), values);
  if (!has_trials() || trials == nullptr) return;
  checked(*failures_, data, first, count, true, trials);
  for (Index i = 0; i < count; ++i) trials[i] += values[i];
}

FormulaOffset::FormulaOffset(const DesignState& state, const VariableSources& sources) {
  const Formula formula = parse_formula(state.formula);
  const CompileContext context{formula, state, sources};
  for (const ExpressionPointer& offset : expand_terms(formula, state.dot).offsets) {
    values_.push_back(compiled(*offset, context));
    if (values_.back()->type == ValueType::Category)
      throw FormulaError(formula.text, offset->offset,
                         deparse(*offset) + " is a category, where a number is expected");
  }
}

void FormulaOffset::write(const Dataset& data, Index first, Index count, double* offset) const {
  std::fill_n(offset, count, 0.0);
  std::vector<double> values(at(count));
  for (const auto& value : values_) {
    checked(*value, data, first, count, false, values.data());
    for (Index i = 0; i < count; ++i) offset[i] += values[at(i)];
  }
}

void FormulaOffset::write(const double* const* x, Index count, double* offset) const {
  std::fill_n(offset, count, 0.0);
  for (const auto& value : values_) {
    std::vector<double> slots(at(value->program.num_slots() * kProgramRows));
    for (Index begin = 0; begin < count; begin += kProgramRows) {
      const Index some = std::min(kProgramRows, count - begin);
      value->program.run({x + begin}, some, slots.data());
      for (Index i = 0; i < some; ++i) offset[begin + i] += slots[at(i)];
    }
  }
}

}  // namespace giga
