#include "base/dense_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "giga/base/random.hpp"

namespace giga {
namespace {

std::vector<double> normals(Index count, Index purpose) {
  Stream random = stream(5, "dense kernels", purpose);
  std::vector<double> out;
  for (Index i = 0; i < count; ++i) out.push_back(random.normal());
  return out;
}

// 32 running sums, then halves onto halves: written out, to the bit.
double dot_by_the_book(const std::vector<double>& x, const std::vector<double>& y) {
  double sums[32] = {};
  for (std::size_t j = 0; j < x.size(); ++j) sums[j % 32] += x[j] * y[j];
  for (int half = 16; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
  return sums[0];
}

TEST(DenseKernels, DotSumsInTheOrderItStates) {
  for (Index count = 0; count < 200; ++count) {
    const std::vector<double> x = normals(count, 1), y = normals(count, 2);
    EXPECT_EQ(kernels::dot(x.data(), y.data(), count), dot_by_the_book(x, y)) << count;
  }
}

// 8 running sums, then halves onto halves.
double product_by_the_book(const double* x, const double* y, Index count) {
  double sums[8] = {};
  for (Index j = 0; j < count; ++j) sums[j % 8] += x[j] * y[j];
  for (int half = 4; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
  return sums[0];
}

TEST(DenseKernels, ProductsHaveTheSameBitsWhereverTheyLieInATile) {
  for (const Index count : {0, 1, 7, 8, 9, 40, 101}) {
    for (const Index num_x : {1, 2, 3, 4, 5, 9}) {
      for (const Index num_y : {1, 3, 4, 6, 8}) {
        const std::vector<double> x = normals(num_x * count, 7), y = normals(num_y * count, 8);
        std::vector<const double*> xs, ys;
        for (Index i = 0; i < num_x; ++i) xs.push_back(x.data() + i * count);
        for (Index k = 0; k < num_y; ++k) ys.push_back(y.data() + k * count);
        const Index room = num_y + 2;
        std::vector<double> out(at(num_x * room), 1.0);
        kernels::add_products(xs, ys, count, out.data(), room);
        for (Index i = 0; i < num_x; ++i) {
          for (Index k = 0; k < room; ++k) {
            const double product = k < num_y ? product_by_the_book(xs[at(i)], ys[at(k)], count) : 0;
            EXPECT_EQ(out[at(i * room + k)], 1.0 + product) << count << " " << num_x << " x " << num_y;
          }
        }
      }
    }
  }
}

TEST(DenseKernels, AddScaledRoundsEveryProductBeforeItIsAdded) {
  for (const Index count : {0, 1, 7, 8, 9, 31, 64, 101}) {
    std::vector<double> x = normals(count, 3);
    const std::vector<double> y = normals(count, 4), before = x;
    kernels::add_scaled(x.data(), 1.1, y.data(), count);
    for (std::size_t j = 0; j < x.size(); ++j) {
      const volatile double product = 1.1 * y[j];
      EXPECT_EQ(x[j], before[j] + product);
    }
  }
}

TEST(DenseKernels, CombinationsRoundEveryOperation) {
  for (const Index count : {0, 1, 7, 8, 9, 31, 101}) {
    const std::vector<double> y = normals(count, 7), z = normals(count, 8), before = normals(count, 9);
    std::vector<double> twice = before, combined = before;
    const double left[] = {1.7, -0.3};
    const double* vectors[] = {y.data(), z.data()};
    kernels::add_scaled_twice(twice.data(), 1.1, 0.7, y.data(), count);
    kernels::add_combination(combined.data(), {1.1, 0.7, 1.3}, left, vectors, 2, count);
    for (std::size_t j = 0; j < before.size(); ++j) {
      const volatile double inner = 0.7 * y[j], product = 1.1 * inner;
      EXPECT_EQ(twice[j], before[j] + product);
      const volatile double first = left[0] * y[j], second = left[1] * z[j], sum = first + second;
      const volatile double in = 1.3 * sum, out = 0.7 * in, all = 1.1 * out;
      EXPECT_EQ(combined[j], before[j] + all);
    }
  }
}

TEST(DenseKernels, RotationsKeepLengths) {
  for (const Index count : {1, 5, 8, 33}) {
    std::vector<double> x = normals(count, 5), y = normals(count, 6);
    const std::vector<double> x0 = x, y0 = y;
    kernels::rotate(x.data(), y.data(), count, 0.6, 0.8);
    for (std::size_t j = 0; j < x.size(); ++j) {
      EXPECT_NEAR(x[j], 0.6 * x0[j] + 0.8 * y0[j], 1e-15);
      EXPECT_NEAR(x[j] * x[j] + y[j] * y[j], x0[j] * x0[j] + y0[j] * y0[j], 1e-14);
    }
  }
}

}  // namespace
}  // namespace giga
