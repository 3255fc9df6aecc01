// The inner loops: the bits they promise, and the intervals that the codes promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "construct/row_kernels.hpp"
#include "construct/row_pass.hpp"
#include "support/oracle.hpp"
#include "support/vector_sets.hpp"

namespace giga {
namespace {

// Eight running sums, component j going to sum j mod 8; then ((0+4)+(2+6)) + ((1+5)+(3+7)).
double dot_in_stated_order(const double* x, const double* y, Index dim) {
  double s[8] = {};
  for (Index j = 0; j < dim; ++j) {
    const double product = x[j] * y[j];
    s[j % 8] += product;
  }
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

TEST(RowKernels, HaveTheBitsOfTheStatedOrder) {
  for (Index dim = 1; dim <= 40; ++dim) {
    const test::VectorSet p = test::gaussian_vectors(11, dim, dim);
    std::vector<double> d(static_cast<std::size_t>(kernels::padded(dim)), 0.0), v = d;
    std::copy_n(p.row(9), dim, d.begin());
    std::copy_n(p.row(10), dim, v.begin());
    std::vector<kernels::Dots> out(9);
    std::vector<double> squares(9);
    kernels::dots(p.data.data(), 9, dim, d.data(), v.data(), out.data());
    kernels::squares(p.data.data(), 9, dim, squares.data());
    for (Index i = 0; i < 9; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_EQ(out[k].with_d, dot_in_stated_order(p.row(i), d.data(), dim)) << "dim " << dim;
      EXPECT_EQ(out[k].with_v, dot_in_stated_order(p.row(i), v.data(), dim)) << "dim " << dim;
      EXPECT_EQ(out[k].with_self, dot_in_stated_order(p.row(i), p.row(i), dim)) << "dim " << dim;
      EXPECT_EQ(squares[k], out[k].with_self) << "dim " << dim;
    }
  }
}

TEST(RowKernels, NormsNeitherOverflowNorUnderflow) {
  const std::vector<double> rows = {3e-200, 4e-200, 3e200, 4e200, 0, 0, 5e-324, 0, 1e308, 1e308, 3, 4};
  std::vector<double> norms(6);
  row_norms(rows.data(), 6, 2, norms.data());
  EXPECT_NEAR(norms[0] / 5e-200, 1, 1e-15);
  EXPECT_NEAR(norms[1] / 5e200, 1, 1e-15);
  EXPECT_EQ(norms[2], 0);
  EXPECT_EQ(norms[3], 5e-324);
  EXPECT_NEAR(norms[4] / 1.4142135623730951e308, 1, 1e-15);
  EXPECT_EQ(norms[5], 5);
}

TEST(RowKernels, RoundToShortIntegersAndSayWhatThatLoses) {
  for (Index dim = 1; dim <= 40; ++dim) {
    const test::VectorSet p = test::gaussian_vectors(1, dim, dim);
    double largest = 0, lost = 0;
    for (Index j = 0; j < dim; ++j) largest = std::max(largest, std::abs(p.row(0)[j]));
    EXPECT_EQ(kernels::largest_of(p.row(0), dim), largest);
    std::vector<std::int16_t> out(at(dim));
    const double factor = 32767 / largest, square = kernels::to_short(p.row(0), dim, factor, out.data());
    for (Index j = 0; j < dim; ++j) {
      const double steps = p.row(0)[j] * factor;
      EXPECT_EQ(out[at(j)], std::lrint(steps)) << "dim " << dim;
      lost += (steps - std::nearbyint(steps)) * (steps - std::nearbyint(steps));
    }
    EXPECT_NEAR(square, lost, 1e-12);
  }
}

TEST(RowKernels, SumInDoubleDouble) {
  for (const Index dim : {1, 3, 8, 17}) {
    const test::VectorSet p = test::gaussian_vectors(100, dim, dim);
    std::vector<double> high(static_cast<std::size_t>(dim), 0.0), low = high, more = high, more_low = high;
    kernels::add_rows(p.data.data(), 60, dim, high.data(), low.data());
    kernels::add_rows(p.row(60), 40, dim, more.data(), more_low.data());
    kernels::add_sums(more.data(), more_low.data(), dim, high.data(), low.data());
    for (Index j = 0; j < dim; ++j) {
      test::Quad sum = 0;
      for (Index n = 0; n < 100; ++n) sum += static_cast<test::Quad>(p.row(n)[j]);
      const auto k = static_cast<std::size_t>(j);
      const test::Quad rest = sum - static_cast<test::Quad>(high[k]) - static_cast<test::Quad>(low[k]);
      EXPECT_LT(std::abs(static_cast<double>(rest)), 1e-30);
    }
  }
}

}  // namespace
}  // namespace giga
