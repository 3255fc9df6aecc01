// The kernels of row_kernels.hpp in vector instructions. The eight running sums of a product are held in
// one register of eight doubles, two of four or four of two, whatever the instruction set has; the
// additions are the same in each case, and so are the bits. No fused multiply-add where bits are promised:
// dots, squares, add_rows.
#include "construct/row_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "construct/row_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most eight lanes: on a wider machine the order of the sums must not change.
using Tag = hn::CappedTag<double, static_cast<size_t>(kLanes)>;
using Vec = hn::Vec<Tag>;
constexpr size_t kWidth = hn::MaxLanes(Tag());
constexpr size_t kParts = static_cast<size_t>(kLanes) / kWidth;

// The eight running sums of a dot product, however many registers they take.
struct Sums {
  Vec part[kParts];
};

HWY_INLINE Sums zeros() {
  Sums sums;
  for (auto& part : sums.part) part = hn::Zero(Tag());
  return sums;
}

HWY_INLINE double total(const Sums& sums) {
  HWY_ALIGN double s[kLanes];
  for (size_t p = 0; p < kParts; ++p) hn::Store(sums.part[p], Tag(), s + p * kWidth);
  // The one order in which the eight sums are added.
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

// One step of the sums: eight components of x with d, with v if asked for, and with themselves.
template <bool kWithV>
HWY_INLINE void add_products(const double* x, const double* d, const double* v, Sums& xd, Sums& xv,
                             Sums& xx) {
  const Tag tag;
  for (size_t p = 0; p < kParts; ++p) {
    const Vec xs = hn::LoadU(tag, x + p * kWidth);
    xd.part[p] = hn::Add(xd.part[p], hn::Mul(xs, hn::LoadU(tag, d + p * kWidth)));
    if constexpr (kWithV) xv.part[p] = hn::Add(xv.part[p], hn::Mul(xs, hn::LoadU(tag, v + p * kWidth)));
    xx.part[p] = hn::Add(xx.part[p], hn::Mul(xs, xs));
  }
}

template <bool kWithV>
HWY_INLINE void dots_of_rows(const double* rows, Index count, Index dim, const double* d, const double* v,
                             Dots* out) {
  // Invariant: sum k has the products of the components j' < j with j' mod 8 = k. The last few components are
  // padded with zeros, which add nothing.
  const Index whole = dim / kLanes * kLanes;
  for (Index i = 0; i < count; ++i) {
    const double* x = rows + i * dim;
    Sums xd = zeros(), xv = zeros(), xx = zeros();
    for (Index j = 0; j < whole; j += kLanes) add_products<kWithV>(x + j, d + j, v + j, xd, xv, xx);
    if (whole < dim) {
      HWY_ALIGN double tail[kLanes] = {};
      std::memcpy(tail, x + whole, static_cast<size_t>(dim - whole) * sizeof(double));
      add_products<kWithV>(tail, d + whole, v + whole, xd, xv, xx);
    }
    out[i] = {total(xd), kWithV ? total(xv) : 0.0, total(xx)};
  }
}

void DotsOfRows(const double* rows, Index count, Index dim, const double* d, const double* v, Dots* out) {
  dots_of_rows<true>(rows, count, dim, d, v, out);
}

void DotsWith(const double* rows, Index count, Index dim, const double* d, Dots* out) {
  dots_of_rows<false>(rows, count, dim, d, d, out);
}

double ShortDot(const std::int16_t* x, Index dim, const float* g) {
  const hn::CappedTag<float, static_cast<size_t>(kShortRoom)> f32;
  const hn::Rebind<std::int32_t, decltype(f32)> i32;
  const hn::Rebind<std::int16_t, decltype(f32)> i16;
  const auto width = static_cast<Index>(hn::Lanes(f32));
  // Four sums, so that additions do not wait for each other.
  auto a = hn::Zero(f32), b = hn::Zero(f32), c = hn::Zero(f32), d = hn::Zero(f32);
  const auto some = [&](Index at)
                        HWY_ATTR { return hn::ConvertTo(f32, hn::PromoteTo(i32, hn::LoadU(i16, x + at))); };
  Index j = 0;
  for (; j + 4 * width <= dim; j += 4 * width) {
    a = hn::MulAdd(some(j), hn::LoadU(f32, g + j), a);
    b = hn::MulAdd(some(j + width), hn::LoadU(f32, g + j + width), b);
    c = hn::MulAdd(some(j + 2 * width), hn::LoadU(f32, g + j + 2 * width), c);
    d = hn::MulAdd(some(j + 3 * width), hn::LoadU(f32, g + j + 3 * width), d);
  }
  for (; j < dim; j += width) a = hn::MulAdd(some(j), hn::LoadU(f32, g + j), a);
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(f32, hn::Add(hn::Add(a, b), hn::Add(c, d)))));
}

double ToShort(const double* x, Index dim, double factor, std::int16_t* out) {
  const Tag f64;
  const hn::Rebind<std::int32_t, Tag> i32;
  const hn::Rebind<std::int16_t, Tag> i16;
  const auto width = static_cast<Index>(kWidth);
  const Vec by = hn::Set(f64, factor);
  Vec squares = hn::Zero(f64);
  Index j = 0;
  for (; j + width <= dim; j += width) {
    const Vec steps = hn::Mul(hn::LoadU(f64, x + j), by), rounded = hn::Round(steps);
    const Vec lost = hn::Sub(steps, rounded);
    squares = hn::MulAdd(lost, lost, squares);
    hn::StoreU(hn::DemoteTo(i16, hn::DemoteTo(i32, rounded)), i16, out + j);
  }
  double sum = hn::GetLane(hn::SumOfLanes(f64, squares));
  for (; j < dim; ++j) {
    const double steps = x[j] * factor, rounded = std::nearbyint(steps);
    sum += (steps - rounded) * (steps - rounded);
    out[j] = static_cast<std::int16_t>(rounded);
  }
  return sum;
}

double LargestOf(const double* x, Index dim) {
  const Tag tag;
  const auto width = static_cast<Index>(kWidth);
  Vec most = hn::Zero(tag);
  Index j = 0;
  for (; j + width <= dim; j += width) most = hn::Max(most, hn::Abs(hn::LoadU(tag, x + j)));
  double out = hn::GetLane(hn::MaxOfLanes(tag, most));
  for (; j < dim; ++j) out = std::max(out, std::abs(x[j]));
  return out;
}

HWY_INLINE void add_squares(const double* x, Sums& xx) {
  const Tag tag;
  for (size_t p = 0; p < kParts; ++p) {
    const Vec xs = hn::LoadU(tag, x + p * kWidth);
    xx.part[p] = hn::Add(xx.part[p], hn::Mul(xs, xs));
  }
}

// <x, x> alone, by the same additions as in dots_of_rows: a norm has one value wherever it is computed.
void SquaresOfRows(const double* rows, Index count, Index dim, double* out) {
  const Index whole = dim / kLanes * kLanes;
  for (Index i = 0; i < count; ++i) {
    const double* x = rows + i * dim;
    Sums xx = zeros();
    for (Index j = 0; j < whole; j += kLanes) add_squares(x + j, xx);
    if (whole < dim) {
      HWY_ALIGN double tail[kLanes] = {};
      std::memcpy(tail, x + whole, static_cast<size_t>(dim - whole) * sizeof(double));
      add_squares(tail, xx);
    }
    out[i] = total(xx);
  }
}

// kRows rows times kMany vectors at once, over the whole vectors of the row.
template <Index kRows, Index kMany>
HWY_INLINE void project_tile(const double* x, Index dim, const double* basis, Index num, double* out) {
  const hn::ScalableTag<double> tag;
  const auto width = static_cast<Index>(hn::Lanes(tag));
  const Index size = padded(dim);
  hn::Vec<decltype(tag)> sums[kRows][kMany];
  for (auto& row : sums) {
    for (auto& sum : row) sum = hn::Zero(tag);
  }
  Index j = 0;
  for (; j + width <= dim; j += width) {
    hn::Vec<decltype(tag)> bs[kMany];
    for (Index k = 0; k < kMany; ++k) bs[k] = hn::LoadU(tag, basis + k * size + j);
    for (Index i = 0; i < kRows; ++i) {
      const auto xs = hn::LoadU(tag, x + i * dim + j);
      for (Index k = 0; k < kMany; ++k) sums[i][k] = hn::MulAdd(xs, bs[k], sums[i][k]);
    }
  }
  for (Index i = 0; i < kRows; ++i) {
    for (Index k = 0; k < kMany; ++k) {
      double sum = hn::GetLane(hn::SumOfLanes(tag, sums[i][k]));
      for (Index rest = j; rest < dim; ++rest) sum += x[i * dim + rest] * basis[k * size + rest];
      out[i * num + k] = sum;
    }
  }
}

// Three vectors of the basis at a time, then the rest one by one.
template <Index kRows>
HWY_INLINE void project_rows(const double* x, Index dim, const double* basis, Index num, double* out) {
  const Index size = padded(dim);
  Index k = 0;
  for (; k + 3 <= num; k += 3) project_tile<kRows, 3>(x, dim, basis + k * size, num, out + k);
  for (; k < num; ++k) project_tile<kRows, 1>(x, dim, basis + k * size, num, out + k);
}

// Tiles of 4 rows x 3 vectors: 12 sums and the 3 vectors stay in 16 registers, and each load
// serves several products.
void ProjectRows(const double* rows, Index count, Index dim, const double* basis, Index num, double* out) {
  Index i = 0;
  for (; i + 4 <= count; i += 4) project_rows<4>(rows + i * dim, dim, basis, num, out + i * num);
  for (; i < count; ++i) project_rows<1>(rows + i * dim, dim, basis, num, out + i * num);
}

// (a, b) -> (s, e) with s = fl(a + b) and s + e = a + b exactly (Knuth).
template <typename V>
HWY_INLINE V two_sum(V a, V b, V& error) {
  const V s = hn::Add(a, b);
  const V from_b = hn::Sub(s, a);
  error = hn::Add(hn::Sub(a, hn::Sub(s, from_b)), hn::Sub(b, from_b));
  return s;
}

// One column (or one register of columns) of the double-double sum over some rows.
template <typename D>
HWY_INLINE void add_columns(D tag, const double* rows, Index count, Index dim, Index j, double* high,
                            double* low) {
  // Invariant: h + l is the sum of the rows so far, up to the rounding of the small part l.
  auto h = hn::LoadU(tag, high + j);
  auto l = hn::LoadU(tag, low + j);
  for (Index i = 0; i < count; ++i) {
    hn::Vec<D> error;
    h = two_sum(h, hn::LoadU(tag, rows + i * dim + j), error);
    l = hn::Add(l, error);
  }
  hn::StoreU(h, tag, high + j);
  hn::StoreU(l, tag, low + j);
}

void AddRows(const double* rows, Index count, Index dim, double* high, double* low) {
  // Column by column within 16 rows, which stay in the cache while the sums of a column stay in registers.
  constexpr Index kRowsAtOnce = 16;
  const hn::ScalableTag<double> wide;
  const hn::CappedTag<double, 1> one;
  const auto width = static_cast<Index>(hn::Lanes(wide));
  for (Index first = 0; first < count; first += kRowsAtOnce) {
    const Index some = count - first < kRowsAtOnce ? count - first : kRowsAtOnce;
    const double* x = rows + first * dim;
    Index j = 0;
    for (; j + width <= dim; j += width) add_columns(wide, x, some, dim, j, high, low);
    for (; j < dim; ++j) add_columns(one, x, some, dim, j, high, low);
  }
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga::kernels {

HWY_EXPORT(DotsOfRows);
HWY_EXPORT(DotsWith);
HWY_EXPORT(ShortDot);
HWY_EXPORT(ToShort);
HWY_EXPORT(LargestOf);
HWY_EXPORT(SquaresOfRows);
HWY_EXPORT(ProjectRows);
HWY_EXPORT(AddRows);

void dots(const double* rows, Index count, Index dim, const double* d, const double* v, Dots* out) {
  HWY_DYNAMIC_DISPATCH(DotsOfRows)(rows, count, dim, d, v, out);
}

double short_dot(const std::int16_t* x, Index dim, const float* g) {
  return HWY_DYNAMIC_DISPATCH(ShortDot)(x, dim, g);
}
double to_short(const double* x, Index dim, double factor, std::int16_t* out) {
  return HWY_DYNAMIC_DISPATCH(ToShort)(x, dim, factor, out);
}
double largest_of(const double* x, Index dim) {
  return HWY_DYNAMIC_DISPATCH(LargestOf)(x, dim);
}

void dots_with(const double* rows, Index count, Index dim, const double* d, Dots* out) {
  HWY_DYNAMIC_DISPATCH(DotsWith)(rows, count, dim, d, out);
}

void squares(const double* rows, Index count, Index dim, double* out) {
  HWY_DYNAMIC_DISPATCH(SquaresOfRows)(rows, count, dim, out);
}

void project(const double* rows, Index count, Index dim, const double* basis, Index num, double* out) {
  HWY_DYNAMIC_DISPATCH(ProjectRows)(rows, count, dim, basis, num, out);
}

void add_rows(const double* rows, Index count, Index dim, double* high, double* low) {
  HWY_DYNAMIC_DISPATCH(AddRows)(rows, count, dim, high, low);
}

void add_sums(const double* other_high, const double* other_low, Index dim, double* high, double* low) {
  for (Index j = 0; j < dim; ++j) {
    // two_sum of the high parts; its error and the other low part go to low.
    const double sum = high[j] + other_high[j];
    const double from_other = sum - high[j];
    low[j] += ((high[j] - (sum - from_other)) + (other_high[j] - from_other)) + other_low[j];
    high[j] = sum;
  }
}

}  // namespace giga::kernels
#endif
