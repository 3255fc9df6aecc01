// Counts y with mean mu(s), mu = log(1 + e^s) (softplus link, the paper's) or e^s (log link):
//
//     l = y log mu - mu - log y!,   l' = (y - mu) mu' / mu.
//
// The row constant is log y!.
#include "model/families/describe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "giga/base/random.hpp"
#include "giga/model/simulate_data.hpp"
#include "giga/model/special.hpp"
#include "model/families/responses.hpp"

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/families/poisson.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/families/kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

/// Poisson with mean mu = softplus(s). With q = sigma(s) / mu, which tends to 1 at -inf and to 1 / s at +inf:
///   l = y log mu - mu - log y!,  l' = q (y - mu),  l'' = -(sigma(s) sigma(-s) + y q (q - sigma(-s))).
struct PoissonSoftplusOps {
  static constexpr bool kHasConstant = true;
  static constexpr bool kValueAndSlopeApart = true;

  static PoissonSoftplusOps of(const FamilyParameters&, const double*) { return {}; }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D d, V s) {
    return Softplus(d, s);
  }

  /// With the fast softplus: mu is within 4 ulp, which is a few roundings of the largest term of l.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V constant) const {
    // log mu = s below -40, where mu underflows in the end.
    const V finite = at_finite(d, s), mu = SoftplusFast(d, finite);
    const V log_mu = hn::IfThenElse(hn::Lt(s, hn::Set(d, -kSoftplusIsLinear)), s,
                                    log_of_normal(d, Pair<V>{mu, hn::Sub(finite, finite)}).hi);
    return value_of(d, y, s, constant, mu, log_mu);
  }

  /// With the fast softplus.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    // q = sigma(s) / mu. With e = exp(-|s|) = top / bottom, sigma(s) is bottom / (top + bottom) for s >= 0
    // and top / (top + bottom) for s < 0; where mu is tiny, q = 1 - mu / 2 + ...
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

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V constant) const {
    const SoftplusParts<V> parts = softplus_parts(d, at_finite(d, s));
    const Ratios<V> r = ratios<kCurvature>(d, s, parts);
    V value = hn::Zero(d), curvature = hn::Zero(d);
    if constexpr (kValue) {
      const V log_mu = log_softplus_of(d, at_finite(d, s), parts);
      value = value_of(d, y, s, constant, parts.softplus.hi, log_mu);
    }
    if constexpr (kCurvature) curvature = hn::Neg(hn::Add(r.variance, hn::Mul(y, hn::Mul(r.q, r.gap))));
    return {value, slope_of(d, y, r.q, parts), curvature};
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
  HWY_INLINE V value_of(D d, V y, V s, V constant, V mu, V log_mu) const {
    // y log mu = 0 for y = 0, also where log mu is infinite.
    const V events = hn::IfThenZeroElse(hn::Eq(y, hn::Zero(d)), hn::Mul(y, log_mu));
    const V limit = hn::IfThenElse(hn::Eq(s, hn::Set(d, kInfinity)), s, mu);
    return hn::Sub(hn::Sub(events, limit), constant);
  }

  // y - mu keeps its digits where the two nearly cancel, for mu is hi + lo.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope_of(D, V y, V q, const SoftplusParts<V>& parts) const {
    return hn::Mul(q, hn::Sub(hn::Sub(y, parts.softplus.hi), parts.softplus.lo));
  }

  // With e = exp(-|s|) and i = 1 / ((1 + e) mu), q = i for s > 0 and e i for s < 0. There sigma(-s) = mu i
  // and so gap = (e - mu) i, where e - mu = e - log(1 + e) is known without cancellation. Where e^2 drowns
  // (and mu may be zero) the series q = 1 - e/2 + ... and gap = e/2 - 7 e^2/12 + ... take over.
  template <bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE Ratios<V> ratios(D d, V s, const SoftplusParts<V>& parts) const {
    const V one = hn::Set(d, 1.0), e = parts.e.hi, half_e = hn::Mul(hn::Set(d, 0.5), e);
    const auto negative = hn::Lt(s, hn::Zero(d));
    const auto tail = hn::And(negative, hn::Lt(e, hn::Set(d, kTail)));
    const V sum = hn::Add(one, e);
    const V i = hn::Div(one, hn::Mul(sum, parts.softplus.hi));
    const V q = hn::IfThenElse(tail, hn::Sub(one, half_e), hn::IfThenElse(negative, hn::Mul(e, i), i));
    if constexpr (!kCurvature) return {q, q, q};
    const V large = hn::Div(one, sum), small = hn::Mul(e, large);  // sigma(|s|), sigma(-|s|)
    // gap = q - sigma(-s), sigma(-s) being sigma(|s|) for s < 0. By difference where that does not cancel.
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
  static constexpr bool kHasConstant = true;

  static PoissonLogOps of(const FamilyParameters&, const double*) { return {}; }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D d, V s) {
    return Exp(d, s);
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V constant) const {
    return value_of(d, y, s, constant, Exp(d, s));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    return hn::Sub(y, Exp(d, s));
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V constant) const {
    const V mu = Exp(d, s);
    V value = hn::Zero(d);
    if constexpr (kValue) value = value_of(d, y, s, constant, mu);
    return {value, hn::Sub(y, mu), kCurvature ? hn::Neg(mu) : hn::Zero(d)};
  }

 private:
  // -inf where exp(s) overflows, whatever y s does; y s = 0 for y = 0, also at infinity.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value_of(D d, V y, V s, V constant, V mu) const {
    const V infinity = hn::Set(d, kInfinity);
    const V events = hn::IfThenZeroElse(hn::Eq(y, hn::Zero(d)), hn::Mul(y, s));
    const V value = hn::Sub(hn::Sub(events, mu), constant);
    return hn::IfThenElse(hn::Eq(mu, infinity), hn::Neg(infinity), value);
  }
};

GIGA_FAMILY_KERNELS(PoissonSoftplus)
GIGA_FAMILY_KERNELS(PoissonLog)

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

GIGA_CHOOSE_KERNELS(PoissonSoftplus)
GIGA_CHOOSE_KERNELS(PoissonLog)

}  // namespace kernels

namespace families {
namespace {

constexpr double kLeastMean = 1e-3;  // where an intercept begins, if all counts are 0

Response read_counts(const Dataset& data) {
  return counts(data, "poisson");
}

void log_factorials(const FamilyParameters&, std::span<const double> y, std::span<double> out) {
  log_factorial(y, out);
}

// s = log(e^mu - 1) = mu + log(1 - e^-mu), which does not overflow.
double inverse_softplus(double mean) {
  const double mu = std::max(mean, kLeastMean);
  return mu + std::log(-std::expm1(-mu));
}

}  // namespace

template <>
const FamilyDescription& described<Family::PoissonSoftplus>() {
  static constexpr FamilyDescription kDescription = {
      .name = "poisson",
      .link = "softplus",
      .is_default_link = false,
      .link_words = "the paper's",
      .responses = "counts",
      .response_words = "counts",
      .read_response = read_counts,
      .row_constants = log_factorials,
      .predictor_of_mean = inverse_softplus,
      .simulation = {.name = "poisson",
                     .model = "Poisson regression",
                     .num_features = 1,
                     .coefficient = 1,
                     .respond = [](const FamilyParameters&, double s,
                                   Stream& random) { return draw_poisson(softplus(s), random); }},
      .kernels = kernels::ChosenPoissonSoftplus};
  return kDescription;
}

template <>
const FamilyDescription& described<Family::PoissonLog>() {
  static constexpr FamilyDescription kDescription = {
      .name = "poisson",
      .link = "log",
      .ratio = "rate ratio",
      .responses = "counts",
      .response_words = "counts",
      .read_response = read_counts,
      .row_constants = log_factorials,
      .predictor_of_mean = [](double mean) { return std::log(std::max(mean, kLeastMean)); },
      .simulation = {.name = "poisson",
                     .model = "Poisson regression",
                     .num_features = 1,
                     .coefficient = 1,
                     .is_usual_link = false,
                     .respond = [](const FamilyParameters&, double s,
                                   Stream& random) { return draw_poisson(std::exp(s), random); }},
      .kernels = kernels::ChosenPoissonLog};
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
