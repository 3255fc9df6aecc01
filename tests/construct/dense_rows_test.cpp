#include "giga/construct/dense_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "giga/base/random.hpp"
#include "giga/construct/simulate.hpp"
#include "support/vector_sets.hpp"

namespace giga {
namespace {

// All rows at once, one by one, and in uneven pieces: the same bits.
void expect_same_rows_however_asked(const RowSource& rows) {
  const Index count = rows.num_rows(), dim = rows.dim();
  std::vector<double> all(static_cast<std::size_t>(count * dim)), some(all.size());
  rows.read(0, count, all.data());
  for (Index n = 0; n < count; ++n) rows.read(n, 1, some.data() + n * dim);
  EXPECT_EQ(all, some);
  Stream random = stream(51, "pieces");
  for (Index first = 0; first < count;) {
    const auto piece = std::min(count - first, static_cast<Index>(1 + random.below(100)));
    rows.read(first, piece, some.data() + first * dim);
    first += piece;
  }
  EXPECT_EQ(all, some);
  if (rows.contiguous() != nullptr) {
    EXPECT_EQ(all, std::vector<double>(rows.contiguous(), rows.contiguous() + count * dim));
  }
}

TEST(RowSource, GivesTheSameBitsHoweverRowsAreAskedFor) {
  const test::VectorSet p = test::gaussian_vectors(777, 13, 1);
  expect_same_rows_however_asked(DenseRows(p.view()));
  expect_same_rows_however_asked(DenseRows(transposed(p.view())));
  expect_same_rows_however_asked(LoglikRows(p.view()));
  expect_same_rows_however_asked(LoglikRows(transposed(p.view())));
  const std::vector<float> floats(p.data.begin(), p.data.end());
  expect_same_rows_however_asked(DenseRows(MatrixView::of(floats.data(), 777, 13)));
  expect_same_rows_however_asked(LoglikRows(MatrixView::of(floats.data(), 777, 13)));
  for (const VectorKind kind : values_of<VectorKind>()) {
    expect_same_rows_however_asked(SimulatedRows({.rows = 777, .dim = 13, .kind = kind}));
  }
}

TEST(DenseRows, HasTheRowsOfTheMatrix) {
  const std::vector<double> data = {1, 2, 3, 4, 5, 6};
  const DenseRows rows(MatrixView::of(data.data(), 2, 3));
  EXPECT_EQ(rows.num_rows(), 2);
  EXPECT_EQ(rows.dim(), 3);
  EXPECT_EQ(rows.contiguous(), data.data());
  EXPECT_EQ(rows.place(1, 2), "row 1, column 2");
  const DenseRows turned(transposed(MatrixView::of(data.data(), 2, 3)));
  std::vector<double> row(2);
  turned.read(2, 1, row.data());
  EXPECT_EQ(row, (std::vector<double>{3, 6}));
  EXPECT_EQ(turned.contiguous(), nullptr);
}

TEST(DenseRows, RefusesAnEmptyMatrix) {
  EXPECT_THROW(DenseRows(MatrixView::of(static_cast<const double*>(nullptr), 0, 3)), std::invalid_argument);
  EXPECT_THROW(LoglikRows(MatrixView::of(static_cast<const double*>(nullptr), 3, 0)), std::invalid_argument);
}

TEST(LoglikRows, CentresTheColumnOfEachObservation) {
  const std::vector<double> loglik = {-1, -10, -3, -20, -5, -60};  // 3 draws x 2 observations
  const LoglikRows rows(MatrixView::of(loglik.data(), 3, 2));
  EXPECT_EQ(rows.num_rows(), 2);
  EXPECT_EQ(rows.dim(), 3);
  std::vector<double> out(6);
  rows.read(0, 2, out.data());
  EXPECT_EQ(out, (std::vector<double>{2, 0, -2, 20, 10, -30}));
}

TEST(LoglikRows, CentresLargeValuesToTheLastBit) {
  // Spread 1 around -1e9: what rounding leaves in the mean is taken out as well.
  Stream random = stream(52, "loglik");
  std::vector<double> loglik(1000);
  for (double& value : loglik) value = -1e9 + random.normal();
  const LoglikRows rows(MatrixView::of(loglik.data(), 1000, 1));
  std::vector<double> out(1000);
  rows.read(0, 1, out.data());
  double sum = 0;
  for (const double value : out) sum += value;
  EXPECT_NEAR(sum / 1000, 0, 1e-10);
}

TEST(SimulatedRows, DependOnTheSeedAlone) {
  std::vector<double> first(10 * 5), second(first.size());
  SimulatedRows({.rows = 10, .dim = 5, .seed = 3}).read(0, 10, first.data());
  SimulatedRows({.rows = 1000, .dim = 5, .seed = 3}).read(0, 10, second.data());
  EXPECT_EQ(first, second);
  SimulatedRows({.rows = 10, .dim = 5, .seed = 4}).read(0, 10, second.data());
  EXPECT_NE(first, second);
}

// 5 standard errors of the mean and of the variance of 10^5 normals.
TEST(SimulatedRows, GaussianComponentsAreStandardNormal) {
  constexpr Index kCount = 100000;
  std::vector<double> all(kCount);
  SimulatedRows({.rows = kCount / 10, .dim = 10}).read(0, kCount / 10, all.data());
  double sum = 0, squares = 0;
  for (const double value : all) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
}

TEST(SimulatedRows, AxisRowsAreUnitVectorsInTurn) {
  std::vector<double> row(3);
  SimulatedRows({.rows = 10, .dim = 3, .kind = VectorKind::Axis}).read(7, 1, row.data());
  EXPECT_EQ(row, (std::vector<double>{0, 1, 0}));
}

TEST(SimulatedRows, RefuseEmptyShapes) {
  EXPECT_THROW(SimulatedRows({.rows = 0}), std::invalid_argument);
  EXPECT_THROW(SimulatedRows({.dim = 0}), std::invalid_argument);
  EXPECT_THROW(SimulatedRows({.rank = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace giga
