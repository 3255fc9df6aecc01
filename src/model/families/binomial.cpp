// y successes of m trials, each with the probability p(s) of a link (labels-inl.hpp). With l_+ and l_- the
// log-likelihoods of a success and of a failure,
//
//     l = y l_+(s) + (m - y) l_-(s) + log(m choose y),
//
// and likewise its derivatives. The response is y and m in one number (with_trials of family.hpp); the row
// constant is -log(m choose y).
#include "model/families/describe.hpp"

#include <cmath>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/model/special.hpp"
#include "model/families/responses.hpp"

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/families/binomial.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/families/kernels-inl.hpp"
#include "model/families/labels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

template <class LabelOps>
struct BinomialOps {
  static constexpr bool kHasConstant = true;
  LabelOps label;

  static BinomialOps of(const FamilyParameters& family, const double* extras) {
    return {LabelOps::of(family, extras)};
  }

  /// Of one trial.
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V mean(D d, V s) {
    return LabelOps::mean(d, s);
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V value(D d, V y, V s, V constant) const {
    return all<true, false>(d, y, s, constant).value;
  }

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V slope(D d, V y, V s) const {
    return all<false, false>(d, y, s, s).slope;
  }

  template <bool kValue, bool kCurvature, class D, class V = hn::Vec<D>>
  HWY_INLINE RowDerivatives<V> all(D d, V y, V s, V constant) const {
    const Counts<V> n = counts_of(d, y);
    const BothLabels<V> of = label.template both<kValue, kCurvature>(d, s);
    const V zero = hn::Zero(d);
    return {kValue ? hn::Sub(both(n, of.up.value, of.down.value), constant) : zero,
            both(n, of.up.slope, of.down.slope),
            kCurvature ? both(n, of.up.curvature, of.down.curvature) : zero};
  }

 private:
  template <class V>
  struct Counts {
    V successes, failures;
  };

  template <class D, class V = hn::Vec<D>>
  HWY_INLINE Counts<V> counts_of(D d, V y) const {
    const V trials = hn::Floor(hn::Mul(y, hn::Set(d, 1 / kTrialsApart)));
    const V successes = hn::Sub(y, hn::Mul(trials, hn::Set(d, kTrialsApart)));
    return {successes, hn::Sub(trials, successes)};
  }
  // None of them count nothing, also where l is infinite.
  template <class V>
  HWY_INLINE V both(const Counts<V>& n, V up, V down) const {
    const V zero = hn::Sub(n.successes, n.successes);
    return hn::Add(hn::IfThenZeroElse(hn::Eq(n.successes, zero), hn::Mul(n.successes, up)),
                   hn::IfThenZeroElse(hn::Eq(n.failures, zero), hn::Mul(n.failures, down)));
  }
};

using BinomialLogitOps = BinomialOps<BernoulliLogitOps>;
using BinomialProbitOps = BinomialOps<BernoulliProbitOps>;
using BinomialCloglogOps = BinomialOps<BernoulliCloglogOps>;

GIGA_FAMILY_KERNELS(BinomialLogit)
GIGA_FAMILY_KERNELS(BinomialProbit)
GIGA_FAMILY_KERNELS(BinomialCloglog)

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

GIGA_CHOOSE_KERNELS(BinomialLogit)
GIGA_CHOOSE_KERNELS(BinomialProbit)
GIGA_CHOOSE_KERNELS(BinomialCloglog)

}  // namespace kernels

namespace families {
namespace {

// log y! + log(m - y)! - log m!.
void minus_log_choose(const FamilyParameters&, std::span<const double> y, std::span<double> out) {
  for (std::size_t n = 0; n < y.size(); ++n) {
    const double trials = trials_of(y[n]), successes = successes_of(y[n]);
    out[n] = log_factorial(successes) + log_factorial(trials - successes) - log_factorial(trials);
  }
}

// Responses are simulated as those of one trial: the table of `giga simulate` has no column for more.
constexpr FamilyDescription description(std::string_view link) {
  return {.name = "binomial",
          .link = link,
          .is_default_link = link == "logit",
          .ratio = link == "logit" ? "odds ratio" : "",
          .responses = "successes among trials",
          .response_words = "numbers of successes, with `trials` beside them",
          .read_response = [](const Dataset& data) { return counts(data, "binomial"); },
          .has_trials = true,
          .row_constants = minus_log_choose,
          .simulation = {.name = {}, .model = "binomial regression", .is_usual_link = link == "logit"}};
}

}  // namespace

template <>
const FamilyDescription& described<Family::BinomialLogit>() {
  static const FamilyDescription kDescription = [] {
    FamilyDescription out = description("logit");
    out.predictor_of_mean = logit_of;
    out.simulation.respond = [](const FamilyParameters&, double s, Stream& random) {
      return with_trials(random.uniform() < sigmoid(s) ? 1.0 : 0.0, 1);
    };
    out.kernels = kernels::ChosenBinomialLogit;
    return out;
  }();
  return kDescription;
}

template <>
const FamilyDescription& described<Family::BinomialProbit>() {
  static const FamilyDescription kDescription = [] {
    FamilyDescription out = description("probit");
    out.predictor_of_mean = probit_of;
    out.analytic_within = kProbitAnalyticWithin;
    out.simulation.respond = [](const FamilyParameters&, double s, Stream& random) {
      return with_trials(random.normal() < s ? 1.0 : 0.0, 1);
    };
    out.kernels = kernels::ChosenBinomialProbit;
    return out;
  }();
  return kDescription;
}

template <>
const FamilyDescription& described<Family::BinomialCloglog>() {
  static const FamilyDescription kDescription = [] {
    FamilyDescription out = description("cloglog");
    out.predictor_of_mean = cloglog_of;
    out.analytic_within = kCloglogAnalyticWithin;
    out.simulation.respond = [](const FamilyParameters&, double s, Stream& random) {
      return with_trials(random.uniform() < -std::expm1(-std::exp(s)) ? 1.0 : 0.0, 1);
    };
    out.kernels = kernels::ChosenBinomialCloglog;
    return out;
  }();
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
