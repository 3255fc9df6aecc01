// Regressions with made-up rows, for tests.
#pragma once

#include <vector>

#include "giga/base/random.hpp"
#include "giga/model/regression.hpp"
#include "giga/model/simulate_data.hpp"

namespace giga::test {

struct Rows {
  std::vector<double> z, y;
  Index dim;
};

/// Standard normal features and an intercept, responses at a theta of moderate size.
inline Rows made_up(Family family, Index rows, Index dim, std::uint64_t seed) {
  const double each = family == Family::BernoulliLogit ? 1.0 : 0.4;
  std::vector<double> theta(static_cast<std::size_t>(dim), each);
  theta.back() = family == Family::PoissonSoftplus ? 4.0 : 0.5;
  const SimulatedData data({{family, 0.7}, rows, theta, seed});
  std::vector<double> values(static_cast<std::size_t>(rows * dim));
  data.read(0, rows, values.data());
  Rows out{{}, {}, dim};
  for (Index n = 0; n < rows; ++n) {
    const double* row = values.data() + n * dim;
    out.z.insert(out.z.end(), row, row + dim - 1);
    out.z.push_back(1);
    out.y.push_back(row[dim - 1]);
  }
  return out;
}

inline Regression regression(Family family, Index rows, Index dim, std::uint64_t seed,
                             std::vector<double> multiplicity = {}) {
  Rows made = made_up(family, rows, dim, seed);
  return {std::move(made.z), std::move(made.y), std::move(multiplicity), {family, 0.7}};
}

inline constexpr Family kFamilies[] = {Family::BernoulliLogit, Family::PoissonSoftplus, Family::PoissonLog,
                                       Family::GaussianIdentity};

}  // namespace giga::test
