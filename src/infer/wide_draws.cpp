// Notation: x_s = theta_s - m, S of them in D dimensions, the rows of X; M = X'X / S their second moments;
// P the precision of pihat, the inverse of C C'.
//
// Every number is summed over draws or components in a fixed order by one thread, and threads share out the
// numbers: the same bits for any number of threads.
#include "infer/wide_draws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/dense_kernels.hpp"
#include "giga/base/random.hpp"

namespace giga {

// Power iteration for the largest eigenvalue of P M. With b = M a of the last direction a, the next one is
// P b, and its quotient a'M a / a'C C'a is |X a|^2 / (S b'a), which no step lowers. A step takes 2 S D + D^2
// products, where whitening the draws would take S D^2.
double widest_moment(std::span<const double> away, const Normal& pihat, const Executor& executor) {
  constexpr Index kSteps = 16, kRows = 64;
  const Index dim = pihat.dim(), count = std::ssize(away) / dim;
  std::vector<double> along(at(count)), b(at(dim)), a(at(dim));
  Stream random = stream(0, "widest direction");
  for (double& x : along) x = random.normal();
  double widest = 0;
  for (Index step = 0; step < kSteps; ++step) {
    std::ranges::fill(b, 0.0);
    for (Index s = 0; s < count; ++s)
      kernels::add_scaled(b.data(), along[at(s)] / static_cast<double>(count), away.data() + s * dim, dim);
    executor.for_each((dim + kRows - 1) / kRows, [&](Index part) {
      for (Index d = part * kRows; d < std::min(dim, (part + 1) * kRows); ++d)
        a[at(d)] = kernels::dot(pihat.precision().data() + d * dim, b.data(), dim);
    });
    const double square = kernels::dot(a.data(), b.data(), dim);  // a'C C'a
    if (!(square > 0 && std::isfinite(square))) break;
    for (Index s = 0; s < count; ++s)
      along[at(s)] = kernels::dot(away.data() + s * dim, a.data(), dim) / std::sqrt(square);
    widest = kernels::dot(along.data(), along.data(), count) / static_cast<double>(count);
  }
  return widest;
}

// Of S draws of pihat itself the largest second moment is about (1 + sqrt(D / S))^2 by chance alone, with a
// standard deviation of a few hundredths of that or less. Twice that is left to posteriors that are wider
// than their Laplace approximation without having failed, and to chains whose draws count for fewer: where
// they pass the limit nonetheless, that costs a pass over all rows and nothing else.
bool is_wide(double widest, Index num_draws, Index dim) {
  constexpr double kWide = 2, kMost = 1e100;  // beyond it nothing can be computed
  const double root = 1 + std::sqrt(static_cast<double>(dim) / static_cast<double>(num_draws));
  return widest > kWide * root * root && widest < kMost;
}

Normal widened(const Normal& pihat, std::span<const double> away, double widest, const Executor& executor) {
  constexpr Index kRows = 16;  // of the covariance, which stay in the cache while all draws pass
  const Index dim = pihat.dim(), count = std::ssize(away) / dim;
  std::vector<double> covariance = pihat.covariance();
  executor.for_each((dim + kRows - 1) / kRows, [&](Index part) {
    for (Index s = 0; s < count; ++s) {
      const double* x = away.data() + s * dim;
      for (Index d = part * kRows; d < std::min(dim, (part + 1) * kRows); ++d)
        kernels::add_scaled(covariance.data() + d * dim, x[d] / static_cast<double>(count), x, d + 1);
    }
  });
  for (Index d = 0; d < dim; ++d) {
    for (Index e = 0; e < d; ++e) covariance[at(e * dim + d)] = covariance[at(d * dim + e)];
  }
  try {
    return Normal::with_covariance(pihat.mean(), covariance);
  } catch (const std::invalid_argument&) {
    std::vector<double> precision = pihat.precision();
    for (double& value : precision) value /= widest;
    return Normal::with_precision(pihat.mean(), std::move(precision));
  }
}

RowArray<float> joined_scores(const RowArray<float>& a, const RowArray<float>& b, const Executor& executor) {
  const Index num_rows = std::ssize(a);
  const auto bounded = [](float score) {
    const float most = std::numeric_limits<float>::max();
    return score > 0 ? static_cast<double>(std::min(score, most)) : 0.0;
  };
  const ExtendedVector sums = sum_blocks(executor, num_rows, 2, [&](Index first, Index count, double* part) {
    for (Index n = first; n < first + count; ++n) {
      part[0] += bounded(a[at(n)]);
      part[1] += bounded(b[at(n)]);
    }
  });
  // In double: the average may be so small that its inverse is beyond a float. Scaled scores are at most N.
  const auto scale_for = [num_rows](Extended sum) {
    return sum > 0 ? static_cast<double>(static_cast<Extended>(num_rows) / sum) : 0.0;
  };
  const double for_a = scale_for(sums[0]), for_b = scale_for(sums[1]);
  RowArray<float> out = row_array<float>(executor, num_rows);
  for_own_blocks(executor, num_rows, [&](Index first, Index count) {
    for (Index n = first; n < first + count; ++n)
      out[at(n)] = static_cast<float>(for_a * bounded(a[at(n)]) + for_b * bounded(b[at(n)]));
  });
  return out;
}

}  // namespace giga
