// Group effects: what (1 | g), (1 + x | g) and (x || g) in a formula add to the predictor of a row,
//
//   x_n b_g(n),   b_j ~ N(0, sd^2) for each group j,
//
// with x_n = 1 or a number. Each number has coefficients and a standard deviation of its own; there are no
// correlations between them, whether the formula has | or ||.
//
// An effect is a term whose columns are taken as they are: x_n where the row is of the group, 0 elsewhere,
// for every group (there is no base level, since all are alike under the prior). Before them is a column of
// zeros: its parameter is log sd, of which only the prior knows anything (prior.hpp). So whatever sees
// columns alone, projections, coresets and certificates among them, need not know that there are groups.
//
// Names are those of rstanarm: b[(Intercept) carrier:UA], b[hour carrier:UA]; and likewise
// sd[(Intercept) carrier], sd[hour carrier].
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "giga/design/term.hpp"

namespace giga {

class RowValue;

/// What the standard deviations of all group effects are called together, as in options.
inline constexpr const char* kGroupSds = "sd(groups)";
/// The most coefficients of groups that a formula may have.
inline constexpr Index kMostGroupCoefficients = 500;

class GroupEffect final : public Term {
 public:
  /// What the groups are, and how a message calls one that was not learnt.
  struct Groups {
    std::string name;                       ///< "carrier", "factor(month)".
    std::shared_ptr<const RowValue> place;  ///< A category: places in its levels.
    std::shared_ptr<const RowValue> key;    ///< The same before levels were learnt.
  };

  /// `slope` is a number, or null for the intercept; `slope_name` is what names have for it.
  GroupEffect(Groups groups, std::string slope_name, std::shared_ptr<const RowValue> slope);

  [[nodiscard]] const std::string& group() const { return groups_.name; }
  [[nodiscard]] const std::vector<std::string>& levels() const;
  [[nodiscard]] bool has_slope() const { return slope_ != nullptr; }
  /// x_n alone, as a term of one column; null for the intercept.
  [[nodiscard]] std::shared_ptr<const Term> slope() const;

  /// 1 + the number of groups.
  [[nodiscard]] Index num_columns() const override;
  [[nodiscard]] std::string column_name(Index c) const override;
  [[nodiscard]] std::string label(Index c) const override;
  /// Means and scales are not used. A group that was not learnt leaves all columns 0.
  void write(const double* const* x, Index count, const ColumnTarget& target) const override;

  /// Of some rows: the place of the group, -1 where it was not learnt; and x_n.
  void read(const double* const* x, Index count, Index* place, double* times) const;
  /// The name of the coefficient of a row's group, learnt or not.
  [[nodiscard]] std::string coefficient_name(const double* x) const;

  [[nodiscard]] const RowValue& groups() const { return *groups_.place; }
  [[nodiscard]] const RowValue* slope_value() const { return slope_.get(); }

 private:
  [[nodiscard]] std::string name_with(const std::string& level) const;

  Groups groups_;
  std::string slope_name_;
  std::shared_ptr<const RowValue> slope_;
};

using GroupEffects = std::vector<std::shared_ptr<const GroupEffect>>;

}  // namespace giga
