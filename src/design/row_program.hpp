// An expression as a flat list of steps, each done for many rows at once.
//
// Steps work on a stack of slots with one number per row: a load pushes, an operator with two operands puts
// its result where the first was. Categories are indices of levels, conditions 0 and 1.
#pragma once

#include <vector>

#include "giga/base/types.hpp"

namespace giga {

/// Rows of one run.
inline constexpr Index kProgramRows = 128;

/// Rows to compute from: features begin at x[0], x[1], ...; `response` has one number each, if it is needed.
struct RowInput {
  const double* const* x = nullptr;
  const double* response = nullptr;
};

class RowProgram {
 public:
  enum class Operation {
    Feature,
    Response,
    Constant,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Remainder,
    WholePart,
    Least,
    Most,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
    Negate,
    Log,
    Log2,
    Log10,
    Log1p,
    Exp,
    Expm1,
    Sqrt,
    Abs,
    Sin,
    Cos,
    Floor,
    Ceiling,
    Round,
    Sign,
    Month,
    Weekday,
    Year,
    Hour,
    Lookup,  // table[value]; NaN outside the table
    Search,  // index_table[position in table of the value]; NaN if it is not there
  };

  /// `feature`: of Feature; `number`: of Constant.
  void push(Operation operation, Index feature, double number);
  /// Of the one or two values on top.
  void apply_one(Operation operation);
  void apply_two(Operation operation);
  void look_up(std::vector<double> table);
  void search(std::vector<double> values, std::vector<double> results);

  /// Slots of kProgramRows numbers that run() needs.
  [[nodiscard]] Index num_slots() const { return deepest_; }
  /// The feature that the value is as it is; -1 if it is computed.
  [[nodiscard]] Index plain_feature() const;
  /// Whether a value may be other than finite.
  [[nodiscard]] bool may_fail() const;

  /// Values of `count` <= kProgramRows rows to slots[0] .. slots[count - 1].
  void run(const RowInput& rows, Index count, double* slots) const;

 private:
  struct Step {
    Operation operation;
    Index slot;  // of the first operand and of the result
    Index place = 0;
    double number = 0;
  };

  std::vector<Step> steps_;
  std::vector<std::vector<double>> tables_;
  Index depth_ = 0, deepest_ = 0;
};

}  // namespace giga
