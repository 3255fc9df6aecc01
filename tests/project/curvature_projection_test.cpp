#include "giga/project/curvature_projection.hpp"
#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "giga/infer/laplace.hpp"
#include "giga/project/random_projection.hpp"
#include "model/family_kernels.hpp"
#include "support/regressions.hpp"

namespace giga::test {
namespace {

double dot(const double* a, const double* b, Index size) {
  return std::inner_product(a, a + size, b, 0.0);
}

Normal laplace_of(const Regression& model) {
  return laplace(model, Normal::isotropic(model.num_parameters()), Threads(1)).posterior;
}

struct MeanAndError {
  double sum = 0, squares = 0;
  Index count = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  [[nodiscard]] double error() const {
    const auto n = static_cast<double>(count);
    return std::sqrt(std::max(0.0, squares / n - mean() * mean()) / (n - 1));
  }
};

// l'(s) of row n at a predictor.
double slope(const Regression& model, Index n, double s) {
  double out = 0;
  kernels::slopes(model.family(), model.response(n), &s, 1, &out);
  return out;
}

TEST(CurvatureProjection, MomentsMeetMonteCarloWithinFourStandardErrors) {
  for (const Family family : kFamilies) {
    const Regression model = regression(family, 60, 3, 1);
    // Wider than a posterior, so that the moments are not those of a point.
    const Normal pihat =
        Normal::with_covariance(laplace_of(model).mean(), {0.5, 0.1, 0, 0.1, 0.3, 0, 0, 0, 0.4});
    const CurvatureProjection projection(model, pihat, Threads(1), {Expansion::Hermite});
    for (const Index n : {0, 7, 31, 59}) {
      MeanAndError first, second;
      std::vector<double> theta(3), z(3);
      model.design(n, 1, z.data());
      Stream random = stream(2, "moments", n);
      for (int draw = 0; draw < 20000; ++draw) {
        pihat.draw(random, theta.data());
        const double s = dot(z.data(), theta.data(), 3), y = model.response(n);
        double a = 0, b = 0;
        kernels::derivatives(model.family(), &y, nullptr, &s, 1, nullptr, &a, &b);
        first.add(a);
        second.add(b);
      }
      EXPECT_NEAR(projection.slope_at(n), first.mean(), 4 * first.error() + 1e-12) << n;
      EXPECT_NEAR(projection.curvature_at(n), second.mean(), 4 * second.error() + 1e-12) << n;
    }
  }
}

TEST(CurvatureProjection, MomentsOfTheLogLinkMeetTheirClosedFormToRounding) {
  const Regression model = regression(Family::PoissonLog, 50, 3, 2);
  for (const double scale : {0.01, 0.3, 2.0, 5.0}) {
    const Normal pihat = Normal::isotropic(3, scale);
    const CurvatureProjection projection(model, pihat, Threads(1), {Expansion::Hermite});
    for (Index n = 0; n < 50; ++n) {
      std::vector<double> z(3);
      model.design(n, 1, z.data());
      const double grown = std::exp(scale * scale * dot(z.data(), z.data(), 3) / 2);  // E e^s, E s = 0
      EXPECT_NEAR(projection.slope_at(n), model.response(n) - grown, 1e-9 * (grown + model.response(n)));
      EXPECT_NEAR(projection.curvature_at(n), -grown, 1e-9 * grown);
    }
  }
}

// The whitened products of two rows, from draws: all of it, and cut after the linear term of the expansion.
struct Products {
  MeanAndError full, cut;
};
Products draw_products(const Regression& model, const Normal& pihat, const CurvatureProjection& projection,
                       Index n, Index m, int draws) {
  const Index dim = model.num_parameters();
  std::vector<double> zn(static_cast<std::size_t>(dim)), zm(zn.size()), theta(zn.size());
  model.design(n, 1, zn.data());
  model.design(m, 1, zm.data());
  const std::vector<double> covariance = pihat.covariance();
  double across = 0;  // <u_n, u_m> = z_n' S z_m
  for (Index d = 0; d < dim; ++d) {
    for (Index e = 0; e < dim; ++e)
      across += zn[static_cast<std::size_t>(d)] * covariance[static_cast<std::size_t>(d * dim + e)] *
                zm[static_cast<std::size_t>(e)];
  }
  const double mean_n = dot(zn.data(), pihat.mean().data(), dim),
               mean_m = dot(zm.data(), pihat.mean().data(), dim);
  Products out;
  Stream random = stream(3, "products", n * 1000 + m);
  for (int draw = 0; draw < draws; ++draw) {
    pihat.draw(random, theta.data());
    const double sn = dot(zn.data(), theta.data(), dim), sm = dot(zm.data(), theta.data(), dim);
    out.full.add(slope(model, n, sn) * slope(model, m, sm) * across);
    out.cut.add((projection.slope_at(n) + projection.curvature_at(n) * (sn - mean_n)) *
                (projection.slope_at(m) + projection.curvature_at(m) * (sm - mean_m)) * across);
  }
  return out;
}

TEST(CurvatureProjection, InnerProductsAreThoseOfTheTruncatedNormWithinFourStandardErrors) {
  for (const Family family : {Family::BernoulliLogit, Family::PoissonSoftplus}) {
    const Regression model = regression(family, 30, 3, 4);
    const Normal wide =
        Normal::with_covariance(laplace_of(model).mean(), {0.6, 0.2, 0, 0.2, 0.5, 0.1, 0, 0.1, 0.4});
    for (const Expansion expansion : {Expansion::Taylor, Expansion::Hermite}) {
      const CurvatureProjection projection(model, wide, Threads(1), {expansion});
      ASSERT_EQ(projection.dim(), 9);
      std::vector<double> v(30 * 9);
      projection.read(0, 30, v.data());
      for (const auto& [n, m] : {std::pair<Index, Index>{0, 0}, {0, 1}, {5, 20}, {29, 29}}) {
        const Products drawn = draw_products(model, wide, projection, n, m, 40000);
        EXPECT_NEAR(dot(v.data() + n * 9, v.data() + m * 9, 9), drawn.cut.mean(), 4 * drawn.cut.error())
            << n << ", " << m;
      }
    }
  }
}

TEST(CurvatureProjection, WithTheRemainderInnerProductsAreThoseOfTheWholeNormWithinFourStandardErrors) {
  constexpr Index kRemainder = 40000;
  const Regression model = regression(Family::BernoulliLogit, 12, 3, 5);
  const Normal wide = Normal::with_covariance({0.5, -0.5, 1}, {1.5, 0.2, 0, 0.2, 1.2, 0.1, 0, 0.1, 1});
  const CurvatureProjection projection(model, wide, Threads(1), {Expansion::Hermite, kRemainder, 6});
  const Index width = projection.dim();
  ASSERT_EQ(width, 9 + kRemainder);
  std::vector<double> v(static_cast<std::size_t>(12 * width));
  projection.read(0, 12, v.data());
  bool remainder_matters = false;
  for (const auto& [n, m] : {std::pair<Index, Index>{0, 0}, {1, 1}, {2, 7}, {11, 11}}) {
    const double* a = v.data() + n * width;
    const double* b = v.data() + m * width;
    const Products drawn = draw_products(model, wide, projection, n, m, 40000);
    MeanAndError rest;
    for (Index j = 9; j < width; ++j) rest.add(a[j] * b[j] * kRemainder);
    const double error = std::hypot(drawn.full.error(), rest.error());
    EXPECT_NEAR(dot(a, b, width), drawn.full.mean(), 4 * error) << n << ", " << m;
    remainder_matters = remainder_matters || std::abs(dot(a, b, 9) - drawn.full.mean()) > 8 * error;
  }
  EXPECT_TRUE(remainder_matters);  // or the test would pass without it
}

TEST(CurvatureProjection, MixingTheFeaturesLeavesInnerProductsUnchanged) {
  // z -> z A and theta -> A^-1 theta, so pihat's mean becomes A^-1 mean and its precision A' P A.
  const Rows rows = made_up(Family::PoissonSoftplus, 25, 3, 7);
  const double a[3][3] = {{2, 0.5, 0}, {-1, 30, 0.2}, {0, 0.1, 0.5}};
  std::vector<double> mixed(rows.z.size());
  for (std::size_t n = 0; n < 25; ++n) {
    for (std::size_t e = 0; e < 3; ++e) {
      for (std::size_t d = 0; d < 3; ++d) mixed[n * 3 + e] += rows.z[n * 3 + d] * a[d][e];
    }
  }
  const Normal prior = Normal::isotropic(3);
  std::vector<double> precision(9, 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (const auto& row : a) precision[i * 3 + j] += row[i] * row[j];
    }
  }
  const Regression plain(rows.z, rows.y, {}, {Family::PoissonSoftplus}),
      other(mixed, rows.y, {}, {Family::PoissonSoftplus});
  const Threads executor(1);
  const Normal pihat = laplace(plain, prior, executor).posterior;
  const Normal pihat_mixed = laplace(other, Normal::with_precision({0, 0, 0}, precision), executor).posterior;
  std::vector<double> v(25 * 9), w(25 * 9);
  CurvatureProjection(plain, pihat, executor).read(0, 25, v.data());
  CurvatureProjection(other, pihat_mixed, executor).read(0, 25, w.data());
  for (Index n = 0; n < 25; ++n) {
    for (Index m = 0; m < 25; ++m) {
      const double here = dot(v.data() + n * 9, v.data() + m * 9, 9),
                   there = dot(w.data() + n * 9, w.data() + m * 9, 9);
      EXPECT_NEAR(here, there, 1e-8 * std::abs(here) + 1e-12);
    }
  }
}

TEST(CurvatureProjection, TheTaylorExpansionIsThatAtTheMean) {
  const Regression model = regression(Family::PoissonSoftplus, 10, 3, 8);
  const Normal pihat = laplace_of(model);
  const CurvatureProjection projection(model, pihat, Threads(1), {Expansion::Taylor});
  for (Index n = 0; n < 10; ++n) {
    std::vector<double> z(3);
    model.design(n, 1, z.data());
    const double s = dot(z.data(), pihat.mean().data(), 3), y = model.response(n);
    double first = 0, second = 0;
    kernels::derivatives(model.family(), &y, nullptr, &s, 1, nullptr, &first, &second);
    EXPECT_EQ(projection.slope_at(n), first);
    EXPECT_EQ(projection.curvature_at(n), second);
  }
}

TEST(CurvatureProjection, RefusesTheRemainderOfATaylorExpansion) {
  const Regression model = regression(Family::BernoulliLogit, 10, 3, 8);
  const Normal pihat = laplace_of(model);
  EXPECT_THROW(CurvatureProjection(model, pihat, Threads(1), {Expansion::Taylor, 10}), std::invalid_argument);
}

TEST(CurvatureProjection, RowsThatSpanFewerDimensionsHaveShorterVectorsWithTheSameInnerProducts) {
  // The third feature is the sum of the first two: rank 3 of 4 with the intercept.
  const Rows rows = made_up(Family::BernoulliLogit, 40, 3, 12);
  std::vector<double> z;
  for (std::size_t n = 0; n < 40; ++n) {
    const double* row = rows.z.data() + n * 3;
    z.insert(z.end(), {row[0], row[1], row[0] + row[1], row[2]});
  }
  const Regression model(z, rows.y, {}, {Family::BernoulliLogit});
  const Normal pihat = laplace_of(model);
  const CurvatureProjection projection(model, pihat, Threads(1), {Expansion::Hermite, 5});
  ASSERT_EQ(projection.dim(), 9 + 5);
  std::vector<double> v(40 * 14);
  projection.read(0, 40, v.data());
  const std::vector<double> covariance = pihat.covariance();
  for (Index n = 0; n < 40; n += 7) {
    for (Index m = 0; m < 40; m += 5) {
      double across = 0;
      for (std::size_t d = 0; d < 4; ++d) {
        for (std::size_t e = 0; e < 4; ++e)
          across += z[static_cast<std::size_t>(n) * 4 + d] * covariance[d * 4 + e] *
                    z[static_cast<std::size_t>(m) * 4 + e];
      }
      const double expected = projection.slope_at(n) * projection.slope_at(m) * across +
                              projection.curvature_at(n) * projection.curvature_at(m) * across * across;
      EXPECT_NEAR(dot(v.data() + n * 14, v.data() + m * 14, 9), expected, 1e-12);
    }
  }
}

TEST(CurvatureProjection, ARowHasTheSameBitsHoweverItIsAskedFor) {
  const Regression model = regression(Family::BernoulliLogit, 150, 5, 6);
  const Normal pihat = laplace_of(model);
  const CurvatureProjection projection(model, pihat, Threads(2), {Expansion::Hermite, 31, 4});
  const Index width = projection.dim();
  std::vector<double> all(static_cast<std::size_t>(150 * width)), row(static_cast<std::size_t>(width));
  projection.read(0, 150, all.data());
  for (const Index n : {0, 1, 63, 64, 149}) {
    projection.read(n, 1, row.data());
    EXPECT_TRUE(std::equal(row.begin(), row.end(), all.begin() + n * width)) << n;
  }
}

// To the bit: whoever adds rows up need not hold them.
template <typename Projection>
void expect_combined_as_read(const Projection& projection) {
  const RowProducts* products = projection.products();
  ASSERT_NE(products, nullptr);
  const std::vector<Index> rows = {3, 90, 17, 149, 0};
  const std::vector<double> factors = {0.3, 1.7, 1e-3, 12, 0.9};
  std::vector<double> row(static_cast<std::size_t>(projection.dim())), sum(row.size(), 0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    projection.read(rows[k], 1, row.data());
    for (std::size_t j = 0; j < row.size(); ++j) {
      const volatile double product = factors[k] * row[j];
      sum[j] += product;
    }
  }
  std::vector<double> combined(row.size(), 7.0);  // what is there does not count
  for (Index part = 0; part < products->num_parts(); ++part)
    products->combine(part, rows, factors, combined.data());
  EXPECT_EQ(combined, sum);
}

// Rows that are held by their products are read as those that are not.
TEST(CurvatureProjection, CombinedRowsHaveTheBitsOfRowsThatAreRead) {
  const Regression model = regression(Family::BernoulliLogit, 150, 46, 3);
  const Normal pihat = laplace_of(model);
  for (CurvatureProjectionOptions options :
       {CurvatureProjectionOptions{}, CurvatureProjectionOptions{Expansion::Hermite, 30}}) {
    const CurvatureProjection held(model, pihat, Threads(2), options);
    expect_combined_as_read(held);
    options.hold_rows = false;
    const CurvatureProjection plain(model, pihat, Threads(2), options);
    ASSERT_EQ(plain.products(), nullptr);
    std::vector<double> all(static_cast<std::size_t>(150 * held.dim())), again(all.size());
    held.read(0, 150, all.data());
    plain.read(0, 150, again.data());
    EXPECT_EQ(all, again);
  }
}

// D = 46: 1127 numbers per row, which are not formed to be multiplied.
TEST(CurvatureProjection, ProductsAreThoseOfItsRows) {
  const Regression model = regression(Family::BernoulliLogit, 150, 46, 3);
  const Normal pihat = laplace_of(model);
  for (const CurvatureProjectionOptions& options :
       {CurvatureProjectionOptions{}, CurvatureProjectionOptions{Expansion::Hermite, 30}}) {
    const CurvatureProjection projection(model, pihat, Threads(2), options);
    const RowProducts* products = projection.products();
    ASSERT_NE(products, nullptr);
    const Index dim = projection.dim(), rows = projection.num_rows();
    std::vector<double> all(static_cast<std::size_t>(rows * dim)), direction(static_cast<std::size_t>(dim));
    projection.read(0, rows, all.data());
    Stream random = stream(4, "direction");
    for (double& value : direction) value = random.normal();
    const double length = std::sqrt(dot(direction.data(), direction.data(), dim));
    std::vector<double> norms(static_cast<std::size_t>(rows)), along(norms.size()), others(norms.size());
    products->norms(0, rows, norms.data());
    products->with_direction(0, rows, direction.data(), along.data());
    std::vector<Index> everyone(norms.size());
    std::iota(everyone.begin(), everyone.end(), 0);
    products->with_rows(17, everyone, others.data());
    for (Index n = 0; n < rows; ++n) {
      const auto k = static_cast<std::size_t>(n);
      const double* row = all.data() + n * dim;
      EXPECT_NEAR(norms[k], std::sqrt(dot(row, row, dim)), 1e-12 * norms[k]);
      EXPECT_NEAR(along[k], dot(row, direction.data(), dim), 1e-12 * norms[k] * length);
      EXPECT_NEAR(others[k], dot(row, all.data() + 17 * dim, dim), 1e-12 * norms[k] * norms[17]);
      double again = 0;  // the same bits, however it is asked for
      products->with_direction(n, 1, direction.data(), &again);
      EXPECT_EQ(again, along[k]);
    }
  }
  const Regression small = regression(Family::BernoulliLogit, 50, 4, 3);
  const Normal about = laplace_of(small);
  EXPECT_EQ(CurvatureProjection(small, about, Threads(1)).products(), nullptr);
}

}  // namespace
}  // namespace giga::test
