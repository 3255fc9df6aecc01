// The whitened norm does not depend on how the features are scaled or mixed, so neither does a coreset built
// in it.
#include <gtest/gtest.h>

#include <cmath>

#include "giga/base/threads.hpp"
#include "giga/construct/build.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/project/curvature_projection.hpp"
#include "support/executors.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

Coreset coreset_of(const Regression& model, const Normal& prior, Expansion expansion) {
  const Threads executor(1);
  const Normal pihat = laplace(model, prior, executor).posterior;
  const CurvatureProjection projection(model, pihat, executor, {expansion});
  const VectorTable table(projection, test::threads(1), {.selector = SelectorKind::Scan});
  return corrective(table, {.size = 6}).coreset;
}

TEST(Mixing, ScaledAndMixedFeaturesHaveTheSameCoresetInTheWhitenedNorm) {
  // z -> z A, and the prior of A^-1 theta: precision A'A.
  const double a[3][3] = {{2, 0.5, 0}, {-1, 30, 0.2}, {0, 0.1, 0.5}};
  std::vector<double> precision(9, 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (const auto& row : a) precision[i * 3 + j] += row[i] * row[j];
    }
  }
  for (const Family family : {Family::BernoulliLogit, Family::PoissonSoftplus}) {
    for (const Expansion expansion : {Expansion::Taylor, Expansion::Hermite}) {
      const Rows rows = made_up(family, 500, 3, 21);
      std::vector<double> mixed(rows.z.size(), 0.0);
      for (std::size_t n = 0; n < 500; ++n) {
        for (std::size_t e = 0; e < 3; ++e) {
          for (std::size_t d = 0; d < 3; ++d) mixed[n * 3 + e] += rows.z[n * 3 + d] * a[d][e];
        }
      }
      const Coreset plain =
          coreset_of(Regression(rows.z, rows.y, {}, {family}), Normal::isotropic(3), expansion);
      const Coreset other = coreset_of(Regression(mixed, rows.y, {}, {family}),
                                       Normal::with_precision({0, 0, 0}, precision), expansion);
      ASSERT_EQ(plain.rows, other.rows);
      for (std::size_t i = 0; i < plain.weights.size(); ++i)
        EXPECT_NEAR(plain.weights[i], other.weights[i], 1e-6 * plain.weights[i]);
    }
  }
}

}  // namespace
}  // namespace giga::test
