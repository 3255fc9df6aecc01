// The scores that selectors maximise (query.hpp has the formulas), and their one evaluation in double.
//
// Notation: x a row as it is stored, a = <x, d> / |x|, c = <x, v> / |x|; g the unit vector orthogonal to l in
// the plane of d and v.
#include "construct/query.hpp"

#include <algorithm>
#include <cmath>

#include "base/extended.hpp"

namespace giga {
namespace {

// Squares of components in this range neither overflow nor lose bits that matter to their sum.
constexpr double kSmallestSquare = 1e-280;
constexpr double kLargestSquare = 1e280;
// A row this close to v has no direction from it: the paper's u/|u| = 0.
constexpr double kNoDirection = 32 * std::numeric_limits<double>::epsilon();

// To the multiple of eight components that the kernels read.
std::vector<double> padded_double(const ExtendedVector& x) {
  std::vector<double> out(at(kernels::padded(static_cast<Index>(x.size()))), 0.0);
  std::transform(x.begin(), x.end(), out.begin(), [](Extended value) { return static_cast<double>(value); });
  return out;
}

// The unit vector along x - <x, l> l, or zero; and its length.
Extended across(const ExtendedVector& x, const ExtendedVector& l, ExtendedVector& g) {
  const Extended along = dot(x, l);
  g = x;
  add_scaled(g, -along, l);
  add_scaled(g, -dot(g, l), l);  // once more: the first pass leaves rounding along l
  const Extended length = norm(g);
  if (length > 0) scale(g, 1 / length);
  return length;
}

// <x - c v, d> / |x - c v| for unit x close to v or -v.
double score_near_pole(const Query& query, const double* x, double inverse_norm, double c, Index dim) {
  double product = 0, square = 0;
  for (Index j = 0; j < dim; ++j) {
    const auto i = at(j);
    const double u = x[j] * inverse_norm - c * query.v[i];
    product += u * query.d[i];
    square += u * u;
  }
  const double length = std::sqrt(square);
  return length > kNoDirection ? product / length : 0.0;
}

// a, or a / sqrt(1 - c^2), of a row whose squares are in range.
double score_of_ordinary(const Query& query, const double* x, const kernels::Dots& t, Index dim) {
  const double norm = std::sqrt(t.with_self);
  const double a = t.with_d / norm;
  if (query.criterion == Criterion::Linear) return a;
  const double c = t.with_v / norm;
  if (1 - std::abs(c) > kNearPole) return a / std::sqrt((1 - c) * (1 + c));
  return score_near_pole(query, x, 1 / norm, c, dim);
}

}  // namespace

Query linear_query(const ExtendedVector& l, const ExtendedVector& r, double norm_sum) {
  Query query;
  query.criterion = Criterion::Linear;
  // d = r / |r| = d_along l + d_across g.
  const Extended length = norm(r);
  ExtendedVector d = r;
  scale(d, 1 / length);
  ExtendedVector g;
  query.d_across = static_cast<double>(across(d, l, g));
  query.d_along = static_cast<double>(dot(d, l));
  query.d = padded_double(d);
  query.v.assign(query.d.size(), 0.0);
  query.across = padded_double(g);
  query.min_norm = smallest_weighable_norm(norm_sum);
  return query;
}

Query geodesic_query(const ExtendedVector& l, const ExtendedVector& v, double norm_sum) {
  Query query;
  query.criterion = Criterion::Geodesic;
  ExtendedVector g;
  // v = cosine l + sine g, and d, the unit vector of l - <l, v> v = l - cosine v, is sine l - cosine g.
  // Formed from g, which `across` makes orthogonal twice over, d keeps its digits when v is close to l; the
  // difference l - cosine v would lose them.
  const Extended sine = across(v, l, g);
  const Extended cosine = dot(v, l);
  ExtendedVector d = l;
  scale(d, sine);
  add_scaled(d, -cosine, g);
  query.d_along = static_cast<double>(sine);
  query.d_across = static_cast<double>(-cosine);
  query.d = padded_double(d);
  query.v = padded_double(v);
  query.across = padded_double(g);
  query.min_norm = smallest_weighable_norm(norm_sum);
  return query;
}

double exact_score(const Query& query, const double* x, const kernels::Dots& t, Index dim) {
  if (t.with_self >= kSmallestSquare && t.with_self <= kLargestSquare) {
    if (query.min_norm > 0 && std::sqrt(t.with_self) < query.min_norm) return kNeverChosen;
    return score_of_ordinary(query, x, t, dim);
  }
  // The squares overflow or underflow: the row is scaled by a power of two so that its largest
  // component is in [1, 2).
  double largest = 0;
  for (Index j = 0; j < dim; ++j) largest = std::max(largest, std::abs(x[j]));
  if (largest == 0) return kNeverChosen;
  // A power of two: the scaled row has the same direction to the last bit, unless it is denormal.
  const int exponent = std::ilogb(largest);
  std::vector<double> scaled(x, x + dim);
  for (double& value : scaled) value = std::scalbn(value, -exponent);
  kernels::Dots again{};
  kernels::dots(scaled.data(), 1, dim, query.d.data(), query.v.data(), &again);
  if (std::scalbn(std::sqrt(again.with_self), exponent) < query.min_norm) return kNeverChosen;
  return score_of_ordinary(query, scaled.data(), again, dim);
}

double score_row(const Query& query, const RowSource& rows, Index n, std::vector<double>& scratch) {
  const Index dim = rows.dim();
  // Rows in memory are read in place; others are computed into `scratch`. The bits of x are the same.
  const double* x = rows.contiguous();
  if (x != nullptr) {
    x += n * dim;
  } else {
    scratch.resize(at(dim));
    rows.read(n, 1, scratch.data());
    x = scratch.data();
  }
  kernels::Dots t{};
  kernels::dots(x, 1, dim, query.d.data(), query.v.data(), &t);
  return exact_score(query, x, t, dim);
}

}  // namespace giga
