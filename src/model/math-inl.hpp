// exp, log, sigmoid and softplus of a vector of doubles, for kernels to inline: include it after
// <hwy/highway.h>, in a file that foreach_target.h compiles once per instruction set.
//
// Only operations that round alike everywhere are used: no fused multiply-add, no approximate reciprocal. So
// the bits of a result depend neither on the instruction set nor on the lane. A number "hi + lo" is an
// unevaluated sum with |lo| <= ulp(hi) / 2. Errors are in units of the last place (ulp) of the result; those
// stated are what tests/model measures. NaN in gives NaN out.
#if defined(GIGA_MODEL_MATH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef GIGA_MODEL_MATH_INL_HPP
#undef GIGA_MODEL_MATH_INL_HPP
#else
#define GIGA_MODEL_MATH_INL_HPP
#endif

#include <cstddef>
#include <cstdint>
#include <limits>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLog2E = 0x1.71547652b82fep+0;
// log 2 = hi + lo; hi has 41 bits, so that k hi is exact for |k| < 2^12.
constexpr double kLn2Hi = 0x1.62e42fefa38p-1;
constexpr double kLn2Lo = 0x1.ef35793c7673p-45;

// exp(x) is 0 below the first and infinite above the second; sigmoid is 1 above the third, softplus(x) = x
// above the fourth and log softplus(x) = x below its negative.
constexpr double kExpLeast = -746, kExpMost = 710, kSigmoidMost = 40, kSoftplusIsLinear = 40;

// x + kRound, for |x| < 2^51, has the nearest whole number to x in its low bits. With the bias of the
// exponent added, a shift by 52 makes it a power of two. To let 2^k be a normal number for k >= -1076 it is
// taken 2^54 times too large.
constexpr double kRound = 0x1.8p52 + 1023;
constexpr double kRoundLifted = kRound + 54;
constexpr double kUnlift = 0x1p-54;

template <class V>
struct Pair {
  V hi, lo;
};

/// a + b = hi + lo exactly, if |a| >= |b| or a = 0 (Dekker).
template <class V>
HWY_INLINE Pair<V> fast_two_sum(V a, V b) {
  const V hi = hn::Add(a, b);
  return {hi, hn::Sub(b, hn::Sub(hi, a))};
}

/// a + b = hi + lo exactly (Knuth).
template <class V>
HWY_INLINE Pair<V> full_two_sum(V a, V b) {
  const V hi = hn::Add(a, b);
  const V of_b = hn::Sub(hi, a);
  return {hi, hn::Add(hn::Sub(a, hn::Sub(hi, of_b)), hn::Sub(b, of_b))};
}

/// max(x, least) and min(x, most) that keep NaN. On x86 max and min return the second operand if one is NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_least(D d, V x, double least) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Max(hn::Set(d, least), x);
#else
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, least)), hn::Set(d, least), x);
#endif
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_most(D d, V x, double most) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Min(hn::Set(d, most), x);
#else
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, most)), hn::Set(d, most), x);
#endif
}

/// sum of c_j x^j, halves in parallel (Estrin).
template <size_t kFirst, size_t kCount, class D, size_t kSize, class V = hn::Vec<D>>
HWY_INLINE V polynomial_part(D d, const V* squarings, const double (&c)[kSize]) {
  if constexpr (kCount == 1) {
    (void)squarings;
    return hn::Set(d, c[kFirst]);
  } else {
    constexpr size_t kLevel = kCount > 8 ? 3 : kCount > 4 ? 2 : kCount > 2 ? 1 : 0;
    constexpr size_t kHalf = size_t{1} << kLevel;
    return hn::Add(
        polynomial_part<kFirst, kHalf>(d, squarings, c),
        hn::Mul(squarings[kLevel], polynomial_part<kFirst + kHalf, kCount - kHalf>(d, squarings, c)));
  }
}

template <class D, size_t kSize, class V = hn::Vec<D>>
HWY_INLINE V polynomial(D d, V x, const double (&c)[kSize]) {
  static_assert(kSize <= 16);
  const V x2 = hn::Mul(x, x), x4 = hn::Mul(x2, x2);
  const V squarings[4] = {x, x2, x4, hn::Mul(x4, x4)};
  return polynomial_part<0, kSize>(d, squarings, c);
}

/// x = k log 2 + hi + lo with |hi| < 0.3467, for |x| < 1100; `rounded` is k plus one of the constants above.
template <class V>
struct Reduced {
  V rounded, hi, lo;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE Reduced<V> reduce(D d, V x, double round) {
  const V magic = hn::Set(d, round);
  const V rounded = hn::Add(hn::Mul(x, hn::Set(d, kLog2E)), magic);
  const V k = hn::Sub(rounded, magic);
  const V high = hn::Sub(x, hn::Mul(k, hn::Set(d, kLn2Hi)));  // exact
  const V low = hn::Mul(k, hn::Set(d, kLn2Lo));
  const V hi = hn::Sub(high, low);
  return {rounded, hi, hn::Sub(hn::Sub(high, hi), low)};
}

/// The power of two whose biased exponent is in the low bits of x.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V power_of_two(D d, V x) {
  const hn::RebindToUnsigned<D> bits;
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(bits, x)));
}

/// exp(r.hi + r.lo) to 2^-58.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Pair<V> exp_reduced(D d, const Reduced<V>& r) {
  // (exp(x) - 1 - x) / x^2 by interpolation at Chebyshev points; 2^-61 in exp.
  static constexpr double kC[] = {0x1p-1,
                                  0x1.5555555555557p-3,
                                  0x1.5555555555556p-5,
                                  0x1.11111111100dfp-7,
                                  0x1.6c16c16c162d6p-10,
                                  0x1.a01a01abe6323p-13,
                                  0x1.a01a01a6d7831p-16,
                                  0x1.71de0237484cdp-19,
                                  0x1.27e4db67ac2bp-22,
                                  0x1.af4ddda1c08cdp-26,
                                  0x1.1f72fc83bcbc7p-29};
  const V rest = hn::Mul(hn::Mul(r.hi, r.hi), polynomial(d, r.hi, kC));
  const Pair<V> linear = fast_two_sum(hn::Set(d, 1.0), r.hi);
  const V low = hn::Add(linear.lo, hn::Add(rest, hn::Add(r.lo, hn::Mul(r.lo, r.hi))));
  return fast_two_sum(linear.hi, low);
}

/// exp(x) = hi + lo for x <= 0 or NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Pair<V> exp_of_nonpositive(D d, V x) {
  const Reduced<V> r = reduce(d, at_least(d, x, kExpLeast), kRoundLifted);
  const Pair<V> m = exp_reduced(d, r);
  const V power = power_of_two(d, r.rounded), unlift = hn::Set(d, kUnlift);
  return {hn::Mul(hn::Mul(m.hi, power), unlift), hn::Mul(hn::Mul(m.lo, power), unlift)};
}

/// exp(x) within 1 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp(D d, V x) {
  const Reduced<V> r = reduce(d, at_most(d, at_least(d, x, kExpLeast), kExpMost), kRound);
  const Pair<V> m = exp_reduced(d, r);
  // 2^k in two factors, for it may be too large or too small for one.
  const V magic = hn::Set(d, kRound);
  const V k = hn::Sub(r.rounded, magic);
  const V half = hn::Add(hn::Mul(k, hn::Set(d, 0.5)), magic);
  const V other = hn::Add(hn::Sub(k, hn::Sub(half, magic)), magic);
  return hn::Mul(hn::Mul(m.hi, power_of_two(d, half)), power_of_two(d, other));
}

/// (2 atanh(s) - 2 s) / s as a function of s^2, for |s| <= 0.2.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V atanh_rest(D d, V s2) {
  // By interpolation of the quotient by s^2 at Chebyshev points of [0, 0.0401]; 2^-61 in the logarithm.
  static constexpr double kC[] = {0x1.5555555555555p-1, 0x1.9999999999f3p-2,  0x1.24924923dba6ap-2,
                                  0x1.c71c72e2f78d5p-3, 0x1.745cab2727663p-3, 0x1.3b29fcbbce66dp-3,
                                  0x1.0e88ea4725d3dp-3, 0x1.16b68338bd78bp-3};
  return hn::Mul(s2, polynomial(d, s2, kC));
}

/// f - log(1 + f), with s = f / (2 + f) and R = atanh_rest(s^2), for -0.3 < f <= 0.5: a small number, without
/// cancellation. With h = f^2 / 2 it is h - s (h + R) (the form is fdlibm's).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p_shortfall(D d, V f, V s, V rest) {
  const V half_square = hn::Mul(hn::Mul(f, f), hn::Set(d, 0.5));
  return hn::Sub(half_square, hn::Mul(s, hn::Add(half_square, rest)));
}

/// base.hi + base.lo + log(1 + f.hi + f.lo), if base.hi = 0 or base.hi >= |f.hi|; `shortfall` as above, of
/// f.hi.
template <class V>
struct LogParts {
  Pair<V> log;
  V shortfall;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE LogParts<V> log_parts(D d, Pair<V> base, Pair<V> f) {
  const V s = hn::Div(f.hi, hn::Add(hn::Set(d, 2.0), f.hi));
  const V s2 = hn::Mul(s, s);
  const V shortfall = log1p_shortfall(d, f.hi, s, atanh_rest(d, s2));
  // d log(1 + f) = df / (1 + f) = df (1 - s) / (1 + s), of which five bits are enough.
  const V slope = hn::Sub(hn::Set(d, 1.0), hn::Mul(hn::Set(d, 2.0), hn::Sub(s, s2)));
  const Pair<V> sum = fast_two_sum(base.hi, f.hi);
  const V low = hn::Add(sum.lo, hn::Sub(hn::Add(base.lo, hn::Mul(f.lo, slope)), shortfall));
  return {fast_two_sum(sum.hi, low), shortfall};
}

/// log(x.hi + x.lo) as hi + lo for normal positive x.hi; lo may be NaN to say that x is.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Pair<V> log_of_normal(D d, Pair<V> x) {
  const hn::RebindToUnsigned<D> bits;
  constexpr std::uint64_t kOne = 0x3ff0000000000000, kRootHalf = 0x3fe6a09e667f3bcd;
  const auto shifted = hn::Add(hn::BitCast(bits, x.hi), hn::Set(bits, kOne - kRootHalf));
  const auto exponent = hn::ShiftRight<52>(shifted);
  const auto mantissa = hn::And(shifted, hn::Set(bits, 0x000fffffffffffffU));
  // x = 2^k m with sqrt(1/2) <= m < sqrt 2.
  const V m = hn::BitCast(d, hn::Add(mantissa, hn::Set(bits, kRootHalf)));
  const V k = hn::Sub(hn::BitCast(d, hn::Or(exponent, hn::Set(bits, 0x4330000000000000U))),
                      hn::Set(d, 0x1p52 + 1023));
  // 2^(1 - k), for 2^-k may be subnormal.
  const V unscale = hn::BitCast(d, hn::ShiftLeft<52>(hn::Sub(hn::Set(bits, std::uint64_t{2047}), exponent)));
  const Pair<V> base = {hn::Mul(k, hn::Set(d, kLn2Hi)), hn::Mul(k, hn::Set(d, kLn2Lo))};
  const Pair<V> f = {hn::Sub(m, hn::Set(d, 1.0)), hn::Mul(hn::Mul(x.lo, hn::Set(d, 0.5)), unscale)};
  return log_parts(d, base, f).log;
}

/// log(x) within 1 ulp; -inf at 0, NaN below.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log(D d, V x) {
  const V zero = hn::Zero(d), infinity = hn::Set(d, kInfinity);
  const auto small = hn::Lt(x, hn::Set(d, 0x1p-1022));
  const V scaled = hn::IfThenElse(small, hn::Mul(x, hn::Set(d, 0x1p54)), x);
  // 54 log 2 is small beside a logarithm of -708 or less.
  const V removed = hn::IfThenElseZero(small, hn::Set(d, 54 * (kLn2Hi + kLn2Lo)));
  const V log = hn::Sub(log_of_normal(d, Pair<V>{scaled, zero}).hi, removed);
  const V at_zero = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), log);
  const V at_infinity = hn::IfThenElse(hn::Eq(x, infinity), infinity, at_zero);
  const V negative =
      hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, std::numeric_limits<double>::quiet_NaN()), at_infinity);
  return hn::IfThenElse(hn::Eq(x, x), negative, x);
}

/// log(1 + e.hi + e.lo) for 0 <= e <= 1. The shortfall is e - log(1 + e) for e <= 1/2 only.
template <class D, class V = hn::Vec<D>>
HWY_INLINE LogParts<V> log1p_parts(D d, Pair<V> e) {
  const V one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
  const auto above = hn::Gt(e.hi, half);
  // 1 + e = 2 (1 + (e - 1) / 2), where e - 1 is exact.
  const Pair<V> f = {hn::IfThenElse(above, hn::Mul(hn::Sub(e.hi, one), half), e.hi),
                     hn::IfThenElse(above, hn::Mul(e.lo, half), e.lo)};
  const Pair<V> base = {hn::IfThenElseZero(above, hn::Set(d, kLn2Hi)),
                        hn::IfThenElseZero(above, hn::Set(d, kLn2Lo))};
  return log_parts(d, base, f);
}

/// softplus(x) = max(x, 0) + log(1 + exp(-|x|)) as hi + lo, with what it is made of.
template <class V>
struct SoftplusParts {
  Pair<V> e;         // exp(-|x|)
  Pair<V> softplus;  // hi is within 1 ulp
  V shortfall;       // e - log(1 + e), for e <= 1/2 only
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE SoftplusParts<V> softplus_parts(D d, V x) {
  const V zero = hn::Zero(d);
  const Pair<V> e = exp_of_nonpositive(d, hn::Neg(hn::Abs(x)));
  const LogParts<V> log1p = log1p_parts(d, e);
  const Pair<V> sum = full_two_sum(at_least(d, x, 0.0), log1p.log.hi);
  const Pair<V> softplus = fast_two_sum(sum.hi, hn::Add(sum.lo, log1p.log.lo));
  const auto linear = hn::Gt(x, hn::Set(d, kSoftplusIsLinear));
  return {e,
          {hn::IfThenElse(linear, x, softplus.hi), hn::IfThenElse(linear, zero, softplus.lo)},
          log1p.shortfall};
}

/// log(1 + exp(x)) within 1 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Softplus(D d, V x) {
  return softplus_parts(d, x).softplus.hi;
}

/// log softplus(x), of the parts of softplus(x), within 2 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_softplus_of(D d, V x, const SoftplusParts<V>& parts) {
  // Near its zero x0 = log(e - 1) it is (x - x0) (slope + bend), bend being a polynomial in x - x0 without a
  // constant, by interpolation at Chebyshev points of |x - x0| <= 0.501.
  static constexpr double kZeroHi = 0x1.15288806261ccp-1, kZeroLo = -0x1.4e98fab9069acp-56, kWidth = 0.5;
  static constexpr double kSlopeHi = 0x1.43a54e8000000p-1,
                          kSlopeLo = -0x1.8b3bcdf1abadfp-28;  // hi has 26 bits
  static constexpr double kC[] = {-0x1.5615002716849p-4,  0x1.dc4a76ebc7568p-12,  0x1.3e4fdfe1e8aa9p-9,
                                  -0x1.a53b14319159dp-13, -0x1.ed920324e4022p-14, 0x1.7ff9bd748eb36p-16,
                                  0x1.823840e6705cap-18,  -0x1.2145265d9ab8fp-19, -0x1.cf475171640bp-23,
                                  0x1.8b8346f2b0bcp-23,   -0x1.4f0ec42b782bfp-30, -0x1.f0fd75559191bp-27,
                                  0x1.704ad81976e08p-30,  0x1.0bf651097b5a4p-30};
  const V from_zero = hn::Sub(x, hn::Set(d, kZeroHi));
  const V distance = hn::Sub(from_zero, hn::Set(d, kZeroLo));
  const V lost = hn::Sub(hn::Sub(from_zero, distance), hn::Set(d, kZeroLo));
  // The product of two numbers of 26 bits is exact, and what it leaves out is small.
  const hn::RebindToUnsigned<D> bits;
  const V front =
      hn::BitCast(d, hn::And(hn::BitCast(bits, distance), hn::Set(bits, ~std::uint64_t{0x7ffffff})));
  const V back = hn::Add(hn::Sub(distance, front), lost);
  const V bend = hn::Mul(distance, polynomial(d, distance, kC));
  const V rest =
      hn::Add(hn::Mul(back, hn::Set(d, kSlopeHi)), hn::Mul(distance, hn::Add(bend, hn::Set(d, kSlopeLo))));
  const V near = hn::Add(hn::Mul(front, hn::Set(d, kSlopeHi)), rest);
  const V far = log_of_normal(d, parts.softplus).hi;
  const V finite = hn::IfThenElse(hn::Le(hn::Abs(from_zero), hn::Set(d, kWidth)), near, far);
  // Below -40 it is x - exp(x) / 2, and softplus would underflow in the end.
  const auto itself = hn::Or(hn::Lt(x, hn::Set(d, -kSoftplusIsLinear)), hn::Eq(x, hn::Set(d, kInfinity)));
  return hn::IfThenElse(itself, x, finite);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogSoftplus(D d, V x) {
  return log_softplus_of(d, x, softplus_parts(d, x));
}

/// 1 / (1 + exp(-x)) within 2 ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0);
  const Pair<V> e = exp_of_nonpositive(d, hn::Neg(hn::Abs(x)));
  const auto negative = hn::Lt(x, hn::Zero(d));
  const Pair<V> top = {hn::IfThenElse(negative, e.hi, one), hn::IfThenElseZero(negative, e.lo)};
  const Pair<V> sum = fast_two_sum(one, e.hi);
  const V bottom_lo = hn::Add(sum.lo, e.lo);
  const V quotient = hn::Div(top.hi, sum.hi);
  // What the low parts add, divided by the bottom; 24/17 - 8/17 b is 1 / b to four bits on [1, 2].
  const V change = hn::Sub(top.lo, hn::Mul(quotient, bottom_lo));
  const V inverse = hn::Sub(hn::Set(d, 24.0 / 17), hn::Mul(hn::Set(d, 8.0 / 17), sum.hi));
  return hn::Add(quotient, hn::Mul(change, inverse));
}

// The fast functions, within 4 ulp: exp(x) is a fraction top / bottom, from which sigmoid and softplus
// follow with a single division.

/// exp(x) = top / bottom for x <= `most`, a number below 700.
template <class V>
struct Fraction {
  V top, bottom;
};

// Rational interpolation at Chebyshev points of [0, (log 2 / 2)^2], P monic; 2^-58 in exp.
constexpr double kExpP0 = 0x1.d8dbc11b96a09p+13, kExpP1 = 0x1.a445e639060f2p+8;
constexpr double kExpQ0 = 0x1.d8dbc11b96a09p+14, kExpQ1 = 0x1.a44ea4f5fb3bcp+11,
                 kExpQ2 = 0x1.e037e733574b6p+4;

/// With x = k log 2 + r and tanh(r / 2) = r P(r^2) / Q(r^2), top = 2^k (Q + r P) and bottom = Q - r P.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Fraction<V> exp_fraction(D d, V x, double most) {
  const V in_range = at_least(d, most > 0 ? at_most(d, x, most) : x, kExpLeast);
  const Reduced<V> reduced = reduce(d, in_range, kRoundLifted);
  const V r = reduced.hi, r2 = hn::Mul(r, r);
  const V p = hn::Mul(r, hn::Add(hn::Mul(hn::Add(r2, hn::Set(d, kExpP1)), r2), hn::Set(d, kExpP0)));
  const V q =
      hn::Add(hn::Mul(hn::Add(hn::Mul(r2, hn::Set(d, kExpQ2)), hn::Set(d, kExpQ1)), r2), hn::Set(d, kExpQ0));
  const V power = power_of_two(d, reduced.rounded);
  return {hn::Mul(hn::Mul(hn::Add(q, p), power), hn::Set(d, kUnlift)), hn::Sub(q, p)};
}

/// 1 / (1 + exp(-x)).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V SigmoidFast(D d, V x) {
  const Fraction<V> e = exp_fraction(d, x, kSigmoidMost);
  return hn::Div(e.top, hn::Add(e.top, e.bottom));
}

/// Of e = exp(-|x|) <= 1 the s = top / bottom with log(1 + e) = 2 atanh s, or, for e > 1/2,
/// log 2 + 2 atanh s: e / (2 + e), or (e - 1) / (e + 3). base_hi + base_lo is that log 2, or 0.
template <class V>
struct SoftplusFraction {
  V top, bottom, base_hi, base_lo;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE SoftplusFraction<V> softplus_fraction(D d, const Fraction<V>& e) {
  const auto above = hn::Gt(hn::Add(e.top, e.top), e.bottom);
  const V top = hn::Sub(e.top, hn::IfThenElseZero(above, e.bottom));
  const V twice = hn::Add(e.bottom, e.bottom);
  const V bottom = hn::Add(e.top, hn::Add(twice, hn::IfThenElseZero(above, e.bottom)));
  return {top, bottom, hn::IfThenElseZero(above, hn::Set(d, kLn2Hi)),
          hn::IfThenElseZero(above, hn::Set(d, kLn2Lo))};
}

/// log(1 + exp(x)), of s = f.top / f.bottom and rest = atanh_rest(s^2).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus_from(D d, V x, const SoftplusFraction<V>& f, V s, V rest) {
  const V log1p = hn::Add(f.base_hi, hn::Add(hn::Add(s, s), hn::Add(hn::Mul(s, rest), f.base_lo)));
  return hn::Add(at_least(d, x, 0.0), log1p);
}

/// log(1 + exp(x)), of e = exp_fraction(-|x|).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus_of(D d, V x, const Fraction<V>& e) {
  const SoftplusFraction<V> f = softplus_fraction(d, e);
  const V s = hn::Div(f.top, f.bottom);
  return softplus_from(d, x, f, s, atanh_rest(d, hn::Mul(s, s)));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V SoftplusFast(D d, V x) {
  return softplus_of(d, x, exp_fraction(d, hn::Neg(hn::Abs(x)), 0.0));
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
