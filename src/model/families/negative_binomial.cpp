// Counts that vary more than Poisson's: mean mu = e^s and variance mu + mu^2 / phi, with phi to be learnt.
// With x = y + phi, p = mu / (mu + phi), q = 1 - p and r = (y - mu) / (mu + phi),
//
//     l = log Gamma(x) - log Gamma(phi) + phi log phi + y s - x log(mu + phi) - log y!
//       = x log(1 + r) - log(x / phi) / 2 - y + y s + J(x) - J(phi) - log y!,
//
// J being Stirling's remainder (special-inl.hpp): no large terms cancel as phi grows and l becomes Poisson's.
// The row constant is log y!; theta has t = log phi.
#include "model/families/describe.hpp"

#include <algorithm>
#include <cmath>

#include "giga/base/random.hpp"
#include "giga/model/simulate_data.hpp"
#include "giga/model/special.hpp"
#include "model/families/responses.hpp"

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/families/negative_binomial.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/families/kernels-inl.hpp"
#include "model/special-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

///   l' = y q - phi p,  l'' = -x p q,
///   dl/dt = phi (log(1 + r) - r + y / (2 phi x) + J'(x) - J'(phi)),  d^2 l/(ds dt) = phi p r,
///   d^2 l/dt^2 = dl/dt + (phi r)^2 / x + ((phi / x)^2 - 1) / 2 + phi^2 (J''(x) - J''(phi)).
struct NegativeBinomialOps {
  static constexpr bool kHasConstant = true;
  static constexpr Index kNumExtras = 1;
  double t, phi, inverse;             // log phi, phi, 1 / phi
  double value_0, first_0, second_0;  // J, J' and J'' at phi

  static HWY_INLINE NegativeBinomialOps of(const FamilyParameters&, const double* extras) {
    const hn::CappedTag<double, 1> one;
    const auto log_phi = hn::Set(one, extras[0]), phi = Exp(one, log_phi);
    const auto at_phi = stirling(one, phi, Log(one, phi));
    const double value = hn::GetLane(phi);
    return {extras[0],
            value,
            1 / value,
            hn::GetLane(at_phi.value),
            hn::GetLane(at_phi.first),
            hn::GetLane(at_phi.second)};
  }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D d, V s) {
    return Exp(d, s);
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V constant) const {
    const Parts<V> at = parts(d, y, s);
    return value_of(d, y, at, stirling(d, at.x, at.log_x), log_ratio(d, at), constant);
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    const Shares<V> at = shares(d, s);
    return hn::Sub(hn::Mul(y, at.q), hn::Mul(hn::Set(d, phi), at.p));
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V constant) const {
    const Shares<V> at = shares(d, s);
    const V x = hn::Add(y, hn::Set(d, phi));
    return {kValue ? value(d, y, s, constant) : hn::Zero(d),
            hn::Sub(hn::Mul(y, at.q), hn::Mul(hn::Set(d, phi), at.p)),
            kCurvature ? hn::Neg(hn::Mul(x, hn::Mul(at.p, at.q))) : hn::Zero(d)};
  }

  /// l, l' and dl/dt, with what l and dl/dt share computed once.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> gradient(D d, V y, V s, V constant, V* first) const {
    const Parts<V> at = parts(d, y, s);
    const Stirling<V> j = stirling(d, at.x, at.log_x);
    const V log = log_ratio(d, at);
    first[0] = first_of(d, y, at, j, log, hn::Div(hn::Set(d, 1.0), at.x));
    return {value_of(d, y, at, j, log, constant), hn::Sub(hn::Mul(y, at.q), hn::Mul(hn::Set(d, phi), at.p)),
            hn::Zero(d)};
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE void extras(D d, V y, V s, V* first, V* mixed, V* second) const {
    const Parts<V> at = parts(d, y, s);
    const Stirling<V> j = stirling(d, at.x, at.log_x);
    const V size = hn::Set(d, phi), half = hn::Set(d, 0.5), inverse_x = hn::Div(hn::Set(d, 1.0), at.x);
    const V ratio = hn::Mul(size, inverse_x);
    first[0] = first_of(d, y, at, j, log_ratio(d, at), inverse_x);
    mixed[0] = hn::Mul(size, hn::Mul(at.p, at.r));
    const V away = hn::Mul(size, at.r);
    const V bend = hn::Mul(hn::Mul(size, size), hn::Sub(j.second, hn::Set(d, second_0)));
    const V even = hn::Mul(half, hn::Sub(hn::Mul(ratio, ratio), hn::Set(d, 1.0)));
    second[0] = hn::Add(first[0], hn::Add(hn::Mul(hn::Mul(away, away), inverse_x), hn::Add(even, bend)));
  }

 private:
  // p = sigma(s - t) and q = sigma(t - s), with s kept finite.
  template <class V>
  struct Shares {
    V s, u, p, q;
    Fraction<V> e;  // exp(-|u|), u = s - t
  };
  template <class V>
  struct Parts {
    V s, u, p, q, x, log_x, r;
    Fraction<V> e;
  };

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Shares<V> shares(D d, V s) const {
    constexpr double kMost = 1e300;
    const V finite = at_least(d, at_most(d, s, kMost), -kMost), u = hn::Sub(finite, hn::Set(d, t));
    const Fraction<V> e = exp_fraction(d, hn::Neg(hn::Abs(u)), 0.0);
    const V under = hn::Div(hn::Set(d, 1.0), hn::Add(e.top, e.bottom));
    const V large = hn::Mul(e.bottom, under), small = hn::Mul(e.top, under);
    const auto negative = hn::Lt(u, hn::Zero(d));
    return {finite, u, hn::IfThenElse(negative, small, large), hn::IfThenElse(negative, large, small), e};
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Parts<V> parts(D d, V y, V s) const {
    const Shares<V> at = shares(d, s);
    const V x = hn::Add(y, hn::Set(d, phi));
    // r = y / (mu + phi) - p, and 1 / (mu + phi) = q / phi.
    const V r = hn::Sub(hn::Mul(hn::Mul(y, hn::Set(d, inverse)), at.q), at.p);
    return {at.s, at.u, at.p, at.q, x, log_of_normal(d, Pair<V>{x, hn::Zero(d)}).hi, r, at.e};
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value_of(D d, V y, const Parts<V>& at, const Stirling<V>& j, V log, V constant) const {
    const V rest = hn::Sub(j.value, hn::Set(d, value_0));
    const V half_log = hn::Mul(hn::Set(d, 0.5), hn::Sub(at.log_x, hn::Set(d, t)));
    const V sum = hn::Add(hn::Mul(at.x, log), hn::Sub(hn::Mul(y, at.s), y));
    return hn::Sub(hn::Add(sum, hn::Sub(rest, half_log)), constant);
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V first_of(D d, V y, const Parts<V>& at, const Stirling<V>& j, V log, V inverse_x) const {
    const V over = hn::Mul(hn::Set(d, 0.5), hn::Mul(hn::Mul(y, hn::Set(d, inverse)), inverse_x));
    const V rest = hn::Add(over, hn::Sub(j.first, hn::Set(d, first_0)));
    return hn::Mul(hn::Set(d, phi), hn::Add(hn::Sub(log, at.r), rest));
  }

  // log(1 + r) = log x - log(mu + phi), the difference where it does not cancel. Both ways end in the same
  // polynomial in a fraction, and share it.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V log_ratio(D d, const Parts<V>& at) const {
    const auto near = hn::Lt(hn::Abs(at.r), hn::Set(d, 0.25));
    const SoftplusFraction<V> far = softplus_fraction(d, at.e);
    const V top = hn::IfThenElse(near, at.r, far.top);
    const V bottom = hn::IfThenElse(near, hn::Add(hn::Set(d, 2.0), at.r), far.bottom);
    const V z = hn::Div(top, bottom), rest = atanh_rest(d, hn::Mul(z, z));
    const V series = hn::Sub(at.r, log1p_shortfall(d, at.r, z, rest));
    const V log_sum = hn::Add(hn::Set(d, t), softplus_from(d, at.u, far, z, rest));
    return hn::IfThenElse(near, series, hn::Sub(at.log_x, log_sum));
  }
};

GIGA_FAMILY_KERNELS(NegativeBinomial)

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

GIGA_CHOOSE_KERNELS(NegativeBinomial)

}  // namespace kernels

namespace families {
namespace {

constexpr FamilySetting kSimulated[] = {
    {"phi", "Reciprocal dispersion, the variance being mu + mu^2 / phi", &FamilyParameters::phi}};
constexpr ExtraParameter kExtras[] = {{"phi", 0, true, {.kind = ExtraPrior::Kind::Exponential, .rate = 1}}};

}  // namespace

template <>
const FamilyDescription& described<Family::NegativeBinomial>() {
  static constexpr FamilyDescription kDescription = {
      .name = "negative_binomial",
      .link = "log",
      .ratio = "rate ratio",
      .responses = "counts that vary too much for poisson",
      .response_words = "counts, of a variance that is learnt",
      .read_response = [](const Dataset& data) { return counts(data, "negative_binomial"); },
      .extras = kExtras,
      .row_constants = [](const FamilyParameters&, std::span<const double> y,
                          std::span<double> out) { log_factorial(y, out); },
      .predictor_of_mean = [](double mean) { return std::log(std::max(mean, 1e-3)); },
      // The variance is mu + mu^2 / phi and more, since the mean varies from row to row.
      .start_extras =
          [](const ResponseMoments& response, std::span<double> out) {
            const double over = response.sd * response.sd - response.mean;
            const double square = response.mean * response.mean;
            out[0] = std::log(over > 0 && square > 0 ? std::clamp(square / over, 0.1, 10.0) : 10.0);
          },
      .simulation = {.name = "negative_binomial",
                     .model = "negative binomial regression",
                     .num_features = 1,
                     .coefficient = 1,
                     .respond =
                         [](const FamilyParameters& family, double s, Stream& random) {
                           const double mean = std::exp(s) / family.phi;
                           return draw_poisson(std::min(1e15, mean * draw_gamma(family.phi, random)), random);
                         },
                     .learnt = kSimulated},
      .kernels = kernels::ChosenNegativeBinomial};
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
