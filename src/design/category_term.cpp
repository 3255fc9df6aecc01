// Treatment coding. A row has 0 in all columns of a category but one at most, so it is filled with what 0
// becomes, (0 - mean) * inverse_scale, and the column of its level is put right.
#include "giga/design/term.hpp"

namespace giga {

void CategoryTerm::write(const double* const* x, Index count, const ColumnTarget& target) const {
  const Index columns = num_columns();
  const auto value = [&target](double raw, Index c) {
    return (raw - target.mean[c]) * target.inverse_scale[c];
  };
  for (Index i = 0; i < count; ++i) {
    double* z = target.z + i * target.row_stride;
    for (Index c = 0; c < columns; ++c) z[c * target.column_stride] = value(0, c);
    // The base has no column.
    const Index c = static_cast<Index>(x[i][feature_]) - 1;
    if (c >= 0) z[c * target.column_stride] = value(1, c);
  }
}

}  // namespace giga
