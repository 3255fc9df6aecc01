// Real numbers with normal noise of a known standard deviation: linear regression. y ~ N(s, scale^2); l is
// quadratic in s, so curvature vectors and the Laplace approximation are exact for it.
#include "model/families/describe.hpp"

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

const FamilyKernels* GaussianIdentityKernels() {
  static constexpr FamilyKernels kKernels = kernels_of<GaussianIdentityOps>();
  return &kKernels;
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

HWY_EXPORT(GaussianIdentityKernels);
static const FamilyKernels* chosen_gaussian_identity() {
  return HWY_DYNAMIC_DISPATCH(GaussianIdentityKernels)();
}

}  // namespace kernels

namespace families {
namespace {

constexpr FamilySetting kSettings[] = {
    {"noise_scale", "Standard deviation of {} noise", &FamilyParameters::noise_scale}};

}  // namespace

template <>
const FamilyDescription& described<Family::GaussianIdentity>() {
  static constexpr FamilyDescription kDescription = {
      .name = "gaussian",
      .link = "identity",
      .responses = "real numbers",
      .response_words = "real numbers, with a known `noise_scale`",
      .read_response = reals,
      .settings = kSettings,
      .predictor_of_mean = [](double mean) { return mean; },
      .simulation = {.name = "gaussian",
                     .model = "linear regression",
                     .num_features = 2,
                     .coefficient = 3,
                     .respond = [](const FamilyParameters& family, double s,
                                   Stream& random) { return s + family.noise_scale * random.normal(); }},
      .kernels = kernels::chosen_gaussian_identity};
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
