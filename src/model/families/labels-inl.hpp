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

/// Derivatives of log P(y = 1) and log P(y = -1) at one s, which have most of the work in common.
template <class V>
struct BothLabels {
  RowDerivatives<V> up, down;
};

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

  /// log P(y = 1) = s + log P(y = -1).
  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE BothLabels<V> both(D d, V s) const {
    const Fraction<V> e = exp_fraction(d, hn::Neg(hn::Abs(s)), 0.0);
    const V inverse = hn::Div(hn::Set(d, 1.0), hn::Add(e.top, e.bottom));
    const V large = hn::Mul(e.bottom, inverse), small = hn::Mul(e.top, inverse);
    const auto negative = hn::Lt(s, hn::Zero(d));
    const V curvature = kCurvature ? hn::Neg(hn::Mul(small, large)) : hn::Zero(d);
    const V zero = hn::Zero(d);
    return {{kValue ? hn::Neg(softplus_of(d, hn::Neg(s), e)) : zero, hn::IfThenElse(negative, large, small),
             curvature},
            {kValue ? hn::Neg(softplus_of(d, s, e)) : zero, hn::Neg(hn::IfThenElse(negative, small, large)),
             curvature}};
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
    const V t = hn::Xor(s, hn::And(y, hn::SignBit(d))), x = hn::Abs(t);
    const auto negative = hn::Lt(t, hn::Zero(d));
    const Parts<V> at = parts(d, x);
    const V lambda = hn::IfThenElse(negative, at.hazard, at.rare(d));
    V value = hn::Zero(d), curvature = value;
    if constexpr (kValue) value = hn::IfThenElse(negative, at.log_tail(d), at.log_rest(d));
    if constexpr (kCurvature)
      curvature = hn::Neg(hn::Mul(lambda, hn::IfThenElse(negative, at.excess, hn::Add(x, lambda))));
    return {value, hn::CopySignToAbs(lambda, y), curvature};
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE BothLabels<V> both(D d, V s) const {
    const V x = hn::Abs(s), zero = hn::Zero(d);
    const auto negative = hn::Lt(s, zero);
    const Parts<V> at = parts(d, x);
    const V rare = at.rare(d), log_tail = kValue ? at.log_tail(d) : zero,
            log_rest = kValue ? at.log_rest(d) : zero;
    // Of the label that the sign of s is for, and of the other.
    const V with = kCurvature ? hn::Neg(hn::Mul(rare, hn::Add(x, rare))) : zero;
    const V against = kCurvature ? hn::Neg(hn::Mul(at.hazard, at.excess)) : zero;
    return {{hn::IfThenElse(negative, log_tail, log_rest), hn::IfThenElse(negative, at.hazard, rare),
             hn::IfThenElse(negative, against, with)},
            {hn::IfThenElse(negative, log_rest, log_tail), hn::Neg(hn::IfThenElse(negative, rare, at.hazard)),
             hn::IfThenElse(negative, with, against)}};
  }

 private:
  // At x >= 0: k, the hazard x + k, phi(x) and the tail 1 - Phi(x) = phi(x) / (x + k).
  template <class V>
  struct Parts {
    V x, excess, hazard, density, tail;

    /// phi(x) / Phi(x), lambda at x; at -x that is the hazard.
    template <class D>
    HWY_INLINE V rare(D d) const {
      return hn::Div(density, hn::Sub(hn::Set(d, 1.0), tail));
    }
    /// log(1 - Phi(x)) = log phi(x) - log(hazard).
    template <class D>
    HWY_INLINE V log_tail(D d) const {
      const V square = hn::Mul(hn::Mul(x, x), hn::Set(d, 0.5));
      return hn::Neg(hn::Add(square, hn::Add(Log(d, hazard), hn::Set(d, kHalfLog2Pi))));
    }
    /// log Phi(x).
    template <class D>
    HWY_INLINE V log_rest(D d) const {
      return log_one_plus(d, hn::Neg(tail));
    }
  };

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE Parts<V> parts(D d, V x) {
    const V excess = normal_hazard_excess(d, x), hazard = hn::Add(x, excess), density = normal_density(d, x);
    return {x, excess, hazard, density, hn::Div(density, hazard)};
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
    const BothLabels<V> of = both<kValue, kCurvature>(d, s);
    const auto success = hn::Gt(y, hn::Zero(d));
    return {hn::IfThenElse(success, of.up.value, of.down.value),
            hn::IfThenElse(success, of.up.slope, of.down.slope),
            hn::IfThenElse(success, of.up.curvature, of.down.curvature)};
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE BothLabels<V> both(D d, V s) const {
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
    const V minus = hn::Neg(mu);
    V value = hn::Zero(d), curvature = value;
    if constexpr (kValue) {
      // From mu = 1.5 on e^-mu is small enough for log(1 - e^-mu) itself.
      const V direct = log_one_plus(d, hn::Neg(decay));
      const V apart = hn::Sub(hn::Sub(s, mu), Log(d, f));
      value = hn::IfThenElse(hn::Lt(mu, hn::Set(d, 1.5)), apart, direct);
    }
    if constexpr (kCurvature) {
      const V near = hn::Neg(hn::Add(hn::Mul(half, few), b)), far = hn::Sub(hn::Sub(one, large), f);
      curvature = hn::Mul(f, hn::IfThenElse(small, near, far));
    }
    return {{value, f, curvature}, {minus, minus, minus}};
  }
};

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
