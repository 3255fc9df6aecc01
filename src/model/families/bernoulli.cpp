// Labels y = -1 or +1 with a logit link: logistic regression, P(y) = sigma(y s). With t = -y s,
//
//     l = -softplus(t),   l' = y sigma(t),   l'' = -sigma(t) sigma(-t).
#include "model/families/describe.hpp"

#include <algorithm>
#include <cmath>

#include "giga/base/random.hpp"
#include "giga/model/special.hpp"
#include "model/families/responses.hpp"

// Highway compiles the part up to HWY_ONCE once per instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/families/bernoulli.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/families/kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

/// l = -softplus(-y s), l' = y sigma(-y s), l'' = -sigma(s) sigma(-s), for y = -1 or +1, whose product with
/// anything is a flip of the sign. l and l' are within 4 ulp, l'' within 6: these are the inner loops of the
/// projection and of the certificate.
struct BernoulliLogitOps {
  static constexpr bool kHasConstant = false;

  static BernoulliLogitOps of(const FamilyParameters&, const double*) { return {}; }

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

/// out[j] += sum_i l(s[i][j]) for count <= 16 rows i with labels y[i] and j < many. One logarithm serves all
/// rows, so the error is a few roundings of 1 per row, and of the sum. s[i] has room for a multiple of 8
/// elements.
//
// sum_i softplus(t_i), t_i = -y_i s_i, is sum_i max(t_i, 0) + log prod_i (1 + exp(-|t_i|)). The factors are
// fractions with parts between 2^14 and 2^16, so products of 16 are far from overflow.
HWY_INLINE FamilyVec logistic_loss(const double* y, const double* const* s, Index count, Index j) {
  const FamilyTag d;
  FamilyVec top = hn::Set(d, 1.0), bottom = top, linear = hn::Zero(d);
  for (Index i = 0; i < count; ++i) {
    const FamilyVec x = hn::LoadU(d, s[i] + j), t = hn::Mul(x, hn::Set(d, -y[i]));
    const Fraction<FamilyVec> e = exp_fraction(d, hn::Neg(hn::Abs(x)), 0.0);
    top = hn::Mul(top, hn::Add(e.top, e.bottom));
    bottom = hn::Mul(bottom, e.bottom);
    linear = hn::Add(linear, at_least(d, t, 0.0));
  }
  // The second part of the pair is 0, or NaN where the product is.
  const FamilyVec product = hn::Div(top, bottom);
  const FamilyVec log = log_of_normal(d, Pair<FamilyVec>{product, hn::Sub(product, product)}).hi;
  return hn::Add(linear, log);
}

void AddLogisticRows(const double* y, const double* const* s, Index count, Index many, double* out) {
  if (count == 0) return;
  const FamilyTag d;
  // s has room for whole vectors, out has not: the last few losses go through a buffer.
  const Index rest = many % kFamilyWidth, whole = many - rest;
  for (Index j = 0; j < whole; j += kFamilyWidth)
    hn::StoreU(hn::Sub(hn::LoadU(d, out + j), logistic_loss(y, s, count, j)), d, out + j);
  if (rest == 0) return;
  Lanes loss;
  hn::Store(logistic_loss(y, s, count, whole), d, loss.lane);
  for (Index j = 0; j < rest; ++j) out[whole + j] -= loss.lane[j];
}

const FamilyKernels* BernoulliLogitKernels() {
  static constexpr FamilyKernels kKernels = kernels_of<BernoulliLogitOps>(AddLogisticRows);
  return &kKernels;
}

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

HWY_EXPORT(BernoulliLogitKernels);
static const FamilyKernels* chosen_bernoulli_logit() {
  return HWY_DYNAMIC_DISPATCH(BernoulliLogitKernels)();
}

}  // namespace kernels

namespace families {
namespace {

// The mean of labels -1 and 1 is 2 p - 1.
double logit_of_mean(double mean) {
  constexpr double kLeast = 1e-3;
  // Kept within [0.001, 0.999]: with one class only, the logit would be infinite.
  const double p = std::clamp((1 + mean) / 2, kLeast, 1 - kLeast);
  return std::log(p / (1 - p));
}

}  // namespace

template <>
const FamilyDescription& described<Family::BernoulliLogit>() {
  static constexpr FamilyDescription kDescription = {
      .name = "bernoulli",
      .link = "logit",
      .responses = "labels",
      .response_words = "labels 0 and 1, -1 and 1, or two words",
      .read_response = [](const Dataset& data) { return labels(data, "bernoulli"); },
      .is_binary = true,
      .is_logistic = true,
      .predictor_of_mean = logit_of_mean,
      .simulation = {.name = "logistic",
                     .model = "logistic regression",
                     .num_features = 2,
                     .coefficient = 3,
                     .respond = [](const FamilyParameters&, double s,
                                   Stream& random) { return random.uniform() < sigmoid(s) ? 1.0 : -1.0; }},
      .kernels = kernels::chosen_bernoulli_logit};
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
