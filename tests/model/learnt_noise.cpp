// A family that only tests know: normal noise of a standard deviation exp(phi), phi to be learnt. It takes
// the place of Family::GaussianIdentity in the executable that it is linked into: the linker finds the
// description here and leaves the library's own, in gaussian.cpp, where it is.
#include "model/families/describe.hpp"

#include <cmath>

#include "giga/base/random.hpp"
#include "model/families/responses.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/learnt_noise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/families/kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

/// With r = (y - s) exp(-phi): l = -r^2 / 2 - phi - log(2 pi) / 2.
struct LearntNoiseOps {
  static constexpr bool kHasConstant = false;
  static constexpr Index kNumExtras = 1;
  double phi, inverse;  // exp(-phi)

  static HWY_INLINE LearntNoiseOps of(const FamilyParameters&, const double* extras) {
    const hn::CappedTag<double, 1> one;
    return {extras[0], hn::GetLane(Exp(one, hn::Set(one, -extras[0])))};
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    constexpr double kHalfLog2Pi = 0x1.d67f1c864beb5p-1;
    const V r = residual(d, y, s);
    return hn::Sub(hn::Mul(hn::Mul(r, r), hn::Set(d, -0.5)), hn::Set(d, phi + kHalfLog2Pi));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    return hn::Mul(residual(d, y, s), hn::Set(d, inverse));
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V constant) const {
    return {value(d, y, s, constant), slope(d, y, s), hn::Set(d, -inverse * inverse)};
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

const FamilyKernels* LearntNoiseKernels() {
  static constexpr FamilyKernels kKernels = kernels_of<LearntNoiseOps>();
  return &kKernels;
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

HWY_EXPORT(LearntNoiseKernels);
static const FamilyKernels* chosen_learnt_noise() {
  return HWY_DYNAMIC_DISPATCH(LearntNoiseKernels)();
}

}  // namespace kernels

namespace families {

template <>
const FamilyDescription& described<Family::GaussianIdentity>() {
  static constexpr ExtraParameter kExtras[] = {{"log_noise_scale", 0.5}};
  static constexpr FamilyDescription kDescription = {
      .name = "gaussian",
      .link = "identity",
      .responses = "real numbers",
      .response_words = "real numbers",
      .read_response = reals,
      .extras = kExtras,
      .predictor_of_mean = [](double mean) { return mean; },
      .simulation = {.name = "gaussian",
                     .model = "linear regression",
                     .respond = [](const FamilyParameters&, double s,
                                   Stream& random) { return s + 0.3 * random.normal(); }},
      .kernels = kernels::chosen_learnt_noise};
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
