// Terms to columns of z: z_c = (r_c - mean_c) * (1 / scale_c), term after term, and 1 for the intercept.
#include "giga/design/design.hpp"

#include <stdexcept>
#include <utility>

#include "design/column_limit.hpp"
#include "giga/base/text.hpp"

namespace giga {

// Row by row: the features of a row lie together, so reads are always in order. The two inner loops differ in
// the stride of the writes only; with a stride known to be 1 the compiler vectorises.
void NumericTerm::write(const double* const* x, Index count, const ColumnTarget& target) const {
  const Index columns = num_columns();
  const double* const mean = target.mean;
  const double* const inverse = target.inverse_scale;
  for (Index i = 0; i < count; ++i) {
    const double* from = x[i] + first_;
    double* z = target.z + i * target.row_stride;
    if (target.column_stride == 1) {
      for (Index c = 0; c < columns; ++c) z[c] = (from[c] - mean[c]) * inverse[c];
    } else {
      for (Index c = 0; c < columns; ++c) z[c * target.column_stride] = (from[c] - mean[c]) * inverse[c];
    }
  }
}

Design::Design(Terms terms, Standardisation scale, const DesignOptions& options)
    : terms_(std::move(terms)), scale_(std::move(scale)), options_(options) {
  for (const auto& term : terms_) {
    for (Index c = 0; c < term->num_columns(); ++c) {
      names_.push_back(term->column_name(c));
      labels_.push_back(term->label(c));
    }
  }
  if (scale_.mean.size() != names_.size() || scale_.scale.size() != names_.size())
    throw std::invalid_argument("the standardisation is of another number of columns");
  if (options_.intercept) {
    names_.emplace_back("(intercept)");
    labels_.emplace_back("(intercept)");
  }
  if (names_.empty()) throw std::invalid_argument("there is neither a feature nor an intercept");
  // Multiplied by rather than divided by, once per value of the table. All that is computed from z uses this
  // product, so rows have the same bits wherever they are standardised.
  for (const double value : scale_.scale) inverse_scale_.push_back(1 / value);
}

// Features side by side that are taken as they are make one term: it writes them in one loop.
Terms Design::all_features(const Dataset& data) {
  Terms terms;
  std::vector<CodedTerm> coded;
  const std::vector<std::string>& names = data.feature_names();
  const auto is_category = [&](Index d) { return data.feature_column(d).kind == ColumnKind::Category; };
  for (Index d = 0; d < data.num_features();) {
    if (is_category(d)) {
      terms.push_back(std::make_shared<CategoryTerm>(d, names[at(d)], data.feature_column(d).levels));
      coded.push_back({names[at(d)], terms.back()->num_columns()});
      ++d;
      continue;
    }
    const Index first = d;
    while (d < data.num_features() && !is_category(d)) ++d;
    terms.push_back(std::make_shared<NumericTerm>(
        first, std::vector<std::string>(names.begin() + first, names.begin() + d)));
  }
  require_few_columns(data.name(), coded);
  return terms;
}

std::vector<std::string> category_notes(const Dataset& data) {
  std::vector<std::string> notes;
  for (Index d = 0; d < data.num_features(); ++d) {
    const Column& column = data.feature_column(d);
    if (column.kind != ColumnKind::Category) continue;
    const std::string base = std::string("'").append(printable(column.levels.front())).append("'");
    notes.push_back(printable(column.name) +
                    (column.levels.size() == 1
                         ? ": one level, " + base + "; it makes no column"
                         : ": " + plural(std::ssize(column.levels) - 1, "column") + ", base " + base));
  }
  return notes;
}

std::vector<double> Design::prior_scales() const {
  return std::vector<double>(names_.size(), options_.prior_scale);
}

BothScales Design::both_scales(const std::vector<ExtraName>& extra) const {
  // names_ without "(intercept)": BothScales adds that name itself.
  const auto raw = names_.begin() + std::ssize(scale_.mean);
  return {{names_.begin(), raw}, scale_, options_.intercept, options_.standardised, extra};
}

void Design::write(const double* const* x, Index count, double* z, Index row_stride,
                   Index column_stride) const {
  // Invariant: columns [0, column) of z are written.
  Index column = 0;
  for (const auto& term : terms_) {
    term->write(x, count,
                {z + column * column_stride, row_stride, column_stride, scale_.mean.data() + column,
                 inverse_scale_.data() + column});
    column += term->num_columns();
  }
  if (!options_.intercept) return;
  for (Index i = 0; i < count; ++i) z[i * row_stride + column * column_stride] = 1;
}

}  // namespace giga
