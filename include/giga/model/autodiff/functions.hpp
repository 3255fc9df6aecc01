// Arithmetic and functions of the numbers of numbers.hpp: used as those of double, with the same values.
//
// Every operation computes the value as double would and hands its derivatives to the kind of number:
//     T::linear   constant + factor x     +, -, *, / with a double, and the sign
//     T::sum      a + b, a - b
//     T::product  a b
//     T::apply    f(x), by a struct of rules
//     T::combine  f(a, b), by its partial derivatives
// Comparisons use values alone. Where a function has a corner, one of the slopes is taken: |x| has 0 at 0,
// fmin and fmax have that of the number they return.
#pragma once

#include <cmath>
#include <compare>
#include <concepts>
#include <type_traits>

#include "giga/base/types.hpp"
#include "giga/model/autodiff/numbers.hpp"
#include "giga/model/special.hpp"

namespace giga::autodiff {

template <typename T>
concept Number = std::same_as<T, Dual> || std::same_as<T, Traced>;

template <Number T>
[[nodiscard]] T operator+(const T& x) {
  return x;
}
template <Number T>
[[nodiscard]] T operator-(const T& x) {
  return T::linear(x, -x.value(), -1);
}

template <Number T>
[[nodiscard]] T operator+(const T& a, const T& b) {
  return T::sum(a, b, a.value() + b.value(), 1);
}
template <Number T>
[[nodiscard]] T operator+(const T& a, double b) {
  return T::linear(a, a.value() + b, 1);
}
template <Number T>
[[nodiscard]] T operator+(double a, const T& b) {
  return T::linear(b, a + b.value(), 1);
}

template <Number T>
[[nodiscard]] T operator-(const T& a, const T& b) {
  return T::sum(a, b, a.value() - b.value(), -1);
}
template <Number T>
[[nodiscard]] T operator-(const T& a, double b) {
  return T::linear(a, a.value() - b, 1);
}
template <Number T>
[[nodiscard]] T operator-(double a, const T& b) {
  return T::linear(b, a - b.value(), -1);
}

template <Number T>
[[nodiscard]] T operator*(const T& a, const T& b) {
  return T::product(a, b, a.value() * b.value());
}
template <Number T>
[[nodiscard]] T operator*(const T& a, double b) {
  return T::linear(a, a.value() * b, b);
}
template <Number T>
[[nodiscard]] T operator*(double a, const T& b) {
  return T::linear(b, a * b.value(), a);
}

template <Number T>
[[nodiscard]] T operator/(const T& a, double b) {
  return T::linear(a, a.value() / b, 1 / b);
}
template <Number T>
[[nodiscard]] T operator/(const T& a, const T& b) {
  if (T::is_constant(b)) return a / b.value();
  // f = a / b: f_a = 1/b, f_b = -f/b, f_aa = 0, f_ab = -1/b^2, f_bb = 2 f/b^2.
  const double y = a.value() / b.value(), inverse = 1 / b.value();
  return T::combine(a, b, y, {inverse, -y * inverse, 0, -inverse * inverse, 2 * y * inverse * inverse});
}
template <Number T>
[[nodiscard]] T operator/(double a, const T& b) {
  return T(a) / b;
}

template <Number T>
T& operator+=(T& a, const std::type_identity_t<T>& b) {
  return a = a + b;
}
template <Number T>
T& operator-=(T& a, const std::type_identity_t<T>& b) {
  return a = a - b;
}
template <Number T>
T& operator*=(T& a, const std::type_identity_t<T>& b) {
  return a = a * b;
}
template <Number T>
T& operator/=(T& a, const std::type_identity_t<T>& b) {
  return a = a / b;
}

template <Number T>
[[nodiscard]] bool operator==(const T& a, const T& b) {
  return a.value() == b.value();
}
template <Number T>
[[nodiscard]] bool operator==(const T& a, double b) {
  return a.value() == b;
}
template <Number T>
[[nodiscard]] std::partial_ordering operator<=>(const T& a, const T& b) {
  return a.value() <=> b.value();
}
template <Number T>
[[nodiscard]] std::partial_ordering operator<=>(const T& a, double b) {
  return a.value() <=> b;
}

// y = f(x), f' and f'', each from what comes before it: value(x), first(x, y), second(x, y, f'). They are
// accurate where the obvious formula is not, such as 1 - tanh(x)^2 for large x.
namespace rules {

struct Exp {
  static double value(double x) { return std::exp(x); }
  static double first(double, double y) { return y; }
  static double second(double, double y, double) { return y; }
};
struct Expm1 {
  static double value(double x) { return std::expm1(x); }
  static double first(double x, double) { return std::exp(x); }
  static double second(double, double, double first) { return first; }
};
// y' = 1 / x, y'' = -y'^2.
struct Log {
  static double value(double x) { return std::log(x); }
  static double first(double x, double) { return 1 / x; }
  static double second(double, double, double first) { return -(first * first); }
};
struct Log1p {
  static double value(double x) { return std::log1p(x); }
  static double first(double x, double) { return 1 / (1 + x); }
  static double second(double, double, double first) { return -(first * first); }
};
// y' = 1 / (2 y), y'' = -y' / (2 x).
struct Sqrt {
  static double value(double x) { return std::sqrt(x); }
  static double first(double, double y) { return 0.5 / y; }
  static double second(double x, double, double first) { return -0.5 * first / x; }
};
struct Sin {
  static double value(double x) { return std::sin(x); }
  static double first(double x, double) { return std::cos(x); }
  static double second(double, double y, double) { return -y; }
};
struct Cos {
  static double value(double x) { return std::cos(x); }
  static double first(double x, double) { return -std::sin(x); }
  static double second(double, double y, double) { return -y; }
};
// y' = 1 + y^2, y'' = 2 y y'.
struct Tan {
  static double value(double x) { return std::tan(x); }
  static double first(double, double y) { return 1 + y * y; }
  static double second(double, double y, double first) { return 2 * y * first; }
};
struct Sinh {
  static double value(double x) { return std::sinh(x); }
  static double first(double x, double) { return std::cosh(x); }
  static double second(double, double y, double) { return y; }
};
struct Cosh {
  static double value(double x) { return std::cosh(x); }
  static double first(double x, double) { return std::sinh(x); }
  static double second(double, double y, double) { return y; }
};
// y' = 1 / cosh(x)^2, y'' = -2 y y'.
struct Tanh {
  static double value(double x) { return std::tanh(x); }
  static double first(double x, double) {
    const double inverse = 1 / std::cosh(x);
    return inverse * inverse;
  }
  static double second(double, double y, double first) { return -2 * y * first; }
};
// y' = 1 / (1 + x^2), y'' = -2 x y'^2; where y' underflows x may be infinite.
struct Atan {
  static double value(double x) { return std::atan(x); }
  static double first(double x, double) { return 1 / (1 + x * x); }
  static double second(double x, double, double first) { return first == 0 ? 0 : -2 * x * first * first; }
};
// y' = 2 / sqrt(pi) exp(-x^2), y'' = -2 x y'.
struct Erf {
  static constexpr double kTwoOverRootPi = 1.1283791670955126;
  static double value(double x) { return std::erf(x); }
  static double first(double x, double) { return kTwoOverRootPi * std::exp(-x * x); }
  static double second(double x, double, double first) { return first == 0 ? 0 : -2 * x * first; }
};
struct Erfc {
  static double value(double x) { return std::erfc(x); }
  static double first(double x, double) { return -Erf::first(x, 0); }
  static double second(double x, double, double first) { return first == 0 ? 0 : -2 * x * first; }
};
// y' = digamma(x), y'' = trigamma(x).
struct Lgamma {
  static double value(double x) { return log_gamma(x); }
  static double first(double x, double) { return digamma(x); }
  static double second(double x, double, double) { return trigamma(x); }
};
// y' = sigma(x) sigma(-x), y'' = (1 - 2 sigma(x)) y' = -tanh(x / 2) y'.
struct Sigmoid {
  static double value(double x) { return giga::sigmoid(x); }
  static double first(double x, double y) { return y * giga::sigmoid(-x); }
  static double second(double x, double, double first) { return -std::tanh(x / 2) * first; }
};
// y' = sigma(x), y'' = sigma(x) sigma(-x).
struct Softplus {
  static double value(double x) { return giga::softplus(x); }
  static double first(double x, double) { return giga::sigmoid(x); }
  static double second(double x, double, double first) { return first * giga::sigmoid(-x); }
};

// With e = exp(x) and p = softplus(x), y' = e / ((1 + e) p) and y'' = -(1 - p / e) y'^2.
struct LogSoftplus {
  static double value(double x) { return giga::log_softplus(x); }
  static double first(double x, double) {
    const double e = std::exp(x);
    return e > kSmall ? giga::sigmoid(x) / giga::softplus(x) : 1 / ((1 + e) * (1 - gap(e)));
  }
  static double second(double x, double, double first) {
    const double e = std::exp(x);
    return -(e > kSmall ? 1 - giga::softplus(x) / e : gap(e)) * first * first;
  }

 private:
  static constexpr double kSmall = 0.05;
  // 1 - log(1 + e) / e = e/2 - e^2/3 + e^3/4 - ... for small e, where the difference would cancel. The first
  // term left out is below 1e-16 of the sum for e <= kSmall.
  static double gap(double e) {
    double sum = 0;
    for (int k = 13; k >= 2; --k) sum = 1.0 / k - e * sum;
    return e * sum;
  }
};

}  // namespace rules

template <Number T>
[[nodiscard]] T exp(const T& x) {
  return T::template apply<rules::Exp>(x);
}
template <Number T>
[[nodiscard]] T expm1(const T& x) {
  return T::template apply<rules::Expm1>(x);
}
template <Number T>
[[nodiscard]] T log(const T& x) {
  return T::template apply<rules::Log>(x);
}
template <Number T>
[[nodiscard]] T log1p(const T& x) {
  return T::template apply<rules::Log1p>(x);
}
template <Number T>
[[nodiscard]] T sqrt(const T& x) {
  return T::template apply<rules::Sqrt>(x);
}
template <Number T>
[[nodiscard]] T sin(const T& x) {
  return T::template apply<rules::Sin>(x);
}
template <Number T>
[[nodiscard]] T cos(const T& x) {
  return T::template apply<rules::Cos>(x);
}
template <Number T>
[[nodiscard]] T tan(const T& x) {
  return T::template apply<rules::Tan>(x);
}
template <Number T>
[[nodiscard]] T sinh(const T& x) {
  return T::template apply<rules::Sinh>(x);
}
template <Number T>
[[nodiscard]] T cosh(const T& x) {
  return T::template apply<rules::Cosh>(x);
}
template <Number T>
[[nodiscard]] T tanh(const T& x) {
  return T::template apply<rules::Tanh>(x);
}
template <Number T>
[[nodiscard]] T atan(const T& x) {
  return T::template apply<rules::Atan>(x);
}
template <Number T>
[[nodiscard]] T erf(const T& x) {
  return T::template apply<rules::Erf>(x);
}
template <Number T>
[[nodiscard]] T erfc(const T& x) {
  return T::template apply<rules::Erfc>(x);
}
template <Number T>
[[nodiscard]] T lgamma(const T& x) {
  return T::template apply<rules::Lgamma>(x);
}
template <Number T>
[[nodiscard]] T sigmoid(const T& x) {
  return T::template apply<rules::Sigmoid>(x);
}
template <Number T>
[[nodiscard]] T softplus(const T& x) {
  return T::template apply<rules::Softplus>(x);
}
template <Number T>
[[nodiscard]] T log_softplus(const T& x) {
  return T::template apply<rules::LogSoftplus>(x);
}

template <Number T>
[[nodiscard]] T fabs(const T& x) {
  // At 0 the slope is taken to be 0: a constant.
  if (x.value() == 0) return 0;
  return std::signbit(x.value()) ? -x : x;
}
template <Number T>
[[nodiscard]] T abs(const T& x) {
  return fabs(x);
}

// If one of the two is NaN, the other is returned, as for double.
template <Number T>
[[nodiscard]] T fmin(const T& a, const std::type_identity_t<T>& b) {
  return a.value() <= b.value() || std::isnan(b.value()) ? a : b;
}
template <Number T>
[[nodiscard]] T fmin(double a, const T& b) {
  return fmin(T(a), b);
}
template <Number T>
[[nodiscard]] T fmax(const T& a, const std::type_identity_t<T>& b) {
  return a.value() >= b.value() || std::isnan(b.value()) ? a : b;
}
template <Number T>
[[nodiscard]] T fmax(double a, const T& b) {
  return fmax(T(a), b);
}

/// The derivatives of y = x^c in x, c y / x and c (c - 1) y / x^2; those in c are left 0. The quotients are
/// not used where y or x is 0 or subnormal: there the powers are computed themselves.
[[nodiscard]] inline Partials power_of(double x, double c, double y) {
  if (c == 0 || c == 1) return {c, 0, 0, 0, 0};
  if (std::isnormal(y) && std::isnormal(x)) return {c * (y / x), 0, c * (c - 1) * (y / x / x), 0, 0};
  return {c * std::pow(x, c - 1), 0, c == 2 ? 2 : c * (c - 1) * std::pow(x, c - 2), 0, 0};
}
template <Number T>
[[nodiscard]] T pow(const T& x, double c) {
  const double y = std::pow(x.value(), c);
  return T::combine(x, c, y, power_of(x.value(), c, y));
}
template <Number T>
[[nodiscard]] T pow(const T& x, const T& c) {
  if (T::is_constant(c)) return pow(x, c.value());
  const double y = std::pow(x.value(), c.value());
  // In c: f_c = y log x, f_cc = y (log x)^2, f_xc = x^(c-1) (1 + c log x). x^c log x tends to 0 where y = 0.
  const double log_x = y == 0 ? 0 : std::log(x.value());
  Partials f = power_of(x.value(), c.value(), y);
  f.b = y * log_x;
  f.bb = y * log_x * log_x;
  f.ab = std::pow(x.value(), c.value() - 1) * (1 + c.value() * log_x);
  return T::combine(x, c, y, f);
}
template <Number T>
[[nodiscard]] T pow(double x, const T& c) {
  return pow(T(x), c);
}

template <Number T>
[[nodiscard]] bool isnan(const T& x) {
  return std::isnan(x.value());
}
template <Number T>
[[nodiscard]] bool isinf(const T& x) {
  return std::isinf(x.value());
}
template <Number T>
[[nodiscard]] bool isfinite(const T& x) {
  return std::isfinite(x.value());
}

/// The plain number: for a decision that shall not be differentiated.
[[nodiscard]] inline double value_of(double x) {
  return x;
}
template <Number T>
[[nodiscard]] double value_of(const T& x) {
  return x.value();
}

/// sum_j x[j] theta[j] over j < count, added in this order. Quicker than a loop.
template <typename T>
[[nodiscard]] T dot(const double* x, const T* theta, Index count) {
  if constexpr (std::same_as<T, Traced>) return Traced::dot(x, theta, count);
  T sum = 0;
  for (Index j = 0; j < count; ++j) sum += x[j] * theta[j];
  return sum;
}

}  // namespace giga::autodiff

/// The functions above and those of double under one name each: `using namespace giga::math;` in a function
/// template, then exp(x) for any T.
namespace giga::math {

using std::abs, std::atan, std::cos, std::cosh, std::erf, std::erfc, std::exp, std::expm1, std::fabs,
    std::fmax, std::fmin, std::isfinite, std::isinf, std::isnan, std::lgamma, std::log, std::log1p, std::pow,
    std::sin, std::sinh, std::sqrt, std::tan, std::tanh;

using giga::sigmoid, giga::softplus, giga::log_softplus;

using autodiff::abs, autodiff::atan, autodiff::cos, autodiff::cosh, autodiff::dot, autodiff::erf,
    autodiff::erfc, autodiff::exp, autodiff::expm1, autodiff::fabs, autodiff::fmax, autodiff::fmin,
    autodiff::isfinite, autodiff::isinf, autodiff::isnan, autodiff::lgamma, autodiff::log, autodiff::log1p,
    autodiff::log_softplus, autodiff::pow, autodiff::sigmoid, autodiff::sin, autodiff::sinh,
    autodiff::softplus, autodiff::sqrt, autodiff::tan, autodiff::tanh, autodiff::value_of;

}  // namespace giga::math
