// From the columns of a table to the columns that a model sees.
//
// A term makes raw columns out of the features of a row: a number as it is, the levels of a category, or what
// a formula writes (design_state.hpp). A Design (design.hpp) is a list of terms; it standardises every raw
// column r to
//
//   z = (r - mean) / scale,
//
// whatever term it comes from, so names, scale, prior and the way back belong to columns, not to terms.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

/// Where a term writes its columns: column c of row i goes to z[i * row_stride + c * column_stride].
struct ColumnTarget {
  double* z;
  Index row_stride, column_stride;
  const double *mean, *inverse_scale;  ///< One for each column of the term.
};

class Term {
 public:
  virtual ~Term() = default;

  [[nodiscard]] virtual Index num_columns() const = 0;
  /// What column c is called in results.
  [[nodiscard]] virtual std::string column_name(Index c) const = 0;
  /// What the columns that column c belongs to are called together, as in options: its own name if it stands
  /// alone.
  [[nodiscard]] virtual std::string label(Index c) const { return column_name(c); }

  /// (r - mean) * inverse_scale of every column, for `count` rows whose features begin at x[0], x[1], ...
  /// The bits of a row depend on that row alone. Safe from several threads.
  virtual void write(const double* const* x, Index count, const ColumnTarget& target) const = 0;
};

/// The terms of a design, in the order of its columns.
using Terms = std::vector<std::shared_ptr<const Term>>;

/// Numeric features `first` .. `first + names.size() - 1` of the table, each a column as it is.
class NumericTerm final : public Term {
 public:
  NumericTerm(Index first, std::vector<std::string> names) : first_(first), names_(std::move(names)) {}

  [[nodiscard]] Index num_columns() const override { return std::ssize(names_); }
  [[nodiscard]] std::string column_name(Index c) const override {
    return names_[static_cast<std::size_t>(c)];
  }
  void write(const double* const* x, Index count, const ColumnTarget& target) const override;

 private:
  Index first_;
  std::vector<std::string> names_;
};

/// A category of L levels by treatment coding: L - 1 columns, of which column c is 1 where the level is the
/// (c + 1)-th and 0 elsewhere, so that the first level is the base. Names are those of R: that of the feature
/// followed by the level.
class CategoryTerm final : public Term {
 public:
  /// `feature` of the table, whose numbers are places in `levels`.
  CategoryTerm(Index feature, std::string name, std::vector<std::string> levels)
      : feature_(feature), name_(std::move(name)), levels_(std::move(levels)) {}

  [[nodiscard]] Index num_columns() const override { return levels_.empty() ? 0 : std::ssize(levels_) - 1; }
  [[nodiscard]] std::string column_name(Index c) const override {
    return name_ + levels_[static_cast<std::size_t>(c + 1)];
  }
  [[nodiscard]] std::string label(Index /*c*/) const override { return name_; }
  void write(const double* const* x, Index count, const ColumnTarget& target) const override;

 private:
  Index feature_;
  std::string name_;
  std::vector<std::string> levels_;
};

}  // namespace giga
