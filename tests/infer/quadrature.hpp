// Moments and quantiles of a distribution of two parameters, by integration.
#pragma once

#include <array>
#include <functional>

#include "giga/model/normal.hpp"

namespace giga::test {

inline constexpr std::array<double, 3> kProbabilities = {0.05, 0.5, 0.95};

struct Integrals {
  std::array<double, 2> mean, sd;
  double correlation;
  std::array<std::array<double, 3>, 2> quantiles;  // at kProbabilities
};

/// In standard deviations of the frame: how far out, and how fine.
struct Mesh {
  double range = 10, step = 0.2;
};

/// `frame` is a normal distribution near the one to be integrated; only the mesh depends on it.
[[nodiscard]] Integrals integrate(const std::function<double(double, double)>& log_density,
                                  const Normal& frame, const Mesh& mesh = {});

}  // namespace giga::test
