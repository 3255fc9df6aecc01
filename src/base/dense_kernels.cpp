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

void DenseAddScaled(double* x, double factor, const double* y, Index count) {
  const DenseTag tag;
  const auto factors = hn::Set(tag, factor);
  Index j = 0;
  for (; j + kDenseWidth <= count; j += kDenseWidth)
    hn::StoreU(hn::Add(hn::LoadU(tag, x + j), hn::Mul(factors, hn::LoadU(tag, y + j))), tag, x + j);
  for (; j < count; ++j) x[j] += factor * y[j];
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
HWY_EXPORT(DenseDotSums);
HWY_EXPORT(DenseAddScaled);
HWY_EXPORT(DenseRotate);

double dot(const double* x, const double* y, Index count) {
  return HWY_DYNAMIC_DISPATCH(DenseDot)(x, y, count);
}
void dot_sums(const double* x, const double* y, Index count, double* sums) {
  HWY_DYNAMIC_DISPATCH(DenseDotSums)(x, y, count, sums);
}
void add_scaled(double* x, double factor, const double* y, Index count) {
  HWY_DYNAMIC_DISPATCH(DenseAddScaled)(x, factor, y, count);
}
void rotate(double* x, double* y, Index count, double c, double s) {
  HWY_DYNAMIC_DISPATCH(DenseRotate)(x, y, count, c, s);
}

}  // namespace giga::kernels
#endif  // HWY_ONCE
