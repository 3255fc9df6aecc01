// The codes of code_kernels.hpp: rows to codes (Encode), and bounds of scores from codes (Scan). Notation as
// there: l_n = c l + rho r_n, kappa = c / rho, r_n ~ sum_k y_nk b_k + scale q_n, q = 16 h + f, x = <r_n, g>,
// num = A kappa + B x with A = d_along and B = d_across.
//
// While a row is coded its vector is not r_n but u = l_n - c l, of length rho ("unit" in the code, for it was
// cut from a unit row): codes of u in steps of scale rho are those of r_n in steps of scale.
//
// Bounds are computed in float. Every step that rounds is covered by a slack, so an upper bound is never
// below the exact score; that is all that selection needs.
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

// Highway includes this file once per instruction set, hence the guard.
#ifndef GIGA_CODE_KERNELS_CONSTANTS
#define GIGA_CODE_KERNELS_CONSTANTS
namespace giga::kernels {
// Relative slack of every comparison of bounds, far above what single precision loses in them.
constexpr float kSlack = 1e-5F;
constexpr float kKappaError = 2e-7F;  // relative, of a kappa rounded to float
constexpr float kPlainError = 1e-6F;  // of 1 - c^2 - x^2, as float has it
// A row with a smaller rho is not coded: |kappa| = |c| / rho is then about 1e5 or more, and its rounding to
// float alone, 2e-7 |kappa|, would leave no useful bound of num.
constexpr double kTooCloseToTarget = 1e-5;
constexpr float kFinestScale = 1e-12F;  // of rows that the leading directions span
constexpr int kCodeOffset = 136;        // q + 136 = 16 (h + 8) + (f + 8)
}  // namespace giga::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Encoding runs in stages over the 16 rows of a group, so that the roots and divisions of one row do not wait
// for those of another.

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

// codes[j] = q + 136 with q = round(unit[j] / step); errors[0] and [1] are the squared norms of unit - step q
// and of unit - step 16 h, [2] that of unit. Both arrays may be written and read up to the next multiple of
// the vector width: they have room, and `unit` is zero there.
HWY_INLINE void round_to_codes(const float* unit, float step, float inverse_step, Index dim,
                               std::uint8_t* codes, float* errors) {
  const hn::ScalableTag<float> f32;
  const hn::RebindToSigned<decltype(f32)> i32;
  const hn::Rebind<std::uint8_t, decltype(f32)> u8;
  const auto width = static_cast<Index>(hn::Lanes(f32));
  const auto inverse = hn::Set(f32, inverse_step);
  const auto vstep = hn::Set(f32, step);
  const auto offset = hn::Set(i32, kCodeOffset);
  auto squares = hn::Zero(f32);
  auto coarse_squares = hn::Zero(f32);
  auto unit_squares = hn::Zero(f32);
  for (Index j = 0; j < dim; j += width) {
    const auto u = hn::LoadU(f32, unit + j);
    unit_squares = hn::Add(unit_squares, hn::Mul(u, u));
    const auto q = hn::NearestInt(hn::Mul(u, inverse));
    const auto error = hn::Sub(u, hn::Mul(vstep, hn::ConvertTo(f32, q)));
    squares = hn::Add(squares, hn::Mul(error, error));
    const auto h16 = hn::ShiftLeft<4>(hn::ShiftRight<4>(hn::Add(q, hn::Set(i32, 8))));
    const auto coarse_error = hn::Sub(u, hn::Mul(vstep, hn::ConvertTo(f32, h16)));
    coarse_squares = hn::Add(coarse_squares, hn::Mul(coarse_error, coarse_error));
    hn::StoreU(hn::DemoteTo(u8, hn::Add(q, offset)), u8, codes + j);
  }
  errors[0] = hn::GetLane(hn::SumOfLanes(f32, squares));
  errors[1] = hn::GetLane(hn::SumOfLanes(f32, coarse_squares));
  errors[2] = hn::GetLane(hn::SumOfLanes(f32, unit_squares));
}

// Four rows at a time, so that a direction is loaded once for all of them.
constexpr Index kRowsTogether = 4;
static_assert(kGroupRows % kRowsTogether == 0);

// y[k * 16 + r] = <unit_r, b_k> for kMany directions from b on, of four rows.
template <Index kMany>
HWY_INLINE void measure_along(const float* units, Index room, const float* b, Index dim, float* y) {
  const hn::ScalableTag<float> f32;
  const auto width = static_cast<Index>(hn::Lanes(f32));
  hn::Vec<decltype(f32)> sums[kRowsTogether][kMany];
  for (auto& row : sums) {
    for (auto& sum : row) sum = hn::Zero(f32);
  }
  for (Index j = 0; j < dim; j += width) {
    hn::Vec<decltype(f32)> bs[kMany];
    for (Index k = 0; k < kMany; ++k) bs[k] = hn::LoadU(f32, b + k * room + j);
    for (Index r = 0; r < kRowsTogether; ++r) {
      const auto u = hn::LoadU(f32, units + r * room + j);
      for (Index k = 0; k < kMany; ++k) sums[r][k] = hn::MulAdd(u, bs[k], sums[r][k]);
    }
  }
  for (Index r = 0; r < kRowsTogether; ++r) {
    for (Index k = 0; k < kMany; ++k) y[k * kGroupRows + r] = hn::GetLane(hn::SumOfLanes(f32, sums[r][k]));
  }
}

// unit_r -= sum_k y[k * 16 + r] b_k, of four rows and kVectors vectors from column j on.
template <Index kVectors>
HWY_INLINE void subtract_along(float* units, Index room, const float* b, Index num, const float* y, Index j) {
  const hn::ScalableTag<float> f32;
  const auto width = static_cast<Index>(hn::Lanes(f32));
  hn::Vec<decltype(f32)> rest[kRowsTogether][kVectors];
  for (Index r = 0; r < kRowsTogether; ++r) {
    for (Index v = 0; v < kVectors; ++v) rest[r][v] = hn::LoadU(f32, units + r * room + j + v * width);
  }
  for (Index k = 0; k < num; ++k) {
    hn::Vec<decltype(f32)> bs[kVectors];
    for (Index v = 0; v < kVectors; ++v) bs[v] = hn::LoadU(f32, b + k * room + j + v * width);
    for (Index r = 0; r < kRowsTogether; ++r) {
      const auto along = hn::Set(f32, y[k * kGroupRows + r]);
      for (Index v = 0; v < kVectors; ++v) rest[r][v] = hn::NegMulAdd(along, bs[v], rest[r][v]);
    }
  }
  for (Index r = 0; r < kRowsTogether; ++r) {
    for (Index v = 0; v < kVectors; ++v) hn::StoreU(rest[r][v], f32, units + r * room + j + v * width);
  }
}

// y[k * 16 + r] = <unit_r, b_k> / rho_r in steps of 1 / 32768, unit_r -= rho_r sum_k y b_k, for the 16 rows
// of a group. What rounding takes from y stays in unit.
HWY_INLINE void split_off(float* units, Index room, const CodeFrame& frame, Index dim, const float* rho,
                          float* along, std::int16_t* y) {
  const auto width = static_cast<Index>(hn::Lanes(hn::ScalableTag<float>()));
  const float* const b = frame.leading.data();
  constexpr Index kMany = 3;
  for (Index r = 0; r < kGroupRows; r += kRowsTogether) {
    float* const some = units + r * room;
    Index k = 0;
    for (; k + kMany <= frame.num_leading; k += kMany)
      measure_along<kMany>(some, room, b + k * room, dim, along + k * kGroupRows + r);
    for (; k < frame.num_leading; ++k)
      measure_along<1>(some, room, b + k * room, dim, along + k * kGroupRows + r);
  }
  for (Index i = 0; i < frame.num_leading * kGroupRows; ++i) {
    const float length = rho[i % kGroupRows];
    const float steps = length > 0 ? std::nearbyint(along[i] / length * kLeadingSteps) : 0.0F;
    y[i] = static_cast<std::int16_t>(std::clamp(steps, 1 - kLeadingSteps, kLeadingSteps - 1));
    along[i] = static_cast<float>(y[i]) / kLeadingSteps * length;
  }
  for (Index r = 0; r < kGroupRows; r += kRowsTogether) {
    float* const some = units + r * room;
    Index j = 0;
    for (; j + 2 * width <= room; j += 2 * width)
      subtract_along<2>(some, room, b, frame.num_leading, along + r, j);
    for (; j < room; j += width) subtract_along<1>(some, room, b, frame.num_leading, along + r, j);
  }
}

// max_j |unit_j|; `unit` is zero up to the next multiple of the vector width.
HWY_INLINE float largest_of(const float* unit, Index dim) {
  const hn::ScalableTag<float> f32;
  auto largest = hn::Zero(f32);
  for (Index j = 0; j < dim; j += static_cast<Index>(hn::Lanes(f32))) {
    largest = hn::Max(largest, hn::Abs(hn::LoadU(f32, unit + j)));
  }
  return hn::GetLane(hn::MaxOfLanes(f32, largest));
}

// The upper half of a float not below x. Rounded up: a scale rounded down would need codes beyond 119.
HWY_INLINE std::uint16_t rounded_up(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>((bits >> 16) + ((bits & 0xFFFFU) != 0 ? 1 : 0));
}

// The float whose upper half this is.
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
  float largest[kGroupRows], scale[kGroupRows], step[kGroupRows], inverse_step[kGroupRows],
      errors[kGroupRows][3];
  bool coded[kGroupRows];
};

// Splits the codes of 16 rows into the two planes, four dimensions at a time.
HWY_INLINE void pack_group(const std::uint8_t* codes, Index room, Index group, const CodeBlock& block) {
  std::uint8_t* coarse = block.coarse + group * block.quads * kQuadBytes;
  std::uint8_t* fine = block.fine + group * block.quads * kQuadBytes;
  const auto folded = [](std::uint32_t halves) {  // dimensions 0 and 1 below, 2 and 3 above
    return static_cast<std::uint16_t>((halves & 0xFFFFU) | (halves >> 12));
  };
  for (Index t = 0; t < block.quads; ++t) {
    for (Index r = 0; r < kGroupRows; ++r) {
      // Four codes of a row at once: upper halves to the coarse plane, lower halves to the fine one.
      std::uint32_t four;
      std::memcpy(&four, codes + r * room + 4 * t, 4);
      const std::uint16_t above = folded((four >> 4) & 0x0F0F0F0FU), below = folded(four & 0x0F0F0F0FU);
      std::memcpy(coarse + t * kQuadBytes + 2 * r, &above, 2);
      std::memcpy(fine + t * kQuadBytes + 2 * r, &below, 2);
    }
  }
}

// Encodes up to 16 rows, whose products with l and themselves are `t`, into the group's codes and side data.
HWY_INLINE void encode_group(const double* rows, Index count, Index dim, const CodeFrame& frame,
                             const Dots* t, Index group, const CodeBlock& block, EncodeScratch& scratch,
                             EncodeSummary& summary) {
  const Index room = row_room(dim);
  float* const units = scratch.unit.data();
  std::uint8_t* const codes = scratch.codes.data();
  GroupRows g;
  for (Index r = 0; r < count; ++r) {
    // 1. Norms and products with l.
    g.coded[r] = t[r].with_self >= 1e-260 && t[r].with_self <= 1e280;  // no product of parts is denormal
    g.inverse_norm[r] = g.coded[r] ? 1 / std::sqrt(t[r].with_self) : 0.0;
    g.c[r] = t[r].with_d * g.inverse_norm[r];
  }
  for (Index r = 0; r < count; ++r) {
    // 2. u = x / |x| - c l, and its largest component.
    g.largest[r] =
        subtract_target(rows + r * dim, g.inverse_norm[r], g.c[r], frame.l.data(), dim, units + r * room);
  }
  for (Index r = 0; r < count; ++r) {
    // 3. rho = |u|.
    g.rho[r] = distance_from_target(g.c[r], units + r * room, dim);
    g.coded[r] = g.coded[r] && g.rho[r] >= kTooCloseToTarget;
  }
  if (frame.num_leading > 0) {
    // 4. The leading directions are taken out; what remains is coded.
    float rho[kGroupRows];
    for (Index r = 0; r < kGroupRows; ++r)
      rho[r] = r < count && g.coded[r] ? static_cast<float>(g.rho[r]) : 0.0F;
    split_off(units, room, frame, dim, rho, scratch.along.data(),
              block.leading + group * frame.num_leading * kGroupRows);
    for (Index r = 0; r < count; ++r) g.largest[r] = largest_of(units + r * room, dim);
  }
  for (Index r = 0; r < count; ++r) {
    // 5. Scales. The largest component takes the code 119 or less, so h = floor((q + 8) / 16) stays in [-7,
    // 7].
    const float needed = std::max(g.largest[r] / 119.0F / static_cast<float>(g.rho[r]), kFinestScale);
    const std::uint16_t bits = rounded_up(needed);
    g.scale[r] = g.coded[r] ? expanded(bits) : 1.0F;
    g.step[r] = g.coded[r] ? g.scale[r] * static_cast<float>(g.rho[r]) : 1e30F;
    g.inverse_step[r] = 1.0F / g.step[r];
    block.scale[group * kGroupRows + r] = g.coded[r] ? bits : std::uint16_t{0};
  }
  for (Index r = 0; r < count; ++r) {
    // 6. The codes, and how far they are from u.
    round_to_codes(units + r * room, g.step[r], g.inverse_step[r], dim, codes + r * room, g.errors[r]);
  }
  for (Index r = 0; r < count; ++r) {
    // 7. Side data. NaN for kappa marks rows that the pass must skip. The bounds of the block are those of
    // its worst row; 1 + 1e-4 covers the sums of squares in float.
    const Index at = group * kGroupRows + r;
    block.kappa[at] =
        g.coded[r] ? static_cast<float>(g.c[r] / g.rho[r]) : std::numeric_limits<float>::quiet_NaN();
    if (g.coded[r]) {
      CodeBounds& bounds = summary.bounds;
      const float spread = std::sqrt(g.errors[r][0]) / g.step[r] * (1 + 1e-4F);
      const float coarse_spread = std::sqrt(g.errors[r][1]) / g.step[r] * (1 + 1e-4F);
      bounds.spread = std::max(bounds.spread, spread);
      bounds.coarse_spread = std::max(bounds.coarse_spread, coarse_spread);
      // |q| <= |rest| / scale + |error| / scale
      const float length = std::sqrt(g.errors[r][2]) / g.step[r] * (1 + 1e-4F);
      bounds.norm = std::max(bounds.norm, length + std::max(spread, coarse_spread));
    } else if (std::any_of(rows + r * dim, rows + (r + 1) * dim, [](double value) { return value != 0; })) {
      summary.left_out.push_back(at);  // too close to l, or squares out of range: scored in double each time
    }
  }
  for (Index r = count; r < kGroupRows; ++r) {
    block.kappa[group * kGroupRows + r] = std::numeric_limits<float>::quiet_NaN();
    block.scale[group * kGroupRows + r] = 0;
  }
  pack_group(codes, room, group, block);
}

// Groups of 16 rows; the products of all rows with l and with themselves are found first, by the kernels
// whose bits the exact scores have.
void Encode(const double* rows, Index first, Index count, Index dim, const CodeFrame& frame,
            const CodeBlock& block, EncodeScratch& scratch, EncodeSummary& summary) {
  const auto room = static_cast<size_t>(row_room(dim) * kGroupRows);
  if (scratch.unit.size() != room) {
    scratch.unit.assign(room, 0.0F);
    scratch.codes.assign(room, 0);
  }
  scratch.along.resize(static_cast<size_t>(frame.num_leading * kGroupRows));
  scratch.dots.resize(static_cast<size_t>(count));
  dots_with(rows, count, dim, frame.l.data(), scratch.dots.data());
  for (Index start = 0; start < count; start += kGroupRows) {
    encode_group(rows + start * dim, std::min(kGroupRows, count - start), dim, frame,
                 scratch.dots.data() + start, (first + start) / kGroupRows, block, scratch, summary);
  }
}

// sums[r] = the product of the query's integers with q of row r, for the 16 rows of a group.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
using Words = hn::CappedTag<std::int32_t, static_cast<size_t>(kGroupRows)>;
constexpr Index kWordLanes = static_cast<Index>(hn::MaxLanes(Words()));
constexpr Index kRegisters = kGroupRows / kWordLanes;

HWY_INLINE void fine_products(const CodeBlock& block, Index group, const CodeQuery& query,
                              std::int32_t* HWY_RESTRICT sums) {
  const Words i32;
  const hn::Repartition<std::int16_t, Words> i16;
  const hn::Rebind<std::uint8_t, decltype(i16)> u8;
  const auto low = hn::Set(u8, 0x0F);
  const auto high = hn::Set(u8, 0xF0);
  const std::uint8_t* coarse = block.coarse + group * block.quads * kQuadBytes;
  const std::uint8_t* fine = block.fine + group * block.quads * kQuadBytes;
  const std::int32_t* pairs = query.fine.pairs.data();
  hn::Vec<Words> acc[kRegisters];
  for (auto& a : acc) a = hn::Zero(i32);
  auto unused = hn::Zero(i32);
  for (Index t = 0; t < block.quads; ++t) {
    const auto first = hn::BitCast(i16, hn::Set(i32, pairs[2 * t]));
    const auto second = hn::BitCast(i16, hn::Set(i32, pairs[2 * t + 1]));
    for (Index k = 0; k < kRegisters; ++k) {
      const Index at = t * kQuadBytes + 2 * k * kWordLanes;
      const auto c = hn::LoadU(u8, coarse + at);
      const auto f = hn::LoadU(u8, fine + at);
      const auto below = hn::Or(hn::And(hn::ShiftLeft<4>(c), high), hn::And(f, low));
      const auto above = hn::Or(hn::And(c, high), hn::And(hn::ShiftRight<4>(f), low));
      // vpmaddwd: adjacent pairs
      acc[k] = hn::ReorderWidenMulAccumulate(i32, hn::PromoteTo(i16, below), first, acc[k], unused);
      acc[k] = hn::ReorderWidenMulAccumulate(i32, hn::PromoteTo(i16, above), second, acc[k], unused);
    }
  }
  // The codes are stored as q + 136 >= 0: sum_j g_j (q_j + 136) - 136 sum_j g_j = sum_j g_j q_j.
  const auto offset = hn::Set(i32, kCodeOffset * query.fine.total);
  for (Index k = 0; k < kRegisters; ++k) hn::Store(hn::Sub(acc[k], offset), i32, sums + k * kWordLanes);
}
#else
HWY_INLINE void fine_products(const CodeBlock& block, Index group, const CodeQuery& query,
                              std::int32_t* HWY_RESTRICT sums) {
  std::fill_n(sums, kGroupRows, 0);
  for (Index i = 0; i < block.quads * kQuadBytes; ++i) {
    const std::uint8_t c = block.coarse[group * block.quads * kQuadBytes + i];
    const std::uint8_t f = block.fine[group * block.quads * kQuadBytes + i];
    const auto pair = static_cast<size_t>(i / kQuadBytes * 2);
    const int shift = i % 2 == 0 ? 0 : 16;
    const Index r = i % kQuadBytes / 2;
    sums[r] += (((c & 15) << 4 | (f & 15)) - kCodeOffset) *
               static_cast<std::int16_t>(query.fine.pairs[pair] >> shift);
    sums[r] += (((c & 240) | (f >> 4)) - kCodeOffset) *
               static_cast<std::int16_t>(query.fine.pairs[pair + 1] >> shift);
  }
}
#endif

// The same with 16 h for q, from the coarse plane alone.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET <= HWY_AVX2
HWY_INLINE void coarse_products(const CodeBlock& block, Index group, const CodeQuery& query,
                                std::int32_t* HWY_RESTRICT sums) {
  // A product of two 4-bit codes with two steps is at most 2 * 15 * 127: eight of them fit 16 bits.
  constexpr Index kQuadsAtOnce = 4;
  const auto* coarse = reinterpret_cast<const __m256i*>(block.coarse + group * block.quads * kQuadBytes);
  const auto* spread_out = reinterpret_cast<const __m256i*>(query.coarse_spread_out.data());
  const __m256i low = _mm256_set1_epi8(0x0F);
  __m256i first = _mm256_setzero_si256(), second = _mm256_setzero_si256();
  const auto add_quads = [&](Index t, Index count) HWY_ATTR {
    __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (Index i = t; i < t + count; ++i) {
      const __m256i c = _mm256_loadu_si256(coarse + i);
      const __m256i above = _mm256_and_si256(_mm256_srli_epi16(c, 4), low);
      even = _mm256_add_epi16(
          even, _mm256_maddubs_epi16(_mm256_and_si256(c, low), _mm256_loadu_si256(spread_out + 2 * i)));
      odd = _mm256_add_epi16(odd, _mm256_maddubs_epi16(above, _mm256_loadu_si256(spread_out + 2 * i + 1)));
    }
    const __m256i sum = _mm256_add_epi16(even, odd);
    first = _mm256_add_epi32(first, _mm256_cvtepi16_epi32(_mm256_castsi256_si128(sum)));
    second = _mm256_add_epi32(second, _mm256_cvtepi16_epi32(_mm256_extracti128_si256(sum, 1)));
  };
  Index t = 0;
  for (; t + kQuadsAtOnce <= block.quads; t += kQuadsAtOnce) add_quads(t, kQuadsAtOnce);
  if (t < block.quads) add_quads(t, block.quads - t);
  // Stored are h + 8: 16 (sum_j g_j (h_j + 8) - 8 sum_j g_j) = sum_j g_j 16 h_j.
  const __m256i offset = _mm256_set1_epi32(8 * query.coarse.total);
  auto* out = reinterpret_cast<__m256i*>(sums);
  _mm256_storeu_si256(out, _mm256_slli_epi32(_mm256_sub_epi32(first, offset), 4));
  _mm256_storeu_si256(out + 1, _mm256_slli_epi32(_mm256_sub_epi32(second, offset), 4));
}
#else
HWY_INLINE void coarse_products(const CodeBlock& block, Index group, const CodeQuery& query,
                                std::int32_t* HWY_RESTRICT sums) {
  std::fill_n(sums, kGroupRows, 0);
  for (Index t = 0; t < block.quads; ++t) {
    const std::uint8_t* coarse = block.coarse + (group * block.quads + t) * kQuadBytes;
    const std::int16_t below = query.coarse.pairs[static_cast<size_t>(2 * t)];
    const std::int16_t above = query.coarse.pairs[static_cast<size_t>(2 * t + 1)];
    for (Index i = 0; i < kQuadBytes; ++i) {
      const int shift = i % 2 == 0 ? 0 : 8;
      sums[i / 2] += (16 * (coarse[i] & 15) - 128) * static_cast<std::int8_t>(below >> shift) +
                     (16 * (coarse[i] >> 4) - 128) * static_cast<std::int8_t>(above >> shift);
    }
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

HWY_EXPORT(Encode);
HWY_EXPORT(Scan);
HWY_EXPORT(MeasureTarget);

void encode(const double* rows, Index first, Index count, Index dim, const CodeFrame& frame,
            const CodeBlock& block, EncodeScratch& scratch, EncodeSummary& summary) {
  HWY_DYNAMIC_DISPATCH(Encode)(rows, first, count, dim, frame, block, scratch, summary);
}

void measure_target(const CodeBlock& block, const CodeQuery& target) {
  HWY_DYNAMIC_DISPATCH(MeasureTarget)(block, target);
}

Index scan_codes(const CodeBlock& block, const CodeQuery& query, const CodeBounds& bounds, bool coarse_first,
                 Index first_row, float& threshold, std::vector<Candidate>& candidates) {
  return HWY_DYNAMIC_DISPATCH(Scan)(block, query, bounds, coarse_first, first_row, threshold, candidates);
}

}  // namespace giga::kernels
#endif
