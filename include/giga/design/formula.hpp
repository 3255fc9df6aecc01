// Formulas in R's language: `late ~ hour + carrier * distance + ns(temp, 3) + offset(log(days))`.
//
//   response ~ terms
//   terms      a + b   a:b   a*b = a + b + a:b   a/b = a + a:b   b %in% a   (a + b)^2   - a   1   0   .
//   variables  columns of the table (`odd names` in backticks), calls, comparisons
//   calls      log sqrt exp ... I(...) factor relevel poly ns bs month weekday year hour offset
//   groups     (1 | g), (1 + x | g), (x || g): kept apart from the terms
//   response   an expression, a category, or cbind(successes, failures)
//
// Here a formula is text and a tree; which columns it needs is told by the names of the table. What it makes
// of data is in design_state.hpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/types.hpp"

namespace giga {

/// A formula that cannot be read, or that does not fit its table. what() is the sentence, then the formula
/// with a caret under the place.
class FormulaError : public OptionError {
 public:
  /// `offset` is a byte of `formula`; one past its end is taken as the last byte.
  FormulaError(std::string_view formula, Index offset, const std::string& sentence);

  [[nodiscard]] Index offset() const { return offset_; }
  /// What is wrong, in words.
  [[nodiscard]] const std::string& sentence() const { return sentence_; }
  /// Two lines: the formula (the part around the place if it is long), and the caret.
  [[nodiscard]] const std::string& rendering() const { return rendering_; }

 private:
  struct Drawn;
  FormulaError(const Drawn& drawn);

  Index offset_;
  std::string sentence_, rendering_;
};

/// A node of the tree. Operators are calls too: "+", "(", "^".
struct Expression {
  enum class Kind {
    Number,  ///< `number`; `text` is how R writes it
    Text,    ///< `text`, without its quotes
    Name,    ///< a column, or TRUE and FALSE
    Dot,     ///< all other columns
    Call,    ///< `text` of `arguments`
  };
  struct Argument {
    std::string name;  ///< Empty without one.
    std::shared_ptr<const Expression> value;
  };

  Kind kind = Kind::Dot;
  std::string text;
  double number = 0;
  std::vector<Argument> arguments = {};
  Index offset = 0;  ///< Where it is in the formula: a name or a call begins here, an operator stands here.

  [[nodiscard]] bool is_call(std::string_view of) const { return kind == Kind::Call && text == of; }
  [[nodiscard]] const Expression& argument(Index i) const { return *arguments[at(i)].value; }
};

using ExpressionPointer = std::shared_ptr<const Expression>;

/// (terms | group), or (terms || group): without correlations.
struct GroupTerm {
  ExpressionPointer terms, group;
  bool correlated = true;
  std::string text;  ///< As R writes it: "1 + x | g".
};

struct Formula {
  std::string text;            ///< As it was given.
  ExpressionPointer response;  ///< None in `~ x`.
  ExpressionPointer terms;     ///< Without the group terms; none if there are no others.
  std::vector<GroupTerm> groups;
};

/// Throws FormulaError.
[[nodiscard]] Formula parse_formula(std::string_view text);

/// As R's deparse writes it, on one line: "I(x^2)", "ns(x, df = 3)", "`odd name` + 1".
[[nodiscard]] std::string deparse(const Expression& expression);

/// The same of both sides, the groups in their order: two formulas that differ in blanks, quotes or the way a
/// number is written have one text.
[[nodiscard]] std::string deparse(const Formula& formula);

/// A number as R writes it, with at most 15 significant digits: "2", "0.5", "1e+05".
[[nodiscard]] std::string deparse(double number);

/// The columns that a formula needs, each once, in the order in which they appear.
struct FormulaColumns {
  std::vector<std::string> response;  ///< On the left.
  std::vector<std::string> terms;     ///< On the right: terms, offsets and groups.
  std::vector<std::string> dot;       ///< What a dot stands for, in the order of the table; not groups.
};

/// `names`: the columns of the table; `excluded`: those that a dot leaves out besides the response, such as
/// weights. Throws FormulaError for a column that is not there.
[[nodiscard]] FormulaColumns formula_columns(const Formula& formula, std::span<const std::string> names,
                                             std::span<const std::string> excluded = {});

}  // namespace giga
