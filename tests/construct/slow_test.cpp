// The laws at the counts the project promises (docs: "seen to hold on 10,000 random problems").
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "construct/laws.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/simulate.hpp"
#include "support/executors.hpp"

namespace giga {
namespace {

TEST(GigaAtLength, KeepsTheLawsOfThePaperOnTenThousandProblems) {
  test::expect_giga_laws(0, 10000);
}

TEST(AxesAtLength, GigaAndFrankWolfeReachTheirClosedFormErrors) {
  constexpr Index kRows = 5000;
  const SimulatedRows rows({.rows = kRows, .dim = kRows, .kind = VectorKind::Axis});
  const VectorTable table(rows, test::threads(1), {.selector = SelectorKind::Quantised});
  const BuildResult best = giga(table, {.size = 100}), simplex = frank_wolfe(table, {.size = 100});
  ASSERT_EQ(best.trace.size(), 100U);
  ASSERT_EQ(simplex.trace.size(), 100U);
  for (std::size_t t = 0; t < 100; ++t) {
    const double share = static_cast<double>(t + 1) / kRows;
    EXPECT_NEAR(best.trace[t].relative_error, std::sqrt(1 - share), 1e-12) << "step " << t + 1;
    EXPECT_NEAR(simplex.trace[t].relative_error, std::sqrt(1 / share - 1), 1e-12) << "step " << t + 1;
  }
}

TEST(BuildAtLength, EveryMethodIsResumableOnTwoThousandProblems) {
  test::expect_resumable(0, 2000);
}

TEST(CorrectiveAtLength, IsNeverWorseThanGigaOnTenThousandProblems) {
  test::expect_corrective_laws(0, 10000);
}

TEST(SelectorAtLength, AllReturnTheSameBitsOnAThousandProblems) {
  for (Index i = 0; i < 1000 && !HasFailure(); ++i)
    test::expect_selectors_agree(test::selector_vectors(i, 20000), 12);
}

TEST(SelectorAtLength, AllReturnTheSameBitsOnAMillionRows) {
  constexpr Index kRows = 1000000, kDim = 50;
  std::vector<float> data(kRows * kDim);
  {
    const SimulatedRows made({.rows = kRows, .dim = kDim, .seed = 4});
    const Threads executor;
    executor.for_each(num_blocks(kRows), [&](Index block) {
      const Index first = block * kBlockRows, count = std::min(kBlockRows, kRows - first);
      std::vector<double> some(static_cast<std::size_t>(count * kDim));
      made.read(first, count, some.data());
      std::copy(some.begin(), some.end(), data.begin() + first * kDim);
    });
  }
  const DenseRows rows(MatrixView::of(data.data(), kRows, kDim));
  const VectorTable scan(rows, test::threads(2), {.selector = SelectorKind::Scan});
  const BuildResult want_giga = giga(scan, {.size = 60});
  const BuildResult want_fw = frank_wolfe(scan, {.size = 20});
  for (const int threads : {1, 2}) {
    const VectorTable codes(rows, test::threads(threads), {.selector = SelectorKind::Quantised});
    const std::string what = "quantised, threads " + std::to_string(threads);
    test::expect_same_bits(giga(codes, {.size = 60}), want_giga, what);
    test::expect_same_bits(frank_wolfe(codes, {.size = 20}), want_fw, what);
  }
  const VectorTable scan_alone(rows, test::threads(1), {.selector = SelectorKind::Scan});
  const BuildResult first_steps = giga(scan_alone, {.size = 10});
  test::expect_same_bits(resume(scan, first_steps, GreedyOptions{.size = 60}), want_giga, "scan, threads 1");
  const VectorTable tree(rows, test::threads(2), {.selector = SelectorKind::CapTree});
  test::expect_same_bits(giga(tree, {.size = 10}), first_steps, "cap_tree, threads 2");
}

}  // namespace
}  // namespace giga
