// log(1 + x), Stirling's remainder of the logarithm of the gamma function, and the tail of the normal
// distribution, of a vector of doubles: for kernels to inline, as math-inl.hpp and under its rules.
#if defined(GIGA_MODEL_SPECIAL_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef GIGA_MODEL_SPECIAL_INL_HPP
#undef GIGA_MODEL_SPECIAL_INL_HPP
#else
#define GIGA_MODEL_SPECIAL_INL_HPP
#endif

#include <hwy/highway.h>

#include "model/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

constexpr double kHalfLog2Pi = 0x1.d67f1c864beb5p-1;  // log(2 pi) / 2

/// log(1 + x) within 4 ulp, x > -1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_one_plus(D d, V x) {
  const auto near = hn::And(hn::Gt(x, hn::Set(d, -0.25)), hn::Lt(x, hn::Set(d, 0.5)));
  const V zero = hn::Zero(d), small = hn::IfThenElseZero(near, x);
  const V series = log_parts(d, Pair<V>{zero, zero}, Pair<V>{small, zero}).log.hi;
  return hn::IfThenElse(near, series, Log(d, hn::Add(hn::Set(d, 1.0), x)));
}

/// J(x) = log Gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2 and its derivatives, for x > 0. Then
///   psi(x) = log x - 1 / (2 x) + J'(x),   psi'(x) = 1 / x + 1 / (2 x^2) + J''(x).
template <class V>
struct Stirling {
  V value, first, second;
};

/// From x = 10 on by the series 1 / (12 x) - 1 / (360 x^3) + ..., whose omitted terms are below 1e-16; before
/// that from J(x + 10), with P(x) = x (x + 1) ... (x + 9) and Gamma(x + 10) = P(x) Gamma(x). There the error
/// of J is a few roundings of (x + 10) log(x + 10), those of J' and J'' of their largest terms.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Stirling<V> stirling(D d, V x, V log_x) {
  static constexpr double kValue[] = {1.0 / 12,   -1.0 / 360,        1.0 / 1260, -1.0 / 1680,
                                      1.0 / 1188, -691.0 / 360360.0, 1.0 / 156};
  static constexpr double kFirst[] = {1.0 / 12,  -1.0 / 120,       1.0 / 252, -1.0 / 240,
                                      1.0 / 132, -691.0 / 32760.0, 1.0 / 12};
  static constexpr double kSecond[] = {1.0 / 6,  -1.0 / 30,       1.0 / 42, -1.0 / 30,
                                       5.0 / 66, -691.0 / 2730.0, 7.0 / 6};
  const V one = hn::Set(d, 1.0), half = hn::Set(d, 0.5), ten = hn::Set(d, 10.0);
  const auto small = hn::Lt(x, ten);
  const V z = hn::IfThenElse(small, hn::Add(x, ten), x);
  const V inverse = hn::Div(one, z), square = hn::Mul(inverse, inverse);
  Stirling<V> out = {hn::Mul(inverse, polynomial(d, square, kValue)),
                     hn::Neg(hn::Mul(square, polynomial(d, square, kFirst))),
                     hn::Mul(hn::Mul(square, inverse), polynomial(d, square, kSecond))};
  if (hn::AllFalse(d, small)) return out;
  // With w = x (x + 9), (x + j) (x + 9 - j) = w + j (9 - j): P is a product of five factors w + c, and P' and
  // P'' follow from its derivatives in w.
  const V w = hn::Mul(x, hn::Add(x, hn::Set(d, 9.0))), bend = hn::Add(hn::Add(x, x), hn::Set(d, 9.0));
  V p = w, in_w = one, in_w2 = hn::Zero(d);
  for (const double c : {8.0, 14.0, 18.0, 20.0}) {
    const V factor = hn::Add(w, hn::Set(d, c));
    in_w2 = hn::Add(hn::Mul(in_w2, factor), hn::Add(in_w, in_w));
    in_w = hn::Add(hn::Mul(in_w, factor), p);
    p = hn::Mul(p, factor);
  }
  const V p1 = hn::Mul(in_w, bend);
  const V p2 = hn::Add(hn::Mul(in_w2, hn::Mul(bend, bend)), hn::Add(in_w, in_w));
  const V zero = hn::Zero(d), log_z = log_of_normal(d, Pair<V>{z, zero}).hi;
  const V log_p = log_of_normal(d, Pair<V>{p, zero}).hi;
  const V inverse_x = hn::Div(one, x);
  const V sum = hn::Div(p1, p);                                  // sum of 1 / (x + j)
  const V squares = hn::Sub(hn::Mul(sum, sum), hn::Div(p2, p));  // of their squares
  const V value = hn::Sub(hn::Sub(hn::Mul(hn::Sub(z, half), log_z), hn::Mul(hn::Sub(x, half), log_x)),
                          hn::Add(log_p, ten));
  const V first = hn::Add(hn::Sub(hn::Sub(log_z, log_x), sum), hn::Mul(half, hn::Sub(inverse_x, inverse)));
  const V second = hn::Add(hn::Sub(hn::Add(inverse, hn::Mul(half, square)),
                                   hn::Add(inverse_x, hn::Mul(half, hn::Mul(inverse_x, inverse_x)))),
                           squares);
  out.value = hn::Add(out.value, hn::IfThenElseZero(small, value));
  out.first = hn::Add(out.first, hn::IfThenElseZero(small, first));
  out.second = hn::Add(out.second, hn::IfThenElseZero(small, second));
  return out;
}

/// k(x) = phi(x) / (1 - Phi(x)) - x for x >= 0, the normal hazard less x, within 6 ulp: sqrt(2 / pi) at 0 and
/// 1 / x far out.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V normal_hazard_excess(D d, V x) {
  // By rational interpolation at the Chebyshev points of (x - 4) / (x + 4); 2^-57. All coefficients are
  // positive, so that nothing cancels.
  static constexpr double kTop[] = {0x1.84ee455821609p+24, 0x1.2e0c2d4257e3bp+25, 0x1.d8de2890025ddp+24,
                                    0x1.e45c30e09b249p+23, 0x1.654f90290a09bp+22, 0x1.8c8790f8629bbp+20,
                                    0x1.50e9973744e72p+18, 0x1.b643cc52d81f8p+15, 0x1.ac9bbca19bb56p+12,
                                    0x1.2d9210738731ap+9,  0x1.152768b71e1d2p+5,  0x1p+0};
  static constexpr double kBottom[] = {0x1.e773d09c8b97ep+24,
                                       0x1.e98f83c85c4e6p+25,
                                       0x1.e5fd0f43dad19p+25,
                                       0x1.380e8b3c99403p+25,
                                       0x1.1efd95522b9c5p+24,
                                       0x1.8d0095aa20104p+22,
                                       0x1.a70c4031ba90ap+20,
                                       0x1.5e1a7db8a8cbp+18,
                                       0x1.bfa45cd674c1ep+15,
                                       0x1.b0f05a44782a8p+12,
                                       0x1.2e9210738731ap+9,
                                       0x1.152768b71e1d2p+5,
                                       0x1p+0};
  constexpr double kFar = 0x1p30;  // k(x) = 1 / x - 2 / x^3 + ...
  const V in_range = at_most(d, x, kFar);
  const V ratio = hn::Div(polynomial(d, in_range, kTop), polynomial(d, in_range, kBottom));
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, kFar)), hn::Div(hn::Set(d, 1.0), x), ratio);
}

/// exp(-x^2 / 2) / sqrt(2 pi) within 3 ulp, x >= 0. With h the first 26 bits of x, h^2 is exact and
/// x^2 = h^2 + (x - h) (x + h), where the second part is small.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V normal_density(D d, V x) {
  constexpr double kInverseRoot2Pi = 0x1.9884533d43651p-2, kMost = 40;
  const V half = hn::Set(d, 0.5), near = at_most(d, x, kMost);
  const hn::RebindToUnsigned<D> bits;
  const V front = hn::BitCast(d, hn::And(hn::BitCast(bits, near), hn::Set(bits, ~std::uint64_t{0x7ffffff})));
  const V rest = hn::Mul(hn::Mul(hn::Sub(near, front), hn::Add(near, front)), half);
  const V large = Exp(d, hn::Neg(hn::Mul(hn::Mul(front, front), half)));
  // exp(-rest) - 1 = -rest + rest^2 / 2 - rest^3 / 6, with rest < 5e-5.
  const V cubic = hn::Sub(half, hn::Mul(rest, hn::Set(d, 1.0 / 6)));
  const V small = hn::Sub(hn::Mul(hn::Mul(rest, rest), cubic), rest);
  return hn::Mul(hn::Set(d, kInverseRoot2Pi), hn::Add(large, hn::Mul(large, small)));
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
