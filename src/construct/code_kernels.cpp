#include "construct/code_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "construct/code_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Relative slack of every comparison of bounds, far above what single precision loses in them.
#ifndef GIGA_CODE_KERNELS_CONSTANTS
#define GIGA_CODE_KERNELS_CONSTANTS
namespace giga::kernels {
constexpr float kSlack = 1e-5F;
constexpr float kKappaError = 2e-7F;  // relative, of a kappa rounded to float
constexpr double kTooCloseToTarget = 1e-5;
constexpr float kFinestScale = 1e-12F;  // of rows that the leading directions span
constexpr Index kPairBytes = 2 * kGroupRows;
}  // namespace giga::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Encoding runs in stages over the 16 rows of a group, so that the roots and divisions of one row do not wait
// for those of another.

// Room for dim rounded up to any vector width.
HWY_INLINE Index row_room(Index dim) {
  return (dim + 63) / 64 * 64;
}

// unit[j] = x_j / |x| - c l_j in float; returns its largest magnitude.
HWY_INLINE float subtract_target(const double* x, double inverse_norm, double c, const double* l, Index dim,
                                 float* unit) {
  const hn::ScalableTag<double> f64;
  const hn::Rebind<float, decltype(f64)> f32;
  const auto width = static_cast<Index>(hn::Lanes(f64));
  const auto vi = hn::Set(f64, inverse_norm);
  const auto vc = hn::Set(f64, c);
  auto largest = hn::Zero(f32);
  Index j = 0;
  for (; j + width <= dim; j += width) {
    const auto u =
        hn::DemoteTo(f32, hn::Sub(hn::Mul(hn::LoadU(f64, x + j), vi), hn::Mul(vc, hn::LoadU(f64, l + j))));
    largest = hn::Max(largest, hn::Abs(u));
    hn::StoreU(u, f32, unit + j);
  }
  float top = hn::GetLane(hn::MaxOfLanes(f32, largest));
  for (; j < dim; ++j) {
    unit[j] = static_cast<float>(x[j] * inverse_norm - c * l[j]);
    top = std::max(top, std::abs(unit[j]));
  }
  return top;
}

// codes[j] = round(unit[j] / step); returns the squared norm of unit - step * codes. Both arrays may be
// written and read up to the next multiple of the vector width: they have room, and `unit` is zero there.
HWY_INLINE float round_to_codes(const float* unit, float step, float inverse_step, Index dim,
                                std::int8_t* codes) {
  const hn::ScalableTag<float> f32;
  const hn::Rebind<std::int8_t, decltype(f32)> i8;
  const auto width = static_cast<Index>(hn::Lanes(f32));
  const auto inverse = hn::Set(f32, inverse_step);
  const auto vstep = hn::Set(f32, step);
  auto squares = hn::Zero(f32);
  for (Index j = 0; j < dim; j += width) {
    const auto u = hn::LoadU(f32, unit + j);
    const auto q = hn::NearestInt(hn::Mul(u, inverse));
    const auto error = hn::Sub(u, hn::Mul(vstep, hn::ConvertTo(f32, q)));
    squares = hn::Add(squares, hn::Mul(error, error));
    hn::StoreU(hn::DemoteTo(i8, q), i8, codes + j);
  }
  return hn::GetLane(hn::SumOfLanes(f32, squares));
}

// y = <unit, b>, unit -= y b; returns y.
HWY_INLINE float split_off(float* unit, const float* b, Index dim) {
  const hn::ScalableTag<float> f32;
  const auto width = static_cast<Index>(hn::Lanes(f32));
  auto sum = hn::Zero(f32);
  for (Index j = 0; j < dim; j += width)
    sum = hn::MulAdd(hn::LoadU(f32, unit + j), hn::LoadU(f32, b + j), sum);
  const float y = hn::GetLane(hn::SumOfLanes(f32, sum));
  const auto vy = hn::Set(f32, y);
  for (Index j = 0; j < dim; j += width) {
    hn::StoreU(hn::NegMulAdd(vy, hn::LoadU(f32, b + j), hn::LoadU(f32, unit + j)), f32, unit + j);
  }
  return y;
}

HWY_INLINE float largest_of(const float* unit, Index dim) {
  const hn::ScalableTag<float> f32;
  auto largest = hn::Zero(f32);
  for (Index j = 0; j < dim; j += static_cast<Index>(hn::Lanes(f32))) {
    largest = hn::Max(largest, hn::Abs(hn::LoadU(f32, unit + j)));
  }
  return hn::GetLane(hn::MaxOfLanes(f32, largest));
}

// The upper half of a float not below x.
HWY_INLINE std::uint16_t rounded_up(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits >> 16) + ((bits & 0xFFFFU) != 0 ? 1 : 0));
}

HWY_INLINE float expanded(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// |x / |x| - c l|: from c where that is accurate, else summed.
HWY_INLINE double distance_from_target(double c, const float* unit, Index dim) {
  const double square = (1 - c) * (1 + c);
  if (square > 1e-2) return std::sqrt(square);
  double sum = 0;
  for (Index j = 0; j < dim; ++j) sum += static_cast<double>(unit[j]) * static_cast<double>(unit[j]);
  return std::sqrt(sum);
}

// What is known of the rows of a group while they are encoded.
struct GroupRows {
  double inverse_norm[kGroupRows], c[kGroupRows], rho[kGroupRows];
  float largest[kGroupRows], scale[kGroupRows], step[kGroupRows], inverse_step[kGroupRows], error[kGroupRows];
  bool coded[kGroupRows];
};

// Encodes up to 16 rows, whose products with l and themselves are `t`, into the group's codes and side data.
HWY_INLINE void encode_group(const double* rows, Index count, Index dim, const CodeFrame& frame,
                             const Dots* t, Index group, const CodeBlock& block, EncodeScratch& scratch,
                             EncodeSummary& summary) {
  const Index room = row_room(dim);
  float* const units = scratch.unit.data();
  std::int8_t* const codes = scratch.codes.data();
  GroupRows g;
  for (Index r = 0; r < count; ++r) {
    g.coded[r] = t[r].with_self >= 1e-260 && t[r].with_self <= 1e280;  // no product of parts is denormal
    g.inverse_norm[r] = g.coded[r] ? 1 / std::sqrt(t[r].with_self) : 0.0;
    g.c[r] = t[r].with_d * g.inverse_norm[r];
  }
  for (Index r = 0; r < count; ++r) {
    g.largest[r] =
        subtract_target(rows + r * dim, g.inverse_norm[r], g.c[r], frame.l.data(), dim, units + r * room);
  }
  for (Index r = 0; r < count; ++r) {
    g.rho[r] = distance_from_target(g.c[r], units + r * room, dim);
    g.coded[r] = g.coded[r] && g.rho[r] >= kTooCloseToTarget;
  }
  float* const leading = block.leading + group * frame.num_leading * kGroupRows;
  for (Index r = 0; r < count && frame.num_leading > 0; ++r) {
    for (Index k = 0; k < frame.num_leading; ++k) {
      const float y = split_off(units + r * room, frame.leading.data() + k * room, dim);
      leading[k * kGroupRows + r] = g.coded[r] ? y / static_cast<float>(g.rho[r]) : 0.0F;
    }
    g.largest[r] = largest_of(units + r * room, dim);
  }
  for (Index r = 0; r < count; ++r) {
    const float needed = std::max(g.largest[r] / 127.0F / static_cast<float>(g.rho[r]), kFinestScale);
    const std::uint16_t bits = rounded_up(needed);
    g.scale[r] = g.coded[r] ? expanded(bits) : 1.0F;
    g.step[r] = g.coded[r] ? g.scale[r] * static_cast<float>(g.rho[r]) : 1e30F;
    g.inverse_step[r] = 1.0F / g.step[r];
    block.scale[group * kGroupRows + r] = g.coded[r] ? bits : std::uint16_t{0};
  }
  for (Index r = 0; r < count; ++r) {
    g.error[r] = round_to_codes(units + r * room, g.step[r], g.inverse_step[r], dim, codes + r * room);
  }
  for (Index r = 0; r < count; ++r) {
    const Index at = group * kGroupRows + r;
    block.kappa[at] =
        g.coded[r] ? static_cast<float>(g.c[r] / g.rho[r]) : std::numeric_limits<float>::quiet_NaN();
    if (g.coded[r]) {
      const double spread = static_cast<double>(std::sqrt(g.error[r]) / g.step[r]) * (1 + 1e-4);
      summary.spread = std::max(summary.spread, spread);
      // |scale q| <= |rest| + |error|, and no component of the rest exceeds `largest`
      const double reach = static_cast<double>(g.largest[r]) / g.rho[r] * std::sqrt(static_cast<double>(dim));
      summary.code_norm =
          std::max(summary.code_norm, std::min(reach, 1.01) + spread * static_cast<double>(g.scale[r]));
    } else if (std::any_of(rows + r * dim, rows + (r + 1) * dim, [](double value) { return value != 0; })) {
      summary.left_out.push_back(at);  // too close to l, or squares out of range: scored in double each time
    }
  }
  for (Index r = count; r < kGroupRows; ++r) {
    block.kappa[group * kGroupRows + r] = std::numeric_limits<float>::quiet_NaN();
    block.scale[group * kGroupRows + r] = 0;
    std::memset(codes + r * room, 0, static_cast<size_t>(room));
  }
  std::int8_t* out = block.codes + group * block.pairs * kPairBytes;
  for (Index p = 0; p < block.pairs; ++p) {
    for (Index r = 0; r < kGroupRows; ++r)
      std::memcpy(out + p * kPairBytes + 2 * r, codes + r * room + 2 * p, 2);
  }
}

void Encode(const double* rows, Index first, Index count, Index dim, const CodeFrame& frame,
            const CodeBlock& block, EncodeScratch& scratch, EncodeSummary& summary) {
  const auto room = static_cast<size_t>(row_room(dim) * kGroupRows);
  if (scratch.unit.size() != room) {
    scratch.unit.assign(room, 0.0F);
    scratch.codes.assign(room, 0);
  }
  scratch.dots.resize(static_cast<size_t>(count));
  dots_with(rows, count, dim, frame.l.data(), scratch.dots.data());
  for (Index start = 0; start < count; start += kGroupRows) {
    encode_group(rows + start * dim, std::min(kGroupRows, count - start), dim, frame,
                 scratch.dots.data() + start, (first + start) / kGroupRows, block, scratch, summary);
  }
}

// sums[r] = the integer product of row r's codes with the query, for the 16 rows of a group.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
using Words = hn::CappedTag<std::int32_t, static_cast<size_t>(kGroupRows)>;
constexpr Index kWordLanes = static_cast<Index>(hn::MaxLanes(Words()));
constexpr Index kRegisters = kGroupRows / kWordLanes;

HWY_INLINE void group_products(const std::int8_t* codes, const std::int32_t* query, Index pairs,
                               std::int32_t* HWY_RESTRICT sums) {
  const Words i32;
  const hn::Repartition<std::int16_t, Words> i16;
  const hn::Rebind<std::int8_t, decltype(i16)> i8;
  hn::Vec<Words> acc[kRegisters];
  for (auto& a : acc) a = hn::Zero(i32);
  auto unused = hn::Zero(i32);
  for (Index p = 0; p < pairs; ++p) {
    const auto q = hn::BitCast(i16, hn::Set(i32, query[p]));
    for (Index k = 0; k < kRegisters; ++k) {
      const auto c = hn::PromoteTo(i16, hn::LoadU(i8, codes + p * kPairBytes + 2 * k * kWordLanes));
      acc[k] = hn::ReorderWidenMulAccumulate(i32, c, q, acc[k], unused);  // vpmaddwd: adjacent pairs
    }
  }
  for (Index k = 0; k < kRegisters; ++k) hn::Store(acc[k], i32, sums + k * kWordLanes);
}
#else
HWY_INLINE void group_products(const std::int8_t* codes, const std::int32_t* query, Index pairs,
                               std::int32_t* HWY_RESTRICT sums) {
  std::fill_n(sums, kGroupRows, 0);
  for (Index p = 0; p < pairs; ++p) {
    const auto low = static_cast<std::int16_t>(query[p] & 0xFFFF);
    const auto high = static_cast<std::int16_t>(query[p] >> 16);
    for (Index r = 0; r < kGroupRows; ++r) {
      sums[r] += codes[p * kPairBytes + 2 * r] * low + codes[p * kPairBytes + 2 * r + 1] * high;
    }
  }
}
#endif

// Scores a row may have, given its interval; lower is below 0 if nothing positive is certain.
struct Interval {
  float lower, upper;
};

HWY_INLINE Interval score_interval(const CodeQuery& query, float kappa, float x, float error) {
  const float centre = query.d_along * kappa + query.d_across * x;
  const float reach = std::abs(query.d_across) * error + kKappaError * std::abs(query.d_along * kappa);
  const auto score = [&](float num, float rest) {
    return num <= 0 ? -1.0F : num / std::sqrt(num * num + std::max(0.0F, rest));
  };
  if (!query.geodesic) {
    const float length = std::sqrt(1 + kappa * kappa);
    return {(centre - reach) / length * (1 - kSlack), (centre + reach) / length * (1 + kSlack)};
  }
  const float far = std::abs(x) + error;
  const float near = std::max(0.0F, std::abs(x) - error);
  return {score(centre - reach, 1 - near * near) * (1 - kSlack),
          score(centre + reach, 1 - far * far) * (1 + kSlack)};
}

template <bool kGeodesic>
void ScanBlock(const CodeBlock& block, const CodeQuery& query, float spread, float code_norm, Index first_row,
               float& threshold, std::vector<Candidate>& candidates) {
  const hn::CappedTag<float, static_cast<size_t>(kGroupRows)> f32;
  const hn::RebindToSigned<decltype(f32)> i32;
  const hn::Rebind<std::uint16_t, decltype(f32)> u16;
  const hn::RebindToUnsigned<decltype(f32)> u32;
  const auto lanes = static_cast<Index>(hn::Lanes(f32));
  const auto zero = hn::Zero(f32);
  const auto one = hn::Set(f32, 1.0F);
  const auto vunit = hn::Set(f32, query.unit);
  const auto vspread = hn::Set(f32, spread);
  const auto verror = hn::Set(f32, query.unit_error * code_norm + query.float_error);
  const auto num_leading = static_cast<Index>(query.leading.size());
  const auto along = hn::Set(f32, query.d_along);
  const auto across = hn::Set(f32, query.d_across);
  const auto across_size = hn::Set(f32, std::abs(query.d_across));
  const auto kappa_reach = hn::Set(f32, kKappaError * std::abs(query.d_along));
  HWY_ALIGN std::int32_t sums[kGroupRows];
  HWY_ALIGN float xs[kGroupRows];
  HWY_ALIGN float errors[kGroupRows];

  for (Index group = 0; group < block.groups; ++group) {
    group_products(block.codes + group * block.pairs * kPairBytes, query.pairs.data(), block.pairs, sums);
    const float t2 = threshold > 0 ? threshold * threshold : 0.0F;
    const auto num_factor = hn::Set(f32, (kGeodesic ? std::max(0.0F, 1 - t2) : 1.0F) * (1 + 2 * kSlack));
    const auto rest_factor = hn::Set(f32, t2);
    std::uint32_t hits = 0;
    for (Index r = 0; r < kGroupRows; r += lanes) {
      const Index at = group * kGroupRows + r;
      const auto kappa = hn::LoadU(f32, block.kappa + at);
      const auto scale =
          hn::BitCast(f32, hn::ShiftLeft<16>(hn::PromoteTo(u32, hn::LoadU(u16, block.scale + at))));
      auto x = hn::Mul(hn::ConvertTo(f32, hn::Load(i32, sums + r)), hn::Mul(scale, vunit));
      const float* leading = block.leading + group * num_leading * kGroupRows + r;
      for (Index k = 0; k < num_leading; ++k) {
        x = hn::MulAdd(hn::LoadU(f32, leading + k * kGroupRows),
                       hn::Set(f32, query.leading[static_cast<size_t>(k)]), x);
      }
      const auto error = hn::Add(hn::Mul(scale, vspread), verror);
      auto num = hn::Add(hn::Mul(along, kappa), hn::Mul(across, x));
      num = hn::Add(num, hn::Add(hn::Mul(across_size, error), hn::Mul(kappa_reach, hn::Abs(kappa))));
      auto rest = zero;
      if constexpr (kGeodesic) {
        const auto far = hn::Add(hn::Abs(x), error);
        rest = hn::Max(zero, hn::Sub(one, hn::Mul(far, far)));
      } else {
        rest = hn::Add(one, hn::Mul(kappa, kappa));
      }
      const auto reaches =
          hn::And(hn::Gt(num, zero),  // false for NaN: rows that are not here
                  hn::Ge(hn::Mul(hn::Mul(num, num), num_factor), hn::Mul(rest, rest_factor)));
      if (HWY_UNLIKELY(!hn::AllFalse(f32, reaches))) {
        hn::Store(x, f32, xs + r);
        hn::Store(error, f32, errors + r);
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(f32, reaches, bits);
        hits |= static_cast<std::uint32_t>(bits[0] | (lanes > 8 ? bits[1] << 8 : 0)) << r;
      }
    }
    while (HWY_UNLIKELY(hits != 0)) {
      const Index r = std::countr_zero(hits);
      hits &= hits - 1;
      const Index at = group * kGroupRows + r;
      const Interval interval = score_interval(query, block.kappa[at], xs[r], errors[r]);
      if (interval.upper < threshold) continue;
      candidates.push_back({first_row + at, interval.upper});
      threshold = std::max(threshold, interval.lower);
    }
  }
}

void Scan(const CodeBlock& block, const CodeQuery& query, float spread, float code_norm, Index first_row,
          float& threshold, std::vector<Candidate>& candidates) {
  if (query.geodesic) {
    ScanBlock<true>(block, query, spread, code_norm, first_row, threshold, candidates);
  } else {
    ScanBlock<false>(block, query, spread, code_norm, first_row, threshold, candidates);
  }
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga::kernels {

HWY_EXPORT(Encode);
HWY_EXPORT(Scan);

void encode(const double* rows, Index first, Index count, Index dim, const CodeFrame& frame,
            const CodeBlock& block, EncodeScratch& scratch, EncodeSummary& summary) {
  HWY_DYNAMIC_DISPATCH(Encode)(rows, first, count, dim, frame, block, scratch, summary);
}

void scan_codes(const CodeBlock& block, const CodeQuery& query, float spread, float code_norm,
                Index first_row, float& threshold, std::vector<Candidate>& candidates) {
  HWY_DYNAMIC_DISPATCH(Scan)(block, query, spread, code_norm, first_row, threshold, candidates);
}

}  // namespace giga::kernels
#endif
