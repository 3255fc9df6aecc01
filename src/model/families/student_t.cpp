// Real numbers with outliers: y = s + sigma e, e of Student's t distribution with nu degrees of freedom.
// sigma is learnt; nu is learnt, or given. With r = (y - s) / sigma and w = (nu + 1) / (nu + r^2),
//
//     l = c(nu) - log sigma - (nu + 1) / 2 log(1 + r^2 / nu),
//     c = log Gamma((nu + 1) / 2) - log Gamma(nu / 2) - log(nu pi) / 2
//       = (nu / 2) log(1 + 1 / nu) - 1 / 2 + J((nu + 1) / 2) - J(nu / 2) - log(2 pi) / 2,
//
// J being Stirling's remainder (special-inl.hpp). theta has t = log sigma and v = log nu. l is not concave.
#include "model/families/describe.hpp"

#include <cmath>

#include "giga/base/random.hpp"
#include "giga/model/simulate_data.hpp"
#include "model/families/responses.hpp"

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/families/student_t.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/families/kernels-inl.hpp"
#include "model/special-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

/// With g = nu / (nu + r^2), h = r^2 / (nu + r^2) and k = (w - 1) / (nu + r^2):
///   l' = w r / sigma,  l'' = -w (g - h) / sigma^2,
///   dl/dt = w r^2 - 1,  d^2 l/(ds dt) = -2 w r g / sigma,  d^2 l/dt^2 = -2 w r^2 g,
///   dl/dnu = c' - log(1 + r^2 / nu) / 2 + w r^2 / (2 nu),
///   d^2 l/(ds dnu) = -r k / sigma,  d^2 l/(dt dnu) = -r^2 k,
///   nu^2 d^2 l/dnu^2 = nu^2 c'' + h (nu - (nu + 1) (1 + g) / 2).
template <bool kGiven>
struct StudentTOpsOf {
  static constexpr bool kHasConstant = false;
  static constexpr Index kNumExtras = kGiven ? 1 : 2;
  double nu, inverse;              // nu, 1 / sigma
  double base, first_0, second_0;  // c - t; c' and c'' in nu

  static HWY_INLINE StudentTOpsOf of(const FamilyParameters& family, const double* extras) {
    const hn::CappedTag<double, 1> one;
    const auto log_sigma = hn::Set(one, extras[0]);
    const double nu = kGiven ? family.nu : hn::GetLane(Exp(one, hn::Set(one, extras[kGiven ? 0 : 1])));
    const auto low = hn::Set(one, 0.5 * nu), high = hn::Set(one, 0.5 * (nu + 1));
    const auto j = stirling(one, low, Log(one, low)), i = stirling(one, high, Log(one, high));
    const double log_ratio = hn::GetLane(log_one_plus(one, hn::Set(one, 1 / nu))), next = 1 / (nu + 1);
    const double value =
        0.5 * nu * log_ratio - 0.5 + (hn::GetLane(i.value) - hn::GetLane(j.value)) - kHalfLog2Pi;
    const double first = 0.5 * (log_ratio - next + (hn::GetLane(i.first) - hn::GetLane(j.first)));
    const double second =
        0.5 * (next + next * next - 1 / nu) + 0.25 * (hn::GetLane(i.second) - hn::GetLane(j.second));
    return {nu, hn::GetLane(Exp(one, hn::Neg(log_sigma))), value - extras[0], first, second};
  }

  /// The centre, which is the mean for nu > 1.
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D /*d*/, V s) {
    return s;
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V) const {
    const V r = residual(d, y, s), x = hn::Div(hn::Mul(r, r), hn::Set(d, nu));
    return hn::Sub(hn::Set(d, base), hn::Mul(hn::Set(d, 0.5 * (nu + 1)), log_one_plus(d, x)));
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    const V r = residual(d, y, s);
    return hn::Mul(hn::Mul(weight(d, r), r), hn::Set(d, inverse));
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V constant) const {
    const V r = residual(d, y, s), w = weight(d, r), scale = hn::Set(d, inverse);
    V curvature = hn::Zero(d);
    if constexpr (kCurvature) {
      // g - h = (nu - r^2) / (nu + r^2).
      const V squared = hn::Mul(r, r), size = hn::Set(d, nu);
      const V difference = hn::Div(hn::Sub(squared, size), hn::Add(squared, size));
      curvature = hn::Mul(hn::Mul(w, difference), hn::Mul(scale, scale));
    }
    return {kValue ? value(d, y, s, constant) : hn::Zero(d), hn::Mul(hn::Mul(w, r), scale), curvature};
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE void extras(D d, V y, V s, V* first, V* mixed, V* second) const {
    const V r = residual(d, y, s), squared = hn::Mul(r, r), size = hn::Set(d, nu), one = hn::Set(d, 1.0);
    const V under = hn::Div(one, hn::Add(size, squared)), w = hn::Mul(hn::Set(d, nu + 1), under);
    const V g = hn::Mul(size, under), weighted = hn::Mul(w, squared), twice = hn::Set(d, -2.0);
    const V scale = hn::Set(d, inverse);
    first[0] = hn::Sub(weighted, one);
    mixed[0] = hn::Mul(hn::Mul(hn::Mul(twice, w), hn::Mul(r, g)), scale);
    second[0] = hn::Mul(hn::Mul(twice, weighted), g);
    if constexpr (!kGiven) {
      const V half = hn::Set(d, 0.5), h = hn::Mul(squared, under), k = hn::Mul(hn::Sub(w, one), under);
      const V log = log_one_plus(d, hn::Div(squared, size));
      const V sum = hn::Add(hn::Set(d, first_0), hn::Mul(half, hn::Sub(hn::Div(weighted, size), log)));
      const V bend = hn::Add(hn::Set(d, nu * nu * second_0),
                             hn::Mul(h, hn::Sub(size, hn::Mul(hn::Set(d, 0.5 * (nu + 1)), hn::Add(one, g)))));
      first[1] = hn::Mul(size, sum);
      mixed[1] = hn::Neg(hn::Mul(hn::Mul(size, hn::Mul(r, k)), scale));
      second[1] = hn::Neg(hn::Mul(size, hn::Mul(squared, k)));
      second[2] = hn::Add(first[1], bend);
    }
  }

 private:
  // r, so far from overflow that r^2 does not.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V residual(D d, V y, V s) const {
    constexpr double kMost = 1e150;
    return at_least(d, at_most(d, hn::Mul(hn::Sub(y, s), hn::Set(d, inverse)), kMost), -kMost);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V weight(D d, V r) const {
    return hn::Div(hn::Set(d, nu + 1), hn::Add(hn::Set(d, nu), hn::Mul(r, r)));
  }
};

using StudentTOps = StudentTOpsOf<false>;
using StudentTGivenOps = StudentTOpsOf<true>;

GIGA_FAMILY_KERNELS(StudentT)
GIGA_FAMILY_KERNELS(StudentTGiven)

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

GIGA_CHOOSE_KERNELS(StudentT)
GIGA_CHOOSE_KERNELS(StudentTGiven)

}  // namespace kernels

namespace families {
namespace {

constexpr FamilySetting kNu[] = {{"nu", "Degrees of freedom of {} noise", &FamilyParameters::nu}};
constexpr FamilySetting kSimulated[] = {{"noise_scale", "Scale of {} noise", &FamilyParameters::noise_scale},
                                        {"nu", "Degrees of freedom of {} noise", &FamilyParameters::nu}};
constexpr double kStartNu = 4;
// Gamma(2, 0.1) for nu is that of Juarez and Steel (2010), which Stan's authors recommend.
constexpr ExtraParameter kExtras[] = {
    {"sigma", 0, true, {.kind = ExtraPrior::Kind::Exponential, .rate = 1, .autoscale = true}},
    {"nu", 0, true, {.kind = ExtraPrior::Kind::Gamma, .shape = 2, .rate = 0.1}}};

void start_sigma(const ResponseMoments& response, std::span<double> out) {
  out[0] = log_of_scale(response);
  if (out.size() > 1) out[1] = std::log(kStartNu);
}

// A normal number over the root of a mean of nu squares of such.
double respond(const FamilyParameters& family, double s, Stream& random) {
  const double e = random.normal(), half = family.nu / 2;
  return s + family.noise_scale * e / std::sqrt(draw_gamma(half, random) / half);
}

constexpr FamilyDescription description(bool given) {
  FamilyDescription out = {.name = "student_t",
                           .link = "identity",
                           .is_default_link = !given,
                           .responses = "real numbers with outliers",
                           .response_words = "real numbers with outliers; `nu` is learnt or given",
                           .read_response = reals,
                           .extras = std::span(kExtras).first(given ? 1 : 2),
                           .is_given = given,
                           .predictor_of_mean = [](double mean) { return mean; },
                           .start_extras = start_sigma,
                           .is_robust = true,
                           .simulation = {.name = "student_t",
                                          .model = "linear regression with outliers",
                                          .num_features = 2,
                                          .coefficient = 3,
                                          .is_usual_link = !given,
                                          .respond = respond}};
  if (given) {
    out.settings = kNu;
    out.simulation.learnt = std::span(kSimulated).first(1);
  } else {
    out.given = Family::StudentTGiven;
    out.simulation.learnt = kSimulated;
  }
  return out;
}

}  // namespace

template <>
const FamilyDescription& described<Family::StudentT>() {
  static const FamilyDescription kDescription = [] {
    FamilyDescription out = description(false);
    out.kernels = kernels::ChosenStudentT;
    return out;
  }();
  return kDescription;
}

template <>
const FamilyDescription& described<Family::StudentTGiven>() {
  static const FamilyDescription kDescription = [] {
    FamilyDescription out = description(true);
    out.kernels = kernels::ChosenStudentTGiven;
    return out;
  }();
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
