// Builds a coreset of 1000 rows in 5 dimensions with the installed library and checks its error by hand;
// reads a small file, which takes the libraries that giga itself is linked with.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

#include "giga/base/threads.hpp"
#include "giga/construct/build.hpp"
#include "giga/data/read_dataset.hpp"

namespace {

constexpr giga::Index kNumRows = 1000;
constexpr giga::Index kDim = 5;

std::vector<double> made_up_rows() {
  std::vector<double> rows;
  for (giga::Index i = 0; i < kNumRows * kDim; ++i)
    rows.push_back(std::sin(0.7 * static_cast<double>(i * i)));
  return rows;
}

// |L(w) - L| / |L|, written out.
double error_by_hand(const std::vector<double>& rows, const giga::Coreset& coreset) {
  double rest = 0, whole = 0;
  for (giga::Index j = 0; j < kDim; ++j) {
    double sum = 0, weighted = 0;
    for (giga::Index n = 0; n < kNumRows; ++n) sum += rows[static_cast<std::size_t>(n * kDim + j)];
    for (std::size_t k = 0; k < coreset.rows.size(); ++k) {
      weighted += coreset.weights[k] * rows[static_cast<std::size_t>(coreset.rows[k] * kDim + j)];
    }
    rest += (weighted - sum) * (weighted - sum);
    whole += sum * sum;
  }
  return std::sqrt(rest / whole);
}

bool reads_a_file() {
  std::ofstream("consumer.csv") << "a,b,y\n1,2,3\n4,5,6\n";
  const giga::Dataset data = giga::read_dataset("consumer.csv", {}, giga::Threads(1));
  return data.num_rows() == 2 && data.num_features() == 2 && data.response()[1] == 6;
}

}  // namespace

int main() {
  const std::vector<double> rows = made_up_rows();
  const giga::DenseRows source(giga::MatrixView::of(rows.data(), kNumRows, kDim));
  const giga::Threads threads;
  const giga::VectorTable table(source, threads);
  const giga::BuildResult result = giga::corrective(table, {.size = 20});

  const double expected = error_by_hand(rows, result.coreset);
  std::printf("%td rows, relative error %.3g, by hand %.3g\n", result.coreset.size(), result.relative_error,
              expected);
  const bool good = result.coreset.size() >= 1 && result.coreset.size() <= 20 &&
                    result.relative_error < 0.1 && std::abs(result.relative_error - expected) < 1e-12;
  return good && reads_a_file() ? 0 : 1;
}
