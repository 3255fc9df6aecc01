// A matrix in memory -> a few weighted rows whose weighted sum is nearly the sum of all rows.
#include <cstdio>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/build.hpp"

int main() {
  // 10000 log-likelihood vectors in 10 dimensions, row-major. Yours come from a model; these are normal noise
  // around a common mean.
  constexpr giga::Index kNumRows = 10000;
  constexpr giga::Index kDim = 10;
  std::vector<double> vectors;
  giga::Stream random = giga::stream(1, "example");
  for (giga::Index i = 0; i < kNumRows * kDim; ++i) vectors.push_back(0.5 + random.normal());

  const giga::DenseRows rows(giga::MatrixView::of(vectors.data(), kNumRows, kDim));
  const giga::Threads threads;
  const giga::VectorTable table(rows, threads);  // reads everything once; serves any number of builds
  const giga::BuildResult result = giga::corrective(table, {.size = 8});

  std::printf("   row      weight\n");
  for (giga::Index i = 0; i < result.coreset.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::printf("%6td  %10.4f\n", result.coreset.rows[k], result.coreset.weights[k]);
  }
  std::printf("%td of %td rows, relative error %.3g (%s)\n", result.coreset.size(), kNumRows,
              result.relative_error, name(result.termination).data());
  return result.relative_error < 0.1 ? 0 : 1;
}
