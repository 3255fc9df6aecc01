// Sums of rows from what the projection holds of them: component by component the operations of read(), in
// its order, so that no bit tells them from sums of rows that were read. Notation as in the header.
#include <algorithm>
#include <array>
#include <numbers>

#include "base/dense_kernels.hpp"
#include "giga/project/curvature_projection.hpp"
#include "project/row_blocks.hpp"

namespace giga {

// The rows d .. end - 1 of the triangle, of which row d begins with component `first`; with the first part
// goes a_n u_n, with the last the remainder.
struct CurvatureProjection::Strip {
  Index d, end, first;
  bool has_gradient, has_rest;
};

namespace {

constexpr Index kTogether = 512;  // components that stay in the cache while all rows pass

}  // namespace

Index CurvatureProjection::num_parts() const {
  return dim() / kTogether + 1;
}

CurvatureProjection::Strip CurvatureProjection::strip(Index part) const {
  const Index spanned = frame_.count();
  Strip out{spanned, spanned, 0, part == 0, part + 1 == num_parts()};
  Index begin = spanned, d = 0;  // where row d begins
  for (; d < spanned && begin / kTogether < part; begin += spanned - d++) {
  }
  out.d = d;
  out.first = begin;
  for (; d < spanned && begin / kTogether == part; begin += spanned - d++) {
  }
  out.end = d;
  return out;
}

// What read() writes, times the factor, added.
void CurvatureProjection::add_strip(const Strip& strip, Index n, double factor, double* sum) const {
  const Index spanned = frame_.count(), size = 1 + num_extras();
  const double* u = held_frame(n);
  const double times = regression_->multiplicity(n);
  double* place = sum + strip.first;
  if (strip.has_rest && options_.remainder_dim > 0)
    kernels::add_scaled(sum + curvature_dim(spanned), factor, held_rest(n), options_.remainder_dim);
  if (size == 1) {
    const double a = times * slope_at(n), b = times * curvature_at(n);
    if (strip.has_gradient) kernels::add_scaled_twice(sum, factor, a, u, spanned);
    for (Index d = strip.d; d < strip.end; ++d) {
      *place++ += factor * (b * u[d] * u[d]);
      kernels::add_scaled_twice(place, factor, std::numbers::sqrt2 * b * u[d], u + d + 1, spanned - d - 1);
      place += spanned - d - 1;
    }
    return;
  }
  const RowBlock block = block_at(n);
  std::array<const double*, at(kMostBlock)> y{};
  const auto vectors_from = [&](Index e) {
    for (Index i = 0; i < size; ++i) y[at(i)] = (i == 0 ? u : shared_.data() + (i - 1) * spanned) + e;
  };
  vectors_from(0);
  if (strip.has_gradient)
    kernels::add_combination(sum, {factor, times, 1}, block.a.data(), y.data(), size, spanned);
  for (Index d = strip.d; d < strip.end; ++d) {
    std::array<double, at(kMostBlock)> left{};  // row d of U B
    vectors_from(d);
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) left[at(j)] += *y[at(i)] * block.b(i, j);
    }
    kernels::add_combination(place++, {factor, times, 1}, left.data(), y.data(), size, 1);
    vectors_from(d + 1);
    kernels::add_combination(place, {factor, times, std::numbers::sqrt2}, left.data(), y.data(), size,
                             spanned - d - 1);
    place += spanned - d - 1;
  }
}

void CurvatureProjection::combine(Index part, std::span<const Index> rows, std::span<const double> factors,
                                  double* sum) const {
  const Index spanned = frame_.count();
  const Strip strip = this->strip(part);
  if (strip.has_gradient) std::fill_n(sum, spanned, 0.0);
  if (strip.has_rest) std::fill_n(sum + curvature_dim(spanned), options_.remainder_dim, 0.0);
  double* place = sum + strip.first;
  for (Index d = strip.d; d < strip.end; place += spanned - d++) std::fill_n(place, spanned - d, 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) add_strip(strip, rows[k], factors[k], sum);
}

}  // namespace giga
