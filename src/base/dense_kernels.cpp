// Vectorised for the instruction set that the program finds when it runs; the order of sums does not depend
// on how many numbers a register holds.
#include "base/dense_kernels.hpp"

#include <cstddef>

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/dense_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DenseTag = hn::CappedTag<double, 8>;
constexpr Index kDenseWidth = static_cast<Index>(hn::MaxLanes(DenseTag()));
constexpr Index kDenseSums = kDotSums;
constexpr Index kDenseParts = kDenseSums / kDenseWidth;  // vectors that hold the running sums

HWY_INLINE void SumsOfDot(const double* x, const double* y, Index count, double* sums) {
  const DenseTag tag;
  hn::Vec<DenseTag> parts[kDenseParts];
  for (auto& part : parts) part = hn::Zero(tag);
  Index j = 0;
  for (; j + kDenseSums <= count; j += kDenseSums) {
    for (Index p = 0; p < kDenseParts; ++p) {
      const Index at = j + p * kDenseWidth;
      parts[p] = hn::Add(parts[p], hn::Mul(hn::LoadU(tag, x + at), hn::LoadU(tag, y + at)));
    }
  }
  for (Index p = 0; p < kDenseParts; ++p) hn::StoreU(parts[p], tag, sums + p * kDenseWidth);
  for (Index k = 0; j < count; ++j, ++k) sums[k] += x[j] * y[j];
}

void DenseDotSums(const double* x, const double* y, Index count, double* sums) {
  SumsOfDot(x, y, count, sums);
}

double DenseDot(const double* x, const double* y, Index count) {
  HWY_ALIGN double sums[kDenseSums];
  SumsOfDot(x, y, count, sums);
  // Halves onto halves: 32 sums to 16, 8, 4, 2, 1.
  for (Index half = kDenseSums / 2; half > 0; half /= 2) {
    for (Index k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

constexpr Index kProductSums = 8;
constexpr Index kProductParts = kProductSums / kDenseWidth;  // vectors that hold the sums of one product

// The products of kRows vectors with kColumns others: their sums stay in registers, and a component that was
// read is used kRows or kColumns times.
template <Index kRows, Index kColumns>
void add_tile(const double* const* xs, const double* const* ys, Index count, double* out, Index room) {
  const DenseTag tag;
  hn::Vec<DenseTag> parts[kRows][kColumns][kProductParts];
  for (auto& row : parts)
    for (auto& product : row)
      for (auto& part : product) part = hn::Zero(tag);
  Index j = 0;
  for (; j + kProductSums <= count; j += kProductSums) {
    for (Index p = 0; p < kProductParts; ++p) {
      const Index at = j + p * kDenseWidth;
      hn::Vec<DenseTag> y[kColumns];
      for (Index k = 0; k < kColumns; ++k) y[k] = hn::LoadU(tag, ys[k] + at);
      for (Index i = 0; i < kRows; ++i) {
        const auto x = hn::LoadU(tag, xs[i] + at);
        for (Index k = 0; k < kColumns; ++k) parts[i][k][p] = hn::Add(parts[i][k][p], hn::Mul(x, y[k]));
      }
    }
  }
  for (Index i = 0; i < kRows; ++i) {
    for (Index k = 0; k < kColumns; ++k) {
      HWY_ALIGN double sums[kProductSums];
      for (Index p = 0; p < kProductParts; ++p) hn::Store(parts[i][k][p], tag, sums + p * kDenseWidth);
      for (Index rest = j; rest < count; ++rest) sums[rest - j] += xs[i][rest] * ys[k][rest];
      for (Index half = kProductSums / 2; half > 0; half /= 2)
        for (Index s = 0; s < half; ++s) sums[s] += sums[s + half];
      out[i * room + k] += sums[0];
    }
  }
}

// As many products at once as there are registers for: 16 of 32 with 512 bits, 8 of 16 otherwise.
constexpr Index kTileRows = kDenseWidth >= 8 ? 4 : 2;
constexpr Index kTileColumns = kDenseWidth >= 8 ? 4 : 2;

void DenseAddProducts(const double* const* xs, Index num_x, const double* const* ys, Index num_y, Index count,
                      double* out, Index room) {
  Index i = 0;
  for (; i + kTileRows <= num_x; i += kTileRows) {
    Index k = 0;
    for (; k + kTileColumns <= num_y; k += kTileColumns)
      add_tile<kTileRows, kTileColumns>(xs + i, ys + k, count, out + i * room + k, room);
    for (; k < num_y; ++k) add_tile<kTileRows, 1>(xs + i, ys + k, count, out + i * room + k, room);
  }
  for (; i < num_x; ++i) {
    Index k = 0;
    for (; k + kTileColumns <= num_y; k += kTileColumns)
      add_tile<1, kTileColumns>(xs + i, ys + k, count, out + i * room + k, room);
    for (; k < num_y; ++k) add_tile<1, 1>(xs + i, ys + k, count, out + i * room + k, room);
  }
}

void DenseAddScaled(double* x, double factor, const double* y, Index count) {
  const DenseTag tag;
  const auto factors = hn::Set(tag, factor);
  Index j = 0;
  for (; j + kDenseWidth <= count; j += kDenseWidth)
    hn::StoreU(hn::Add(hn::LoadU(tag, x + j), hn::Mul(factors, hn::LoadU(tag, y + j))), tag, x + j);
  for (; j < count; ++j) x[j] += factor * y[j];
}

void DenseAddScaledTwice(double* x, double factor, double inner, const double* y, Index count) {
  const DenseTag tag;
  const auto factors = hn::Set(tag, factor), inners = hn::Set(tag, inner);
  Index j = 0;
  for (; j + kDenseWidth <= count; j += kDenseWidth) {
    const auto value = hn::Mul(inners, hn::LoadU(tag, y + j));
    hn::StoreU(hn::Add(hn::LoadU(tag, x + j), hn::Mul(factors, value)), tag, x + j);
  }
  for (; j < count; ++j) x[j] += factor * (inner * y[j]);
}

void DenseAddCombination(double* x, const CombinationFactors& factors, const double* left,
                         const double* const* y, Index size, Index count) {
  const DenseTag tag;
  const auto factor = hn::Set(tag, factors.factor), outer = hn::Set(tag, factors.outer),
             inner = hn::Set(tag, factors.inner);
  Index j = 0;
  for (; j + kDenseWidth <= count; j += kDenseWidth) {
    auto sum = hn::Zero(tag);
    for (Index i = 0; i < size; ++i)
      sum = hn::Add(sum, hn::Mul(hn::Set(tag, left[i]), hn::LoadU(tag, y[i] + j)));
    const auto value = hn::Mul(outer, hn::Mul(inner, sum));
    hn::StoreU(hn::Add(hn::LoadU(tag, x + j), hn::Mul(factor, value)), tag, x + j);
  }
  for (; j < count; ++j) {
    double sum = 0;
    for (Index i = 0; i < size; ++i) sum += left[i] * y[i][j];
    x[j] += factors.factor * (factors.outer * (factors.inner * sum));
  }
}

void DenseRotate(double* x, double* y, Index count, double c, double s) {
  const DenseTag tag;
  const auto cosine = hn::Set(tag, c), sine = hn::Set(tag, s);
  Index j = 0;
  for (; j + kDenseWidth <= count; j += kDenseWidth) {
    const auto first = hn::LoadU(tag, x + j), second = hn::LoadU(tag, y + j);
    hn::StoreU(hn::Add(hn::Mul(cosine, first), hn::Mul(sine, second)), tag, x + j);
    hn::StoreU(hn::Sub(hn::Mul(cosine, second), hn::Mul(sine, first)), tag, y + j);
  }
  for (; j < count; ++j) {
    const double first = x[j], second = y[j];
    x[j] = c * first + s * second;
    y[j] = c * second - s * first;
  }
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga::kernels {

HWY_EXPORT(DenseDot);
HWY_EXPORT(DenseAddProducts);
HWY_EXPORT(DenseDotSums);
HWY_EXPORT(DenseAddScaled);
HWY_EXPORT(DenseAddScaledTwice);
HWY_EXPORT(DenseAddCombination);
HWY_EXPORT(DenseRotate);

double dot(const double* x, const double* y, Index count) {
  return HWY_DYNAMIC_DISPATCH(DenseDot)(x, y, count);
}
void add_products(std::span<const double* const> xs, std::span<const double* const> ys, Index count,
                  double* out, Index room) {
  HWY_DYNAMIC_DISPATCH(DenseAddProducts)
  (xs.data(), std::ssize(xs), ys.data(), std::ssize(ys), count, out, room);
}
void dot_sums(const double* x, const double* y, Index count, double* sums) {
  HWY_DYNAMIC_DISPATCH(DenseDotSums)(x, y, count, sums);
}
void add_scaled(double* x, double factor, const double* y, Index count) {
  HWY_DYNAMIC_DISPATCH(DenseAddScaled)(x, factor, y, count);
}
void add_scaled_twice(double* x, double factor, double inner, const double* y, Index count) {
  HWY_DYNAMIC_DISPATCH(DenseAddScaledTwice)(x, factor, inner, y, count);
}
void add_combination(double* x, const CombinationFactors& factors, const double* left, const double* const* y,
                     Index size, Index count) {
  HWY_DYNAMIC_DISPATCH(DenseAddCombination)(x, factors, left, y, size, count);
}
void rotate(double* x, double* y, Index count, double c, double s) {
  HWY_DYNAMIC_DISPATCH(DenseRotate)(x, y, count, c, s);
}

}  // namespace giga::kernels
#endif  // HWY_ONCE
