// Numbers that carry derivatives: every function by its formula, and compositions by a plain second-order
// forward mode in long double. Models made of them are in autodiff_model_test.cpp.
#include "giga/model/autodiff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "giga/base/random.hpp"
#include "model/jet.hpp"
#include "model/reference.hpp"

namespace giga::test {
namespace {

using autodiff::Dual;
using autodiff::Trace;
using autodiff::Traced;
using jets::Jet;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// f at theta, with the Hessian as Trace gives it mirrored.
template <typename Function>
Derivatives differentiate(const Function& f, const std::vector<double>& theta) {
  const auto dim = std::ssize(theta);
  Trace trace(dim, true);
  trace.set_point(theta.data());
  Derivatives out{0, std::vector<double>(theta.size()), std::vector<double>(theta.size() * theta.size())};
  const Traced y = f(trace.start());
  out.value = y.value();
  trace.add_gradient(y, 1, out.gradient.data());
  trace.add_hessian(out.hessian.data());
  for (Index d = 0; d < dim; ++d)
    for (Index e = 0; e < d; ++e)
      out.hessian[static_cast<std::size_t>(d * dim + e)] = out.hessian[static_cast<std::size_t>(e * dim + d)];
  return out;
}

/// The derivative of f along the unit vector d.
template <typename Function>
double slope(const Function& f, const std::vector<double>& theta, std::size_t d) {
  std::vector<Dual> point(theta.begin(), theta.end());
  point[d] = {theta[d], 1};
  return Dual(f(point.data())).slope();
}

// A function of one number in all the kinds there are.
struct Case {
  std::string name;
  std::function<double(double)> plain;
  std::function<Dual(Dual)> dual;
  std::function<Traced(Traced)> traced;
  std::function<Real(Real)> first, second;
  std::vector<double> points;
};

template <typename Function>
Case make(std::string name, Function f, std::function<Real(Real)> first, std::function<Real(Real)> second,
          std::vector<double> points) {
  return {std::move(name), f, f, f, std::move(first), std::move(second), std::move(points)};
}

std::vector<double> grid(double from, double to, std::vector<double> more = {}) {
  for (int i = 0; i <= 400; ++i) more.push_back(from + (to - from) * i / 400);
  return more;
}

Real log_softplus_gap(Real z) {  // 1 - softplus(z) / exp(z)
  const Real e = std::exp(z);
  if (z > -5) return 1 - reference_softplus(z) / e;
  return e / 2 - e * e / 3 + e * e * e / 4 - e * e * e * e / 5 + e * e * e * e * e / 6 -
         std::pow(e, Real{6}) / 7;
}
Real log_softplus_first(Real z) {
  return z < -5 ? 1 / ((1 + std::exp(z)) * (1 - log_softplus_gap(z)))
                : reference_sigmoid(z) / reference_softplus(z);
}

std::vector<Case> cases() {
  using namespace giga::math;
  using R = Real;
  const auto zero = [](R) { return R{0}; };
  const R k = 2 / std::sqrt(std::acos(R{-1}));
  std::vector<Case> all;
  const auto add = [&](auto&&... arguments) { all.push_back(make(arguments...)); };
  add(
      "exp", [](auto x) { return exp(x); }, [](R x) { return std::exp(x); }, [](R x) { return std::exp(x); },
      grid(-30, 30, {-700, 700, 0.0, -0.0}));
  add(
      "expm1", [](auto x) { return expm1(x); }, [](R x) { return std::exp(x); },
      [](R x) { return std::exp(x); }, grid(-60, 30, {-700, 700, 1e-20}));
  add(
      "log", [](auto x) { return log(x); }, [](R x) { return 1 / x; }, [](R x) { return -1 / (x * x); },
      grid(0.01, 30, {1e-100, 1e100}));
  add(
      "log1p", [](auto x) { return log1p(x); }, [](R x) { return 1 / (1 + x); },
      [](R x) { return -1 / ((1 + x) * (1 + x)); }, grid(-0.875, 30, {1e-20, -1e-20, 1e100}));
  add(
      "sqrt", [](auto x) { return sqrt(x); }, [](R x) { return 1 / (2 * std::sqrt(x)); },
      [](R x) { return -1 / (4 * x * std::sqrt(x)); }, grid(0.01, 30, {1e-100, 1e100}));
  add(
      "sin", [](auto x) { return sin(x); }, [](R x) { return std::cos(x); }, [](R x) { return -std::sin(x); },
      grid(-10, 10));
  add(
      "cos", [](auto x) { return cos(x); }, [](R x) { return -std::sin(x); },
      [](R x) { return -std::cos(x); }, grid(-10, 10));
  add(
      "tan", [](auto x) { return tan(x); }, [](R x) { return 1 / (std::cos(x) * std::cos(x)); },
      [](R x) { return 2 * std::tan(x) / (std::cos(x) * std::cos(x)); }, grid(-1.5, 1.5));
  add(
      "sinh", [](auto x) { return sinh(x); }, [](R x) { return std::cosh(x); },
      [](R x) { return std::sinh(x); }, grid(-20, 20));
  add(
      "cosh", [](auto x) { return cosh(x); }, [](R x) { return std::sinh(x); },
      [](R x) { return std::cosh(x); }, grid(-20, 20));
  add(
      "tanh", [](auto x) { return tanh(x); }, [](R x) { return 1 / (std::cosh(x) * std::cosh(x)); },
      [](R x) { return -2 * std::tanh(x) / (std::cosh(x) * std::cosh(x)); }, grid(-20, 20, {300, -300}));
  add(
      "atan", [](auto x) { return atan(x); }, [](R x) { return 1 / (1 + x * x); },
      [](R x) { return -2 * x / ((1 + x * x) * (1 + x * x)); }, grid(-20, 20, {1e90, -1e90}));
  add(
      "erf", [](auto x) { return erf(x); }, [k](R x) { return k * std::exp(-x * x); },
      [k](R x) { return -2 * x * k * std::exp(-x * x); }, grid(-6, 6, {20, -20}));
  add(
      "erfc", [](auto x) { return erfc(x); }, [k](R x) { return -k * std::exp(-x * x); },
      [k](R x) { return 2 * x * k * std::exp(-x * x); }, grid(-6, 6, {20, -20}));
  add(
      "sigmoid", [](auto x) { return sigmoid(x); },
      [](R x) { return reference_sigmoid(x) * reference_sigmoid(-x); },
      [](R x) { return -std::tanh(x / 2) * reference_sigmoid(x) * reference_sigmoid(-x); },
      grid(-40, 40, {700, -700}));
  add(
      "softplus", [](auto x) { return softplus(x); }, [](R x) { return reference_sigmoid(x); },
      [](R x) { return reference_sigmoid(x) * reference_sigmoid(-x); }, grid(-40, 40, {700, -700}));
  add(
      "log_softplus", [](auto x) { return log_softplus(x); }, log_softplus_first,
      [](R x) { return -log_softplus_gap(x) * log_softplus_first(x) * log_softplus_first(x); },
      grid(-40, 40, {-2.99, -2.995, -3, 600, -600}));
  for (const double c : {-2.5, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 7.25}) {
    add(
        "pow " + std::to_string(c), [c](auto x) { return pow(x, c); },
        [c](R x) { return c * std::pow(x, c - R{1}); },
        [c](R x) { return c * (c - R{1}) * std::pow(x, c - R{2}); }, grid(0.01, 20, {1e-30, 1e30}));
  }
  add(
      "power of -1.5", [](auto x) { return pow(x, 3); }, [](R x) { return 3 * x * x; },
      [](R x) { return 6 * x; }, grid(-20, -0.01));
  add(
      "2.5 to the", [](auto x) { return pow(2.5, x); },
      [](R x) { return std::log(R{2.5}) * std::pow(R{2.5}, x); },
      [](R x) { return std::log(R{2.5}) * std::log(R{2.5}) * std::pow(R{2.5}, x); }, grid(-20, 20));
  add(
      "x to the x", [](auto x) { return pow(x, x); }, [](R x) { return std::pow(x, x) * (1 + std::log(x)); },
      [](R x) { return std::pow(x, x) * ((1 + std::log(x)) * (1 + std::log(x)) + 1 / x); }, grid(0.01, 10));
  add(
      "1 / x", [](auto x) { return 1 / x; }, [](R x) { return -1 / (x * x); },
      [](R x) { return 2 / (x * x * x); }, grid(0.01, 10, {-3, 1e50}));
  add(
      "x * x", [](auto x) { return x * x; }, [](R x) { return 2 * x; }, [](R) { return R{2}; }, grid(-9, 9));
  add(
      "abs", [](auto x) { return abs(x); }, [](R x) { return x < 0 ? R{-1} : R{1}; }, zero, grid(-9.1, 9));
  add(
      "fabs", [](auto x) { return fabs(x); }, [](R x) { return x < 0 ? R{-1} : R{1}; }, zero, grid(-9.1, 9));
  add(
      "fmin", [](auto x) { return fmin(fmin(x, 2.0), 3 * x); },
      [](R x) { return x < 0   ? R{3}
                       : x < 2 ? R{1}
                               : R{0}; }, zero, grid(-9.1, 9));
  add(
      "fmax", [](auto x) { return fmax(2.0, fmax(x, 3 * x)); }, [](R x) { return 3 * x > 2 ? R{3} : R{0}; },
      zero, grid(-9.1, 9));
  return all;
}

// Off by rounding: relative, and what a rounding of the argument changes by.
void expect_near(double got, Real want, Real slack, const std::string& where) {
  EXPECT_LE(std::abs(static_cast<Real>(got) - want), 1e-12L * std::abs(want) + slack) << where << ": " << got;
}

TEST(Autodiff, EveryFunctionHasItsDerivativesAtManyPoints) {
  for (const Case& c : cases()) {
    for (const double x : c.points) {
      const std::string where = c.name + " at " + std::to_string(x);
      const Derivatives at = differentiate([&](const Traced* t) { return c.traced(t[0]); }, {x});
      const Dual dual = c.dual(Dual(x, 1));
      EXPECT_EQ(at.value, c.plain(x)) << where;
      EXPECT_EQ(dual.value(), c.plain(x)) << where;
      expect_near(at.gradient[0], c.first(x), 0, where);
      expect_near(dual.slope(), c.first(x), 0, where);
      expect_near(at.hessian[0], c.second(x), 0, where);
    }
  }
}

TEST(Autodiff, AFunctionOfAScaledAndShiftedNumberHasTheDerivativesOfTheChainRule) {
  for (const Case& c : cases()) {
    for (const double x : c.points) {
      if (std::abs(x) > 100 || (x != 0 && std::abs(x) < 1e-3)) continue;
      // u = (3 t_0 - 2 t_1) / 4 + 1, rounded as x is not.
      const double t1 = 0.375, t0 = ((x - 1) * 4 + 2 * t1) / 3;
      const auto f = [&](const auto* t) {
        const auto u = (3 * t[0] - 2 * t[1]) / 4 + 1;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(u)>, Dual>)
          return c.dual(u);
        else
          return c.traced(u);
      };
      const Real u = (3 * Real{t0} - 2 * Real{t1}) / 4 + 1;
      // Where u is rounded, a derivative is off by the next one times the rounding of u and of its terms.
      const Real next = 1e-15L * (std::abs(u) + std::abs(t0) + 1);
      const Real h = 1e-4L * (std::abs(u) < 1e-2L ? 1e-2L : std::abs(u));
      const Real third = std::abs(c.second(u + h) - c.second(u)) / h;
      const Derivatives at = differentiate(f, {t0, t1});
      const std::string where = c.name + " at " + std::to_string(x);
      const Real slack = next * std::abs(c.second(u)), wide = 2 * next * (std::isfinite(third) ? third : 0);
      expect_near(at.gradient[0], 0.75L * c.first(u), slack, where);
      expect_near(at.gradient[1], -0.5L * c.first(u), slack, where);
      expect_near(slope(f, {t0, t1}, 0), 0.75L * c.first(u), slack, where);
      expect_near(slope(f, {t0, t1}, 1), -0.5L * c.first(u), slack, where);
      expect_near(at.hessian[0], 0.5625L * c.second(u), wide, where);
      expect_near(at.hessian[1], -0.375L * c.second(u), wide, where);
      expect_near(at.hessian[3], 0.25L * c.second(u), wide, where);
    }
  }
}

TEST(Autodiff, AtTheEdgesDerivativesAreTheLimits) {
  using namespace giga::math;
  const auto expect = [](const char* name, auto f, double x, double first, double second) {
    const Derivatives at = differentiate([&](const Traced* t) { return f(t[0]); }, {x});
    EXPECT_EQ(at.gradient[0], first) << name << " at " << x;
    EXPECT_EQ(at.hessian[0], second) << name << " at " << x;
    EXPECT_EQ(f(Dual(x, 1)).slope(), first) << name << " at " << x;
  };
  expect(
      "sqrt", [](auto x) { return sqrt(x); }, 0, kInf, -kInf);
  expect(
      "log", [](auto x) { return log(x); }, 0, kInf, -kInf);
  expect(
      "log", [](auto x) { return log(x); }, kInf, 0, 0);
  expect(
      "exp", [](auto x) { return exp(x); }, -kInf, 0, 0);
  expect(
      "exp", [](auto x) { return exp(x); }, 1000, kInf, kInf);
  expect(
      "erf", [](auto x) { return erf(x); }, kInf, 0, 0);
  expect(
      "atan", [](auto x) { return atan(x); }, -kInf, 0, 0);
  expect(
      "tanh", [](auto x) { return tanh(x); }, 1000, 0, 0);
  expect(
      "sigmoid", [](auto x) { return sigmoid(x); }, -1000, 0, 0);
  expect(
      "sigmoid", [](auto x) { return sigmoid(x); }, 0, 0.25, 0);
  expect(
      "softplus", [](auto x) { return softplus(x); }, 1000, 1, 0);
  expect(
      "softplus", [](auto x) { return softplus(x); }, -1000, 0, 0);
  expect(
      "log_softplus", [](auto x) { return log_softplus(x); }, -1000, 1, 0);
  expect(
      "log_softplus", [](auto x) { return log_softplus(x); }, 1024, 0x1p-10, -0x1p-20);
  expect(
      "pow 2", [](auto x) { return pow(x, 2); }, 0, 0, 2);
  expect(
      "pow 1", [](auto x) { return pow(x, 1); }, 0, 1, 0);
  expect(
      "pow 0", [](auto x) { return pow(x, 0); }, 0, 0, 0);
  expect(
      "pow 3", [](auto x) { return pow(x, 3); }, 0, 0, 0);
  expect(
      "pow 1/2", [](auto x) { return pow(x, 0.5); }, 0, kInf, -kInf);
  expect(
      "0 to the", [](auto x) { return pow(0.0, x); }, 2, 0, 0);
  expect(
      "abs", [](auto x) { return abs(x); }, 0, 0, 0);
  expect(
      "abs", [](auto x) { return abs(x); }, -0.0, 0, 0);
}

TEST(Autodiff, NanStaysNanAndTheLesserOfNanAndANumberIsTheNumber) {
  using namespace giga::math;
  for (const Case& c : cases()) {
    if (c.name == "fmin" || c.name == "fmax" || c.name == "pow 0.000000") continue;
    const Derivatives at = differentiate([&](const Traced* t) { return c.traced(t[0]); }, {kNan});
    EXPECT_TRUE(std::isnan(at.value)) << c.name;
  }
  EXPECT_EQ(differentiate([](const Traced* t) { return fmin(t[0], t[1]); }, {kNan, 2}).gradient,
            (std::vector<double>{0, 1}));
  EXPECT_EQ(differentiate([](const Traced* t) { return fmax(t[0], t[1]); }, {2, kNan}).gradient,
            (std::vector<double>{1, 0}));
  EXPECT_TRUE(isnan(Dual(kNan)) && isinf(Traced(-kInf)) && isfinite(Dual(1)));
  EXPECT_FALSE(Traced(kNan) < 0 || Traced(kNan) >= 0 || Dual(kNan) == Dual(kNan));
}

TEST(Autodiff, WhatDoesNotDependOnTheParametersHasNoDerivativeBeItsFunctionSmoothOrNot) {
  using namespace giga::math;
  const auto f = [](const auto* t) {
    using T = std::remove_cvref_t<decltype(*t)>;
    const T constant = 0;
    return t[0] * t[1] + sqrt(constant) + log(constant) + pow(constant, 0.5) + sqrt(0.0 * t[0]);
  };
  const Derivatives at = differentiate(f, {2, 3});
  EXPECT_EQ(at.value, -kInf);
  EXPECT_EQ(at.gradient, (std::vector<double>{3, 2}));
  EXPECT_EQ(at.hessian, (std::vector<double>{0, 1, 1, 0}));
  EXPECT_EQ(slope(f, {2, 3}, 0), 3);
  const auto unused = [](const auto* t) { return (void)log(t[1] - t[1]), 2.0 * t[0]; };
  EXPECT_EQ(differentiate(unused, {2, 3}).gradient, (std::vector<double>{2, 0}));
  const Derivatives none = differentiate([](const Traced*) { return Traced(7); }, {2, 3});
  EXPECT_EQ(none.gradient, std::vector<double>(2, 0.0));
  EXPECT_EQ(none.hessian, std::vector<double>(4, 0.0));
}

TEST(Autodiff, NumbersMixWithDoublesAndIntegersAndAreOrderedByValue) {
  const auto f = [](const auto* t) {
    using T = std::remove_cvref_t<decltype(*t)>;
    T y = 1;
    y += t[0];
    y -= 2.5;
    y *= t[1];
    y /= 4;
    y *= 3.0;
    y /= t[1] - 7;
    return +(2 / y) + -t[0] * 2 + 1 - (3 - y * 0.5) + (1.0 + t[0]) / T(2);
  };
  std::vector<Jet> jets = Jet::variables({0.75, -1.25});
  const Jet want = f(jets.data());
  const Derivatives at = differentiate(f, {0.75, -1.25});
  EXPECT_EQ(error_beyond(want, at, 1), 0);
  const Dual a(1, 5), b(2, -5);
  EXPECT_TRUE(a < b && a <= 1 && 1 <= a && 3 > b && b >= a && a != b && a == 1.0 && a == 1 &&
              std::max(a, b) == 2);
}

struct Reference {
  double x, digamma, trigamma;
};
// From mpmath, 40 digits.
constexpr Reference kReferences[] = {{1e-8, -100000000.57721564636, 10000000000000001.226},
                                     {0.001, -1000.5755719318102797, 1000001.6425331958273},
                                     {0.25, -4.2274535333762654081, 17.197329154507110739},
                                     {0.5, -1.9635100260214234794, 4.9348022005446793094},
                                     {1, -0.57721566490153286061, 1.6449340668482264365},
                                     {1.25, -0.22745353337626540809, 1.1973291545071107393},
                                     {1.4616321449683623, -9.2412655217294275168e-17, 0.967672245447621255},
                                     {1.5, 0.036489973978576520559, 0.93480220054467930942},
                                     {2, 0.42278433509846713939, 0.64493406684822643647},
                                     {3.75, 1.1825373886117962286, 0.30533985269025307549},
                                     {9.5, 2.1977378764029495332, 0.11099728846909903237},
                                     {9.9999, 2.2517420723779034021, 0.10516744067678245193},
                                     {10, 2.2517525890667211076, 0.10516633568168574612},
                                     {12.5, 2.4851956512749120482, 0.083285224601578370444},
                                     {100, 4.6001618527380874002, 0.010050166663333571395},
                                     {1e5, 11.512920464961895087, 0.000010000050000166666667},
                                     {1e200, 460.51701859880913677, 1.0000000000000000303e-200},
                                     {-0.25, 2.9141391202135278304, 18.541879647671606498},
                                     {-1e-8, 99999999.422784316557, 10000000000000001.226},
                                     {-0.5, 0.036489973978576520559, 8.9348022005446793094},
                                     {-1.5, 0.70315664064524318723, 9.3792466449891237539},
                                     {-3.75, -1.6923885983113303432, 19.504980060599575273},
                                     {-20.125, 10.611077432912593498, 67.345399044730960793}};

TEST(Autodiff, TheDerivativesOfLgammaAreDigammaAndTrigamma) {
  using namespace giga::math;
  for (const auto& [x, first, second] : kReferences) {
    EXPECT_NEAR(digamma(x), first, 1e-14 * std::max(std::abs(first), 4.0)) << x;
    EXPECT_NEAR(trigamma(x), second, 1e-14 * second) << x;
    const Derivatives at = differentiate([](const Traced* t) { return lgamma(t[0]); }, {x});
    EXPECT_EQ(at.value, std::lgamma(x));
    EXPECT_EQ(at.gradient[0], digamma(x));
    EXPECT_EQ(at.hessian[0], trigamma(x));
    EXPECT_EQ(lgamma(Dual(x, 1)).slope(), digamma(x));
  }
  EXPECT_TRUE(std::isnan(digamma(0)) && std::isnan(digamma(-3)) && std::isnan(digamma(-kInf)));
  EXPECT_TRUE(std::isnan(digamma(kNan)) && std::isnan(trigamma(kNan)) && std::isnan(trigamma(-kInf)));
  EXPECT_EQ(trigamma(0), kInf);
  EXPECT_EQ(trigamma(-3), kInf);
  EXPECT_EQ(digamma(kInf), kInf);
  EXPECT_EQ(trigamma(kInf), 0);
}

// Steps that each make a number of earlier ones; the result is the sum of the last few.
struct Program {
  struct Step {
    int operation;
    std::size_t a, b;
    double c;
  };
  std::vector<Step> steps;

  template <typename T>
  static T perform(const Step& step, const std::vector<T>& x) {
    using namespace giga::math;
    const T &a = x[step.a], &b = x[step.b];
    switch (step.operation) {
      case 0: return a + b;
      case 1: return a - b;
      case 2: return a * b;
      case 3: return a / (2.0 + b * b);
      case 4: return step.c * a;
      case 5: return a + step.c;
      case 6: return step.c - a;
      case 7: return exp(tanh(a));
      case 8: return log1p(a * a);
      case 9: return sqrt(1.0 + a * a);
      case 10: return sin(a) * cos(b);
      case 11: return atan(a - b);
      case 12: return sigmoid(a + b);
      case 13: return softplus(a) / step.c;
      case 14: return erf(a) + erfc(b);
      case 15: return pow(1.0 + a * a, step.c);
      case 16: return pow(1.0 + a * a, tanh(b));
      case 17: return fmax(a, b);
      case 18: return step.c / (1.0 + exp(-a));
      case 19: return log_softplus(a);
      case 20: {
        T sum = 0;
        for (const T& each : x) sum += step.c * each;
        return sum / static_cast<double>(x.size());
      }
      case 21: return -a + (a + b) + (a + b);
      case 22: return log(2.0 + cosh(a)) - expm1(-(b * b));
      default: return a * a;
    }
  }

  template <typename T>
  [[nodiscard]] T run(const T* theta, std::size_t dim) const {
    std::vector<T> x(theta, theta + dim);
    for (const Step& step : steps) x.push_back(perform(step, x));
    return x[x.size() - 1] + 2.0 * x[x.size() - 2] - x[x.size() - 3];
  }
};

TEST(Autodiff, RandomCompositionsHaveTheDerivativesOfPlainForwardModeToATrillionth) {
  for (Index trial = 0; trial < 600; ++trial) {
    Stream random = stream(1, "compositions", trial);
    const std::size_t dim = 3 + random.below(5);
    std::vector<double> theta;
    for (std::size_t d = 0; d < dim; ++d) theta.push_back(random.normal());
    Program program;
    std::vector<Jet> x = Jet::variables(theta);
    const std::size_t length = 3 + random.below(40);
    Real size = 1;
    while (program.steps.size() < length) {
      Program::Step step{static_cast<int>(random.below(24)), random.below(x.size()), random.below(x.size()),
                         0.25 + random.uniform()};
      if (std::abs(x[step.a].value()) > 3) step.operation = 12;  // keep numbers of order 1
      program.steps.push_back(step);
      x.push_back(Program::perform(step, x));
      size = std::max(size, x.back().size());
    }
    const Jet want = program.run(Jet::variables(theta).data(), dim);
    const auto f = [&](const auto* t) { return program.run(t, dim); };
    EXPECT_EQ(error_beyond(want, differentiate(f, theta), size), 0) << "trial " << trial;
    for (std::size_t d = 0; d < dim; ++d)
      EXPECT_NEAR(slope(f, theta, d), static_cast<double>(want.gradient(d)),
                  static_cast<double>(1e-12L * size));
  }
}

// Sums in all the shapes that a form of the trace can take.
TEST(Autodiff, RunningSumsAndSumsOfSumsHaveTheirDerivatives) {
  using namespace giga::math;
  const auto f = [](const auto* t) {
    using T = std::remove_cvref_t<decltype(*t)>;
    std::vector<T> running;
    T sum = 0;
    for (int i = 0; i < 150; ++i) {
      sum += (i % 7 - 3) * t[i % 3];
      if (i % 10 == 9) sum += 0.01 * exp(sum / 20);
      running.push_back(sum);
    }
    T y = 0;
    for (std::size_t i = 0; i < running.size(); i += 2) y += sin(running[i] / 30);
    const T first = t[0] + t[1];
    T longer = first, again = first;
    longer += t[2];
    again += t[2];
    y += longer * again - first * first;
    y += (longer + longer) * (sum - running[70]) / 50;
    const T early = t[0] - 3 * t[2], late = t[1] + t[2];
    const T twice = 2 * late + early, less = early - 0.5 * (t[1] - t[0]);
    y += twice * less + dot(std::vector<double>{2, 3}.data(), std::vector<T>{t[0], cos(t[1])}.data(), 2);
    const std::vector<T> newest_first = {sin(t[2]), t[0]};
    y += pow(dot(std::vector<double>{2, 3}.data(), newest_first.data(), 2), 2.0);
    return y - 2.0 * (running[20] + running[90]) + (running[100] + first) / 3;
  };
  const std::vector<double> theta = {0.5, -1, 0.75};
  const Jet want = f(Jet::variables(theta).data());
  EXPECT_EQ(error_beyond(want, differentiate(f, theta), want.size()), 0);
}

TEST(Autodiff, ALinearPredictorOfHundredsOfParametersHasItsOuterProduct) {
  using namespace giga::math;
  for (const std::size_t dim : std::vector<std::size_t>{1, 2, 63, 64, 65, 66, 128, 129, 300}) {
    std::vector<double> x, theta;
    Stream random = stream(1, "dot");
    for (std::size_t d = 0; d < dim; ++d) {
      x.push_back(random.normal());
      theta.push_back(random.normal() / static_cast<double>(dim));
    }
    double u = 0;
    for (std::size_t d = 0; d < dim; ++d) u += x[d] * theta[d];
    const double s = sigmoid(u), curvature = s * (1 - s);
    const auto f = [&](const auto* t) { return softplus(dot(x.data(), t, std::ssize(x))) + 3 * t[0]; };
    const Derivatives at = differentiate(f, theta);
    EXPECT_EQ(at.value, softplus(u) + 3 * theta[0]);
    for (std::size_t d = 0; d < dim; ++d) {
      ASSERT_NEAR(at.gradient[d], s * x[d] + (d == 0 ? 3 : 0), 1e-14);
      for (std::size_t e = 0; e < dim; ++e)
        ASSERT_NEAR(at.hessian[d * dim + e], curvature * x[d] * x[e], 1e-14);
    }
  }
}

TEST(Autodiff, ADotProductIsTheLoopWhateverItsFactorsAre) {
  using namespace giga::math;
  const std::vector<double> x = {0, 2, -1, 0.5, 0, 3, 0.25, -2};
  std::vector<double> many(150, 0.5);
  many[70] = 0;
  const auto with = [&](const auto& product) {
    return [&](const auto* t) {
      using T = std::remove_cvref_t<decltype(*t)>;
      // Parameters, constants, multiples, sums short and long, results of functions.
      const std::vector<T> factors = {
          t[0],        t[1], 7,         2 * t[2] - 1,
          t[0] + t[1], 3,    exp(t[2]), t[0] + 2 * t[1] - t[2] + exp(t[0]) + exp(t[1])};
      std::vector<T> repeated;
      for (std::size_t i = 0; i < many.size(); ++i) repeated.push_back(factors[i % (i < 75 ? 2 : 8)]);
      const T first = product(x.data(), factors.data(), 8),
              second = product(many.data(), repeated.data(), 150);
      return sin(first) * second + product(x.data(), factors.data(), 0) +
             product(x.data(), factors.data(), 1);
    };
  };
  const auto by_dot = with([](const double* a, const auto* b, Index count) { return dot(a, b, count); });
  const auto by_loop = with([](const double* a, const auto* b, Index count) {
    std::remove_cvref_t<decltype(*b)> sum = 0;
    for (Index j = 0; j < count; ++j) sum += a[j] * b[j];
    return sum;
  });
  const std::vector<double> theta = {0.5, -1, 0.75};
  const Jet want = by_loop(Jet::variables(theta).data());
  const Derivatives at = differentiate(by_dot, theta);
  EXPECT_EQ(at.value, differentiate(by_loop, theta).value);
  EXPECT_EQ(error_beyond(want, at, want.size()), 0);
  EXPECT_EQ(error_beyond(want, differentiate(by_loop, theta), want.size()), 0);
  EXPECT_NEAR(slope(by_dot, theta, 2), at.gradient[2], 1e-12 * static_cast<double>(want.size()));
}

TEST(Autodiff, ATraceForgetsWhatWasRecordedBefore) {
  using namespace giga::math;
  Trace trace(2, true);
  const std::vector<double> theta = {0.5, 2};
  trace.set_point(theta.data());
  for (int round = 0; round < 3; ++round) {
    const Traced* t = trace.start();
    (void)exp(t[0] * t[1] + t[0]);  // as if an exception had ended it
    t = trace.start();
    const Traced y = t[0] * t[0] * t[1];
    std::vector<double> gradient = {1, 1}, hessian(4, 1.0);
    trace.add_gradient(y, 2, gradient.data());
    trace.add_hessian(hessian.data());
    EXPECT_EQ(gradient, (std::vector<double>{1 + 2 * 2.0, 1 + 2 * 0.25}));
    EXPECT_EQ(hessian, (std::vector<double>{1 + 2 * 4.0, 1 + 2 * 1.0, 1, 1}));
  }
}

}  // namespace
}  // namespace giga::test
