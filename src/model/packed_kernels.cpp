#include "model/packed_kernels.hpp"

#include <cmath>

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/packed_kernels.cpp"
#include <hwy/cache_control.h>
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
constexpr Index kLine = 8;                // doubles that a cache fetches at once
constexpr double kLeastNormalExp = -708;  // exp of it is not denormal

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

// exp(x) for -708 <= x <= 0, as a fraction: exp_fraction of math-inl.hpp with fused operations.
HWY_INLINE Fraction<PackedVec> fused_exp(PackedVec x) {
  const PackedTag d;
  const PackedVec magic = hn::Set(d, kRound);
  const PackedVec rounded = fused(x, hn::Set(d, kLog2E), magic), k = hn::Sub(rounded, magic);
  const PackedVec r = fused(k, hn::Set(d, -kLn2Lo), fused(k, hn::Set(d, -kLn2Hi), x)), r2 = hn::Mul(r, r);
  const PackedVec p = hn::Mul(r, fused(hn::Add(r2, hn::Set(d, kExpP1)), r2, hn::Set(d, kExpP0)));
  const PackedVec q = fused(fused(r2, hn::Set(d, kExpQ2), hn::Set(d, kExpQ1)), r2, hn::Set(d, kExpQ0));
  return {hn::Mul(hn::Add(q, p), power_of_two(d, rounded)), hn::Sub(q, p)};
}

// The inverses of four numbers that neither overflow nor underflow together, at the cost of one division.
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

double LogisticTiles(const double* tiles, Index num_tiles, Index dim, const double* theta, double constant,
                     double* sums, double* slope_sums) {
  const PackedTag tag;
  constexpr Index kTogether = kTileVectors < 8 ? kTileVectors : 8;
  constexpr Index kAtOnce = 4;         // side by side, to hide each other's latency and share a division
  constexpr Index kMostFactors = 512;  // of at least 1/2 each: their product is far from underflow
  constexpr Index kFetch = kTile * kAtOnce / kTileVectors;  // doubles a component
  static_assert(kTogether % kAtOnce == 0);
  const PackedVec zero = hn::Zero(tag), one = hn::Set(tag, 1.0), sign = hn::SignBit(tag);
  const PackedVec lowest = hn::Set(tag, kLeastNormalExp);
  PackedVec linear[kPackedParts], factors[kPackedParts], slopes[kPackedParts];
  for (Index p = 0; p < kPackedParts; ++p) {
    linear[p] = zero;
    factors[p] = one;
    slopes[p] = hn::LoadU(tag, slope_sums + p * kPackedWidth);
  }
  double logs = 0;
  Index held = 0;  // factors in a lane
  HWY_ALIGN double slope[kTile];
  HWY_ALIGN double lanes[kPackedLanes];
  for (Index t = 0; t < num_tiles; ++t) {
    const double* z = tiles + t * dim * kTile;
    const double* next = t + 1 < num_tiles ? z + dim * kTile : z;  // fetched while there is much to compute
    for (Index begin = 0; begin < kTileVectors; begin += kTogether) {
      PackedVec s[kTogether];
      for (auto& each : s) each = hn::Set(tag, constant);
      for (Index d = 0; d < dim; ++d) {
        const PackedVec factor = hn::Set(tag, theta[d]);
        for (Index v = 0; v < kTogether; ++v)
          s[v] = fused(hn::LoadU(tag, z + d * kTile + (begin + v) * kPackedWidth), factor, s[v]);
      }
      // With e = exp(-|s|): l = min(s, 0) - log(1 + e), and l' = sigma(-s) is e / (1 + e) for s > 0, else
      // 1 / (1 + e).
      for (Index v = 0; v < kTogether; v += kAtOnce) {
        for (Index i = 0; i < dim * kFetch; i += kLine) hwy::Prefetch(next + i);
        next += dim * kFetch;
        Fraction<PackedVec> e[kAtOnce];
        PackedVec inverse[kAtOnce];
        for (Index i = 0; i < kAtOnce; ++i) {
          e[i] = fused_exp(hn::Max(hn::Or(s[v + i], sign), lowest));
          inverse[i] = hn::Add(e[i].top, e[i].bottom);
        }
        invert(inverse);
        for (Index i = 0; i < kAtOnce; ++i) {
          const Index p = (v + i) % kPackedParts;
          const PackedVec top = hn::IfNegativeThenElse(s[v + i], e[i].bottom, e[i].top);
          const PackedVec sigma = hn::Mul(top, inverse[i]);
          hn::Store(sigma, tag, slope + (begin + v + i) * kPackedWidth);
          slopes[p] = hn::Add(slopes[p], sigma);
          linear[p] = hn::Add(linear[p], hn::Min(zero, s[v + i]));
          factors[p] = hn::Mul(factors[p], hn::Mul(e[i].bottom, inverse[i]));
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
  for (Index p = 0; p < kPackedParts; ++p) {
    hn::Store(linear[p], tag, lanes + p * kPackedWidth);
    hn::StoreU(slopes[p], tag, slope_sums + p * kPackedWidth);
  }
  double total = logs;
  for (const double lane : lanes) total += lane;
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
