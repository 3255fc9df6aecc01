// What a Regression holds, and the predictors and derivatives of some of its rows at many points; shared by
// regression.cpp and regression_extras.cpp.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "giga/model/regression.hpp"
#include "model/design_matrix.hpp"
#include "model/family_kernels.hpp"
#include "model/row_constants.hpp"
#include "model/tile_kernels.hpp"

namespace giga {

/// A number for each row, all of them here or those that this rank holds.
class RowNumbers {
 public:
  RowNumbers() = default;
  explicit RowNumbers(std::vector<double> all)
      : all_(std::move(all)), data_(all_.empty() ? nullptr : all_.data()) {}
  /// Those of someone else, who outlives this object.
  explicit RowNumbers(std::span<const double> theirs) : data_(theirs.data()) {}
  explicit RowNumbers(RowArray<double> shared) : shared_(std::move(shared)), data_(shared_.data()) {}

  [[nodiscard]] bool empty() const { return data_ == nullptr; }
  [[nodiscard]] const double* data() const { return data_; }
  [[nodiscard]] double operator[](Index n) const { return data_[n]; }
  /// Where ranks share the rows: all of them.
  void complete(const Executor& executor) const;

 private:
  std::vector<double> all_;
  mutable RowArray<double> shared_;
  const double* data_ = nullptr;
};

struct Regression::Parts {
  DesignMatrix design;
  RowNumbers response;
  std::vector<double> multiplicity;  // empty: all 1
  RowConstants constants;            // c(y) of each row
  FamilyParameters family;
  std::vector<std::string> names;  // of the parameters; empty: none were given
  RowNumbers offset = {};          // empty: all 0
  // Response and offset of rows that were fetched from other ranks.
  mutable std::unordered_map<Index, std::pair<double, double>> fetched = {};

  [[nodiscard]] bool is_here(Index n) const { return design.held().contains(n); }
  [[nodiscard]] double y(Index n) const { return is_here(n) ? response[n] : fetched.at(n).first; }
  [[nodiscard]] double shift(Index n) const {
    return offset.empty() ? 0.0 : is_here(n) ? offset[n] : fetched.at(n).second;
  }
  [[nodiscard]] double times(Index n) const {
    return multiplicity.empty() ? 1.0 : multiplicity[static_cast<std::size_t>(n)];
  }
  [[nodiscard]] double constant(Index n) const { return constants.empty() ? 0.0 : constants.of(n, y(n)); }
  [[nodiscard]] Index num_extras() const { return describe(family.family).num_extras(); }

  // s = <z_n, beta_j> + offset_n of some rows at all points, row after row, points.stride() apart; z are the
  // rows.
  void predict(Index first, Index count, const double* z, const Points& points, double* s) const {
    kernels::predict_many(z, count, design.num_columns(), points.component(0), points.stride(), s);
    for (Index i = 0; i < count && !offset.empty(); ++i) {
      const double more = shift(first + i);
      double* row = s + i * points.stride();
      for (Index j = 0; j < points.stride(); ++j) row[j] += more;
    }
  }
  // The same of one tile of rows by component at one point; s has kTile entries.
  void predict_tile(Index first, Index count, const double* z, const double* beta, double* s) const {
    kernels::predict(z, design.num_columns(), beta, s);
    for (Index i = 0; i < count && !offset.empty(); ++i) s[i] += shift(first + i);
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
