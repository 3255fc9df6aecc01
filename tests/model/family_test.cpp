// The families against stable formulas in long double, finite differences, and the bits that are promised.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/model/special.hpp"
#include "model/family_kernels.hpp"
#include "model/reference.hpp"

namespace giga {
namespace {

using test::bits_of;
using test::Real;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr FamilyParameters kBernoulli = {Family::BernoulliLogit};
constexpr FamilyParameters kSoftplus = {Family::PoissonSoftplus};
constexpr FamilyParameters kLog = {Family::PoissonLog};
constexpr FamilyParameters kGaussian = {Family::GaussianIdentity, 0.7};

// A quantity with the sum of the magnitudes of its terms, which bounds what rounding may do to it.
struct Reference {
  Real exact, magnitude;
};

// q - sigma(-s) = (e - log(1 + e)) / ((1 + e) log(1 + e)) with e = exp(s), q = sigma(s) / softplus(s).
Real softplus_gap(Real s) {
  if (s > 0) return test::reference_sigmoid(s) / test::reference_softplus(s) - test::reference_sigmoid(-s);
  const Real e = std::exp(s);
  if (e < 1e-30L) return e / 2;
  Real per_e = 1 - std::log1p(e) / e;
  if (e < 0.1L) {
    per_e = 0;
    Real power = e;
    for (int k = 2; k < 40; ++k, power *= -e) per_e += power / k;
  }
  return per_e / (1 + e) * (e / std::log1p(e));
}

Real softplus_ratio(Real s) {
  return s < -60 ? 1 : test::reference_sigmoid(s) / test::reference_softplus(s);
}

// A label y = -1 or +1 by its link: l, l' and l'' in s, without cancellation, and the largest term of l.
struct LabelReference {
  Real value, slope, curvature, magnitude;
};

// k(x) = phi(x) / (1 - Phi(x)) - x for x >= 0: by the continued fraction 1 / (x + 2 / (x + 3 / ...)) far out.
Real hazard_excess(Real x) {
  if (x < 12) return std::exp(-x * x / 2) / (std::sqrt(std::acos(0.0L)) * std::erfc(x / std::sqrt(2.0L))) - x;
  Real rest = x;
  for (int n = 200; n > 1; --n) rest = x + n / rest;
  return 1 / rest;
}

LabelReference probit(Real y, Real s) {
  constexpr Real kHalfLog2Pi = 0.91893853320467274178032973640562L;
  const Real t = y * s, x = std::abs(t), k = hazard_excess(x), density = std::exp(-x * x / 2 - kHalfLog2Pi);
  if (t < 0) {
    const Real value = -x * x / 2 - kHalfLog2Pi - std::log(x + k);
    return {value, y * (x + k), -(x + k) * k, std::abs(value) + 2};
  }
  const Real tail = density / (x + k), lambda = density / (1 - tail);
  return {std::log1p(-tail), y * lambda, -lambda * (x + lambda), tail - std::log1p(-tail)};
}

LabelReference cloglog(Real y, Real s) {
  const Real mu = std::exp(s);
  if (y < 0) return {-mu, -mu, -mu, mu};
  const Real f = mu > 11000 ? 0 : mu == 0 ? 1 : mu / std::expm1(mu);
  const Real value = mu > 1 ? std::log1p(-std::exp(-mu)) : std::log(-std::expm1(-mu));
  const Real rest = mu < 1e-3L ? -mu / 2 - mu * mu / 12 + mu * mu * mu * mu / 720 : 1 - mu - f;
  return {value, f, f * rest, mu < 2 ? std::abs(value) + std::abs(s) + mu : -value};
}

LabelReference logit(Real y, Real s) {
  const Real sigma = test::reference_sigmoid(-y * s), value = -test::reference_softplus(-y * s);
  return {value, y * sigma, -test::reference_sigmoid(s) * test::reference_sigmoid(-s), -value};
}

using Label = LabelReference (*)(Real y, Real s);

// Successes and failures of a response with trials in it.
template <Label kLabel>
Reference binomial_value(Real response, Real s) {
  const Real m = trials_of(static_cast<double>(response)), y = successes_of(static_cast<double>(response));
  const LabelReference up = kLabel(1, s), down = kLabel(-1, s);
  const Real constant = std::lgamma(y + 1) + std::lgamma(m - y + 1) - std::lgamma(m + 1);
  const Real value = (y == 0 ? 0 : y * up.value) + (m == y ? 0 : (m - y) * down.value) - constant;
  return {value, y * up.magnitude + (m - y) * down.magnitude + 2 * std::lgamma(m + 1)};
}
template <Label kLabel>
Reference binomial_slope(Real response, Real s) {
  const Real m = trials_of(static_cast<double>(response)), y = successes_of(static_cast<double>(response));
  const Real up = y == 0 ? 0 : y * kLabel(1, s).slope, down = m == y ? 0 : (m - y) * kLabel(-1, s).slope;
  return {up + down, std::abs(up) + std::abs(down)};
}
template <Label kLabel>
Real binomial_curvature(Real response, Real s) {
  const Real m = trials_of(static_cast<double>(response)), y = successes_of(static_cast<double>(response));
  return (y == 0 ? 0 : y * kLabel(1, s).curvature) + (m == y ? 0 : (m - y) * kLabel(-1, s).curvature);
}
template <Label kLabel>
Reference label_value(Real y, Real s) {
  return {kLabel(y, s).value, kLabel(y, s).magnitude};
}
template <Label kLabel>
Reference label_slope(Real y, Real s) {
  return {kLabel(y, s).slope, std::abs(kLabel(y, s).slope)};
}
template <Label kLabel>
Real label_curvature(Real y, Real s) {
  return kLabel(y, s).curvature;
}

double any_successes(Stream& random) {
  const double trials = std::floor(random.uniform() < 0.5 ? 12 * random.uniform() : 5000 * random.uniform());
  return with_trials(std::floor(random.uniform() * (trials + 1)), trials);
}

double any_label(Stream& random) {
  return random.uniform() < 0.5 ? -1 : 1;
}

double any_count(Stream& random) {
  const double u = random.uniform();
  if (u < 0.2) return 0;
  return std::floor(u < 0.6 ? 10 * random.uniform() : std::pow(10.0, 9 * random.uniform()));
}

double any_real(Stream& random) {
  return 3 * random.normal();
}

// What is true of a family: l, l' and l'' of y and s by stable formulas, responses of all kinds, and how
// large s may be. One entry for each.
struct Truth {
  FamilyParameters family;
  Reference (*log_likelihood)(Real y, Real s);
  Reference (*slope)(Real y, Real s);
  Real (*curvature)(Real y, Real s);
  double (*response)(Stream& random);
  double largest_s;
  // By how much a factor that may be subnormal is multiplied, besides 1 + |y|.
  Real subnormal = 1;
  // By how much a rounding of s grows, where that is more than a few of the result.
  Real (*growth)(Real s) = [](Real) { return Real{1}; };
};

// exp(-exp(s)) has exp(s) times the relative error of exp(s), which is known to 2^-55.
Real of_exponential(Real s) {
  return 1 + std::min(std::exp(s), Real{1000}) / 16;
}

constexpr Truth kTruths[] = {
    {kBernoulli,
     [](Real y, Real s) {
       const Real value = -test::reference_softplus(-y * s);
       return Reference{value, -value};
     },
     [](Real y, Real s) {
       const Real value = y * test::reference_sigmoid(-y * s);
       return Reference{value, std::abs(value)};
     },
     [](Real, Real s) { return -test::reference_sigmoid(s) * test::reference_sigmoid(-s); }, any_label,
     1e300},
    {kSoftplus,
     [](Real y, Real s) {
       const Real events = y == 0 ? 0 : y * test::reference_log_softplus(s), mu = test::reference_softplus(s);
       const Real constant = std::lgamma(y + 1);
       return Reference{events - mu - constant, std::abs(events) + mu + constant};
     },
     [](Real y, Real s) {
       const Real mu = test::reference_softplus(s), q = softplus_ratio(s);
       return Reference{q * (y - mu), q * (y + mu)};
     },
     [](Real y, Real s) {
       const Real variance = test::reference_sigmoid(s) * test::reference_sigmoid(-s);
       return -(variance + y * softplus_ratio(s) * softplus_gap(s));
     },
     any_count, 1e300},
    {kLog,
     [](Real y, Real s) {
       const Real constant = std::lgamma(y + 1);
       return Reference{y * s - std::exp(s) - constant, std::abs(y * s) + std::exp(s) + constant};
     },
     [](Real y, Real s) {
       return Reference{y - std::exp(s), y + std::exp(s)};
     },
     [](Real, Real s) { return -std::exp(s); }, any_count, 700},
    {kGaussian,
     [](Real y, Real s) {
       const Real scale = kGaussian.noise_scale, r = (y - s) / scale;
       const Real constant = std::log(scale) + 0.91893853320467274178032973640562L;
       return Reference{-r * r / 2 - constant, r * r / 2 + std::abs(constant)};
     },
     [](Real y, Real s) {
       const Real scale = kGaussian.noise_scale;
       return Reference{(y - s) / scale / scale, std::abs(y - s) / scale / scale};
     },
     [](Real, Real) {
       const Real scale = kGaussian.noise_scale;
       return -1 / (scale * scale);
     },
     any_real, 1e100},
    {{Family::BernoulliProbit},
     label_value<probit>,
     label_slope<probit>,
     label_curvature<probit>,
     any_label,
     1e150,
     1e2L},
    {{Family::BernoulliCloglog},
     label_value<cloglog>,
     label_slope<cloglog>,
     label_curvature<cloglog>,
     any_label,
     700,
     1e6L,
     of_exponential},
    {{Family::BinomialLogit},
     binomial_value<logit>,
     binomial_slope<logit>,
     binomial_curvature<logit>,
     any_successes,
     1e290},
    {{Family::BinomialProbit},
     binomial_value<probit>,
     binomial_slope<probit>,
     binomial_curvature<probit>,
     any_successes,
     1e145},
    {{Family::BinomialCloglog},
     binomial_value<cloglog>,
     binomial_slope<cloglog>,
     binomial_curvature<cloglog>,
     any_successes,
     700,
     1e7L,
     of_exponential},
};

struct Rows {
  std::vector<double> y, constant, s;
  [[nodiscard]] Index count() const { return static_cast<Index>(s.size()); }
  void add(const FamilyParameters& f, double response, double predictor) {
    y.push_back(response);
    s.push_back(predictor);
    const std::vector<double> constants = row_constants(f, std::span(&response, 1));
    constant.push_back(constants.empty() ? 0 : constants[0]);
  }
};

// s dense in [-50, 50], log-uniform in magnitude from 1e-10 to `most`, and in the tail below -50.
Rows random_rows(const Truth& truth, int count) {
  const double most = truth.largest_s;
  Rows rows;
  Stream random = stream(7, "rows");
  for (int i = 0; i < count; ++i) {
    double s = 100 * random.uniform() - 50;
    if (i % 3 == 1)
      s = (i % 2 == 0 ? 1 : -1) * std::pow(10.0, -10 + (std::log10(most) + 10) * random.uniform());
    if (i % 3 == 2) s = -std::min(most, 760.0) * random.uniform();
    rows.add(truth.family, truth.response(random), s);
  }
  return rows;
}

struct All {
  std::vector<double> value, slope, curvature;
};

All derivatives(const FamilyParameters& f, const Rows& rows) {
  All all{rows.s, rows.s, rows.s};
  kernels::derivatives(f, rows.y.data(), rows.constant.data(), rows.s.data(), rows.count(), all.value.data(),
                       all.slope.data(), all.curvature.data());
  return all;
}

std::vector<double> log_likelihoods(const FamilyParameters& f, const Rows& rows) {
  std::vector<double> out(rows.s.size());
  kernels::log_likelihoods(f, rows.y.data(), rows.constant.data(), rows.s.data(), rows.count(), out.data());
  return out;
}

double one_slope(const FamilyParameters& f, double y, double s) {
  kernels::slopes(f, y, &s, 1, &s);
  return s;
}

double one_value(const FamilyParameters& f, double y, double s) {
  kernels::log_likelihoods(f, y, log_factorial(y), &s, 1, &s);
  return s;
}

constexpr Real kRelative = 4e-15L;

// Relative to the result, and where terms cancel 8 roundings of the largest; a factor may be subnormal before
// y multiplies it.
void expect_close(double got, Reference want, const char* what, double y, double s, const Truth& truth) {
  const Real error = std::abs(static_cast<Real>(got) - want.exact);
  const Real floor = truth.subnormal * (1 + std::abs(y)) * std::numeric_limits<double>::denorm_min();
  const Real relative = kRelative * truth.growth(s);
  EXPECT_LE(error, relative * std::abs(want.exact) + 8 * 0x1p-53L * want.magnitude + floor)
      << what << " is " << got << ", not " << want.exact << ", at y " << y << ", s " << s;
}

// Those with extra parameters in extra_families_test.cpp.
TEST(Families, AreAllTestedHere) {
  for (const Family family : all_families())
    EXPECT_TRUE(describe(family).num_extras() > 0 ||
                std::ranges::any_of(kTruths, [&](const Truth& t) { return t.family.family == family; }))
        << describe(family).name << " " << describe(family).link;
}

TEST(Families, LogLikelihoodsAreExactToEightRoundingsOfTheirTerms) {
  for (const Truth& truth : kTruths) {
    const FamilyParameters& f = truth.family;
    const Rows rows = random_rows(truth, 100000);
    const std::vector<double> values = log_likelihoods(f, rows);
    const All all = derivatives(f, rows);
    for (std::size_t i = 0; i < rows.s.size(); ++i) {
      const Reference want = truth.log_likelihood(rows.y[i], rows.s[i]);
      const Real bound =
          8 * truth.growth(rows.s[i]) * 0x1p-53L * want.magnitude + std::numeric_limits<double>::denorm_min();
      ASSERT_LE(std::abs(values[i] - want.exact), bound) << "at y " << rows.y[i] << ", s " << rows.s[i];
      ASSERT_LE(std::abs(all.value[i] - want.exact), bound) << "at y " << rows.y[i] << ", s " << rows.s[i];
    }
  }
}

TEST(Families, DerivativesAgreeWithStableFormulasTo4e15) {
  for (const Truth& truth : kTruths) {
    const FamilyParameters& f = truth.family;
    const Rows rows = random_rows(truth, 100000);
    const All all = derivatives(f, rows);
    for (std::size_t i = 0; i < rows.s.size() && !::testing::Test::HasFailure(); ++i) {
      const double y = rows.y[i], s = rows.s[i];
      const Real exact = truth.curvature(y, s);
      expect_close(all.slope[i], truth.slope(y, s), "slope", y, s, truth);
      expect_close(all.curvature[i], {exact, 0}, "curvature", y, s, truth);
      EXPECT_LE(all.curvature[i], 0) << "at y " << y << ", s " << s;
    }
  }
}

TEST(Families, SlopesAgreeWithStableFormulasTo4e15) {
  for (const Truth& truth : kTruths) {
    const FamilyParameters& f = truth.family;
    const Rows rows = random_rows(truth, 20000);
    for (std::size_t i = 0; i < rows.s.size() && !::testing::Test::HasFailure(); ++i) {
      const double y = rows.y[i], s = rows.s[i];
      expect_close(one_slope(f, y, s), truth.slope(y, s), "slope", y, s, truth);
    }
  }
}

TEST(Families, BernoulliIsWithinFourUlpAndItsCurvatureWithinSixTailsIncluded) {
  Rows rows;
  rows.s = {0, -0.0, 1e308, -1e308, 36.7, 40, 708.5, 745, 746, 750};
  for (int i = 0; i < 100000; ++i) rows.s.push_back(-50 + 1e-3 * i);
  Stream random = stream(8, "test");
  for (int i = 0; i < 200000; ++i) rows.s.push_back((i % 2 == 0 ? 20 : 760) * (2 * random.uniform() - 1));
  std::vector<double> slopes = rows.s, values = rows.s;
  double worst[5] = {};
  for (const double y : {-1.0, 1.0}) {
    rows.y.assign(rows.s.size(), y);
    kernels::slopes(kBernoulli, y, rows.s.data(), rows.count(), slopes.data());
    kernels::log_likelihoods(kBernoulli, y, 0, rows.s.data(), rows.count(), values.data());
    const All all = derivatives(kBernoulli, rows);
    for (std::size_t i = 0; i < rows.s.size(); ++i) {
      const Real t = -y * static_cast<Real>(rows.s[i]);
      const Real sigma = test::reference_sigmoid(t), softplus = test::reference_softplus(t);
      const double errors[] = {test::ulps(y * slopes[i], sigma), test::ulps(-values[i], softplus),
                               test::ulps(-all.value[i], softplus), test::ulps(y * all.slope[i], sigma),
                               test::ulps(-all.curvature[i], sigma * test::reference_sigmoid(-t))};
      for (std::size_t k = 0; k < 5; ++k) worst[k] = std::max(worst[k], errors[k]);
    }
  }
  const char* const names[] = {"slopes", "log_likelihoods", "value", "slope", "curvature"};
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_LE(worst[k], k < 4 ? 4.0 : 6.0) << names[k];
    RecordProperty(names[k], std::to_string(worst[k]));
  }
}

// Central differences of l in long double: (l(s + h) - l(s - h)) / 2 h with h = 1e-5 errs by about h^2.
TEST(Families, DerivativesAreThoseOfTheLogLikelihood) {
  constexpr Real kH = 1e-5L;
  for (const Truth& truth : kTruths) {
    const FamilyParameters& f = truth.family;
    Stream random = stream(9, "test");
    Rows rows;
    for (int i = 0; i < 5000; ++i) {
      const double count = std::floor(20 * random.uniform());
      rows.add(f, truth.response == any_count ? count : truth.response(random), 16 * random.uniform() - 8);
    }
    const All all = derivatives(f, rows);
    for (std::size_t i = 0; i < rows.s.size(); ++i) {
      const Real y = rows.y[i], s = rows.s[i];
      const Real above = truth.log_likelihood(y, s + kH).exact, below = truth.log_likelihood(y, s - kH).exact;
      const Real here = truth.log_likelihood(y, s).exact;
      const Real scale = truth.slope(y, s).magnitude + 1;
      EXPECT_NEAR(all.slope[i], static_cast<double>((above - below) / (2 * kH)),
                  static_cast<double>(1e-9L * scale));
      EXPECT_NEAR(all.curvature[i], static_cast<double>((above - 2 * here + below) / (kH * kH)),
                  static_cast<double>(1e-6L * scale));
    }
  }
}

TEST(Families, TailsOfPoissonSoftplusHaveNoNan) {
  EXPECT_EQ(one_slope(kSoftplus, 0, -1e308), 0);
  EXPECT_EQ(one_slope(kSoftplus, 3, -1e308), 3);
  EXPECT_LE(test::ulps(-one_slope(kSoftplus, 0, -740), test::reference_sigmoid(-740)), 2);
  EXPECT_NEAR(one_slope(kSoftplus, 3, 1e308), -1, 1e-15);
  EXPECT_NEAR(one_slope(kSoftplus, 3, kInf), -1, 1e-15);
  EXPECT_EQ(one_slope(kSoftplus, 3, -kInf), 3);
  EXPECT_EQ(one_value(kSoftplus, 0, -1e308), 0);
  EXPECT_EQ(one_value(kSoftplus, 1, -1e308), -1e308);
  EXPECT_EQ(one_value(kSoftplus, 0, -kInf), 0);
  EXPECT_EQ(one_value(kSoftplus, 1, -kInf), -kInf);
  EXPECT_EQ(one_value(kSoftplus, 1e9, kInf), -kInf);
  EXPECT_EQ(one_value(kSoftplus, 0, 1e308), -1e308);
}

TEST(Families, PoissonLogOverflowsToMinusInfinityAndNeverToNan) {
  for (const double s : {710.0, 1e10, 1e308, kInf}) {
    for (const double y : {0.0, 1.0, 1e9}) {
      EXPECT_EQ(one_value(kLog, y, s), -kInf) << "y " << y << ", s " << s;
      EXPECT_EQ(one_slope(kLog, y, s), -kInf) << "y " << y << ", s " << s;
    }
  }
  EXPECT_EQ(one_value(kLog, 0, -1e308), 0);
  EXPECT_EQ(one_value(kLog, 0, -kInf), 0);
  EXPECT_EQ(one_value(kLog, 1, -1e308), -1e308);
  EXPECT_EQ(one_slope(kLog, 5, -1e308), 5);
}

TEST(Families, BernoulliLimitsAreThoseOfTheFormula) {
  for (const double y : {-1.0, 1.0}) {
    EXPECT_EQ(one_value(kBernoulli, y, y * 1e308), 0);
    EXPECT_EQ(one_value(kBernoulli, y, -y * 1e308), -1e308);
    EXPECT_EQ(one_slope(kBernoulli, y, y * kInf), 0);
    EXPECT_EQ(one_slope(kBernoulli, y, -y * kInf), y);
    EXPECT_EQ(one_slope(kBernoulli, y, 0), y / 2);
  }
}

TEST(Families, NanGivesNan) {
  for (const Truth& truth : kTruths) {
    const FamilyParameters& f = truth.family;
    Rows rows;
    const bool trials = describe(f.family).has_trials;
    for (const double y : {0.0, 1.0}) rows.add(f, trials ? with_trials(y, 1) : y, kNan);
    const All all = derivatives(f, rows);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(std::isnan(all.value[i]));
      EXPECT_TRUE(std::isnan(all.slope[i]));
      EXPECT_TRUE(truth.curvature(0, 0) == truth.curvature(0, 1) || std::isnan(all.curvature[i]));
      EXPECT_TRUE(std::isnan(one_slope(f, rows.y[i], kNan)));
    }
  }
}

// Everything there is to compute of the rows, in one vector; kernels see them in pieces of `piece`.
std::vector<double> everything(const FamilyParameters& f, const Rows& rows, Index piece) {
  const Index n = rows.count();
  std::vector<double> all(static_cast<std::size_t>(8 * n));
  double* out = all.data();
  for (Index from = 0; from < n; from += piece) {
    const Index size = std::min(piece, n - from);
    const double *y = rows.y.data() + from, *c = rows.constant.data() + from, *s = rows.s.data() + from;
    kernels::log_likelihoods(f, y, c, s, size, out + from);
    kernels::log_likelihoods(f, 1.0, 0.0, s, size, out + n + from);
    kernels::slopes(f, 1.0, s, size, out + 2 * n + from);
    kernels::derivatives(f, y, c, s, size, out + 3 * n + from, out + 4 * n + from, out + 5 * n + from);
    std::vector<double> first(static_cast<std::size_t>(size));
    kernels::derivatives(f, y, nullptr, s, size, nullptr, first.data(), out + 6 * n + from);
    kernels::derivatives(f, y, nullptr, s, size, nullptr, out + 7 * n + from, nullptr);
  }
  return all;
}

TEST(Families, BitsDependNeitherOnThePositionNorOnTheLength) {
  for (const Truth& truth : kTruths) {
    const FamilyParameters& f = truth.family;
    const Rows rows = random_rows(truth, 101);
    const auto whole = bits_of(everything(f, rows, 101));
    for (const Index piece : {1, 2, 3, 5, 7, 11, 19}) EXPECT_EQ(whole, bits_of(everything(f, rows, piece)));
  }
}

TEST(Families, BitsAreTheSameForEveryInstructionSetOfThisMachine) {
  for (const Truth& truth : kTruths) {
    const FamilyParameters& f = truth.family;
    const Rows rows = random_rows(truth, 3001);
    const auto best = bits_of(everything(f, rows, 3001));
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      EXPECT_TRUE(best == bits_of(everything(f, rows, 3001))) << hwy::TargetName(target);
      EXPECT_TRUE(std::isnan(one_slope(f, 1, kNan))) << hwy::TargetName(target);
      hwy::SetSupportedTargetsForTest(0);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
  }
}

TEST(Families, OutputsLeftOutDoNotChangeTheOthers) {
  for (const Truth& truth : kTruths) {
    const FamilyParameters& f = truth.family;
    const Rows rows = random_rows(truth, 1000);
    const auto all = bits_of(everything(f, rows, 1000));
    const auto part = [&](Index k) {
      return std::vector(all.begin() + 1000 * k, all.begin() + 1000 * (k + 1));
    };
    EXPECT_EQ(part(4), part(7));
    EXPECT_EQ(part(5), part(6));
  }
}

}  // namespace
}  // namespace giga
