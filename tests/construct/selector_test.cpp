// Every selector returns the row of the plain scan, always.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>

#include "base/extended.hpp"
#include "construct/laws.hpp"
#include "construct/quantised_selector.hpp"
#include "construct/row_pass.hpp"
#include "construct/scan_selector.hpp"
#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/simulate.hpp"
#include "support/executors.hpp"

namespace giga {
namespace {

using test::VectorSet;

TEST(Selector, AllReturnTheSameBitsOnAHundredProblemsOfEveryKind) {
  for (Index i = 0; i < 110 && !HasFailure(); ++i)
    test::expect_selectors_agree(test::selector_vectors(i, 6000), 15);
}

TEST(Selector, AllReturnTheSameBitsInOneTwoAndThreeDimensions) {
  for (Index i = 0; i < 30 && !HasFailure(); ++i)
    test::expect_selectors_agree(test::gaussian_vectors(1 + 151 * i, 1 + i % 3, i), 20);
}

TEST(Selector, AllReturnTheSameBitsAtTheEdgesOfBlocksAndTiles) {
  for (const Index rows : {15, 16, 17, 63, 64, 65, 4095, 4096, 4097, 8191, 8192, 8193})
    test::expect_selectors_agree(test::gaussian_vectors(rows, 7, rows), 8);
}

TEST(Selector, AllReturnTheSameBitsWithEveryInstructionSetOfThisMachine) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    // Whole octets, half ones, and none; few rows and groups that are not full.
    for (Index dim = 1; dim <= 41 && !HasFailure(); ++dim)
      test::expect_selectors_agree(test::gaussian_vectors(300 + 7 * dim, dim, dim), 8);
    EXPECT_FALSE(HasFailure()) << hwy::TargetName(target);
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
}

// Rows of a norm below 1e-305 sigma are taken as zero by all, whichever way they point.
TEST(Selector, AllPassOverRowsTooShortToWeigh) {
  for (const double longest : {150, 200, 280}) {
    for (Index seed = 0; seed < 12 && !HasFailure(); ++seed) {
      VectorSet p = test::gaussian_vectors(300, 5, seed);
      Stream random = stream(31, "short rows", seed);
      for (Index n = 0; n < p.rows; ++n) {  // a third of the rows is long, the others are around the limit
        const double exponent = n % 3 == 0 ? longest : longest - 306 + 6 * random.uniform();
        for (Index j = 0; j < p.dim; ++j)
          p.data[static_cast<std::size_t>(n * p.dim + j)] *= std::pow(10.0, exponent);
      }
      SCOPED_TRACE("longest 1e" + std::to_string(longest));
      test::expect_selectors_agree(p, 20, true);
    }
  }
}

// A row that points along L but is so short that sigma / sigma_n overflows: sigma is 1e10 |L| here.
TEST(Selector, NoMethodGivesAWeightThatOverflows) {
  for (double shortest = 1e-280; shortest > 0 && !HasFailure(); shortest /= 10) {
    const std::vector<double> data = {1e10, 0, -1e10, 0, 0.3, 1, -0.3, 1, 0, shortest};
    const DenseRows rows(MatrixView::of(data.data(), 5, 2));
    const VectorTable table(rows, test::threads(1));
    ASSERT_FALSE(table.zero_target());
    for (const Method method : test::kAllMethods) {
      const BuildResult result = test::build(table, method, 4);
      EXPECT_TRUE(std::isfinite(result.relative_error)) << name(method) << ", " << shortest;
      for (const double weight : result.coreset.weights)
        EXPECT_TRUE(std::isfinite(weight)) << name(method) << ", " << shortest;
    }
  }
}

TEST(Selector, AllReturnTheSameBitsOnDenormalRows) {
  for (Index seed = 0; seed < 40 && !HasFailure(); ++seed) {
    VectorSet p = test::gaussian_vectors(200, 4, seed);
    for (double& value : p.data) value = std::round(4 * value) * 5e-324;
    test::expect_selectors_agree(p, 10);
  }
}

// One block in which a few rows have a far larger error of their codes than the others.
TEST(Selector, AllReturnTheSameBitsWhereCodesAreCoarse) {
  for (Index seed = 0; seed < 12 && !HasFailure(); ++seed) {
    VectorSet p = test::gaussian_vectors(2000, 40, seed);
    for (Index n = 0; n < p.rows; n += 2) {  // one large component, the others below a step of the code
      for (Index j = 1; j < p.dim; ++j) p.data[static_cast<std::size_t>(n * p.dim + j)] *= 0.004;
    }
    test::expect_selectors_agree(p, 15);
  }
}

// Rows that must be asked for, as those of a projection.
class AskedRows final : public RowSource {
 public:
  explicit AskedRows(const VectorSet& p) : p_(p) {}
  [[nodiscard]] Index num_rows() const override { return p_.rows; }
  [[nodiscard]] Index dim() const override { return p_.dim; }
  void read(Index first, Index count, double* out) const override {
    std::copy_n(p_.row(first), count * p_.dim, out);
  }

 private:
  const VectorSet& p_;
};

std::unique_ptr<Selector> plain_codes(const RowSource& rows, const Executor& executor,
                                      const ExtendedVector& target) {
  QuantisedBuilder builder(rows, executor);
  for_each_block(executor, rows.num_rows(), [&](Index begin, Index block_rows) {
    kernels::EncodeScratch scratch;
    for_each_tile(rows, begin, block_rows,
                  [&](Index first, const double* x, Index count) { builder.add(first, x, count, scratch); });
  });
  return builder.finish(target);
}

// Codes made before l is known: of every kind of set, whether they suit it or not.
TEST(Selector, PlainCodesReturnTheRowOfTheScan) {
  const Threads executor(2);
  for (Index i = 0; i < 110 && !HasFailure(); ++i) {
    const VectorSet p = test::selector_vectors(i, 6000);
    const DenseRows rows(p.view());
    const VectorTable table(rows, test::threads(1), {.selector = SelectorKind::Scan});
    if (table.zero_target()) continue;
    const ScanSelector scan(rows, executor);
    const auto plain = plain_codes(rows, executor, table.target());
    SearchMemory scan_memory, plain_memory;
    SearchStats stats;
    const auto expect_same = [&](const Query& query) {
      const Pick want = scan.best(query, scan_memory, stats);
      const Pick got = plain->best(query, plain_memory, stats);
      EXPECT_EQ(got.row, want.row) << p.label();
      EXPECT_EQ(got.score, want.score) << p.label();
    };
    expect_same(linear_query(table.target(), table.target(), table.norm_sum()));
    Stream random = stream(7, "plain codes", i);
    for (int k = 0; k < 12; ++k) {  // from far off l to close by
      ExtendedVector v = table.target();
      for (Extended& value : v)
        value += static_cast<Extended>(std::pow(0.2, k) * random.normal()) / std::sqrt(p.dim);
      const Extended length = norm(v);
      if (length == 0 || p.dim == 1) continue;
      scale(v, 1 / length);
      expect_same(geodesic_query(table.target(), v, table.norm_sum()));
      expect_same(linear_query(table.target(), v, table.norm_sum()));
    }
  }
}

TEST(Selector, CodesOfRowsThatMustBeAskedForAreMadeAlongWithTheSum) {
  const VectorSet p = test::gaussian_vectors(9000, 40, 3);
  const DenseRows held(p.view());
  const AskedRows asked(p);
  const VectorTable want(held, test::threads(2), {.selector = SelectorKind::Quantised}),
      got(asked, test::threads(2), {.selector = SelectorKind::Quantised});
  (void)got.selector();
  (void)want.selector();
  EXPECT_EQ(got.prepare_bytes_read(), 9000 * 40 * 8);
  EXPECT_EQ(want.prepare_bytes_read(), 2 * 9000 * 40 * 8);
  for (const Method method : test::kAllMethods)
    test::expect_same_bits(test::build(got, method, 40), test::build(want, method, 40),
                           std::string(name(method)));
}

struct Owned {
  std::vector<float> floats;
  std::vector<double> columns;
};

TEST(Selector, AllReturnTheSameBitsFromFloatAndFortranOrder) {
  for (Index seed = 0; seed < 6 && !HasFailure(); ++seed) {
    const Index dim = 3 + 4 * seed;
    VectorSet p = test::gaussian_vectors(5000, dim, seed);
    for (double& value : p.data) value = static_cast<double>(static_cast<float>(value));
    Owned owned;
    owned.floats.assign(p.data.size(), 0.0F);
    owned.columns.assign(p.data.size(), 0.0);
    for (Index n = 0; n < p.rows; ++n) {
      for (Index j = 0; j < dim; ++j) {
        owned.floats[static_cast<std::size_t>(n * dim + j)] = static_cast<float>(p.row(n)[j]);
        owned.columns[static_cast<std::size_t>(j * p.rows + n)] = p.row(n)[j];
      }
    }
    const DenseRows plain(p.view());
    const DenseRows floats(MatrixView::of(owned.floats.data(), p.rows, dim));
    const DenseRows fortran(transposed(MatrixView::of(owned.columns.data(), dim, p.rows)));
    const VectorTable scan(plain, test::threads(1), {.selector = SelectorKind::Scan});
    for (const Method method : test::kAllMethods) {
      const BuildResult want = test::build(scan, method, 15);
      for (const DenseRows* rows : {&plain, &floats, &fortran}) {
        for (const SelectorKind kind : {SelectorKind::Scan, SelectorKind::Quantised, SelectorKind::CapTree}) {
          const VectorTable table(*rows, test::threads(2), {.selector = kind});
          test::expect_same_bits(
              test::build(table, method, 15), want,
              p.label() + ", " + std::string(name(method)) + ", " + std::string(name(kind)));
        }
      }
    }
  }
}

// A table serves any number of builds, and what one build remembers is no other's business.
TEST(Selector, GivesTheSameAnswerWhoeverAskedBefore) {
  const VectorSet p = test::gaussian_vectors(9000, 12, 1);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2), {.selector = SelectorKind::Quantised});
  const BuildResult first = giga(table, {.size = 20});
  (void)frank_wolfe(table, {.size = 20});
  test::expect_same_bits(giga(table, {.size = 20}), first, "again");
}

// Rows that differ by less than a step of the code, in so few dimensions that none is split off; some are
// zero, and one is l itself, nearly.
VectorSet nearly_one_direction(Index count) {
  VectorSet p = test::gaussian_vectors(count, 7, 1);
  for (Index n = 0; n < count; ++n) {
    p.data[at(n * p.dim)] = 1;
    for (Index j = 1; j < p.dim; ++j) p.data[at(n * p.dim + j)] *= n == 17 ? 1e-9 : 1e-3;
    if (n % 1000 == 5) std::fill_n(p.data.begin() + n * p.dim, p.dim, 0.0);
  }
  return p;
}

// Searches of either kind, by codes and without; how many there were without.
Index searches_without_codes(const RowSource& rows, const Selector& selector, const VectorTable& table) {
  constexpr Index kSearches = 60;
  Stream random = stream(3, "nearly one direction");
  const ScanSelector scan(rows, table.executor());
  SearchMemory scan_memory, memory;
  SearchStats stats;
  Index without = 0;
  for (Index k = 0; k < kSearches; ++k) {
    ExtendedVector v = table.target();
    // Linear queries near l tell what l is, others do not.
    if (k % 4 == 3) scale(v, 0);
    for (Extended& value : v) value += static_cast<Extended>(0.02 * random.normal());
    scale(v, 1 / norm(v));
    const Query query = k % 2 == 0 ? geodesic_query(table.target(), v, table.norm_sum())
                                   : linear_query(table.target(), v, table.norm_sum());
    const Wanted wanted = k % 3 == 0 ? Wanted{5, 0.9} : Wanted{};
    const auto want = scan.best_several(query, wanted, scan_memory, stats);
    const auto got = selector.best_several(query, wanted, memory, stats);
    EXPECT_EQ(got.size(), want.size()) << "search " << k;
    for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
      EXPECT_EQ(got[i].row, want[i].row) << "search " << k;
      EXPECT_EQ(got[i].score, want[i].score) << "search " << k;
    }
    without += memory.unscanned > 0 ? 1 : 0;
  }
  return without;
}

TEST(Selector, GoesWithoutCodesWhereTheseRuleOutFewRows) {
  const VectorSet p = nearly_one_direction(9000);
  const DenseRows rows(p.view());
  const Threads executor(2);
  const VectorTable table(rows, executor, {.selector = SelectorKind::Quantised});
  const Index without = searches_without_codes(rows, table.selector(), table);
  EXPECT_GT(without, 20);
  EXPECT_LT(without, 57) << "codes are tried again";
  const AskedRows asked(p);
  EXPECT_GT(searches_without_codes(asked, *plain_codes(asked, executor, table.target()), table), 20);
}

TEST(Selector, ServesTwoBuildsAtOnceWithoutCodes) {
  const VectorSet p = nearly_one_direction(9000);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(1), {.selector = SelectorKind::Quantised});
  std::vector<std::jthread> builds;
  for (int i = 0; i < 2; ++i)
    builds.emplace_back([&] { EXPECT_GT(searches_without_codes(rows, table.selector(), table), 20); });
}

// Of such rows nothing is known in 16 bits: the inverse of a step overflows.
TEST(Selector, AllReturnTheSameBitsOnTinyRows) {
  VectorSet p = test::gaussian_vectors(5000, 9, 1);
  for (double& value : p.data) value *= 1e-306;
  test::expect_selectors_agree(p, 10);
}

TEST(Selector, QuantisedScoresFewRowsInDouble) {
  const VectorSet p = test::gaussian_vectors(50000, 20, 1);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2), {.selector = SelectorKind::Quantised});
  const BuildResult result = giga(table, {.size = 30});
  EXPECT_LT(result.search.rows_rescored, 0.01 * result.search.rows_touched);
  EXPECT_LE(table.selector_bytes(), 50000U * (20 + 6) + 4096);
}

}  // namespace
}  // namespace giga
