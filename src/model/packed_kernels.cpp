// Inner loops of the log posterior of a packed coreset. Rows are tiles of kTile, or strips of kStrip; the
// running sums of lane k have the rows i with i mod 8 = k, which is the same on every instruction set. Unlike
// the other kernels these fuse multiplication and addition, on purpose and everywhere.
#include "model/packed_kernels.hpp"

#include <cmath>
#include <cstdint>

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/packed_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using PackedTag = hn::CappedTag<double, static_cast<size_t>(kPackedLanes)>;
using PackedVec = hn::Vec<PackedTag>;
constexpr Index kPackedWidth = static_cast<Index>(hn::MaxLanes(PackedTag()));
constexpr Index kPackedParts = kPackedLanes / kPackedWidth;  // vectors that hold the running sums
constexpr Index kStripVectors = kStrip / kPackedWidth;
constexpr Index kShared = kStrip / kPackedLanes;  // rows i, i + 8, ... of a strip, which share a division
static_assert(kShared == 4);

using PackedBitsTag = hn::RebindToUnsigned<PackedTag>;
using PackedBits = hn::Vec<PackedBitsTag>;

// a b + c with one rounding, on every machine: the draws of a sampler must not depend on what the CPU has.
HWY_INLINE PackedVec fused(PackedVec a, PackedVec b, PackedVec c) {
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM
  return hn::MulAdd(a, b, c);
#else
  const PackedTag tag;
  HWY_ALIGN double x[kPackedWidth], y[kPackedWidth], z[kPackedWidth];
  hn::Store(a, tag, x);
  hn::Store(b, tag, y);
  hn::Store(c, tag, z);
  for (Index i = 0; i < kPackedWidth; ++i) x[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(tag, x);
#endif
}

// The inverses of four numbers whose product neither overflows nor underflows, at the cost of one division:
// 1/x_0 = x_1 (x_2 x_3) / (x_0 x_1 x_2 x_3), and so on.
HWY_INLINE void invert(PackedVec (&x)[4]) {
  const PackedTag tag;
  const PackedVec first = hn::Mul(x[0], x[1]), last = hn::Mul(x[2], x[3]);
  const PackedVec all = hn::Div(hn::Set(tag, 1.0), hn::Mul(first, last));
  const PackedVec of_first = hn::Mul(all, last), of_last = hn::Mul(all, first);
  const PackedVec x0 = x[0], x2 = x[2];
  x[0] = hn::Mul(of_first, x[1]);
  x[1] = hn::Mul(of_first, x0);
  x[2] = hn::Mul(of_last, x[3]);
  x[3] = hn::Mul(of_last, x2);
}

// kMany components of kRows rows at once, so that a factor is loaded once for all of them. The two halves of
// a cache line are read in turn: AMD's Zen 3 reads the same half of two lines more slowly.
template <Index kMany, Index kRows>
HWY_INLINE void add_components(const double* z, const double* factor, double* sums) {
  const PackedTag tag;
  PackedVec sum[kMany][kPackedParts];
  for (Index d = 0; d < kMany; ++d) {
    for (Index p = 0; p < kPackedParts; ++p)
      sum[d][p] = hn::LoadU(tag, sums + d * kPackedLanes + p * kPackedWidth);
  }
  for (Index i = 0; i < kRows; i += kPackedLanes) {
    PackedVec f[kPackedParts];
    for (Index p = 0; p < kPackedParts; ++p) f[p] = hn::LoadU(tag, factor + i + p * kPackedWidth);
    for (Index d = 0; d < kMany; ++d) {
      for (Index p = 0; p < kPackedParts; ++p)
        sum[d][p] = fused(f[p], hn::LoadU(tag, z + d * kRows + i + p * kPackedWidth), sum[d][p]);
    }
  }
  for (Index d = 0; d < kMany; ++d) {
    for (Index p = 0; p < kPackedParts; ++p)
      hn::StoreU(sum[d][p], tag, sums + d * kPackedLanes + p * kPackedWidth);
  }
}

// sums[d] += sum of factor[i] z_id over kRows rows by component, four, two or one component at a time. The
// order of the sum of a component is the same in all three.
template <Index kRows>
HWY_INLINE void add_rows(const double* z, Index dim, const double* factor, double* sums) {
  Index d = 0;
  for (; d + 4 <= dim; d += 4) add_components<4, kRows>(z + d * kRows, factor, sums + d * kPackedLanes);
  for (; d + 2 <= dim; d += 2) add_components<2, kRows>(z + d * kRows, factor, sums + d * kPackedLanes);
  if (d < dim) add_components<1, kRows>(z + d * kRows, factor, sums + d * kPackedLanes);
}

void AddWeightedRowsByLane(const double* by_component, Index dim, const double* factor, double* sums) {
  add_rows<kTile>(by_component, dim, factor, sums);
}

// The logistic log-likelihood goes in steps over strips of rows y z. With t = y s / log 2, in units of log 2:
//   predict_strip   t
//   find_powers     2^t as a fraction, top / bottom
//   find_slopes     l' = sigma(-y s) = bottom / (top + bottom); l = t log 2 + log l'
//   add_rows        the gradient
// Each is a loop of its own over all rows of a strip, so that the long chains of exp and division of many
// rows go side by side; docs/sampling.md has what that gains.

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
// |t| is limited to this: beyond it only slopes below 2^-230 would change, which become that; the product of
// four powers still is in range. The linear term of l is limited on the positive side only.
constexpr double kMostPower = 230;
constexpr double kRoundWhole = 0x1.8p52;  // x + it has the nearest whole number to x in its low bits
constexpr int kMantissaBits = 52;
constexpr double kBias = 1023;  // of exponents

// 2^f = (Q + f P) / (Q - f P) for |f| <= 1/2, P and Q polynomials in f^2, by interpolation of tanh(f log(2) /
// 2) / f at Chebyshev points of [0, 1/4]; the error of 2^f is 2^-59.
constexpr double kPowerP0 = 0x1.000efd7933256p+16, kPowerP1 = 0x1.b55f23b012be2p+9;
constexpr double kPowerQ0 = 0x1.716a16a0845b5p+17, kPowerQ1 = 0x1.3b85c88327ae1p+13,
                 kPowerQ2 = 0x1.5a678241dc826p+5;

// t_i = constant + <y z_i, theta>, all rows of a strip.
HWY_INLINE void predict_strip(const double* z, Index dim, const double* theta, double constant,
                              double* powers) {
  const PackedTag tag;
  constexpr Index kTogether = kStripVectors < 8 ? kStripVectors : 8;
  for (Index begin = 0; begin < kStripVectors; begin += kTogether) {
    PackedVec t[kTogether];
    for (auto& each : t) each = hn::Set(tag, constant);
    for (Index d = 0; d < dim; ++d) {
      const PackedVec factor = hn::Set(tag, theta[d]);
      for (Index v = 0; v < kTogether; ++v)
        t[v] = fused(hn::LoadU(tag, z + d * kStrip + (begin + v) * kPackedWidth), factor, t[v]);
    }
    for (Index v = 0; v < kTogether; ++v) hn::Store(t[v], tag, powers + (begin + v) * kPackedWidth);
  }
}

// What is summed over rows, beside the gradient: lane k has the rows i with i mod kPackedLanes = k. The sum
// of log l' is log factor + exponent log 2, the factor in [1, 2): a product of many slopes that cannot
// underflow.
struct LogisticSums {
  PackedVec powers[kPackedParts], slopes[kPackedParts], factors[kPackedParts];
  PackedBits exponents[kPackedParts];  // with their bias
};

// 2^t = 2^k (Q + f P) / (Q - f P) with t = k + f, k the nearest whole number: `bottom` = Q - f P, `whole` =
// top + bottom. Four vectors in step, so that a constant is loaded once for all of them. 2^k is multiplied by
// adding k to the bits of the exponent.
HWY_INLINE void find_powers(const double* powers, double* bottom, double* whole, LogisticSums& sums) {
  const PackedTag tag;
  const PackedBitsTag bits;
  constexpr Index kAtOnce = 4;
  const PackedVec round = hn::Set(tag, kRoundWhole);
  for (Index begin = 0; begin < kStripVectors; begin += kAtOnce) {
    PackedVec f[kAtOnce], f2[kAtOnce], p[kAtOnce], q[kAtOnce];
    PackedBits exponent[kAtOnce];
    for (Index i = 0; i < kAtOnce; ++i) {
      const Index part = (begin + i) % kPackedParts;
      f[i] = at_most(tag, hn::Load(tag, powers + (begin + i) * kPackedWidth), kMostPower);
      sums.powers[part] = hn::Add(sums.powers[part], f[i]);
    }
    for (auto& each : f) each = at_least(tag, each, -kMostPower);
    for (Index i = 0; i < kAtOnce; ++i) {
      // k in the low bits of t + 1.5 2^52, moved to where the exponent is; f = t - k is exact.
      const PackedVec rounded = hn::Add(f[i], round);
      exponent[i] = hn::ShiftLeft<kMantissaBits>(hn::BitCast(bits, rounded));
      f[i] = hn::Sub(f[i], hn::Sub(rounded, round));
    }
    for (Index i = 0; i < kAtOnce; ++i) f2[i] = hn::Mul(f[i], f[i]);
    for (Index i = 0; i < kAtOnce; ++i) {
      // f P(f^2), P = f^4 + P1 f^2 + P0.
      const PackedVec linear = hn::Add(f2[i], hn::Set(tag, kPowerP1));
      p[i] = hn::Mul(f[i], fused(linear, f2[i], hn::Set(tag, kPowerP0)));
    }
    for (Index i = 0; i < kAtOnce; ++i) {
      // Q(f^2) = Q2 f^4 + Q1 f^2 + Q0.
      const PackedVec linear = fused(f2[i], hn::Set(tag, kPowerQ2), hn::Set(tag, kPowerQ1));
      q[i] = fused(linear, f2[i], hn::Set(tag, kPowerQ0));
    }
    for (Index i = 0; i < kAtOnce; ++i) {
      const Index at = (begin + i) * kPackedWidth;
      const PackedBits scaled = hn::Add(hn::BitCast(bits, hn::Add(q[i], p[i])), exponent[i]);
      const PackedVec top = hn::BitCast(tag, scaled), below = hn::Sub(q[i], p[i]);
      hn::Store(below, tag, bottom + at);
      hn::Store(hn::Add(top, below), tag, whole + at);
    }
  }
}

// l' = bottom / whole. Rows i, i + 8, i + 16, i + 24 of a strip are inverted together (kShared). Their four
// slopes are multiplied to the factor of the lane, whose exponent is then moved to `exponents`, so that the
// factor is back in [1, 2).
HWY_INLINE void find_slopes(const double* bottom, const double* whole, double* slope, LogisticSums& sums) {
  const PackedTag tag;
  const PackedBitsTag bits;
  const PackedBits mantissa = hn::Set(bits, (std::uint64_t{1} << kMantissaBits) - 1);
  const PackedBits one = hn::BitCast(bits, hn::Set(tag, 1.0));
  for (Index p = 0; p < kPackedParts; ++p) {
    PackedVec x[kShared];
    for (Index i = 0; i < kShared; ++i) x[i] = hn::Load(tag, whole + p * kPackedWidth + i * kPackedLanes);
    invert(x);
    for (Index i = 0; i < kShared; ++i) {
      const Index at = p * kPackedWidth + i * kPackedLanes;
      x[i] = hn::Mul(hn::Load(tag, bottom + at), x[i]);
      hn::Store(x[i], tag, slope + at);
    }
    sums.slopes[p] = hn::Add(sums.slopes[p], hn::Add(hn::Add(x[0], x[1]), hn::Add(x[2], x[3])));
    const PackedVec product = hn::Mul(sums.factors[p], hn::Mul(hn::Mul(x[0], x[1]), hn::Mul(x[2], x[3])));
    const PackedBits parts = hn::BitCast(bits, product);
    sums.exponents[p] = hn::Add(sums.exponents[p], hn::ShiftRight<kMantissaBits>(parts));
    sums.factors[p] = hn::BitCast(tag, hn::Or(hn::And(parts, mantissa), one));
  }
}

double LogisticTiles(const double* tiles, Index num_tiles, Index dim, const double* theta, double constant,
                     double* sums, double* slope_sums) {
  const PackedTag tag;
  const PackedBitsTag bits;
  const Index num_strips = num_tiles * (kTile / kStrip);
  LogisticSums total;
  for (Index p = 0; p < kPackedParts; ++p) {
    total.powers[p] = hn::Zero(tag);
    total.factors[p] = hn::Set(tag, 1.0);
    total.exponents[p] = hn::Zero(bits);
    total.slopes[p] = hn::LoadU(tag, slope_sums + p * kPackedWidth);
  }
  HWY_ALIGN double powers[kStrip], bottom[kStrip], whole[kStrip], slope[kStrip];
  predict_strip(tiles, dim, theta, constant, powers);
  for (Index t = 0; t < num_strips; ++t) {
    const double* z = tiles + t * dim * kStrip;
    find_powers(powers, bottom, whole, total);
    // The predictors of the next strip depend on nothing that follows: their loads overlap the divisions
    // below.
    if (t + 1 < num_strips) predict_strip(z + dim * kStrip, dim, theta, constant, powers);
    find_slopes(bottom, whole, slope, total);
    add_rows<kStrip>(z, dim, slope, sums);
  }
  HWY_ALIGN double factors[kPackedLanes], twos[kPackedLanes];
  HWY_ALIGN std::uint64_t exponents[kPackedLanes];
  for (Index p = 0; p < kPackedParts; ++p) {
    hn::Store(total.factors[p], tag, factors + p * kPackedWidth);
    hn::Store(total.powers[p], tag, twos + p * kPackedWidth);
    hn::Store(total.exponents[p], bits, exponents + p * kPackedWidth);
    hn::StoreU(total.slopes[p], tag, slope_sums + p * kPackedWidth);
  }
  // sum l = sum (t log 2 + log l'); exponents carry a bias of 1023 from each strip.
  double logs = 0, all_twos = 0;
  for (Index k = 0; k < kPackedLanes; ++k) {
    const double exponent = static_cast<double>(exponents[k]) - kBias * static_cast<double>(num_strips);
    logs += std::log(factors[k]);
    all_twos += twos[k] + exponent;
  }
  return logs + all_twos * kLn2;
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga::kernels {

HWY_EXPORT(AddWeightedRowsByLane);
HWY_EXPORT(LogisticTiles);

void add_weighted_rows_by_lane(const double* by_component, Index dim, const double* factor, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddWeightedRowsByLane)(by_component, dim, factor, sums);
}

double logistic_tiles(const double* tiles, Index num_tiles, Index dim, const double* theta, double constant,
                      double* sums, double* slope_sums) {
  return HWY_DYNAMIC_DISPATCH(LogisticTiles)(tiles, num_tiles, dim, theta, constant, sums, slope_sums);
}

void total_of(const double* sums, Index dim, double* gradient) {
  for (Index d = 0; d < dim; ++d) {
    const double* s = sums + d * kPackedLanes;
    gradient[d] += ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
}

}  // namespace giga::kernels
#endif  // HWY_ONCE
