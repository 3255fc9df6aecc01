// The likelihood families as operations on vectors, for kernels to inline (see math-inl.hpp for how).
//
// s is the linear predictor, y the response, l(s) the log-likelihood of one row, l' and l'' its derivatives
// in s; sigma(s) = 1 / (1 + exp(-s)). Each family has
//   value(d, y, s, log_y_factorial)     l
//   score(d, y, s)                      l'
//   all<kValue, kSecond>(d, y, s, ...)  l, l' and l'' at the cost of little more than one of them
// l'' is never positive: all four are concave in s.
#if defined(GIGA_MODEL_FAMILY_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef GIGA_MODEL_FAMILY_INL_HPP
#undef GIGA_MODEL_FAMILY_INL_HPP
#else
#define GIGA_MODEL_FAMILY_INL_HPP
#endif

#include <limits>

#include <hwy/highway.h>

#include "model/math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

template <class V>
struct Derivatives {
  V value, first, second;
};

/// l = -softplus(-y s), l' = y sigma(-y s), l'' = -sigma(s) sigma(-s), for y = -1 or +1, whose product with
/// anything is a flip of the sign. l and l' are within 4 ulp, l'' within 6: these are the inner loops of the
/// projection and of the certificate.
struct BernoulliLogitOps {
  static constexpr bool kCounts = false;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    return hn::Neg(SoftplusFast(d, against(d, y, s)));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V score(D d, V y, V s) const {
    return hn::CopySignToAbs(SigmoidFast(d, against(d, y, s)), y);
  }

  template <bool kValue, bool kSecond, class D, class V = hn::Vec<D>>
  HWY_INLINE Derivatives<V> all(D d, V y, V s, V) const {
    const V t = against(d, y, s);
    const Fraction<V> e = exp_fraction(d, hn::Neg(hn::Abs(t)), 0.0);
    const V inverse = hn::Div(hn::Set(d, 1.0), hn::Add(e.top, e.bottom));
    const V large = hn::Mul(e.bottom, inverse), small = hn::Mul(e.top, inverse);  // sigma(|s|), sigma(-|s|)
    const V sigma = hn::IfThenElse(hn::Lt(t, hn::Zero(d)), small, large);
    return {kValue ? hn::Neg(softplus_of(d, t, e)) : hn::Zero(d), hn::CopySignToAbs(sigma, y),
            kSecond ? hn::Neg(hn::Mul(small, large)) : hn::Zero(d)};
  }

 private:
  // -y s.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V against(D d, V y, V s) const {
    return hn::Xor(s, hn::AndNot(y, hn::SignBit(d)));
  }
};

/// Poisson with mean mu = softplus(s). With q = sigma(s) / mu, which tends to 1 at -inf and to 1 / s at +inf:
///   l = y log mu - mu - log y!,  l' = q (y - mu),  l'' = -(sigma(s) sigma(-s) + y q (q - sigma(-s))).
struct PoissonSoftplusOps {
  static constexpr bool kCounts = true;

  /// With the fast softplus: mu is within 4 ulp, which is a few roundings of the largest term of l.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V log_y_factorial) const {
    const V finite = at_finite(d, s), mu = SoftplusFast(d, finite);
    const V log_mu = hn::IfThenElse(hn::Lt(s, hn::Set(d, -kSoftplusIsLinear)), s,
                                    log_of_normal(d, Pair<V>{mu, hn::Sub(finite, finite)}).hi);
    return value_of(d, y, s, log_y_factorial, mu, log_mu);
  }

  /// With the fast softplus.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V score(D d, V y, V s) const {
    const V one = hn::Set(d, 1.0), finite = at_finite(d, s), shrink = hn::Set(d, 0x1p-16);
    const Fraction<V> e = exp_fraction(d, hn::Neg(hn::Abs(finite)), 0.0);
    const V mu = softplus_of(d, finite, e);
    const auto negative = hn::Lt(s, hn::Zero(d));
    // Top and bottom of e are near 2^15: without the factor (1 + e) mu could overflow.
    const V top = hn::Mul(hn::IfThenElse(negative, e.top, e.bottom), shrink);
    const V ratio = hn::Div(top, hn::Mul(hn::Add(e.top, e.bottom), hn::Mul(mu, shrink)));
    const V q =
        hn::IfThenElse(hn::Lt(mu, hn::Set(d, kTail)), hn::Sub(one, hn::Mul(hn::Set(d, 0.5), mu)), ratio);
    return hn::Mul(q, hn::Sub(y, mu));
  }

  template <bool kValue, bool kSecond, class D, class V = hn::Vec<D>>
  HWY_INLINE Derivatives<V> all(D d, V y, V s, V log_y_factorial) const {
    const SoftplusParts<V> parts = softplus_parts(d, at_finite(d, s));
    const Ratios<V> r = ratios<kSecond>(d, s, parts);
    V value = hn::Zero(d), second = hn::Zero(d);
    if constexpr (kValue) {
      const V log_mu = log_softplus_of(d, at_finite(d, s), parts);
      value = value_of(d, y, s, log_y_factorial, parts.softplus.hi, log_mu);
    }
    if constexpr (kSecond) second = hn::Neg(hn::Add(r.variance, hn::Mul(y, hn::Mul(r.q, r.gap))));
    return {value, score_of(d, y, r.q, parts), second};
  }

 private:
  // The tail is where e = exp(s), or mu = e - e^2/2 + ..., is below this: e^2 is nothing beside 1.
  static constexpr double kTail = 0x1p-27;

  template <class V>
  struct Ratios {
    V q;         // sigma(s) / mu
    V variance;  // sigma(s) sigma(-s)
    V gap;       // q - sigma(-s), positive
  };

  // At infinity mu would be infinite, l' zero times infinity and l the difference of infinities.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V at_finite(D d, V s) const {
    return at_most(d, s, std::numeric_limits<double>::max());
  }

  // mu and log mu are those of at_finite(s).
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value_of(D d, V y, V s, V log_y_factorial, V mu, V log_mu) const {
    // y log mu = 0 for y = 0, also where log mu is infinite.
    const V events = hn::IfThenZeroElse(hn::Eq(y, hn::Zero(d)), hn::Mul(y, log_mu));
    const V limit = hn::IfThenElse(hn::Eq(s, hn::Set(d, kInfinity)), s, mu);
    return hn::Sub(hn::Sub(events, limit), log_y_factorial);
  }

  // y - mu keeps its digits where the two nearly cancel, for mu is hi + lo.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V score_of(D, V y, V q, const SoftplusParts<V>& parts) const {
    return hn::Mul(q, hn::Sub(hn::Sub(y, parts.softplus.hi), parts.softplus.lo));
  }

  // With e = exp(-|s|) and i = 1 / ((1 + e) mu), q = i for s > 0 and e i for s < 0. There sigma(-s) = mu i
  // and so gap = (e - mu) i, where e - mu = e - log(1 + e) is known without cancellation. Where e^2 drowns
  // (and mu may be zero) the series q = 1 - e/2 + ... and gap = e/2 - 7 e^2/12 + ... take over.
  template <bool kSecond, class D, class V = hn::Vec<D>>
  HWY_INLINE Ratios<V> ratios(D d, V s, const SoftplusParts<V>& parts) const {
    const V one = hn::Set(d, 1.0), e = parts.e.hi, half_e = hn::Mul(hn::Set(d, 0.5), e);
    const auto negative = hn::Lt(s, hn::Zero(d));
    const auto tail = hn::And(negative, hn::Lt(e, hn::Set(d, kTail)));
    const V sum = hn::Add(one, e);
    const V i = hn::Div(one, hn::Mul(sum, parts.softplus.hi));
    const V q = hn::IfThenElse(tail, hn::Sub(one, half_e), hn::IfThenElse(negative, hn::Mul(e, i), i));
    if constexpr (!kSecond) return {q, q, q};
    const V large = hn::Div(one, sum), small = hn::Mul(e, large);  // sigma(|s|), sigma(-|s|)
    const V difference = hn::Sub(q, hn::IfThenElse(negative, large, small));
    const auto close = hn::And(negative, hn::Le(e, hn::Set(d, 0.5)));
    const V series = hn::Mul(half_e, hn::Sub(one, hn::Mul(hn::Set(d, 7.0 / 6), e)));
    const V gap =
        hn::IfThenElse(tail, series, hn::IfThenElse(close, hn::Mul(parts.shortfall, i), difference));
    return {q, hn::Mul(small, large), gap};
  }
};

/// Poisson with mean exp(s): l = y s - exp(s) - log y!, l' = y - exp(s), l'' = -exp(s).
struct PoissonLogOps {
  static constexpr bool kCounts = true;

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V log_y_factorial) const {
    return value_of(d, y, s, log_y_factorial, Exp(d, s));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V score(D d, V y, V s) const {
    return hn::Sub(y, Exp(d, s));
  }

  template <bool kValue, bool kSecond, class D, class V = hn::Vec<D>>
  HWY_INLINE Derivatives<V> all(D d, V y, V s, V log_y_factorial) const {
    const V mu = Exp(d, s);
    V value = hn::Zero(d);
    if constexpr (kValue) value = value_of(d, y, s, log_y_factorial, mu);
    return {value, hn::Sub(y, mu), kSecond ? hn::Neg(mu) : hn::Zero(d)};
  }

 private:
  // -inf where exp(s) overflows, whatever y s does; y s = 0 for y = 0, also at infinity.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value_of(D d, V y, V s, V log_y_factorial, V mu) const {
    const V infinity = hn::Set(d, kInfinity);
    const V events = hn::IfThenZeroElse(hn::Eq(y, hn::Zero(d)), hn::Mul(y, s));
    const V value = hn::Sub(hn::Sub(events, mu), log_y_factorial);
    return hn::IfThenElse(hn::Eq(mu, infinity), hn::Neg(infinity), value);
  }
};

/// With r = (y - s) / scale: l = -r^2 / 2 - log scale - log(2 pi) / 2, l' = r / scale, l'' = -1 / scale^2.
struct GaussianIdentityOps {
  static constexpr bool kCounts = false;
  double scale, log_normaliser;  // log scale + log(2 pi) / 2

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    return value_of(d, residual(d, y, s));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V score(D d, V y, V s) const {
    return hn::Div(residual(d, y, s), hn::Set(d, scale));
  }

  template <bool kValue, bool kSecond, class D, class V = hn::Vec<D>>
  HWY_INLINE Derivatives<V> all(D d, V y, V s, V) const {
    const V r = residual(d, y, s), one = hn::Set(d, 1.0), width = hn::Set(d, scale);
    return {kValue ? value_of(d, r) : hn::Zero(d), hn::Div(r, width),
            kSecond ? hn::Neg(hn::Div(hn::Div(one, width), width)) : hn::Zero(d)};
  }

 private:
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V residual(D d, V y, V s) const {
    return hn::Div(hn::Sub(y, s), hn::Set(d, scale));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value_of(D d, V r) const {
    return hn::Sub(hn::Mul(hn::Mul(r, r), hn::Set(d, -0.5)), hn::Set(d, log_normaliser));
  }
};

HWY_INLINE GaussianIdentityOps gaussian_identity(double scale) {
  constexpr double kHalfLog2Pi = 0x1.d67f1c864beb5p-1;
  const hn::CappedTag<double, 1> one;
  return {scale, hn::GetLane(Log(one, hn::Set(one, scale))) + kHalfLog2Pi};
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
