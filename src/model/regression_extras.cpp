// Rows at many points where the family has extra parameters phi, which differ from point to point:
//
//     L_n(theta_j) = l(s_nj, phi_j),   <c, grad L_n> = l' <c, z_n> + sum_e c_e dl/dphi_e.
//
// Tiles of rows are taken through the points one after another, so that what a family prepares for one phi
// (logarithms, gamma functions) serves a tile of rows. The bits of an element depend on its row and point
// alone.
#include <algorithm>
#include <array>
#include <vector>

#include "model/regression_parts.hpp"
#include "model/scratch.hpp"

namespace giga {

using kernels::kTile;

struct ExtraPoints::Tile {
  std::array<double, kTile> y{}, constant{}, s{}, value{}, slope{};
  std::vector<double> phi, first;
};

void ExtraPoints::fill(Index first, Index count, Tile& tile) const {
  for (Index i = 0; i < count; ++i) {
    tile.y[at(i)] = model_.response(first + i);
    tile.constant[at(i)] = constants_.of(first + i, tile.y[at(i)]);
  }
  const auto extras = at(describe(family_.family).num_extras());
  tile.phi.resize(extras);
  tile.first.resize(extras * at(kTile));
}

void ExtraPoints::take_point(Index count, const Points& points, Index point, Index num_columns,
                             const double* s, Tile& tile) {
  for (std::size_t e = 0; e < tile.phi.size(); ++e)
    tile.phi[e] = points.at(num_columns + static_cast<Index>(e), point);
  for (Index i = 0; i < count; ++i) tile.s[at(i)] = s[i * points.stride() + point];
}

void ExtraPoints::values(Index first, Index count, const Points& points, const double* s, double* out,
                         Index out_stride) const {
  Tile tile;
  fill(first, count, tile);
  for (Index j = 0; j < points.count(); ++j) {
    take_point(count, points, j, model_.num_columns(), s, tile);
    kernels::log_likelihoods(family_, tile.y.data(), tile.constant.data(), tile.s.data(), count,
                             tile.value.data(), tile.phi.data());
    for (Index i = 0; i < count; ++i) out[i * out_stride + j] = tile.value[at(i)];
  }
}

void ExtraPoints::slopes(Index first, Index count, const Points& points, const double* s, double* slope,
                         double* extra) const {
  Tile tile;
  fill(first, count, tile);
  const Index stride = points.stride(), num_extras = std::ssize(tile.phi);
  for (Index j = 0; j < points.count(); ++j) {
    take_point(count, points, j, model_.num_columns(), s, tile);
    kernels::of(family_).gradients(family_, tile.phi.data(), tile.y.data(), nullptr, tile.s.data(), count,
                                   nullptr, tile.slope.data(), tile.first.data());
    for (Index i = 0; i < count; ++i) {
      slope[i * stride + j] = tile.slope[at(i)];
      for (Index e = 0; e < num_extras; ++e)
        extra[(e * count + i) * stride + j] = tile.first[at(e * count + i)];
    }
  }
}

void Regression::log_likelihoods_with_extras(Index first, Index count, const Points& points,
                                             double* out) const {
  const ExtraPoints at_points(*this, parts_->family, parts_->constants);
  const Index most = std::min(count, kTile);
  const Scratch z(most * num_columns()), s(most * points.stride());
  for (Index begin = 0; begin < count; begin += kTile) {
    const Index some = std::min(kTile, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    parts_->predict(first + begin, some, z.data(), points, s.data());
    at_points.values(first + begin, some, points, s.data(), out + begin * points.count(), points.count());
  }
}

void Regression::add_log_likelihoods_with_extras(Index first, Index count, const Points& points,
                                                 double* out) const {
  const ExtraPoints at_points(*this, parts_->family, parts_->constants);
  const Index most = std::min(count, kTile), stride = points.stride(), num = points.count();
  const Scratch z(most * num_columns()), s(most * stride);
  for (Index begin = 0; begin < count; begin += kTile) {
    const Index some = std::min(kTile, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    parts_->predict(first + begin, some, z.data(), points, s.data());
    at_points.values(first + begin, some, points, s.data(), s.data(), stride);
    for (Index i = 0; i < some; ++i) {
      const double times = multiplicity(first + begin + i);
      kernels::add_products(&times, 1, 1, s.data() + i * stride, stride, num, out, num);
    }
  }
}

void Regression::directional_derivatives_with_extras(Index first, Index count,
                                                     const DirectionalFeatures& features, double* out) const {
  const Points& points = features.points;
  const ExtraPoints at_points(*this, parts_->family, parts_->constants);
  const Index dim = num_columns(), num = points.count(), stride = points.stride();
  const Index num_extras = parts_->num_extras(), most = std::min(count, kTile);
  // u: row i of Z C, or of Z itself without a frame, as in directional_derivatives.
  const Index apart = features.frame ? features.frame->stride() : dim;
  const Scratch z(most * dim), s(most * stride), slope(most * stride), extra(num_extras * most * stride);
  const Scratch framed(features.frame ? most * apart : 0);
  const double* u = features.frame ? framed.data() : z.data();
  for (Index begin = 0; begin < count; begin += kTile) {
    const Index some = std::min(kTile, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    parts_->predict(first + begin, some, z.data(), points, s.data());
    if (features.frame)
      kernels::predict_many(z.data(), some, dim, features.frame->component(0), apart, framed.data());
    at_points.slopes(first + begin, some, points, s.data(), slope.data(), extra.data());
    for (Index i = 0; i < some; ++i) {
      const double scale = features.scale * multiplicity(first + begin + i);
      for (Index j = 0; j < num; ++j) {
        const Index k = features.coordinate[at(j)];
        const auto direction = [&](Index d) {
          return features.frame ? features.frame->at(d, k) : d == k ? 1.0 : 0.0;
        };
        double sum = 0;
        for (Index e = 0; e < num_extras; ++e)
          sum += direction(dim + e) * extra.data()[(e * some + i) * stride + j];
        // Without a frame, direction k is a coefficient's or an extra's.
        const double along = features.frame || k < dim ? u[i * apart + k] : 0.0;
        out[(begin + i) * num + j] = (slope.data()[i * stride + j] * along + sum) * scale;
      }
    }
  }
}

void Regression::add_gradients_with_extras(Index first, Index count, const Points& points, Index apart,
                                           double* out) const {
  const ExtraPoints at_points(*this, parts_->family, parts_->constants);
  const Index dim = num_columns(), num = points.count(), stride = points.stride();
  const Index num_extras = parts_->num_extras(), most = std::min(count, kTile);
  const Scratch z(most * dim), s(most * stride), slope(most * stride), extra(num_extras * most * stride);
  for (Index begin = 0; begin < count; begin += kTile) {
    const Index some = std::min(kTile, count - begin);
    parts_->design.by_row(first + begin, some, z.data());
    parts_->predict(first + begin, some, z.data(), points, s.data());
    at_points.slopes(first + begin, some, points, s.data(), slope.data(), extra.data());
    for (Index i = 0; i < some; ++i) {
      const double times = multiplicity(first + begin + i);
      for (Index d = 0; d < dim; ++d) z.data()[i * dim + d] *= times;
      for (Index e = 0; e < num_extras; ++e)
        kernels::add_products(&times, 1, 1, extra.data() + (e * some + i) * stride, stride, num,
                              out + (dim + e) * apart, num);
    }
    kernels::add_products(z.data(), some, dim, slope.data(), stride, num, out, apart);
  }
}

}  // namespace giga
