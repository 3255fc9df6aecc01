// The matrix products of a regression, vectorised. Multiplications and additions are separate, and every sum
// runs in an order that does not depend on how many numbers a register holds, so all instruction sets have
// the same bits.
#include "model/tile_kernels.hpp"

#include <cstddef>

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/tile_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr Index kSums = 8;  // running sums of a product: element i goes to sum i mod 8
using Tag = hn::CappedTag<double, static_cast<size_t>(kSums)>;
using Vec = hn::Vec<Tag>;
constexpr Index kWidth = static_cast<Index>(hn::MaxLanes(Tag()));
// Vectors that hold the eight running sums: 1 with AVX-512, 2 with AVX2, 4 with SSE.
constexpr Index kParts = kSums / kWidth;

// sum_i a_i b_i over a tile: element i goes to running sum i mod 8, and the eight are added as a fixed tree.
HWY_INLINE double product(const double* a, const double* b) {
  const Tag tag;
  Vec sums[kParts];
  for (auto& sum : sums) sum = hn::Zero(tag);
  for (Index i = 0; i < kTile; i += kSums) {
    for (Index p = 0; p < kParts; ++p) {
      const Index at = i + p * kWidth;
      sums[p] = hn::Add(sums[p], hn::Mul(hn::LoadU(tag, a + at), hn::LoadU(tag, b + at)));
    }
  }
  HWY_ALIGN double s[kSums];
  for (Index p = 0; p < kParts; ++p) hn::Store(sums[p], tag, s + p * kWidth);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

void Predict(const double* by_component, Index dim, const double* theta, double* s) {
  const Tag tag;
  // Up to eight vectors of rows at once, each with a sum of its own in a register; theta_d is loaded once for
  // all.
  constexpr Index kVectors = kTile / kWidth;
  constexpr Index kTogether = kVectors < 8 ? kVectors : 8;
  for (Index begin = 0; begin < kTile; begin += kTogether * kWidth) {
    Vec sums[kTogether];
    for (auto& sum : sums) sum = hn::Zero(tag);
    for (Index d = 0; d < dim; ++d) {
      const Vec factor = hn::Set(tag, theta[d]);
      for (Index v = 0; v < kTogether; ++v) {
        const Vec z = hn::LoadU(tag, by_component + d * kTile + begin + v * kWidth);
        sums[v] = hn::Add(sums[v], hn::Mul(z, factor));
      }
    }
    for (Index v = 0; v < kTogether; ++v) hn::StoreU(sums[v], tag, s + begin + v * kWidth);
  }
}

void AddWeightedRows(const double* by_component, Index dim, const double* factor, double* sum) {
  for (Index d = 0; d < dim; ++d) sum[d] += product(by_component + d * kTile, factor);
}

void AddWeightedSquares(const double* by_component, Index dim, const double* factor, double* sum) {
  const Tag tag;
  // sum_i (f_i z_id) z_ie: the first product is formed once for every d, the lower triangle only.
  HWY_ALIGN double weighted[kTile];
  for (Index d = 0; d < dim; ++d) {
    for (Index i = 0; i < kTile; i += kWidth) {
      const Vec z = hn::LoadU(tag, by_component + d * kTile + i);
      hn::Store(hn::Mul(z, hn::LoadU(tag, factor + i)), tag, weighted + i);
    }
    for (Index e = 0; e <= d; ++e) sum[d * dim + e] += product(weighted, by_component + e * kTile);
  }
}

// kRows rows times kMany vectors of points: as many sums as there are registers for.
template <Index kRows, Index kMany>
HWY_INLINE void predict_patch(const double* by_row, Index dim, const double* theta, Index stride,
                              double* out) {
  const Tag tag;
  // Every sum <z_i, theta_j> stays in its register until all of d are added.
  Vec sums[kRows][kMany];
  for (auto& row : sums) {
    for (auto& sum : row) sum = hn::Zero(tag);
  }
  for (Index d = 0; d < dim; ++d) {
    Vec points[kMany];
    for (Index k = 0; k < kMany; ++k) points[k] = hn::LoadU(tag, theta + d * stride + k * kWidth);
    for (Index i = 0; i < kRows; ++i) {
      const Vec z = hn::Set(tag, by_row[i * dim + d]);
      for (Index k = 0; k < kMany; ++k) sums[i][k] = hn::Add(sums[i][k], hn::Mul(z, points[k]));
    }
  }
  for (Index i = 0; i < kRows; ++i) {
    for (Index k = 0; k < kMany; ++k) hn::StoreU(sums[i][k], tag, out + i * stride + k * kWidth);
  }
}

// The points of a patch stay in the first-level cache while all rows pass.
void PredictMany(const double* by_row, Index count, Index dim, const double* theta, Index stride,
                 double* out) {
  // Patches of 6, 2 and 1 rows; in each of them <z_i, theta_j> is summed over d in order.
  constexpr Index kMany = 2;
  for (Index j = 0; j < stride; j += kMany * kWidth) {
    const auto patch = [&]<Index kRows>(Index i) HWY_ATTR {
      predict_patch<kRows, kMany>(by_row + i * dim, dim, theta + j, stride, out + i * stride + j);
    };
    Index i = 0;
    for (; i + 6 <= count; i += 6) patch.template operator()<6>(i);
    for (; i + 2 <= count; i += 2) patch.template operator()<2>(i);
    for (; i < count; ++i) patch.template operator()<1>(i);
  }
}

// Adds the products of kDims components and kMany vectors of points, over all rows.
template <Index kDims, Index kMany>
HWY_INLINE void product_patch(const double* by_row, Index count, Index dim, const double* values,
                              Index stride, double* out, Index out_stride) {
  const Tag tag;
  // Invariant: sums[d][k] = out + the products of rows [0, i).
  Vec sums[kDims][kMany];
  for (Index d = 0; d < kDims; ++d) {
    for (Index k = 0; k < kMany; ++k) sums[d][k] = hn::LoadU(tag, out + d * out_stride + k * kWidth);
  }
  for (Index i = 0; i < count; ++i) {
    Vec points[kMany];
    for (Index k = 0; k < kMany; ++k) points[k] = hn::LoadU(tag, values + i * stride + k * kWidth);
    for (Index d = 0; d < kDims; ++d) {
      const Vec z = hn::Set(tag, by_row[i * dim + d]);
      for (Index k = 0; k < kMany; ++k) sums[d][k] = hn::Add(sums[d][k], hn::Mul(z, points[k]));
    }
  }
  for (Index d = 0; d < kDims; ++d) {
    for (Index k = 0; k < kMany; ++k) hn::StoreU(sums[d][k], tag, out + d * out_stride + k * kWidth);
  }
}

// The values of a patch stay in the first-level cache while all components pass.
void AddProducts(const double* by_row, Index count, Index dim, const double* values, Index stride, Index many,
                 double* out, Index out_stride) {
  // Patches of 6, 2 and 1 components, and at the end points one by one: each sum runs over the rows in order.
  constexpr Index kMany = 2;
  Index j = 0;
  for (; j + kMany * kWidth <= many; j += kMany * kWidth) {
    const auto patch = [&]<Index kDims>(Index d) HWY_ATTR {
      product_patch<kDims, kMany>(by_row + d, count, dim, values + j, stride, out + d * out_stride + j,
                                  out_stride);
    };
    Index d = 0;
    for (; d + 6 <= dim; d += 6) patch.template operator()<6>(d);
    for (; d + 2 <= dim; d += 2) patch.template operator()<2>(d);
    for (; d < dim; ++d) patch.template operator()<1>(d);
  }
  // Points left over, fewer than a patch: the same sum, in the same order.
  for (; j < many; ++j) {
    for (Index d = 0; d < dim; ++d) {
      double sum = out[d * out_stride + j];
      for (Index i = 0; i < count; ++i) sum += by_row[i * dim + d] * values[i * stride + j];
      out[d * out_stride + j] = sum;
    }
  }
}

// Runs of equal indices: within one the factor is constant, so whole vectors are multiplied.
void ScaleByChosen(const double* table, double factor, const Index* index, Index count, double* values) {
  const Tag tag;
  for (Index j = 0; j < count;) {
    const Index chosen = index[j];
    const double scale = factor * table[chosen];
    const Vec scales = hn::Set(tag, scale);
    for (; j + kWidth <= count && index[j + kWidth - 1] == chosen; j += kWidth)
      hn::StoreU(hn::Mul(hn::LoadU(tag, values + j), scales), tag, values + j);
    for (; j < count && index[j] == chosen; ++j) values[j] *= scale;
  }
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga::kernels {

HWY_EXPORT(Predict);
HWY_EXPORT(AddWeightedRows);
HWY_EXPORT(AddWeightedSquares);
HWY_EXPORT(PredictMany);
HWY_EXPORT(AddProducts);
HWY_EXPORT(ScaleByChosen);

void predict(const double* by_component, Index dim, const double* theta, double* s) {
  HWY_DYNAMIC_DISPATCH(Predict)(by_component, dim, theta, s);
}
void add_weighted_rows(const double* by_component, Index dim, const double* factor, double* sum) {
  HWY_DYNAMIC_DISPATCH(AddWeightedRows)(by_component, dim, factor, sum);
}
void add_weighted_squares(const double* by_component, Index dim, const double* factor, double* sum) {
  HWY_DYNAMIC_DISPATCH(AddWeightedSquares)(by_component, dim, factor, sum);
}
void predict_many(const double* by_row, Index count, Index dim, const double* theta, Index stride,
                  double* out) {
  HWY_DYNAMIC_DISPATCH(PredictMany)(by_row, count, dim, theta, stride, out);
}
void add_products(const double* by_row, Index count, Index dim, const double* values, Index stride,
                  Index many, double* out, Index out_stride) {
  HWY_DYNAMIC_DISPATCH(AddProducts)(by_row, count, dim, values, stride, many, out, out_stride);
}
void scale_by_chosen(const double* table, double factor, const Index* index, Index count, double* values) {
  HWY_DYNAMIC_DISPATCH(ScaleByChosen)(table, factor, index, count, values);
}

}  // namespace giga::kernels
#endif  // HWY_ONCE
