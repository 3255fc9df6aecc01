// Expressions with one value per row, compiled for the columns of a table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "design/row_program.hpp"
#include "giga/design/design_state.hpp"
#include "giga/design/formula.hpp"

namespace giga {

/// What the numbers of a value stand for.
enum class ValueType {
  Number,
  Condition,  // 0 and 1
  Category,   // indices of levels
  Day,        // as ColumnKind::Date
  Moment,     // as ColumnKind::Time
};

class RowValue {
 public:
  ValueType type = ValueType::Number;
  std::vector<std::string> levels = {};  // of a category; "FALSE" and "TRUE" of a condition
  RowProgram program = {};
  std::string text = {};              // as R writes it
  std::vector<Index> variables = {};  // of the state, for messages

  [[nodiscard]] bool is_category() const {
    return type == ValueType::Category || type == ValueType::Condition;
  }

  /// Values of any number of rows of the table.
  void evaluate(const Dataset& data, Index first, Index count, double* values) const;
};

/// What a compiler knows: the formula for messages, what was learnt, and where the columns are.
struct CompileContext {
  const Formula& formula;
  const DesignState& state;
  const VariableSources& sources;
};

/// Throws FormulaError where types do not fit.
[[nodiscard]] RowValue compile_value(const Expression& expression, const CompileContext& context);

/// The variable of a state with this name; -1 if it has none.
[[nodiscard]] Index variable_index(const DesignState& state, const std::string& name);
/// What was learnt for a call. Throws DataError if there is nothing.
[[nodiscard]] const LearntCall& learnt_call(const DesignState& state, const std::string& call);

/// The text of a value as messages have it: "2", "level 'UA'", "-Inf".
[[nodiscard]] std::string value_text(double value);

/// "flights.csv, row 17 (line 18): log(x) is -Inf (x is 0)". Why a value of row n cannot be used.
[[nodiscard]] std::string unusable(const RowValue& value, double result, const DesignState& state,
                                   const VariableSources& sources, const Dataset& data, Index n);

/// The lowest row of weight above 0 in [first, first + count) whose value is not finite; -1 if there is none.
[[nodiscard]] Index first_unusable(const Dataset& data, Index first, Index count, const double* values);

}  // namespace giga
