// Real numbers with normal noise: linear regression, y ~ N(s, sigma^2). Where sigma is given (noise_scale), l
// is quadratic in s, so curvature vectors and the Laplace approximation are exact for it. Where it is learnt,
// theta has phi = log sigma.
#include "model/families/describe.hpp"

#include <cmath>

#include "giga/base/random.hpp"
#include "model/families/responses.hpp"

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/families/gaussian.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/families/kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

/// With r = (y - s) / scale: l = -r^2 / 2 - log scale - log(2 pi) / 2, l' = r / scale, l'' = -1 / scale^2.
struct GaussianIdentityOps {
  static constexpr bool kHasConstant = false;
  double scale, log_normaliser;  // log scale + log(2 pi) / 2

  static HWY_INLINE GaussianIdentityOps of(const FamilyParameters& family, const double*) {
    constexpr double kHalfLog2Pi = 0x1.d67f1c864beb5p-1;
    // Our Log rather than std::log, whose bits depend on the C library.
    const hn::CappedTag<double, 1> one;
    const double scale = family.noise_scale;
    return {scale, hn::GetLane(Log(one, hn::Set(one, scale))) + kHalfLog2Pi};
  }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D /*d*/, V s) {
    return s;
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    return value_of(d, residual(d, y, s));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    return hn::Div(residual(d, y, s), hn::Set(d, scale));
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V) const {
    const V r = residual(d, y, s), one = hn::Set(d, 1.0), width = hn::Set(d, scale);
    return {kValue ? value_of(d, r) : hn::Zero(d), hn::Div(r, width),
            kCurvature ? hn::Neg(hn::Div(hn::Div(one, width), width)) : hn::Zero(d)};
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

/// With phi = log sigma and r = (y - s) exp(-phi):
///   l = -r^2 / 2 - phi - log(2 pi) / 2,  l' = r exp(-phi),  l'' = -exp(-2 phi),
///   dl/dphi = r^2 - 1,  d^2 l/(ds dphi) = -2 r exp(-phi),  d^2 l/dphi^2 = -2 r^2.
struct GaussianOps {
  static constexpr bool kHasConstant = false;
  static constexpr Index kNumExtras = 1;
  double inverse, log_normaliser;  // exp(-phi), phi + log(2 pi) / 2

  static HWY_INLINE GaussianOps of(const FamilyParameters&, const double* extras) {
    constexpr double kHalfLog2Pi = 0x1.d67f1c864beb5p-1;
    const hn::CappedTag<double, 1> one;
    return {hn::GetLane(Exp(one, hn::Set(one, -extras[0]))), extras[0] + kHalfLog2Pi};
  }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D /*d*/, V s) {
    return s;
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    const V r = residual(d, y, s);
    return hn::Sub(hn::Mul(hn::Mul(r, r), hn::Set(d, -0.5)), hn::Set(d, log_normaliser));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    return hn::Mul(residual(d, y, s), hn::Set(d, inverse));
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V constant) const {
    return {kValue ? value(d, y, s, constant) : hn::Zero(d), slope(d, y, s),
            kCurvature ? hn::Set(d, -inverse * inverse) : hn::Zero(d)};
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE void extras(D d, V y, V s, V* first, V* mixed, V* second) const {
    const V r = residual(d, y, s), squared = hn::Mul(r, r), twice = hn::Set(d, -2.0);
    first[0] = hn::Sub(squared, hn::Set(d, 1.0));
    mixed[0] = hn::Mul(hn::Mul(twice, r), hn::Set(d, inverse));
    second[0] = hn::Mul(twice, squared);
  }

 private:
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V residual(D d, V y, V s) const {
    return hn::Mul(hn::Sub(y, s), hn::Set(d, inverse));
  }
};

GIGA_FAMILY_KERNELS(Gaussian)
GIGA_FAMILY_KERNELS(GaussianIdentity)

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

GIGA_CHOOSE_KERNELS(GaussianIdentity)
GIGA_CHOOSE_KERNELS(Gaussian)

}  // namespace kernels

namespace families {
namespace {

constexpr FamilySetting kSettings[] = {
    {"noise_scale", "Standard deviation of {} noise", &FamilyParameters::noise_scale}};

constexpr ExtraParameter kExtras[] = {
    {"sigma", 0, true, {.kind = ExtraPrior::Kind::Exponential, .rate = 1, .autoscale = true}}};

double with_noise(const FamilyParameters& family, double s, Stream& random) {
  return s + family.noise_scale * random.normal();
}

}  // namespace

template <>
const FamilyDescription& described<Family::GaussianIdentity>() {
  static constexpr FamilyDescription kDescription = {
      .name = "gaussian",
      .link = "identity",
      .is_default_link = false,
      .responses = "real numbers",
      .response_words = "real numbers, with a known `noise_scale`",
      .read_response = reals,
      .settings = kSettings,
      .is_given = true,
      .predictor_of_mean = [](double mean) { return mean; },
      .simulation = {.name = "gaussian",
                     .model = "linear regression",
                     .num_features = 2,
                     .coefficient = 3,
                     .is_usual_link = false,
                     .respond = with_noise},
      .kernels = kernels::ChosenGaussianIdentity};
  return kDescription;
}

template <>
const FamilyDescription& described<Family::Gaussian>() {
  static constexpr FamilyDescription kDescription = {
      .name = "gaussian",
      .link = "identity",
      .responses = "real numbers",
      .response_words = "real numbers; their noise is learnt, or `noise_scale`",
      .read_response = reals,
      .extras = kExtras,
      .given = Family::GaussianIdentity,
      .predictor_of_mean = [](double mean) { return mean; },
      .start_extras = [](const ResponseMoments& response,
                         std::span<double> out) { out[0] = log_of_scale(response); },
      .simulation = {.name = "gaussian",
                     .model = "linear regression",
                     .num_features = 2,
                     .coefficient = 3,
                     .respond = with_noise,
                     .learnt = kSettings},
      .kernels = kernels::ChosenGaussian};
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
