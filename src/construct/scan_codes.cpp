// Bounds of scores from codes. Notation as in code_kernels.hpp: kappa = c / rho, q = 16 h + f, x = <r_n, g>,
// num = A kappa + B x with A = d_along and B = d_across.
//
// Bounds are computed in float. Every step that rounds is covered by a slack, so an upper bound is never
// below the exact score; that is all that selection needs.
#include <algorithm>
#include <cmath>

#include "construct/code_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "construct/scan_codes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway includes this file once per instruction set, hence the guard.
#ifndef GIGA_SCAN_CODES_CONSTANTS
#define GIGA_SCAN_CODES_CONSTANTS
namespace giga::kernels {
// Relative slack of every comparison of bounds, far above what single precision loses in them.
constexpr float kSlack = 1e-5F;
constexpr float kKappaError = 2e-7F;  // relative, of a kappa rounded to float
constexpr float kPlainError = 1e-6F;  // of 1 - c^2 - x^2, as float has it
}  // namespace giga::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sums[r] = the product of the query's integers with q of row r, for the 16 rows of a group.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
using Words = hn::CappedTag<std::int32_t, static_cast<size_t>(kGroupRows)>;
constexpr Index kWordLanes = static_cast<Index>(hn::MaxLanes(Words()));
constexpr Index kRegisters = kGroupRows / kWordLanes;
constexpr Index kRegisterBytes = 4 * kWordLanes;  // of four codes, or of eight halves, of each row

HWY_INLINE void fine_products(const CodeBlock& block, Index group, const CodeQuery& query,
                              std::int32_t* HWY_RESTRICT sums) {
  const Words i32;
  const hn::Repartition<std::int16_t, Words> i16;
  const hn::Repartition<std::uint16_t, Words> u16;
  const hn::Repartition<std::uint8_t, Words> u8;
  const auto upper = hn::Set(u16, 0xF0F0);
  const auto even = hn::Set(u16, 0x00FF);
  const Octets& octets = block.octets;
  const std::uint8_t* coarse = block.coarse + group * octets.coarse_bytes();
  const std::uint8_t* fine = block.fine + group * octets.fine_bytes();
  const std::int32_t* words = query.fine.words.data();
  hn::Vec<Words> acc[kRegisters];
  for (auto& a : acc) a = hn::Zero(i32);
  auto unused = hn::Zero(i32);
  // vpmaddwd: products of 16-bit numbers, added in pairs. Of four codes of each row.
  const auto add = [&](hn::Vec<decltype(u16)> codes, const std::int32_t* by, hn::Vec<Words>& sum) HWY_ATTR {
    sum = hn::ReorderWidenMulAccumulate(i32, hn::BitCast(i16, hn::And(codes, even)),
                                        hn::BitCast(i16, hn::Set(i32, by[0])), sum, unused);
    sum = hn::ReorderWidenMulAccumulate(i32, hn::BitCast(i16, hn::ShiftRight<8>(codes)),
                                        hn::BitCast(i16, hn::Set(i32, by[1])), sum, unused);
  };
  for (Index t = 0; t < octets.whole; ++t) {
    for (Index k = 0; k < kRegisters; ++k) {
      const Index at = t * kOctetBytes + k * kRegisterBytes;
      const auto c = hn::BitCast(u16, hn::LoadU(u8, coarse + at));
      const auto f = hn::BitCast(u16, hn::LoadU(u8, fine + at));
      // The codes q + 136 of dimensions 0 to 3 and 4 to 7, a byte each.
      add(hn::OrAnd(hn::AndNot(upper, f), upper, hn::ShiftLeft<4>(c)), words + 4 * t, acc[k]);
      add(hn::OrAnd(hn::AndNot(upper, hn::ShiftRight<4>(f)), upper, c), words + 4 * t + 2, acc[k]);
    }
  }
  for (Index k = 0; k < kRegisters && octets.half; ++k) {
    const Index at = octets.whole * kOctetBytes + k * kRegisterBytes;
    add(hn::BitCast(u16, hn::LoadU(u8, coarse + at)), words + 4 * octets.whole, acc[k]);
  }
  // The codes are stored as q + 136 >= 0: sum_j g_j (q_j + 136) - 136 sum_j g_j = sum_j g_j q_j.
  const auto offset = hn::Set(i32, kCodeOffset * query.fine.total);
  for (Index k = 0; k < kRegisters; ++k) hn::Store(hn::Sub(acc[k], offset), i32, sums + k * kWordLanes);
}
#else
HWY_INLINE void fine_products(const CodeBlock& block, Index group, const CodeQuery& query,
                              std::int32_t* HWY_RESTRICT sums) {
  const Octets& octets = block.octets;
  const std::uint8_t* coarse = block.coarse + group * octets.coarse_bytes();
  const std::uint8_t* fine = block.fine + group * octets.fine_bytes();
  std::fill_n(sums, kGroupRows, 0);
  for (Index i = 0; i < octets.coarse_bytes(); ++i) {
    // Byte b of a row has its dimensions b and 4 + b, in words b mod 2 and 2 + b mod 2.
    const Index b = i % 4;
    const std::int32_t* words = query.fine.words.data() + i / kOctetBytes * 4 + b % 2;
    const auto times = [&](int code, std::int32_t word) {
      return (code - kCodeOffset) * static_cast<std::int16_t>(word >> (b < 2 ? 0 : 16));
    };
    std::int32_t& sum = sums[i % kOctetBytes / 4];
    if (i >= octets.fine_bytes()) {
      sum += times(coarse[i], words[0]);
    } else {
      sum += times((coarse[i] & 15) << 4 | (fine[i] & 15), words[0]) +
             times((coarse[i] & 240) | (fine[i] >> 4), words[2]);
    }
  }
}
#endif

// The same with 16 h for q, from the coarse plane alone.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET <= HWY_AVX2
HWY_INLINE void coarse_products(const CodeBlock& block, Index group, const CodeQuery& query,
                                std::int32_t* HWY_RESTRICT sums) {
  // A product of two 4-bit codes with two steps is at most 2 * 15 * 127: eight of them fit 16 bits.
  constexpr Index kOctetsAtOnce = 4;
  const Octets& octets = block.octets;
  const auto* coarse = reinterpret_cast<const __m256i*>(block.coarse + group * octets.coarse_bytes());
  const std::int32_t* words = query.coarse.words.data();
  const __m256i low = _mm256_set1_epi8(0x0F), ones = _mm256_set1_epi16(1);
  __m256i first = _mm256_setzero_si256(), second = _mm256_setzero_si256();
  const auto add_octets = [&](Index t, Index count) HWY_ATTR {
    __m256i here = _mm256_setzero_si256(), there = _mm256_setzero_si256();
    const auto add = [&](__m256i codes, __m256i below, __m256i above, __m256i& sum) HWY_ATTR {
      const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(codes, 4), low);
      sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(_mm256_and_si256(codes, low), below));
      sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(upper, above));
    };
#pragma GCC unroll 4
    for (Index i = t; i < t + count; ++i) {
      const __m256i below = _mm256_set1_epi32(words[2 * i]), above = _mm256_set1_epi32(words[2 * i + 1]);
      add(_mm256_loadu_si256(coarse + 2 * i), below, above, here);
      add(_mm256_loadu_si256(coarse + 2 * i + 1), below, above, there);
    }
    first = _mm256_add_epi32(first, _mm256_madd_epi16(here, ones));
    second = _mm256_add_epi32(second, _mm256_madd_epi16(there, ones));
  };
  Index t = 0;
  for (; t + kOctetsAtOnce <= octets.whole; t += kOctetsAtOnce) add_octets(t, kOctetsAtOnce);
  if (t < octets.whole) add_octets(t, octets.whole - t);
  if (octets.half) {
    const __m256i by = _mm256_set1_epi32(words[2 * octets.whole]);
    const auto add = [&](__m256i codes, __m256i& sum) HWY_ATTR {
      const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(codes, 4), low);
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(upper, by), ones));
    };
    add(_mm256_loadu_si256(coarse + 2 * octets.whole), first);
    add(_mm256_loadu_si256(coarse + 2 * octets.whole + 1), second);
  }
  // Stored are h + 8: 16 (sum_j g_j (h_j + 8) - 8 sum_j g_j) = sum_j g_j 16 h_j.
  const __m256i offset = _mm256_set1_epi32(8 * query.coarse.total);
  auto* out = reinterpret_cast<__m256i*>(sums);
  _mm256_storeu_si256(out, _mm256_slli_epi32(_mm256_sub_epi32(first, offset), 4));
  _mm256_storeu_si256(out + 1, _mm256_slli_epi32(_mm256_sub_epi32(second, offset), 4));
}
#else
HWY_INLINE void coarse_products(const CodeBlock& block, Index group, const CodeQuery& query,
                                std::int32_t* HWY_RESTRICT sums) {
  const Octets& octets = block.octets;
  const std::uint8_t* coarse = block.coarse + group * octets.coarse_bytes();
  const std::int32_t* words = query.coarse.words.data();
  const auto times = [](int code, std::int32_t word, Index byte) {
    return (16 * code - 128) * static_cast<std::int8_t>(word >> (8 * byte));
  };
  std::fill_n(sums, kGroupRows, 0);
  for (Index t = 0; t < octets.whole; ++t, coarse += kOctetBytes) {
    for (Index r = 0; r < kGroupRows; ++r) {
      for (Index b = 0; b < 4; ++b) {
        const int code = coarse[4 * r + b];
        sums[r] += times(code & 15, words[2 * t], b) + times(code >> 4, words[2 * t + 1], b);
      }
    }
  }
  for (Index r = 0; r < kGroupRows && octets.half; ++r) {
    for (Index b = 0; b < 4; ++b) sums[r] += times(coarse[4 * r + b] >> 4, words[2 * octets.whole], b);
  }
}
#endif

// Scores a row may have, given its interval; lower is below 0 if nothing positive is certain.
struct Interval {
  float lower, upper;
};

// kappa and x within `along_error` and `error`.
HWY_INLINE Interval score_interval(const CodeQuery& query, float kappa, float along_error, float x,
                                   float error) {
  const float centre = query.d_along * kappa + query.d_across * x;
  const float reach = std::abs(query.d_across) * error + std::abs(query.d_along) * along_error;
  if (!query.geodesic) {
    const float length = query.plain ? 1.0F : std::sqrt(1 + kappa * kappa);
    return {(centre - reach) / length * (1 - kSlack), (centre + reach) / length * (1 + kSlack)};
  }
  // num / sqrt(num^2 + rest) with rest = 1 - x^2, or 1 - c^2 - x^2 for plain codes: it rises with num
  // and, for num > 0, falls with rest; so the ends of the interval are at the ends of num and the
  // opposite ends of rest.
  const auto score = [&](float num, float rest) {
    return num <= 0 ? -1.0F : num / std::sqrt(num * num + std::max(0.0F, rest));
  };
  const auto far = [](float value, float by) { return (std::abs(value) + by) * (std::abs(value) + by); };
  const auto near = [](float value, float by) {
    const float least = std::max(0.0F, std::abs(value) - by);
    return least * least;
  };
  // plain: of 1 - c^2 - x^2, at most and at least. What float loses of it is far below kPlainError.
  const float most = 1 - near(x, error) - (query.plain ? near(kappa, along_error) - kPlainError : 0.0F);
  const float least = 1 - far(x, error) - (query.plain ? far(kappa, along_error) + kPlainError : 0.0F);
  return {score(centre - reach, most) * (1 - kSlack), score(centre + reach, least) * (1 + kSlack)};
}

using Floats = hn::CappedTag<float, static_cast<size_t>(kGroupRows)>;

// Scales of consecutive rows, as floats again.
HWY_INLINE hn::Vec<Floats> scales_of(const CodeBlock& block, Index at) {
  const Floats f32;
  const hn::Rebind<std::uint16_t, Floats> u16;
  const hn::RebindToUnsigned<Floats> u32;
  return hn::BitCast(f32, hn::ShiftLeft<16>(hn::PromoteTo(u32, hn::LoadU(u16, block.scale + at))));
}

// x of the rows of a group from row r on, given the products of their codes.
HWY_INLINE hn::Vec<Floats> products_with(const CodeBlock& block, Index group, Index r, const CodeQuery& query,
                                         const std::int32_t* sums, float unit, hn::Vec<Floats> scale) {
  const Floats f32;
  const hn::RebindToSigned<Floats> i32;
  const hn::Rebind<std::int16_t, Floats> i16;
  const auto num_leading = static_cast<Index>(query.leading.size());
  const std::int16_t* leading = block.leading + group * num_leading * kGroupRows + r;
  // x = scale unit (sum of integer products) + sum_k y_k <b_k, g>.
  auto x = hn::Mul(hn::ConvertTo(f32, hn::Load(i32, sums + r)), hn::Mul(scale, hn::Set(f32, unit)));
  for (Index k = 0; k < num_leading; ++k) {
    const auto y = hn::ConvertTo(f32, hn::PromoteTo(i32, hn::LoadU(i16, leading + k * kGroupRows)));
    x = hn::MulAdd(y, hn::Set(f32, query.leading[static_cast<size_t>(k)]), x);
  }
  return x;
}

// The rows of a group, as bits, whose score may reach the threshold, given the products of their codes; and
// for these the middle and the half-length of the interval of x.
template <bool kGeodesic, bool kPlain>
HWY_INLINE std::uint32_t reaching(const CodeBlock& block, Index group, const CodeQuery& query,
                                  const std::int32_t* sums, float unit, float spread, float target_spread,
                                  float threshold, float* xs, float* errors) {
  const Floats f32;
  const auto lanes = static_cast<Index>(hn::Lanes(f32));
  const auto zero = hn::Zero(f32);
  const auto one = hn::Set(f32, 1.0F);
  // score >= t means num^2 / (num^2 + rest) >= t^2, that is (1 - t^2) num^2 >= t^2 rest, for num > 0
  // (geodesic); num^2 >= t^2 rest with rest = 1 + kappa^2, or 1 for plain codes (linear). Neither needs a
  // root or a division. num and rest are taken at the ends of their intervals that favour the row.
  const float t2 = threshold > 0 ? threshold * threshold : 0.0F;
  const auto num_factor = hn::Set(f32, (kGeodesic ? std::max(0.0F, 1 - t2) : 1.0F) * (1 + 2 * kSlack));
  const auto rest_factor = hn::Set(f32, t2);
  const auto float_error = hn::Set(f32, query.float_error);
  std::uint32_t hits = 0;
  for (Index r = 0; r < kGroupRows; r += lanes) {
    const Index at = group * kGroupRows + r;
    const auto kappa = hn::LoadU(f32, block.kappa + at);
    const auto scale = scales_of(block, at);
    const auto x = products_with(block, group, r, query, sums, unit, scale);
    // |x - <r_n, g>| <= scale spread + float_error, by Cauchy and Schwarz, since |g| = 1.
    const auto error = hn::Add(hn::Mul(scale, hn::Set(f32, spread)), float_error);
    const auto along_error = kPlain ? hn::Add(hn::Mul(scale, hn::Set(f32, target_spread)), float_error)
                                    : hn::Mul(hn::Set(f32, kKappaError), hn::Abs(kappa));
    auto num = hn::Add(hn::Mul(hn::Set(f32, query.d_along), kappa), hn::Mul(hn::Set(f32, query.d_across), x));
    num = hn::Add(num, hn::Add(hn::Mul(hn::Set(f32, std::abs(query.d_across)), error),
                               hn::Mul(hn::Set(f32, std::abs(query.d_along)), along_error)));
    auto rest = one;
    if constexpr (kGeodesic) {
      const auto far = hn::Add(hn::Abs(x), error);
      rest = hn::Sub(one, hn::Mul(far, far));
      if constexpr (kPlain) {
        const auto along = hn::Add(hn::Abs(kappa), along_error);
        rest = hn::Sub(hn::Sub(rest, hn::Mul(along, along)), hn::Set(f32, kPlainError));
      }
      rest = hn::Max(zero, rest);
    } else if constexpr (!kPlain) {
      rest = hn::Add(one, hn::Mul(kappa, kappa));
    }
    const auto reaches = hn::And(hn::Gt(num, zero),  // false for NaN: rows that are not here
                                 hn::Ge(hn::Mul(hn::Mul(num, num), num_factor), hn::Mul(rest, rest_factor)));
    if (HWY_UNLIKELY(!hn::AllFalse(f32, reaches))) {
      hn::Store(x, f32, xs + r);
      hn::Store(error, f32, errors + r);
      std::uint8_t bits[8] = {};
      hn::StoreMaskBits(f32, reaches, bits);
      hits |= static_cast<std::uint32_t>(bits[0] | (lanes > 8 ? bits[1] << 8 : 0)) << r;
    }
  }
  return hits;
}

template <bool kGeodesic, bool kPlain>
Index ScanBlock(const CodeBlock& block, const CodeQuery& query, const CodeBounds& bounds, bool coarse_first,
                Index first_row, float& threshold, std::vector<Candidate>& candidates) {
  // In units of a row's scale: what rounding the row may change in a product, and rounding the query.
  const float coarse_spread = bounds.coarse_spread + query.coarse.error * bounds.norm;
  const float fine_spread = bounds.spread + query.fine.error * bounds.norm;
  const float target_spread = bounds.spread + query.target_error * bounds.norm;
  HWY_ALIGN std::int32_t sums[kGroupRows];
  HWY_ALIGN float xs[kGroupRows];
  HWY_ALIGN float errors[kGroupRows];
  Index refined = 0;
  // Invariant: every row of the groups before this one whose score may reach `threshold` is a candidate, and
  // some row, of this block or known before, scores so high that its share is at least `threshold`.
  for (Index group = 0; group < block.groups; ++group) {
    if (coarse_first) {
      coarse_products(block, group, query, sums);
      const std::uint32_t some = reaching<kGeodesic, kPlain>(
          block, group, query, sums, query.coarse.unit, coarse_spread, target_spread, threshold, xs, errors);
      if (HWY_LIKELY(some == 0)) continue;
    }
    // The fine plane decides; the coarse one only spared reading it.
    ++refined;
    fine_products(block, group, query, sums);
    std::uint32_t hits = reaching<kGeodesic, kPlain>(block, group, query, sums, query.fine.unit, fine_spread,
                                                     target_spread, threshold, xs, errors);
    for (; hits != 0; hits &= hits - 1) {
      const Index r = std::countr_zero(hits);
      const Index at = group * kGroupRows + r;
      const float along_error = kPlain ? expanded(block.scale[at]) * target_spread + query.float_error
                                       : kKappaError * std::abs(block.kappa[at]);
      const Interval interval = score_interval(query, block.kappa[at], along_error, xs[r], errors[r]);
      if (interval.upper < threshold) continue;
      candidates.push_back({first_row + at, interval.upper});
      threshold = std::max(threshold, query.share * interval.lower);
    }
  }
  return refined;
}

Index Scan(const CodeBlock& block, const CodeQuery& query, const CodeBounds& bounds, bool coarse_first,
           Index first_row, float& threshold, std::vector<Candidate>& candidates) {
  const auto scan = query.geodesic ? (query.plain ? ScanBlock<true, true> : ScanBlock<true, false>)
                                   : (query.plain ? ScanBlock<false, true> : ScanBlock<false, false>);
  return scan(block, query, bounds, coarse_first, first_row, threshold, candidates);
}

void MeasureTarget(const CodeBlock& block, const CodeQuery& target) {
  const Floats f32;
  HWY_ALIGN std::int32_t sums[kGroupRows];
  for (Index group = 0; group < block.groups; ++group) {
    // c = <l_n, l> by the query whose direction is l.
    fine_products(block, group, target, sums);
    for (Index r = 0; r < kGroupRows; r += static_cast<Index>(hn::Lanes(f32))) {
      float* const c = block.kappa + group * kGroupRows + r;
      const auto scale = scales_of(block, group * kGroupRows + r);
      const auto x = products_with(block, group, r, target, sums, target.fine.unit, scale);
      hn::StoreU(hn::Add(hn::LoadU(f32, c), x), f32, c);  // 0 until now, or NaN
    }
  }
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga::kernels {

HWY_EXPORT(Scan);
HWY_EXPORT(MeasureTarget);

void measure_target(const CodeBlock& block, const CodeQuery& target) {
  HWY_DYNAMIC_DISPATCH(MeasureTarget)(block, target);
}

Index scan_codes(const CodeBlock& block, const CodeQuery& query, const CodeBounds& bounds, bool coarse_first,
                 Index first_row, float& threshold, std::vector<Candidate>& candidates) {
  return HWY_DYNAMIC_DISPATCH(Scan)(block, query, bounds, coarse_first, first_row, threshold, candidates);
}

}  // namespace giga::kernels
#endif
