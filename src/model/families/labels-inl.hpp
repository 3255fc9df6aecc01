// Labels y = -1 or +1 by their links: the operations that bernoulli and binomial families are made of, with
// p(s) = P(y = 1).
//
//     logit     p = 1 / (1 + e^-s)
//     probit    p = Phi(s), the normal distribution function
//     cloglog   p = 1 - exp(-e^s)
#if defined(GIGA_MODEL_FAMILIES_LABELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef GIGA_MODEL_FAMILIES_LABELS_INL_HPP
#undef GIGA_MODEL_FAMILIES_LABELS_INL_HPP
#else
#define GIGA_MODEL_FAMILIES_LABELS_INL_HPP
#endif

#include <hwy/highway.h>

#include "model/families/kernels-inl.hpp"
#include "model/special-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

/// l = -softplus(-y s), l' = y sigma(-y s), l'' = -sigma(s) sigma(-s), for y = -1 or +1, whose product with
/// anything is a flip of the sign. l and l' are within 4 ulp, l'' within 6: these are the inner loops of the
/// projection and of the certificate.
struct BernoulliLogitOps {
  static constexpr bool kHasConstant = false;

  static BernoulliLogitOps of(const FamilyParameters&, const double*) { return {}; }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D d, V s) {
    return SigmoidFast(d, s);
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    return hn::Neg(SoftplusFast(d, against(d, y, s)));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    return hn::CopySignToAbs(SigmoidFast(d, against(d, y, s)), y);
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V) const {
    const V t = against(d, y, s);
    const Fraction<V> e = exp_fraction(d, hn::Neg(hn::Abs(t)), 0.0);
    // With e = exp(-|t|) = top / bottom: sigma(|t|) = bottom / (top + bottom), sigma(-|t|) = top / (top +
    // bottom).
    const V inverse = hn::Div(hn::Set(d, 1.0), hn::Add(e.top, e.bottom));
    const V large = hn::Mul(e.bottom, inverse), small = hn::Mul(e.top, inverse);  // sigma(|s|), sigma(-|s|)
    const V sigma = hn::IfThenElse(hn::Lt(t, hn::Zero(d)), small, large);
    return {kValue ? hn::Neg(softplus_of(d, t, e)) : hn::Zero(d), hn::CopySignToAbs(sigma, y),
            kCurvature ? hn::Neg(hn::Mul(small, large)) : hn::Zero(d)};
  }

 private:
  // -y s: the sign of s is flipped unless that of y is set.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V against(D d, V y, V s) const {
    return hn::Xor(s, hn::AndNot(y, hn::SignBit(d)));
  }
};

/// With t = y s, lambda(t) = phi(t) / Phi(t) and k the excess of the normal hazard (special-inl.hpp):
///   l = log Phi(t),  l' = y lambda,  l'' = -lambda (t + lambda).
/// For t < 0, lambda = k(-t) - t and t + lambda = k(-t), so that nothing cancels however far out t is.
struct BernoulliProbitOps {
  static constexpr bool kHasConstant = false;

  static BernoulliProbitOps of(const FamilyParameters&, const double*) { return {}; }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D d, V s) {
    const V x = hn::Abs(s), tail = hn::Div(normal_density(d, x), hn::Add(x, normal_hazard_excess(d, x)));
    return hn::IfThenElse(hn::Lt(s, hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0), tail));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    return all<true, false>(d, y, s, s).value;
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    return all<false, false>(d, y, s, s).slope;
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V) const {
    const V t = hn::Xor(s, hn::And(y, hn::SignBit(d))), x = hn::Abs(t), one = hn::Set(d, 1.0);
    const auto negative = hn::Lt(t, hn::Zero(d));
    // The chance of the other label for t > 0, tail = 1 - Phi(t) = phi(t) / (t + k).
    const V k = normal_hazard_excess(d, x), hazard = hn::Add(x, k), density = normal_density(d, x);
    const V tail = hn::Div(density, hazard);
    const V lambda = hn::IfThenElse(negative, hazard, hn::Div(density, hn::Sub(one, tail)));
    V value = hn::Zero(d), curvature = value;
    if constexpr (kValue) {
      // For t < 0, log Phi(t) = log phi(t) - log(hazard).
      const V square = hn::Mul(hn::Mul(x, x), hn::Set(d, 0.5));
      const V below = hn::Neg(hn::Add(square, hn::Add(Log(d, hazard), hn::Set(d, kHalfLog2Pi))));
      value = hn::IfThenElse(negative, below, log_one_plus(d, hn::Neg(tail)));
    }
    if constexpr (kCurvature)
      curvature = hn::Neg(hn::Mul(lambda, hn::IfThenElse(negative, k, hn::Add(x, lambda))));
    return {value, hn::CopySignToAbs(lambda, y), curvature};
  }
};

/// With mu = e^s and f = mu / (e^mu - 1):
///   y = -1:  l = l' = l'' = -mu,
///   y = +1:  l = log(1 - e^-mu) = s - mu - log f,  l' = f,  l'' = f (1 - mu - f).
/// Below mu = 1, f = 1 - mu / 2 + b(mu^2), the series of the Bernoulli numbers, and 1 - mu - f = -mu / 2 - b.
struct BernoulliCloglogOps {
  static constexpr bool kHasConstant = false;

  static BernoulliCloglogOps of(const FamilyParameters&, const double*) { return {}; }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D d, V s) {
    return Exp(d, BernoulliCloglogOps{}.value(d, hn::Set(d, 1.0), s, s));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    return all<true, false>(d, y, s, s).value;
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    return all<false, false>(d, y, s, s).slope;
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V) const {
    // B_2k / (2k)! for k = 1, 2, ...; the terms left out are below 1e-17 for mu <= 1.
    static constexpr double kSeries[] = {1.0 / 12,
                                         -1.0 / 720,
                                         1.0 / 30240,
                                         -1.0 / 1209600,
                                         1.0 / 47900160,
                                         -691.0 / 1307674368000.0,
                                         1.0 / 74724249600.0,
                                         -3617.0 / 10670622842880000.0,
                                         43867.0 / 5109094217170944000.0};
    const V one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
    // exp(mu) has mu times the relative error of mu, whose rounding is therefore taken along.
    const Reduced<V> reduced = reduce(d, at_most(d, at_least(d, s, kExpLeast), kExpMost), kRound);
    const Pair<V> parts = exp_reduced(d, reduced);
    const V mu = Exp(d, s), few = at_most(d, mu, 1.0), lost = hn::Mul(mu, hn::Div(parts.lo, parts.hi));
    const V square = hn::Mul(few, few), b = hn::Mul(square, polynomial(d, square, kSeries));
    const auto small = hn::Lt(mu, one);
    // e^mu overflows before mu does, and f is 0 long before: mu is kept below 750.
    const V large = at_most(d, mu, 750.0), beyond = at_most(d, lost, 1.0);
    const V inverse = Exp(d, hn::Neg(large)), decay = hn::Sub(inverse, hn::Mul(inverse, beyond));  // e^-mu
    const V f = hn::IfThenElse(small, hn::Add(hn::Sub(one, hn::Mul(half, few)), b),
                               hn::Div(hn::Mul(large, decay), hn::Sub(one, decay)));
    const auto success = hn::Gt(y, hn::Zero(d));
    const V minus = hn::Neg(mu);
    V value = hn::Zero(d), curvature = value;
    if constexpr (kValue) {
      // From mu = 1.5 on e^-mu is small enough for log(1 - e^-mu) itself.
      const V direct = log_one_plus(d, hn::Neg(decay));
      const V apart = hn::Sub(hn::Sub(s, mu), Log(d, f));
      value = hn::IfThenElse(success, hn::IfThenElse(hn::Lt(mu, hn::Set(d, 1.5)), apart, direct), minus);
    }
    if constexpr (kCurvature) {
      const V near = hn::Neg(hn::Add(hn::Mul(half, few), b)), far = hn::Sub(hn::Sub(one, large), f);
      curvature = hn::IfThenElse(success, hn::Mul(f, hn::IfThenElse(small, near, far)), minus);
    }
    return {value, hn::IfThenElse(success, f, minus), curvature};
  }
};

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
