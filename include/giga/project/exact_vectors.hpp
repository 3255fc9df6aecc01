// Vectors that need no projection: the closed form of the Gaussian mean model.
#pragma once

#include <vector>

#include "giga/model/gaussian_mean.hpp"
#include "giga/model/normal.hpp"

namespace giga {

/// Vectors in R^(D+1), row-major, whose inner products are those of the Fisher norm under pihat, exactly:
/// (y_n - E theta, sqrt(tr Cov theta)).
[[nodiscard]] std::vector<double> exact_vectors(const GaussianMean& model, const Normal& pihat);

}  // namespace giga
