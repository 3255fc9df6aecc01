#include "giga/construct/vector_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "construct/laws.hpp"
#include "giga/base/error.hpp"
#include "giga/base/random.hpp"
#include "giga/construct/simulate.hpp"
#include "support/executors.hpp"
#include "support/oracle.hpp"
#include "support/temp_dir.hpp"

namespace giga {
namespace {

using test::Oracle;
using test::VectorSet;

// 1e16 + 1 - 1e16 in each component, its terms in different blocks: plain sums lose the 1.
TEST(VectorTable, SumsExactlyUnderMassiveCancellation) {
  constexpr Index kRows = 3 * kBlockRows, kDim = 3;
  std::vector<double> data(kRows * kDim, 0.0);
  Stream random = stream(41, "cancellation");
  for (Index n = 0; n < kBlockRows; ++n) {
    for (Index j = 0; j < kDim; ++j) {
      const double large = 1e16 * random.normal();
      data[static_cast<std::size_t>(n * kDim + j)] = large;
      data[static_cast<std::size_t>((2 * kBlockRows + n) * kDim + j)] = -large;
      data[static_cast<std::size_t>((kBlockRows + n) * kDim + j)] = random.normal();
    }
  }
  // The large part cancels to nothing; one row of 1e10 beyond it keeps the sum above rounding.
  for (Index j = 0; j < kDim; ++j) data[static_cast<std::size_t>(kBlockRows * kDim + j)] = 1e10 + 0.1234567;
  const DenseRows rows(MatrixView::of(data.data(), kRows, kDim));
  const Oracle oracle(rows);
  for (const int threads : {1, 2}) {
    const VectorTable table(rows, test::threads(threads));
    EXPECT_NEAR(static_cast<double>(table.target_norm() / oracle.target_norm()), 1, 1e-17);
    if (table.zero_target()) continue;
    for (std::size_t j = 0; j < kDim; ++j)
      EXPECT_NEAR(static_cast<double>(table.target()[j] - oracle.target()[j]), 0, 1e-17);
  }
}

TEST(VectorTable, SumsHaveTheSameBitsOnAnyNumberOfThreads) {
  const VectorSet p = test::gaussian_vectors(20000, 7, 1);
  const DenseRows rows(p.view());
  const VectorTable one(rows, test::threads(1));
  const Oracle oracle(rows);
  EXPECT_NEAR(static_cast<double>(one.norm_sum() / oracle.norm_sum()), 1, 1e-13);
  for (const int threads : {2, 3, 5}) {
    const VectorTable other(rows, test::threads(threads));
    EXPECT_EQ(other.norm_sum(), one.norm_sum());
    EXPECT_EQ(other.target_norm(), one.target_norm());
    EXPECT_EQ(other.target(), one.target());
  }
}

TEST(VectorTable, HasNoTargetWhereRowsCancel) {
  for (Index i = 5; i < 800; i += 8) {  // pairs
    const VectorSet p = test::vector_set(i);
    ASSERT_EQ(p.kind, test::VectorSetKind::Pairs);
    const DenseRows rows(p.view());
    const VectorTable table(rows, test::threads(1));
    EXPECT_TRUE(table.zero_target()) << p.label();
    for (const Method method : test::kAllMethods) {
      const BuildResult result = test::build(table, method, 5);
      EXPECT_EQ(name(result.termination), "zero_target") << p.label();
      EXPECT_EQ(result.coreset.size(), 0) << p.label();
      EXPECT_EQ(result.relative_error, 0) << p.label() << ": the sum is zero to the last bit";
    }
  }
}

TEST(VectorTable, HasNoTargetWhereRoundingIsAllThatIsLeft) {
  std::vector<double> data;
  for (int n = 0; n < 10; ++n) data.push_back(0.1);
  data.push_back(-1);  // the doubles sum to 5.6e-17, of sigma = 2
  const DenseRows rows(MatrixView::of(data.data(), 11, 1));
  const VectorTable table(rows, test::threads(2));
  EXPECT_GT(table.target_norm(), 0);
  EXPECT_TRUE(table.zero_target());
  const BuildResult result = giga(table);
  EXPECT_EQ(name(result.termination), "zero_target");
  EXPECT_EQ(result.relative_error, 1);
}

TEST(VectorTable, CountsZeroRowsAndNeverChoosesThem) {
  const std::vector<double> data = {0, 0, 1, 0, 0, 0, 0, 2};
  const DenseRows rows(MatrixView::of(data.data(), 4, 2));
  for (const SelectorKind kind : {SelectorKind::Scan, SelectorKind::Quantised, SelectorKind::CapTree}) {
    const VectorTable table(rows, test::threads(2), {.selector = kind});
    EXPECT_EQ(table.num_zero_rows(), 2);
    EXPECT_EQ(giga(table, {.size = 4}).coreset.rows, (std::vector<Index>{1, 3}));
  }
  const std::vector<double> zeros(6, 0.0);
  const DenseRows nothing(MatrixView::of(zeros.data(), 3, 2));
  for (const SelectorKind kind : {SelectorKind::Scan, SelectorKind::Quantised, SelectorKind::CapTree}) {
    const VectorTable table(nothing, test::threads(2), {.selector = kind});
    EXPECT_TRUE(table.zero_target());
    EXPECT_EQ(giga(table).coreset.size(), 0);
  }
}

TEST(VectorTable, RefusesNonFiniteValuesByCountAndPlace) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const SelectorKind kind :
       {SelectorKind::Auto, SelectorKind::Scan, SelectorKind::Quantised, SelectorKind::CapTree}) {
    VectorSet p = test::gaussian_vectors(9000, 30, 1);
    p.data[30 * 17 + 3] = kNan;
    const DenseRows rows(p.view());
    const auto make = [&] { const VectorTable table(rows, test::threads(2), {.selector = kind}); };
    std::string message = test::message_of<DataError>(make);
    EXPECT_NE(message.find("1 value is not finite"), std::string::npos) << message;
    EXPECT_NE(message.find("row 17, column 3 is nan"), std::string::npos) << message;
    p.data[30 * 8999 + 29] = -kInf;
    for (Index n = 5000; n < 5010; ++n) p.data[static_cast<std::size_t>(30 * n)] = kInf;
    message = test::message_of<DataError>(make);
    EXPECT_NE(message.find("12 values are not finite"), std::string::npos) << message;
    EXPECT_NE(message.find("row 5003, column 0 is inf"), std::string::npos) << message;
    EXPECT_EQ(message.find("row 5004"), std::string::npos) << "five places are enough: " << message;
  }
}

TEST(VectorTable, NamesThePlaceInAMatrixOfLogLikelihoodsAsItsUserWould) {
  std::vector<double> loglik(4 * 6, -1.5);
  loglik[2 * 6 + 5] = std::numeric_limits<double>::quiet_NaN();
  const LoglikRows rows(MatrixView::of(loglik.data(), 4, 6));
  const std::string message =
      test::message_of<DataError>([&] { const VectorTable table(rows, test::threads(2)); });
  EXPECT_NE(message.find("row 2, column 5 is nan"), std::string::npos) << message;
  EXPECT_NE(message.find("1 value is"), std::string::npos) << message;
}

TEST(VectorTable, SaysSoWhenNormsOverflow) {
  const std::vector<double> data = {1.7e308, 1.7e308, 1, 1};
  const DenseRows rows(MatrixView::of(data.data(), 2, 2));
  const std::string message =
      test::message_of<DataError>([&] { const VectorTable table(rows, test::threads(2)); });
  EXPECT_NE(message.find("overflow"), std::string::npos) << message;
}

TEST(VectorTable, NeverHasTheAutomaticSelector) {
  const double one = 1;
  const DenseRows rows(MatrixView::of(&one, 1, 1));
  EXPECT_EQ(VectorTable(rows, test::threads(2)).selector_kind(), SelectorKind::Scan);
}

TEST(ChooseSelector, ScansSmallTables) {
  const SimulatedRows rows({.rows = 5000, .dim = 50});
  EXPECT_EQ(choose_selector(rows), SelectorKind::Scan);
}

TEST(ChooseSelector, QuantisesLargeTablesOfManyDirections) {
  const SimulatedRows rows({.rows = 200000, .dim = 50});
  EXPECT_EQ(choose_selector(rows), SelectorKind::Quantised);
  const SimulatedRows low_rank_but_few({.rows = 20000, .dim = 50, .kind = VectorKind::LowRank, .rank = 3});
  EXPECT_EQ(choose_selector(low_rank_but_few), SelectorKind::Quantised);
}

TEST(ChooseSelector, GrowsATreeOverLargeTablesOfFewDirections) {
  const SimulatedRows rows({.rows = 200000, .dim = 50, .kind = VectorKind::LowRank, .rank = 3});
  EXPECT_EQ(choose_selector(rows), SelectorKind::CapTree);
}

}  // namespace
}  // namespace giga
