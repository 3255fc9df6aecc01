// Decimal text to the nearest double, at the speed of reading it.
//
// A number of at most 19 significant digits is w 10^e with an integer w < 2^64. If w < 2^53 and |e| <= 22,
// one product or quotient of two exact doubles is correctly rounded (Clinger 1990). If |e| <= 27, both w and
// 10^|e| are exact in 64 bits of mantissa, so r = w 10^e or w / 10^|e| is the value rounded once, to 64 bits.
// Halfway points between doubles are 64-bit numbers and rounding is monotone: unless r is such a point
// itself, rounding r to 53 bits rounds the value. One number in 2048 is, and is left to std::from_chars, as
// is everything longer or more extreme.
#pragma once

#include <array>
#include <bit>
#include <cfloat>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace giga {

enum class CellKind { Number, Missing, Infinite, Overflow, NotANumber };

struct CellValue {
  CellKind kind = CellKind::NotANumber;
  double value = 0;
  bool too_small = false;  ///< nonzero digits that are 0 as a double
};

/// What the text of a whole cell is. Blanks around it and a leading '+' are allowed.
[[nodiscard]] CellValue parse_cell(std::string_view text);

/// `text` without spaces and tabs at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

namespace number_detail {

inline constexpr int kMaxPower = 27;  // 5^27 < 2^63

inline constexpr std::array<double, 23> kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::array<long double, kMaxPower + 1> kLongPowers{
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
    1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

// Emulators, valgrind's among them, compute with fewer bits than the type has.
inline const bool kLongIsExtended = [] {
  const volatile long double one = 1, last = 0x1p-63L;
  return one + last != one;
}();

inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}

inline std::uint64_t load8(const char* p) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, p, sizeof bytes);
  return bytes;
}

inline constexpr bool kFastDigits = std::endian::native == std::endian::little;

// Every byte is '0'..'9': the high nibble is 3, and still is after adding 6.
inline bool all_digits(std::uint64_t bytes) {
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0;
  return (((bytes & kHigh) | (((bytes + 0x0606060606060606) & kHigh) >> 4)) == 0x3333333333333333);
}

// Eight digits at once, the first in the lowest byte. The second line makes bytes 0, 2, 4, 6 the pairs
// 10 a + b; the products then gather pairs 0 and 2 (times 10^6 and 10^2) and 1 and 3 (times 10^4 and 1) in
// the upper 32 bits.
inline std::uint64_t eight_digits(std::uint64_t bytes) {
  bytes -= 0x3030303030303030;
  bytes = (bytes * 10) + (bytes >> 8);
  constexpr std::uint64_t kMask = 0x000000FF000000FF;
  constexpr std::uint64_t kMul1 = 100 + (std::uint64_t{1000000} << 32);
  constexpr std::uint64_t kMul2 = 1 + (std::uint64_t{10000} << 32);
  return static_cast<std::uint32_t>((((bytes & kMask) * kMul1) + (((bytes >> 16) & kMask) * kMul2)) >> 32);
}

// Digits from p on, appended to w (which wraps beyond 19 digits; the caller counts them).
inline const char* read_digits(const char* p, const char* end, std::uint64_t& w) {
  if constexpr (kFastDigits) {
    while (end - p >= 8) {
      const std::uint64_t bytes = load8(p);
      if (!all_digits(bytes)) break;
      w = w * 100000000 + eight_digits(bytes);
      p += 8;
    }
  }
  for (; is_digit(*p); ++p) w = w * 10 + static_cast<unsigned>(*p - '0');
  return p;
}

// w 10^e if it is correctly rounded by the argument above. The last 11 of the 64 bits of mantissa are cut off
// by the conversion to double; 0x400 there is the halfway point.
inline bool scale_exactly(std::uint64_t w, std::int64_t e, double& out) {
  if (w <= (std::uint64_t{1} << 53) && e >= -22 && e <= 22) {
    const auto exact = static_cast<double>(w);
    out =
        e < 0 ? exact / kPowers[static_cast<std::size_t>(-e)] : exact * kPowers[static_cast<std::size_t>(e)];
    return true;
  }
#if LDBL_MANT_DIG == 64
  if (kLongIsExtended && e >= -kMaxPower && e <= kMaxPower) {
    const auto exact = static_cast<long double>(w);
    const long double r = e < 0 ? exact / kLongPowers[static_cast<std::size_t>(-e)]
                                : exact * kLongPowers[static_cast<std::size_t>(e)];
    const std::uint64_t mantissa = load8(reinterpret_cast<const char*>(&r));
    out = static_cast<double>(r);
    return (mantissa & 0x7FF) != 0x400;
  }
#endif
  return false;
}

}  // namespace number_detail

/// The number at p, which must be followed by a byte that cannot belong to one (a newline, say) before or at
/// `end`. Returns where it ends; nullptr for anything but a plain number that is computed exactly right here.
inline const char* parse_plain_number(const char* p, const char* end, double& out) {
  using namespace number_detail;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  if (!is_digit(*p) && !(*p == '.' && is_digit(p[1]))) return nullptr;
  std::uint64_t w = 0;
  while (*p == '0') ++p;
  const char* start = p;
  for (; is_digit(*p); ++p) w = w * 10 + static_cast<unsigned>(*p - '0');
  std::int64_t digits = p - start;
  // The number is w 10^e; `digits` counts significant digits, which w holds exactly up to 19. Leading zeros
  // are not significant, before or after the point.
  std::int64_t e = 0;
  if (*p == '.') {
    const char* point = ++p;
    if (digits == 0) {
      while (*p == '0') ++p;
    }
    start = p;
    p = read_digits(p, end, w);
    digits += p - start;
    e = point - p;
  }
  // w may have wrapped.
  if (digits > 19) return nullptr;
  if ((*p | 0x20) == 'e') {
    ++p;
    const bool minus = *p == '-';
    if (minus || *p == '+') ++p;
    start = p;
    std::int64_t power = 0;
    // Five digits are more than any exponent that stays in range; longer ones are left to the careful parser.
    for (; is_digit(*p) && p - start < 5; ++p) power = power * 10 + (*p - '0');
    if (p == start || is_digit(*p)) return nullptr;
    e += minus ? -power : power;
  }
  double magnitude = 0;
  if (w != 0 && !scale_exactly(w, e, magnitude)) return nullptr;
  out = negative ? -magnitude : magnitude;
  return p;
}

}  // namespace giga
