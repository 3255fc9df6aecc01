// Rows to codes. Notation as in code_kernels.hpp: l_n = c l + rho r_n, kappa = c / rho,
// r_n ~ sum_k y_nk b_k + scale q_n, q = 16 h + f.
//
// While a row is coded its vector is not r_n but u = l_n - c l, of length rho ("unit" in the code, for it was
// cut from a unit row): codes of u in steps of scale rho are those of r_n in steps of scale.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "construct/code_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "construct/encode_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Highway includes this file once per instruction set, hence the guard.
#ifndef GIGA_ENCODE_ROWS_CONSTANTS
#define GIGA_ENCODE_ROWS_CONSTANTS
namespace giga::kernels {
// A row with a smaller rho is not coded: |kappa| = |c| / rho is then about 1e5 or more, and its rounding to
// float alone, 2e-7 |kappa|, would leave no useful bound of num.
constexpr double kTooCloseToTarget = 1e-5;
constexpr float kFinestScale = 1e-12F;  // of rows that the leading directions span
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

// Splits the codes of 16 rows into the two planes, eight dimensions at a time.
HWY_INLINE void pack_group(const std::uint8_t* codes, Index room, Index group, const CodeBlock& block) {
  constexpr std::uint32_t kUpper = 0xF0F0F0F0, kLower = 0x0F0F0F0F;
  const Octets& octets = block.octets;
  std::uint8_t* coarse = block.coarse + group * octets.coarse_bytes();
  std::uint8_t* fine = block.fine + group * octets.fine_bytes();
  for (Index t = 0; t < octets.whole; ++t) {
    for (Index r = 0; r < kGroupRows; ++r) {
      // Eight codes of a row at once: upper halves to the coarse plane, lower halves to the fine one.
      std::uint32_t first, last;
      std::memcpy(&first, codes + r * room + kOctet * t, 4);
      std::memcpy(&last, codes + r * room + kOctet * t + 4, 4);
      const std::uint32_t above = ((first & kUpper) >> 4) | (last & kUpper);
      const std::uint32_t below = (first & kLower) | ((last & kLower) << 4);
      std::memcpy(coarse + t * kOctetBytes + 4 * r, &above, 4);
      std::memcpy(fine + t * kOctetBytes + 4 * r, &below, 4);
    }
  }
  for (Index r = 0; r < kGroupRows && octets.half; ++r)
    std::memcpy(coarse + octets.whole * kOctetBytes + 4 * r, codes + r * room + kOctet * octets.whole, 4);
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

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga::kernels {

HWY_EXPORT(Encode);

void encode(const double* rows, Index first, Index count, Index dim, const CodeFrame& frame,
            const CodeBlock& block, EncodeScratch& scratch, EncodeSummary& summary) {
  HWY_DYNAMIC_DISPATCH(Encode)(rows, first, count, dim, frame, block, scratch, summary);
}

}  // namespace giga::kernels
#endif
