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
      for (Index d = 0; d < kMany; ++d)
        sum[d][p] = hn::Add(sum[d][p], hn::Mul(f, hn::LoadU(tag, z + d * kTile + at)));
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
          s[v] = hn::Add(s[v], hn::Mul(hn::LoadU(tag, z + d * kTile + (begin + v) * kPackedWidth), factor));
      }
      for (Index v = 0; v < kTogether; v += kPackedParts) {
        for (Index p = 0; p < kPackedParts; ++p) {
          const Index at = (begin + v + p) * kPackedWidth;
          const PackedVec label = hn::LoadU(tag, y + t * kTile + at);
          const PackedVec against = hn::Neg(hn::Mul(label, s[v + p]));  // l = -softplus(-y s)
          const auto e = exp_fraction(tag, hn::Neg(hn::Abs(against)), 0.0);
          const PackedVec inverse = hn::Div(one, hn::Add(e.top, e.bottom));
          const PackedVec large = hn::Mul(e.bottom, inverse), small = hn::Mul(e.top, inverse);
          const PackedVec sigma = hn::IfThenElse(hn::Lt(against, zero), small, large);
          hn::Store(hn::Mul(label, sigma), tag, slope + at);
          linear[p] = hn::Add(linear[p], hn::Max(against, zero));
          factors[p] = hn::Mul(factors[p], large);
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
