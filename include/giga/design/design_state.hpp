// What a formula makes of a table: columns of the model, a response, an offset.
//
//   parse_formula(text)             Formula          formula.hpp
//   learn_design(formula, data, ..) DesignState      levels, knots, polynomials: plain values
//   sources_of(state, data)         VariableSources  where a table has the columns of a state
//   terms_of(state, sources)        FormulaTerms     for a Design; no data is needed
//   FormulaResponse, FormulaOffset                   values by rows
//   group effects, the last of the terms             group_effect.hpp
//
// Names, order and values of the columns are those of R's model.matrix with treatment contrasts. A state is
// learnt once, from all the data, and travels with a coreset; what is computed from it for a row depends on
// that row alone.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/data/dataset.hpp"
#include "giga/design/design.hpp"
#include "giga/design/formula.hpp"
#include "giga/design/group_effect.hpp"

namespace giga {

/// A column of the table that the formula uses.
struct DesignVariable {
  std::string name;
  ColumnKind kind = ColumnKind::Number;
  std::vector<std::string> levels = {};  ///< Of a category.
  bool response_only = false;            ///< Used on the left alone: not needed to make columns.

  bool operator==(const DesignVariable&) const = default;
};

/// What a call learnt from the data. Which numbers there are depends on the function:
///
///   ns, bs    knots, boundary
///   poly      center, alpha, norm2: with u = x - center, p_0 = 1 and p_{-1} = 0,
///                 p_{k+1} = (u - alpha_k) p_k - (norm2_{k+1} / norm2_k) p_{k-1},
///             and column k = 1, 2, ... is p_k / sqrt(norm2_{k+1}). R's coefs are center + alpha and norm2.
///   factor    values of a number, or levels of a category
struct LearntCall {
  std::string call;                      ///< As R writes it: "ns(x, df = 3)".
  std::vector<double> knots = {};        ///< Between the boundaries, ascending.
  std::vector<double> boundary = {};     ///< Two.
  double center = 0;                     ///< The mean of x.
  std::vector<double> alpha = {};        ///< alpha_0, alpha_1, ...: one per degree.
  std::vector<double> norm2 = {};        ///< norm2_0 = 1, norm2_1, ...: two more than degrees.
  std::vector<double> values = {};       ///< Those that occur, ascending.
  std::vector<std::string> levels = {};  ///< Those that occur.

  bool operator==(const LearntCall&) const = default;
};

struct DesignState {
  std::string formula;           ///< The text, as it was given.
  std::vector<std::string> dot;  ///< What `.` stands for.
  std::vector<DesignVariable> variables;
  std::vector<LearntCall> learnt;

  bool operator==(const DesignState&) const = default;
};

/// Learns from the rows of `data` whose weight is not 0; each counts once. `excluded`: columns that `.`
/// leaves out besides the response and the weights. All results are checked (check_rows). The same bits for
/// any executor. Throws FormulaError where formula and table do not fit, DataError where the data are at
/// fault: a category with one level, a value such as log(0).
[[nodiscard]] DesignState learn_design(const Formula& formula, const Dataset& data, const Executor& executor,
                                       std::span<const std::string> excluded = {});

/// Where a variable of a state is in a table.
struct VariableSource {
  static constexpr Index kResponse = -1;  ///< The response of the Dataset: for the left side of a formula.
  static constexpr Index kMissing = -2;

  Index feature = kMissing;
  std::vector<std::string> levels = {};  ///< Of a category in that table.
};
using VariableSources = std::vector<VariableSource>;

/// One for each variable of the state. Throws DataError for a column that is not there or is of another kind.
/// Columns that only the response needs may be missing unless `response` is asked for.
[[nodiscard]] VariableSources sources_of(const DesignState& state, const Dataset& data, bool response = true);

/// The sources of the table that a state was learnt from, by the order of its features; columns with no
/// feature of their name are missing.
[[nodiscard]] VariableSources sources_of(const DesignState& state, std::span<const std::string> features);

/// What a category became.
struct CategorySummary {
  std::string name;  ///< "carrier", "factor(month)".
  Index levels = 0;
  Index columns = 0;  ///< In all terms it is part of.
  std::string base;   ///< The level without a column; empty if each has one.
  /// The column of the table that it is, perhaps with another base or as a factor; empty if it is computed.
  std::string column = {};
};

struct FormulaTerms {
  Design::Terms terms;
  bool intercept = true;
  std::vector<CategorySummary> categories;  ///< In the order of the formula.
  GroupEffects groups = {};                 ///< The last of `terms`: they are taken as they are.

  /// Those before the groups, whose columns may be standardised.
  [[nodiscard]] std::span<const std::shared_ptr<const Term>> population() const {
    return std::span(terms).first(terms.size() - groups.size());
  }
};

/// The terms without the intercept, which a Design adds. A level that the state does not know makes the
/// columns of its category NaN; check_rows finds such rows. Throws FormulaError or DataError where a state
/// cannot be what learn_design returned, and DataError where there would be more than 10,000 columns.
[[nodiscard]] FormulaTerms terms_of(const DesignState& state, const VariableSources& sources);

/// Throws DataError for the first row of weight above 0 in which a column, the offset or, if `response` is
/// true, the response is not a finite number, or in which a category has a level that was not learnt; the
/// groups of group effects may be new where `new_groups` says so.
void check_rows(const DesignState& state, const Dataset& data, const Executor& executor, bool response = true,
                bool new_groups = false);

class RowValue;

/// The left side of a formula.
class FormulaResponse {
 public:
  /// Throws std::invalid_argument if the formula has no left side.
  FormulaResponse(const DesignState& state, const VariableSources& sources);

  /// As R writes it: "late", "log(y)", "cbind(k, n - k)".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Of a category or a condition ("FALSE", "TRUE"): values are then indices of levels. Empty for a number.
  [[nodiscard]] const std::vector<std::string>& levels() const { return levels_; }
  /// Whether it is cbind(successes, failures): values are then successes.
  [[nodiscard]] bool has_trials() const { return failures_ != nullptr; }

  /// Values of rows first .. first + count - 1, and trials if there are any. Throws DataError for a value
  /// that is not finite and for counts below 0, unless the row's weight is 0.
  void write(const Dataset& data, Index first, Index count, double* values, double* trials = nullptr) const;

 private:
  std::string name_;
  std::vector<std::string> levels_;
  std::shared_ptr<const RowValue> value_, failures_;
};

/// The sum of what is within offset().
class FormulaOffset {
 public:
  FormulaOffset(const DesignState& state, const VariableSources& sources);

  /// Without any offset() it is 0 in every row.
  [[nodiscard]] bool empty() const { return values_.empty(); }
  /// Offsets of rows first .. first + count - 1. Throws DataError for one that is not finite, unless the
  /// row's weight is 0.
  void write(const Dataset& data, Index first, Index count, double* offset) const;
  /// The same for rows whose features begin at x[0], x[1], ..., unchecked.
  void write(const double* const* x, Index count, double* offset) const;

 private:
  std::vector<std::shared_ptr<const RowValue>> values_;
};

}  // namespace giga
