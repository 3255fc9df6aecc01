// Labels y = -1 or +1: logistic regression, P(y) = sigma(y s), with t = -y s,
//
//     l = -softplus(t),   l' = y sigma(t),   l'' = -sigma(t) sigma(-t),
//
// and the links probit and cloglog, whose formulas are in labels-inl.hpp.
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
#include "model/families/labels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace giga::kernels::HWY_NAMESPACE {

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

GIGA_FAMILY_KERNELS(BernoulliLogit, AddLogisticRows)
GIGA_FAMILY_KERNELS(BernoulliProbit)
GIGA_FAMILY_KERNELS(BernoulliCloglog)

}  // namespace giga::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace giga {

namespace kernels {

GIGA_CHOOSE_KERNELS(BernoulliLogit)
GIGA_CHOOSE_KERNELS(BernoulliProbit)
GIGA_CHOOSE_KERNELS(BernoulliCloglog)

}  // namespace kernels

namespace families {
namespace {

// The mean of labels -1 and 1 is 2 p - 1.
double logit_of_mean(double mean) {
  return logit_of((1 + mean) / 2);
}

Response read_labels(const Dataset& data) {
  return labels(data, "bernoulli");
}

}  // namespace

template <>
const FamilyDescription& described<Family::BernoulliLogit>() {
  static constexpr FamilyDescription kDescription = {
      .name = "bernoulli",
      .link = "logit",
      .ratio = "odds ratio",
      .responses = "labels",
      .response_words = "labels 0 and 1, -1 and 1, or two words",
      .read_response = read_labels,
      .is_binary = true,
      .is_logistic = true,
      .predictor_of_mean = logit_of_mean,
      .simulation = {.name = "logistic",
                     .model = "logistic regression",
                     .num_features = 2,
                     .coefficient = 3,
                     .respond = [](const FamilyParameters&, double s,
                                   Stream& random) { return random.uniform() < sigmoid(s) ? 1.0 : -1.0; }},
      .kernels = kernels::ChosenBernoulliLogit};
  return kDescription;
}

template <>
const FamilyDescription& described<Family::BernoulliProbit>() {
  static constexpr FamilyDescription kDescription = {
      .name = "bernoulli",
      .link = "probit",
      .is_default_link = false,
      .responses = "labels",
      .response_words = "labels 0 and 1, or -1 and 1",
      .read_response = read_labels,
      .is_binary = true,
      .predictor_of_mean = [](double mean) { return probit_of((1 + mean) / 2); },
      .analytic_within = kProbitAnalyticWithin,
      .simulation = {.name = "logistic",
                     .model = "logistic regression",
                     .num_features = 2,
                     .coefficient = 3,
                     .is_usual_link = false,
                     .respond = [](const FamilyParameters&, double s,
                                   Stream& random) { return random.normal() < s ? 1.0 : -1.0; }},
      .kernels = kernels::ChosenBernoulliProbit};
  return kDescription;
}

template <>
const FamilyDescription& described<Family::BernoulliCloglog>() {
  static constexpr FamilyDescription kDescription = {
      .name = "bernoulli",
      .link = "cloglog",
      .is_default_link = false,
      .responses = "labels",
      .response_words = "labels 0 and 1, or -1 and 1",
      .read_response = read_labels,
      .is_binary = true,
      .predictor_of_mean = [](double mean) { return cloglog_of((1 + mean) / 2); },
      .analytic_within = kCloglogAnalyticWithin,
      .simulation = {.name = "logistic",
                     .model = "logistic regression",
                     .num_features = 2,
                     .coefficient = 3,
                     .is_usual_link = false,
                     .respond =
                         [](const FamilyParameters&, double s, Stream& random) {
                           return random.uniform() < -std::expm1(-std::exp(s)) ? 1.0 : -1.0;
                         }},
      .kernels = kernels::ChosenBernoulliCloglog};
  return kDescription;
}

}  // namespace families

}  // namespace giga
#endif  // HWY_ONCE
