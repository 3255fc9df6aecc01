// The design: which columns z a model has, made of which terms, on which scale, with which prior.
//
//   z_n = ((r_n - mean) / scale, 1),   r_n the raw columns of all terms, 1 the intercept if there is one.
//
// A design knows no rows; it is told where their features begin. It is made once, from all the data,
// and travels with a coreset: made from the rows of the coreset it would be a different one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "giga/base/types.hpp"
#include "giga/data/dataset.hpp"
#include "giga/design/both_scales.hpp"
#include "giga/design/standardise.hpp"
#include "giga/design/term.hpp"

namespace giga {

struct DesignOptions {
  bool intercept = true;     ///< The last column, 1 in every row.
  bool standardised = true;  ///< Whether `scale` was taken from the data.
  double prior_scale = 1;    ///< theta ~ N(0, prior_scale^2) for every column, the intercept among them; > 0
};

class Design {
 public:
  using Terms = giga::Terms;

  /// `scale` has an entry for each raw column. Throws std::invalid_argument otherwise, or if there is no
  /// column at all.
  Design(Terms terms, Standardisation scale, const DesignOptions& options);

  /// Every feature of the table: numbers, dates and times are a column as they are, a category is a
  /// CategoryTerm. Throws DataError where these make more than 10,000 columns.
  [[nodiscard]] static Terms all_features(const Dataset& data);

  [[nodiscard]] const Terms& terms() const { return terms_; }
  /// Columns of z, the intercept included.
  [[nodiscard]] Index num_columns() const { return std::ssize(names_); }
  [[nodiscard]] bool has_intercept() const { return options_.intercept; }
  /// Names of the raw columns, then "(intercept)".
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// What the term of a column calls it together with those that belong to it; "(intercept)" of the
  /// intercept.
  [[nodiscard]] const std::string& term_label(Index column) const {
    return labels_[static_cast<std::size_t>(column)];
  }
  /// The raw columns alone.
  [[nodiscard]] std::vector<std::string> raw_names() const {
    return {names_.begin(), names_.begin() + std::ssize(scale_.mean)};
  }
  [[nodiscard]] const Standardisation& scale() const { return scale_; }
  [[nodiscard]] const DesignOptions& options() const { return options_; }
  /// The standard deviation of the prior of each column, where no other prior was chosen.
  [[nodiscard]] std::vector<double> prior_scales() const;

  /// The way back to the scale of the raw columns. `extra` parameters follow the columns in theta.
  [[nodiscard]] BothScales both_scales(const std::vector<ExtraName>& extra = {}) const;

  /// Column c of row i to z[i * row_stride + c * column_stride]; the features of row i begin at x[i].
  void write(const double* const* x, Index count, double* z, Index row_stride, Index column_stride) const;

 private:
  Terms terms_;
  Standardisation scale_;
  DesignOptions options_;
  std::vector<double> inverse_scale_;
  std::vector<std::string> names_, labels_;
};

/// What the user should know of the categories among the features: "carrier: 11 columns, base 'AA'".
[[nodiscard]] std::vector<std::string> category_notes(const Dataset& data);

}  // namespace giga
