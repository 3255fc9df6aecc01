// Curvature vectors of families with extra parameters, offsets and trials: (gradient, svec of the Hessian) of
// each row at the mode, whitened, from the likelihood of that row alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/laplace.hpp"
#include "giga/model/predictor_moments.hpp"
#include "giga/model/regression.hpp"
#include "giga/project/curvature_projection.hpp"

namespace giga::test {
namespace {

// `columns` columns, the last of ones, responses at a theta of moderate size.
Regression some_regression(Family family, Index rows, Index columns) {
  const FamilyParameters parameters = {.family = family, .noise_scale = 0.7, .nu = 5, .phi = 2, .shape = 3};
  const FamilyDescription& description = describe(family);
  Stream random = stream(5, "curvature");
  std::vector<double> z, y, times;
  RowTerms terms;
  for (Index n = 0; n < rows; ++n) {
    double s = 0.2;
    for (Index d = 0; d + 1 < columns; ++d) {
      z.push_back(random.normal());
      s += 0.5 / static_cast<double>(columns) * z.back();
    }
    z.push_back(1);
    terms.offset.push_back(0.3 * random.normal());
    const double response = description.simulation.respond(parameters, s + terms.offset.back(), random);
    y.push_back(description.has_trials ? successes_of(response) + 1 : response);
    if (description.has_trials) terms.trials.push_back(3);
    times.push_back(n % 4 == 0 ? 2 : 1);
  }
  return {z, y, times, parameters, terms};
}

constexpr Family kExtended[] = {Family::Gaussian, Family::NegativeBinomial, Family::GammaLog,
                                Family::StudentT, Family::StudentTGiven,    Family::BinomialProbit};

// (C'g, svec(C'HC)) of one row.
std::vector<double> whitened(const Likelihood& model, Index n, const Normal& pihat) {
  const Index rows[] = {n};
  const double times[] = {model.multiplicity(n)};
  const Derivatives at_mode = model.subset(rows, times)->evaluate(pihat.mean(), Order::Hessian, Threads(1));
  const Index dim = pihat.dim();
  const auto c = [&](Index d, Index k) { return pihat.factor()[at(d * dim + k)]; };
  std::vector<double> out;
  for (Index k = 0; k < dim; ++k) {
    double sum = 0;
    for (Index d = 0; d < dim; ++d) sum += c(d, k) * at_mode.gradient[at(d)];
    out.push_back(sum);
  }
  for (Index k = 0; k < dim; ++k) {
    for (Index j = k; j < dim; ++j) {
      double sum = 0;
      for (Index d = 0; d < dim; ++d) {
        for (Index e = 0; e < dim; ++e) sum += c(d, k) * at_mode.hessian[at(d * dim + e)] * c(e, j);
      }
      out.push_back(j == k ? sum : std::numbers::sqrt2 * sum);
    }
  }
  return out;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(CurvatureExtras, VectorsHaveTheInnerProductsOfWhitenedGradientsAndHessians) {
  const Threads executor(2);
  for (const Family family : kExtended) {
    const Regression model = some_regression(family, 200, 4);
    const Normal pihat = laplace(model, Normal::isotropic(model.num_parameters()), executor).posterior;
    const CurvatureProjection projection(model, pihat, executor);
    ASSERT_EQ(projection.dim(), curvature_dim(model.num_parameters()));
    std::vector<std::vector<double>> got, want;
    for (Index n = 0; n < 20; ++n) {
      got.emplace_back(at(projection.dim()));
      projection.read(n, 1, got.back().data());
      want.push_back(whitened(model, n, pihat));
    }
    for (std::size_t n = 0; n < got.size(); ++n) {
      for (std::size_t m = 0; m < got.size(); ++m) {
        const double size = std::sqrt(product(want[n], want[n]) * product(want[m], want[m]));
        EXPECT_NEAR(product(got[n], got[m]), product(want[n], want[m]), 1e-11 * size)
            << describe(family).name;
      }
    }
  }
}

TEST(CurvatureExtras, TheTargetIsTheSumOfAllVectors) {
  const Threads executor(1);
  for (const Family family : kExtended) {
    const Regression model = some_regression(family, 300, 3);
    const LaplaceResult mode = laplace(model, Normal::isotropic(model.num_parameters()), executor);
    const CurvatureProjection projection(model, mode.posterior, executor, {.all_rows = &*mode.at_mode});
    std::vector<double> rows(at(300 * projection.dim())), sum(at(projection.dim()), 0.0);
    projection.read(0, 300, rows.data());
    double size = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sum[i % sum.size()] += rows[i];
      size = std::max(size, std::abs(rows[i]));
    }
    const ExtendedVector target = projection.target();
    for (std::size_t j = 0; j < sum.size(); ++j)
      EXPECT_NEAR(static_cast<double>(target[j]), sum[j], 1e-9 * size) << describe(family).name;
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

TEST(CurvatureExtras, CombinedRowsHaveTheBitsOfRowsThatAreRead) {
  const Threads executor(2);
  for (const Family family : {Family::NegativeBinomial, Family::StudentT}) {
    const Regression model = some_regression(family, 150, 44);
    const Normal pihat = laplace(model, Normal::isotropic(model.num_parameters()), executor).posterior;
    expect_combined_as_read(CurvatureProjection(model, pihat, executor));
  }
}

TEST(CurvatureExtras, ProductsAreThoseOfTheVectors) {
  const Threads executor(2);
  for (const Family family : {Family::NegativeBinomial, Family::StudentT}) {
    const Regression model = some_regression(family, 150, 44);
    const Normal pihat = laplace(model, Normal::isotropic(model.num_parameters()), executor).posterior;
    const CurvatureProjection projection(model, pihat, executor);
    ASSERT_NE(projection.products(), nullptr);
    const auto size = at(projection.dim());
    std::vector<std::vector<double>> rows;
    for (Index n = 0; n < 30; ++n) {
      rows.emplace_back(size);
      projection.read(n, 1, rows.back().data());
    }
    Stream random = stream(6, "direction");
    std::vector<double> direction(size), norms(30), along(30), with(30);
    for (double& value : direction) value = random.normal();
    projection.products()->norms(0, 30, norms.data());
    projection.products()->with_direction(0, 30, direction.data(), along.data());
    std::vector<Index> all(30);
    std::iota(all.begin(), all.end(), Index{0});
    projection.products()->with_rows(7, all, with.data());
    const double length = std::sqrt(product(direction, direction));
    for (std::size_t n = 0; n < 30; ++n) {
      const double norm = std::sqrt(product(rows[n], rows[n]));
      EXPECT_NEAR(norms[n], norm, 1e-12 * norm);
      EXPECT_NEAR(along[n], product(rows[n], direction), 1e-12 * norm * length);
      EXPECT_NEAR(with[n], product(rows[n], rows[7]), 1e-12 * norm * std::sqrt(product(rows[7], rows[7])));
    }
  }
}

TEST(CurvatureExtras, LengthsAreThoseOfTheVectors) {
  const Threads executor(1);
  for (const Family family : kExtended) {
    const Regression model = some_regression(family, 200, 4);
    const Normal pihat = laplace(model, Normal::isotropic(model.num_parameters()), executor).posterior;
    const CurvatureProjection projection(model, pihat, executor);
    const CurvatureLengths lengths =
        curvature_lengths(model, predictor_moments(model, pihat, executor), pihat, executor);
    std::vector<double> v(at(projection.dim()));
    for (Index n = 0; n < 200; ++n) {
      projection.read(n, 1, v.data());
      const double norm = std::sqrt(product(v, v)),
                   straight = std::inner_product(v.begin(), v.begin() + pihat.dim(), v.begin(), 0.0);
      EXPECT_NEAR(static_cast<double>(lengths.norms[at(n)]), norm, 1e-4 * norm) << describe(family).name;
      EXPECT_NEAR(static_cast<double>(lengths.shares[at(n)]), 1 - straight / (norm * norm), 1e-4);
    }
  }
}

TEST(CurvatureExtras, HaveNoHermiteExpansion) {
  const Threads executor(1);
  const Regression model = some_regression(Family::Gaussian, 50, 2);
  EXPECT_THROW(CurvatureProjection(model, Normal::isotropic(3), executor, {Expansion::Hermite}),
               std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
