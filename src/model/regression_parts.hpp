// What a Regression holds, and the predictors and derivatives of some of its rows at many points; shared by
// regression.cpp and regression_extras.cpp.
#pragma once

#include <string>
#include <vector>

#include "giga/model/regression.hpp"
#include "model/design_matrix.hpp"
#include "model/family_kernels.hpp"
#include "model/row_constants.hpp"
#include "model/tile_kernels.hpp"

namespace giga {

struct Regression::Parts {
  DesignMatrix design;
  std::vector<double> response;
  std::vector<double> multiplicity;  // empty: all 1
  RowConstants constants;            // c(y) of each row
  FamilyParameters family;
  std::vector<std::string> names;  // of the parameters; empty: none were given
  std::vector<double> offset;      // empty: all 0

  [[nodiscard]] double times(Index n) const {
    return multiplicity.empty() ? 1.0 : multiplicity[static_cast<std::size_t>(n)];
  }
  [[nodiscard]] double constant(Index n) const {
    return constants.of(n, response[static_cast<std::size_t>(n)]);
  }
  [[nodiscard]] Index num_extras() const { return describe(family.family).num_extras(); }

  // s = <z_n, beta_j> + offset_n of some rows at all points, row after row, points.stride() apart; z are the
  // rows.
  void predict(Index first, Index count, const double* z, const Points& points, double* s) const {
    kernels::predict_many(z, count, design.num_columns(), points.component(0), points.stride(), s);
    for (Index i = 0; i < count && !offset.empty(); ++i) {
      const double shift = offset[static_cast<std::size_t>(first + i)];
      double* row = s + i * points.stride();
      for (Index j = 0; j < points.stride(); ++j) row[j] += shift;
    }
  }
  // The same of one tile of rows by component at one point; s has kTile entries.
  void predict_tile(Index first, Index count, const double* z, const double* beta, double* s) const {
    kernels::predict(z, design.num_columns(), beta, s);
    for (Index i = 0; i < count && !offset.empty(); ++i) s[i] += offset[static_cast<std::size_t>(first + i)];
  }
};

/// A family with extra parameters: what it has of at most kTile rows at many points. As the extras differ
/// from point to point, so do the operations of the family: they are prepared once per point, for all rows of
/// the tile.
class ExtraPoints {
 public:
  ExtraPoints(const Regression& model, const FamilyParameters& family, const RowConstants& constants)
      : model_(model), family_(family), constants_(constants) {}

  /// out[i * out_stride + j] = l of row first + i at point j; s as from Parts::predict. `out` may be `s`.
  void values(Index first, Index count, const Points& points, const double* s, double* out,
              Index out_stride) const;
  /// slope[i * stride + j] = l', and extra[(e * count + i) * stride + j] = dl/dphi_e, stride that of the
  /// points.
  void slopes(Index first, Index count, const Points& points, const double* s, double* slope,
              double* extra) const;

 private:
  // The rows of the tile, one after another: responses, row constants, predictors at point j, its extras.
  struct Tile;
  void fill(Index first, Index count, Tile& tile) const;
  static void take_point(Index count, const Points& points, Index point, Index num_columns, const double* s,
                         Tile& tile);

  const Regression& model_;
  const FamilyParameters& family_;
  const RowConstants& constants_;
};

}  // namespace giga
