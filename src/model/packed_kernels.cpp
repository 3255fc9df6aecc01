#include "model/packed_kernels.hpp"

#include <cmath>

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
constexpr Index kTileVectors = kTile / kPackedWidth;

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

// exp_fraction of math-inl.hpp for x <= 0, with fused operations; NaN gives NaN.
HWY_INLINE Fraction<PackedVec> fused_exp(PackedVec x) {
  const PackedTag d;
  const PackedVec in_range = at_least(d, x, kExpLeast), magic = hn::Set(d, kRoundLifted);
  const PackedVec rounded = fused(in_range, hn::Set(d, kLog2E), magic);
  const PackedVec k = hn::Sub(rounded, magic);
  const PackedVec r = fused(k, hn::Set(d, -kLn2Lo), fused(k, hn::Set(d, -kLn2Hi), in_range)),
                  r2 = hn::Mul(r, r);
  const PackedVec p = hn::Mul(r, fused(hn::Add(r2, hn::Set(d, kExpP1)), r2, hn::Set(d, kExpP0)));
  const PackedVec q = fused(fused(r2, hn::Set(d, kExpQ2), hn::Set(d, kExpQ1)), r2, hn::Set(d, kExpQ0));
  return {hn::Mul(hn::Mul(hn::Add(q, p), power_of_two(d, rounded)), hn::Set(d, kUnlift)), hn::Sub(q, p)};
}

// kMany components at once, so that a factor is loaded once for all of them.
template <Index kMany>
HWY_INLINE void add_components(const double* z, const double* factor, double* sums) {
  const PackedTag tag;
  PackedVec sum[kMany][kPackedParts];
  for (Index d = 0; d < kMany; ++d) {
    for (Index p = 0; p < kPackedParts; ++p)
      sum[d][p] = hn::LoadU(tag, sums + d * kPackedLanes + p * kPackedWidth);
  }
  for (Index i = 0; i < kTile; i += kPackedLanes) {
    for (Index p = 0; p < kPackedParts; ++p) {
      const Index at = i + p * kPackedWidth;
      const PackedVec f = hn::LoadU(tag, factor + at);
      for (Index d = 0; d < kMany; ++d) sum[d][p] = fused(f, hn::LoadU(tag, z + d * kTile + at), sum[d][p]);
    }
  }
  for (Index d = 0; d < kMany; ++d) {
    for (Index p = 0; p < kPackedParts; ++p)
      hn::StoreU(sum[d][p], tag, sums + d * kPackedLanes + p * kPackedWidth);
  }
}

HWY_INLINE void add_rows_of_tile(const double* z, Index dim, const double* factor, double* sums) {
  Index d = 0;
  for (; d + 4 <= dim; d += 4) add_components<4>(z + d * kTile, factor, sums + d * kPackedLanes);
  for (; d < dim; ++d) add_components<1>(z + d * kTile, factor, sums + d * kPackedLanes);
}

void AddWeightedRowsByLane(const double* by_component, Index dim, const double* factor, double* sums) {
  add_rows_of_tile(by_component, dim, factor, sums);
}

double LogisticTiles(const double* tiles, Index num_tiles, Index dim, const double* theta, const double* y,
                     double* sums) {
  const PackedTag tag;
  constexpr Index kTogether = kTileVectors < 8 ? kTileVectors : 8;
  constexpr Index kAtOnce =
      kPackedParts > 4 ? kPackedParts : 4;  // side by side, to hide each other's latency
  static_assert(kAtOnce % kPackedParts == 0 && kTogether % kAtOnce == 0);
  constexpr Index kMostFactors = 512;  // of at least 1/2 each: their product is far from underflow
  const PackedVec zero = hn::Zero(tag), one = hn::Set(tag, 1.0);
  PackedVec linear[kPackedParts], factors[kPackedParts];
  for (Index p = 0; p < kPackedParts; ++p) {
    linear[p] = zero;
    factors[p] = one;
  }
  double logs = 0;
  Index held = 0;  // factors in a lane
  HWY_ALIGN double slope[kTile];
  HWY_ALIGN double lanes[kPackedLanes];
  for (Index t = 0; t < num_tiles; ++t) {
    const double* z = tiles + t * dim * kTile;
    for (Index begin = 0; begin < kTileVectors; begin += kTogether) {
      PackedVec s[kTogether];
      for (auto& each : s) each = zero;
      for (Index d = 0; d < dim; ++d) {
        const PackedVec factor = hn::Set(tag, theta[d]);
        for (Index v = 0; v < kTogether; ++v)
          s[v] = fused(hn::LoadU(tag, z + d * kTile + (begin + v) * kPackedWidth), factor, s[v]);
      }
      for (Index v = 0; v < kTogether; v += kAtOnce) {
        PackedVec label[kAtOnce], against[kAtOnce], large[kAtOnce], small[kAtOnce];
        Fraction<PackedVec> e[kAtOnce];
        for (Index i = 0; i < kAtOnce; ++i) {
          label[i] = hn::LoadU(tag, y + t * kTile + (begin + v + i) * kPackedWidth);
          against[i] = hn::Neg(hn::Mul(label[i], s[v + i]));  // l = -softplus(-y s)
        }
        for (Index i = 0; i < kAtOnce; ++i) e[i] = fused_exp(hn::Neg(hn::Abs(against[i])));
        for (Index i = 0; i < kAtOnce; ++i) {
          const PackedVec inverse = hn::Div(one, hn::Add(e[i].top, e[i].bottom));
          large[i] = hn::Mul(e[i].bottom, inverse);
          small[i] = hn::Mul(e[i].top, inverse);
        }
        for (Index i = 0; i < kAtOnce; ++i) {
          const Index p = i % kPackedParts;
          const PackedVec sigma = hn::IfThenElse(hn::Lt(against[i], zero), small[i], large[i]);
          hn::Store(hn::Mul(label[i], sigma), tag, slope + (begin + v + i) * kPackedWidth);
          linear[p] = hn::Add(linear[p], hn::Max(against[i], zero));
          factors[p] = hn::Mul(factors[p], large[i]);
        }
      }
    }
    held += kTile / kPackedLanes;
    if (held >= kMostFactors || t + 1 == num_tiles) {
      for (Index p = 0; p < kPackedParts; ++p) {
        hn::Store(factors[p], tag, lanes + p * kPackedWidth);
        factors[p] = one;
      }
      for (const double lane : lanes) logs += std::log(lane);
      held = 0;
    }
    add_rows_of_tile(z, dim, slope, sums);
  }
  for (Index p = 0; p < kPackedParts; ++p) hn::Store(linear[p], tag, lanes + p * kPackedWidth);
  double total = logs;
  for (const double lane : lanes) total -= lane;
  return total;
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

double logistic_tiles(const double* tiles, Index num_tiles, Index dim, const double* theta, const double* y,
                      double* sums) {
  return HWY_DYNAMIC_DISPATCH(LogisticTiles)(tiles, num_tiles, dim, theta, y, sums);
}

void total_of(const double* sums, Index dim, double* gradient) {
  for (Index d = 0; d < dim; ++d) {
    const double* s = sums + d * kPackedLanes;
    gradient[d] += ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
}

}  // namespace giga::kernels
#endif  // HWY_ONCE
