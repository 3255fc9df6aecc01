// Random NNLS problems and our answers, as text: "rows columns", b, the columns, u; numbers that read back to
// the same bits. Kinds: Gaussian, near-duplicate columns, graded column norms, dependent columns, b in the
// cone.
#include <cmath>
#include <iostream>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/text.hpp"
#include "giga/construct/nnls.hpp"

namespace {

using giga::Index;

std::vector<double> normals(giga::Stream& random, Index count) {
  std::vector<double> out(static_cast<std::size_t>(count));
  for (double& value : out) value = random.normal();
  return out;
}

void add(std::vector<double>& x, double factor, const std::vector<double>& y) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] += factor * y[j];
}

void print(const std::vector<double>& values) {
  for (const double value : values) std::cout << giga::shortest(value) << ' ';
  std::cout << '\n';
}

void write_problem(Index i) {
  giga::Stream random = giga::stream(7, "nnls peer", i);
  const auto rows = static_cast<Index>(1 + random.below(40));
  const auto count = static_cast<Index>(1 + random.below(40));
  std::vector<std::vector<double>> columns;
  std::vector<double> b = normals(random, rows);
  const std::vector<double> base = normals(random, rows);
  const double spread = std::pow(10.0, -8 * random.uniform());
  for (Index k = 0; k < count; ++k) {
    std::vector<double> column = normals(random, rows);
    if (i % 5 == 1) {  // near-duplicates
      for (double& value : column) value *= spread;
      add(column, 1, base);
    }
    if (i % 5 == 2) {  // norms from 1e-6 to 1e6
      const double size = std::pow(10.0, -6 + 12 * random.uniform());
      for (double& value : column) value *= size;
    }
    if (i % 5 == 3 && k > 0 && k % 2 == 1)
      column = columns[static_cast<std::size_t>(random.below(columns.size()))];
    columns.push_back(column);
  }
  if (i % 5 == 4) {  // inside the cone
    b.assign(b.size(), 0.0);
    for (const auto& column : columns) add(b, random.uniform(), column);
  }
  std::cout << rows << ' ' << count << '\n';
  print(b);
  for (const auto& column : columns) print(column);
  print(giga::nnls(columns, b));
}

}  // namespace

int main() {
  for (Index i = 0; i < 500; ++i) write_problem(i);
}
