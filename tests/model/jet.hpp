// Value, gradient and Hessian carried forward in long double, all D + D^2 numbers at every step: slow, and
// plain enough to be believed. The oracle of automatic differentiation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "giga/model/likelihood.hpp"
#include "model/reference.hpp"

// A namespace of its own, so that its exp hides no other.
namespace giga::test::jets {

class Jet {
 public:
  Jet(double value = 0) : value_(value) {}
  static std::vector<Jet> variables(const std::vector<double>& values) {
    std::vector<Jet> out(values.begin(), values.end());
    for (std::size_t d = 0; d < out.size(); ++d) {
      out[d].gradient_.assign(out.size(), 0);
      out[d].gradient_[d] = 1;
      out[d].hessian_.assign(out.size() * out.size(), 0);
    }
    return out;
  }

  [[nodiscard]] Real value() const { return value_; }
  [[nodiscard]] Real gradient(std::size_t d) const { return gradient_.empty() ? 0 : gradient_[d]; }
  [[nodiscard]] Real hessian(std::size_t k) const { return hessian_.empty() ? 0 : hessian_[k]; }
  /// The largest of its numbers.
  [[nodiscard]] Real size() const {
    Real size = std::abs(value_);
    for (const Real each : gradient_) size = std::max(size, std::abs(each));
    for (const Real each : hessian_) size = std::max(size, std::abs(each));
    return size;
  }

  /// f(a, b) with its first and second derivatives.
  static Jet combine(const Jet& a, const Jet& b, Real f, Real fa, Real fb, Real faa, Real fab, Real fbb) {
    Jet out;
    out.value_ = f;
    const std::size_t dim = std::max(a.gradient_.size(), b.gradient_.size());
    for (std::size_t d = 0; d < dim; ++d) out.gradient_.push_back(fa * a.gradient(d) + fb * b.gradient(d));
    for (std::size_t d = 0; d < dim; ++d) {
      for (std::size_t e = 0; e < dim; ++e) {
        out.hessian_.push_back(fa * a.hessian(d * dim + e) + fb * b.hessian(d * dim + e) +
                               faa * a.gradient(d) * a.gradient(e) +
                               fab * (a.gradient(d) * b.gradient(e) + b.gradient(d) * a.gradient(e)) +
                               fbb * b.gradient(d) * b.gradient(e));
      }
    }
    return out;
  }
  static Jet apply(const Jet& x, Real f, Real first, Real second) {
    return combine(x, x, f, first, 0, second, 0, 0);
  }

  friend Jet operator+(const Jet& a, const Jet& b) {
    return combine(a, b, a.value_ + b.value_, 1, 1, 0, 0, 0);
  }
  friend Jet operator-(const Jet& a, const Jet& b) {
    return combine(a, b, a.value_ - b.value_, 1, -1, 0, 0, 0);
  }
  friend Jet operator*(const Jet& a, const Jet& b) {
    return combine(a, b, a.value_ * b.value_, b.value_, a.value_, 0, 1, 0);
  }
  friend Jet operator/(const Jet& a, const Jet& b) {
    const Real f = a.value_ / b.value_, inverse = 1 / b.value_;
    return combine(a, b, f, inverse, -f * inverse, 0, -inverse * inverse, 2 * f * inverse * inverse);
  }
  friend Jet operator+(const Jet& a) { return a; }
  friend Jet operator-(const Jet& a) { return Jet(0) - a; }
  Jet& operator+=(const Jet& b) { return *this = *this + b; }
  Jet& operator-=(const Jet& b) { return *this = *this - b; }
  Jet& operator*=(const Jet& b) { return *this = *this * b; }
  Jet& operator/=(const Jet& b) { return *this = *this / b; }

 private:
  Real value_;
  std::vector<Real> gradient_, hessian_;  // empty for a constant
};

inline Jet exp(const Jet& x) {
  const Real y = std::exp(x.value());
  return Jet::apply(x, y, y, y);
}
inline Jet expm1(const Jet& x) {
  const Real y = std::exp(x.value());
  return Jet::apply(x, std::expm1(x.value()), y, y);
}
inline Jet log(const Jet& x) {
  return Jet::apply(x, std::log(x.value()), 1 / x.value(), -1 / (x.value() * x.value()));
}
inline Jet log1p(const Jet& x) {
  const Real u = 1 + x.value();
  return Jet::apply(x, std::log1p(x.value()), 1 / u, -1 / (u * u));
}
inline Jet sqrt(const Jet& x) {
  const Real y = std::sqrt(x.value());
  return Jet::apply(x, y, 1 / (2 * y), -1 / (4 * y * y * y));
}
inline Jet sin(const Jet& x) {
  return Jet::apply(x, std::sin(x.value()), std::cos(x.value()), -std::sin(x.value()));
}
inline Jet cos(const Jet& x) {
  return Jet::apply(x, std::cos(x.value()), -std::sin(x.value()), -std::cos(x.value()));
}
inline Jet cosh(const Jet& x) {
  return Jet::apply(x, std::cosh(x.value()), std::sinh(x.value()), std::cosh(x.value()));
}
inline Jet tanh(const Jet& x) {
  const Real y = std::tanh(x.value()), first = 1 - y * y;
  return Jet::apply(x, y, first, -2 * y * first);
}
inline Jet atan(const Jet& x) {
  const Real first = 1 / (1 + x.value() * x.value());
  return Jet::apply(x, std::atan(x.value()), first, -2 * x.value() * first * first);
}
inline Jet erf(const Jet& x) {
  const Real first = 2 / std::sqrt(std::acos(Real{-1})) * std::exp(-x.value() * x.value());
  return Jet::apply(x, std::erf(x.value()), first, -2 * x.value() * first);
}
inline Jet erfc(const Jet& x) {
  return Jet(1) - erf(x);
}
inline Jet sigmoid(const Jet& x) {
  return Jet(1) / (Jet(1) + exp(-x));
}
inline Jet softplus(const Jet& x) {
  return log(Jet(1) + exp(x));
}
inline Jet log_softplus(const Jet& x) {
  return log(softplus(x));
}
inline Jet pow(const Jet& x, const Jet& c) {
  return exp(c * log(x));
}
inline Jet fmax(const Jet& a, const Jet& b) {
  return a.value() >= b.value() ? a : b;
}

/// The first difference above 1e-12 times `size` (which is at least 1); 0 if there is none.
inline Real error_beyond(const Jet& want, const Derivatives& got, Real size) {
  std::vector<Real> errors = {got.value - want.value()};
  for (std::size_t d = 0; d < got.gradient.size(); ++d) errors.push_back(got.gradient[d] - want.gradient(d));
  for (std::size_t k = 0; k < got.hessian.size(); ++k) errors.push_back(got.hessian[k] - want.hessian(k));
  for (const Real error : errors)
    if (!(std::abs(error) <= 1e-12L * std::max(size, Real{1}))) return error;
  return 0;
}

}  // namespace giga::test::jets
