#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "construct/laws.hpp"
#include "giga/base/random.hpp"
#include "support/executors.hpp"
#include "support/oracle.hpp"

namespace giga {
namespace {

using test::Oracle;
using test::VectorSet;

TEST(Corrective, IsNeverWorseThanGigaAndStationaryOnAThousandProblems) {
  test::expect_corrective_laws(0, 1000);
}

TEST(Corrective, IsNeverWorseThanGigaAtAnyStepOfItsOwnPath) {
  test::for_each_vector_set(200, [](const DenseRows& rows, const VectorTable& table) {
    const Oracle oracle(rows);
    BuildResult result;
    for (Index t = 1; t <= 10; ++t) {
      const Coreset before = result.coreset;
      const GreedyOptions options{.size = 1000, .max_steps = t};
      result = t == 1 ? corrective(table, options) : resume(table, std::move(result), options);
      if (static_cast<Index>(result.trace.size()) < t) break;
      const Extended plain = oracle.relative_error(oracle.giga_step(before, result.trace.back().row));
      EXPECT_LE(static_cast<Extended>(result.relative_error), plain + 1e-14L) << "step " << t;
      EXPECT_LE(oracle.worst_stationarity(result.coreset), 1e-10L) << "step " << t;
    }
  });
}

// Each of the first steps solves the least-squares problem on the rows it had and the row it chose.
TEST(CorrectiveAndPursuit, WeightsAreTheBestOfTheirRows) {
  test::for_each_vector_set(160, [](const DenseRows& rows, const VectorTable& table) {
    const Oracle oracle(rows);
    for (const Method method : {Method::Corrective, Method::Pursuit}) {
      SCOPED_TRACE(name(method));
      BuildResult result = test::build(table, method, 1);
      for (Index t = 2; t <= 7; ++t) {
        std::vector<Index> support = result.coreset.rows;
        const std::size_t steps = result.trace.size();
        const GreedyOptions options{.size = 1000, .max_steps = t};
        result = resume(table, std::move(result), options);
        if (result.trace.size() == steps) break;
        support.push_back(result.trace.back().row);
        EXPECT_NEAR(result.relative_error, static_cast<double>(oracle.best_error(support)), 1e-9)
            << "step " << t;
      }
    }
  });
}

// Clusters of near-duplicates beside ordinary rows: where least squares and the plain step come out equal to
// rounding, and whichever is taken must leave a state that later steps can build on.
TEST(Corrective, StaysStationaryAmongNearDuplicatesBesideOrdinaryRows) {
  for (Index seed = 0; seed < 300 && !HasFailure(); ++seed) {
    Stream random = stream(3, "clusters", seed);
    const auto dim = static_cast<Index>(2 + random.below(10));
    VectorSet p = test::gaussian_vectors(120, dim, 1000 + seed);
    const double spread = std::pow(10.0, -3 - 9 * random.uniform());
    const auto centres = static_cast<Index>(1 + random.below(12));
    for (Index n = centres; n < p.rows; ++n) {
      for (Index j = 0; j < dim; ++j) {
        auto& value = p.data[static_cast<std::size_t>(n * dim + j)];
        value = p.row(n % centres)[j] + spread * value;
      }
    }
    SCOPED_TRACE(p.label() + ", spread 1e" + std::to_string(std::log10(spread)) + ", centres " +
                 std::to_string(centres));
    const DenseRows rows(p.view());
    const VectorTable table(rows, test::threads(1));
    if (table.zero_target()) continue;
    const Oracle oracle(rows);
    BuildResult result;
    for (Index t = 1; t <= 25; ++t) {
      const Coreset before = result.coreset;
      const double error_before = t == 1 ? 1 : result.relative_error;
      const GreedyOptions options{.size = 1000, .max_steps = t};
      result = t == 1 ? corrective(table, options) : resume(table, std::move(result), options);
      if (static_cast<Index>(result.trace.size()) < t) break;
      EXPECT_LE(oracle.worst_stationarity(result.coreset), 1e-10L) << "step " << t;
      EXPECT_LE(result.relative_error, error_before);
      const Extended plain = oracle.relative_error(oracle.giga_step(before, result.trace.back().row));
      EXPECT_LE(static_cast<Extended>(result.relative_error), plain + 1e-14L) << "step " << t;
    }
    // A step lowers J by a share of at least tau^2 J: below an error of 1e-8 that may be lost in rounding.
    if (result.termination == Termination::NoProgress) {
      EXPECT_LE(result.relative_error, 1e-9);
    }
  }
}

TEST(Corrective, DropsPointsThatGetNoWeight) {
  bool dropped = false;
  for (Index i = 0; i < 400; i += 8) {  // Gaussian sets
    const VectorSet p = test::vector_set(i);
    const DenseRows rows(p.view());
    const VectorTable table(rows, test::threads(1));
    const BuildResult result = corrective(table, {.size = 40});
    EXPECT_LE(result.coreset.size(), 40);
    for (const StepRecord& record : result.trace) dropped = dropped || record.size < record.step;
  }
  EXPECT_TRUE(dropped);
}

TEST(Corrective, ReachesRoundingWithNoMoreThanAboutDimPoints) {
  const VectorSet p = test::gaussian_vectors(5000, 20, 7);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2));
  const BuildResult result = corrective(table, {.size = 60});
  EXPECT_EQ(name(result.termination), "numeric_limit");
  EXPECT_LE(result.relative_error, 1e-14);
  EXPECT_LE(result.coreset.size(), 21);
}

}  // namespace
}  // namespace giga
