// Positive numbers whose standard deviation is a share of their mean: mean mu = e^s and shape a, to be
// learnt, so that the variance is mu^2 / a. With w = log y - s and q = y e^-s = e^w,
//
//     l = a log a + a w - a q - log Gamma(a) - log y = a (1 + w - q) + log(a) / 2 - log(2 pi) / 2 - J(a) -
//     log y,
//
// J being Stirling's remainder (special-inl.hpp). theta has t = log a.
#include "model/families/describe.hpp"

#include <algorithm>
#include <cmath>

#include "giga/base/random.hpp"
#include "giga/model/simulate_data.hpp"
#include "model/families/responses.hpp"

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/families/gamma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/families/kernels-inl.hpp"
#include "model/special-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

///   l' = a (q - 1),  l'' = -a q,  d^2 l/(ds dt) = l',
///   dl/dt = a (1 + w - q) + 1 / 2 - a J'(a),  d^2 l/dt^2 = a (1 + w - q) - a J'(a) - a^2 J''(a).
struct GammaLogOps {
  static constexpr bool kHasConstant = false;
  static constexpr Index kNumExtras = 1;
  double shape, base;        // a; log(a) / 2 - log(2 pi) / 2 - J(a)
  double first_0, second_0;  // a J'(a), a^2 J''(a)

  static HWY_INLINE GammaLogOps of(const FamilyParameters&, const double* extras) {
    const hn::CappedTag<double, 1> one;
    const auto a = Exp(one, hn::Set(one, extras[0]));
    const auto j = stirling(one, a, Log(one, a));
    const double shape = hn::GetLane(a);
    return {shape, 0.5 * extras[0] - kHalfLog2Pi - hn::GetLane(j.value), shape * hn::GetLane(j.first),
            shape * shape * hn::GetLane(j.second)};
  }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D d, V s) {
    return Exp(d, s);
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    const V log_y = Log(d, y);
    const V sum = hn::Add(hn::Mul(hn::Set(d, shape), shortfall(d, log_y, y, s)), hn::Set(d, base));
    return hn::Sub(sum, log_y);
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    return hn::Mul(hn::Set(d, shape), hn::Sub(share(d, y, s), hn::Set(d, 1.0)));
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V constant) const {
    return {kValue ? value(d, y, s, constant) : hn::Zero(d), slope(d, y, s),
            kCurvature ? hn::Neg(hn::Mul(hn::Set(d, shape), share(d, y, s))) : hn::Zero(d)};
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE void extras(D d, V y, V s, V* first, V* mixed, V* second) const {
    const V scaled = hn::Sub(hn::Mul(hn::Set(d, shape), shortfall(d, Log(d, y), y, s)), hn::Set(d, first_0));
    first[0] = hn::Add(scaled, hn::Set(d, 0.5));
    mixed[0] = slope(d, y, s);
    second[0] = hn::Sub(scaled, hn::Set(d, second_0));
  }

 private:
  // q = y e^-s.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V share(D d, V y, V s) const {
    return hn::Mul(y, Exp(d, hn::Neg(s)));
  }
  // 1 + w - q, at most 0 but for rounding; -infinity where q overflows, and at s = infinity.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V shortfall(D d, V log_y, V y, V s) const {
    return hn::Sub(hn::Add(hn::Set(d, 1.0), hn::Sub(log_y, s)), share(d, y, s));
  }
};

GIGA_FAMILY_KERNELS(GammaLog)

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

GIGA_CHOOSE_KERNELS(GammaLog)

}  // namespace kernels

namespace families {
namespace {

constexpr FamilySetting kSimulated[] = {
    {"shape", "Shape of {} distribution, the variance being mu^2 / shape", &FamilyParameters::shape}};
constexpr ExtraParameter kExtras[] = {{"shape", 0, true, {.kind = ExtraPrior::Kind::Exponential, .rate = 1}}};

}  // namespace

template <>
const FamilyDescription& described<Family::GammaLog>() {
  static constexpr FamilyDescription kDescription = {
      .name = "gamma",
      .link = "log",
      .ratio = "ratio of means",
      .responses = "positive numbers",
      .response_words = "positive numbers, of a shape that is learnt",
      .read_response = [](const Dataset& data) { return positive(data, "gamma"); },
      .extras = kExtras,
      .predictor_of_mean = [](double mean) { return std::log(mean); },
      .start_extras =
          [](const ResponseMoments& response, std::span<double> out) {
            const double share = response.mean / std::max(response.sd, 1e-3 * response.mean);
            out[0] = std::log(std::clamp(share * share, 0.1, 1e3));
          },
      .simulation = {.name = "gamma",
                     .model = "gamma regression",
                     .num_features = 2,
                     .coefficient = 0.5,
                     .respond =
                         [](const FamilyParameters& family, double s, Stream& random) {
                           return std::exp(s) / family.shape * draw_gamma(family.shape, random);
                         },
                     .learnt = kSimulated},
      .kernels = kernels::ChosenGammaLog};
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
