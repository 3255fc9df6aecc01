// Survival times with censoring, as a template of a row and with derivatives by hand.
//
// Weibull times t_n with scale exp(<x_n, beta>) and shape k, theta = (beta, log k). With w = k (log t - <x,
// beta>) and d = 1 for an event, 0 for a row that is censored, L_n(theta) = d (log k + w - log t) - exp(w).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/model/autodiff.hpp"

namespace giga::test {

struct Weibull {
  std::vector<double> x;  // row-major, num_features a row
  std::vector<double> log_time, event;
  Index num_features;

  [[nodiscard]] Index num_rows() const { return std::ssize(log_time); }
  [[nodiscard]] Index num_parameters() const { return num_features + 1; }

  template <typename T>
  [[nodiscard]] T log_likelihood(Index n, const T* theta) const {
    using namespace giga::math;
    const T w = power(n, theta);
    return event[at(n)] * (theta[num_features] + w - log_time[at(n)]) - exp(w);
  }

  /// A bound for the terms that the derivatives of a row are sums of: k^2 exp(w) x_i x_j, w^2 exp(w), ...
  [[nodiscard]] double size_of_terms(Index n, const double* theta) const {
    const double k = std::exp(theta[num_features]), w = power(n, theta);
    double factor = k * std::abs(w) + 1;
    for (Index j = 0; j < num_features; ++j) factor = std::max(factor, k * std::abs(features(n)[j]));
    return (1 + std::exp(w)) * factor * factor;
  }

 protected:
  static std::size_t at(Index n) { return static_cast<std::size_t>(n); }
  [[nodiscard]] const double* features(Index n) const { return x.data() + n * num_features; }
  template <typename T>
  [[nodiscard]] T power(Index n, const T* theta) const {
    using namespace giga::math;
    return exp(theta[num_features]) * (log_time[at(n)] - dot(features(n), theta, num_features));
  }
};

struct WeibullByHand : Weibull {
  void gradient(Index n, const double* theta, double* out) const {
    const double k = std::exp(theta[num_features]), w = power(n, theta), e = std::exp(w), d = event[at(n)];
    for (Index j = 0; j < num_features; ++j) out[j] = k * (e - d) * features(n)[j];
    out[num_features] = d + w * (d - e);
  }
  void hessian(Index n, const double* theta, double* out) const {
    const double k = std::exp(theta[num_features]), w = power(n, theta), e = std::exp(w), d = event[at(n)];
    const Index dim = num_parameters();
    for (Index i = 0; i < num_features; ++i) {
      for (Index j = 0; j < num_features; ++j)
        out[i * dim + j] = -k * k * e * features(n)[i] * features(n)[j];
      out[i * dim + num_features] = out[num_features * dim + i] = k * (e + w * e - d) * features(n)[i];
    }
    out[num_features * dim + num_features] = w * (d - e - w * e);
  }
};

[[nodiscard]] inline Weibull simulated_weibull(Index num_rows, Index dim) {
  constexpr double kMostTime = 6, kLogShape = 0.4;
  Weibull model{{}, {}, {}, dim - 1};
  Stream random = stream(1, "weibull");
  for (Index n = 0; n < num_rows; ++n) {
    double location = 0;
    for (Index j = 0; j < model.num_features; ++j) {
      model.x.push_back(j + 1 < model.num_features ? random.normal() : 1.0);
      location += model.x.back() * 0.2;
    }
    const double exponential = -std::log(1 - random.uniform());
    const double time = std::exp(location) * std::pow(exponential, std::exp(-kLogShape));
    model.log_time.push_back(std::log(std::min(time, kMostTime)));
    model.event.push_back(time < kMostTime ? 1 : 0);
  }
  return model;
}

}  // namespace giga::test
