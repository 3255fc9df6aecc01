#include "construct/laws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "construct/build_state.hpp"
#include "giga/base/random.hpp"
#include "support/executors.hpp"
#include "support/oracle.hpp"

namespace giga::test {
namespace {

bool same_bits(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

bool same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](double a, double b) { return same_bits(a, b); });
}

bool same_bits(const StepRecord& x, const StepRecord& y) {
  return x.step == y.step && x.row == y.row && x.size == y.size && same_bits(x.step_length, y.step_length) &&
         same_bits(x.alignment, y.alignment) && same_bits(x.relative_error, y.relative_error) &&
         same_bits(x.bound, y.bound);
}

bool identical_vectors(const VectorSet& p, Index m, Index n) {
  return std::equal(p.row(m), p.row(m) + p.dim, p.row(n));
}

// Error reported, within 1% of the recomputed one down to 1e-13; below, the recomputed one is below too.
// `rounding` is what a long double loses in L(w).
void expect_error_true(double reported, Extended recomputed, Extended rounding) {
  if (recomputed >= 1e-13L || reported >= 1e-13) {
    EXPECT_LE(std::abs(static_cast<Extended>(reported) - recomputed), 0.01L * recomputed + rounding)
        << reported << " reported, " << recomputed << " recomputed";
  } else {
    EXPECT_LE(recomputed, 1e-13L);
  }
}

void expect_trace_in_order(const BuildResult& result) {
  for (std::size_t i = 0; i < result.trace.size(); ++i) {
    const StepRecord& record = result.trace[i];
    EXPECT_EQ(record.step, static_cast<Index>(i) + 1);
    EXPECT_LE(record.size, record.step);
    EXPECT_TRUE(std::isfinite(record.relative_error)) << "step " << record.step;
  }
  if (result.trace.empty()) {
    EXPECT_EQ(result.coreset.size(), 0);
  } else {
    EXPECT_EQ(result.trace.back().size, result.coreset.size());
    EXPECT_TRUE(same_bits(result.trace.back().relative_error, result.relative_error));
  }
}

void expect_termination_sane(const VectorTable& table, const BuildResult& result) {
  switch (result.termination) {
    case Termination::ZeroTarget:
      EXPECT_TRUE(table.zero_target());
      EXPECT_EQ(result.coreset.size(), 0);
      EXPECT_TRUE(result.trace.empty());
      break;
    case Termination::ToleranceMet:
      EXPECT_EQ(result.relative_error, 0) << "the tolerance is 0 in these builds";
      break;
    case Termination::NumericLimit: {
      // Rounding of each weight by eps/2 moves L(w) by as much as eps/2 sum w_n |L_n|.
      EXPECT_LE(result.relative_error, 1e-6);
      break;
    }
    case Termination::SizeReached: EXPECT_FALSE(table.zero_target()); break;
    case Termination::NoProgress:
      // The sum of all rows is L: there is always a row that lowers a GIGA error. See callers.
      EXPECT_GT(result.relative_error, 1e-14);
      break;
    case Termination::Plateau: ADD_FAILURE() << "nobody said what is enough"; break;
    case Termination::Stopped: ADD_FAILURE() << "nobody asked to stop";
  }
}

}  // namespace

BuildResult build(const VectorTable& table, Method method, Index size, const Observer& observer) {
  return giga::build(table, method, {.size = size}, {.size = size, .seed = 5}, observer);
}

BuildResult build_on(const VectorTable& table, BuildResult earlier, Index size, const Observer& observer) {
  if (is_greedy(earlier.method)) {
    return resume(table, std::move(earlier), GreedyOptions{.size = size}, observer);
  }
  return resume(table, std::move(earlier), SubsampleOptions{.size = size}, observer);
}

void expect_same_bits(const BuildResult& got, const BuildResult& want, const std::string& what) {
  EXPECT_EQ(got.method, want.method) << what;
  for (std::size_t i = 0; i < std::min(got.trace.size(), want.trace.size()); ++i) {
    if (same_bits(got.trace[i], want.trace[i])) continue;
    ADD_FAILURE() << what << ": step " << i + 1 << " chose row " << got.trace[i].row << " (alignment "
                  << got.trace[i].alignment << ", error " << got.trace[i].relative_error << "), expected "
                  << want.trace[i].row << " (" << want.trace[i].alignment << ", "
                  << want.trace[i].relative_error << ")";
    return;
  }
  const bool same = got.trace.size() == want.trace.size() && got.coreset.rows == want.coreset.rows &&
                    same_bits(got.coreset.weights, want.coreset.weights) &&
                    same_bits(got.relative_error, want.relative_error) && got.termination == want.termination;
  EXPECT_TRUE(same) << what << ": " << got.coreset.size() << " points, " << got.trace.size()
                    << " steps, error " << got.relative_error << ", " << name(got.termination)
                    << "; expected " << want.coreset.size() << ", " << want.trace.size() << ", "
                    << want.relative_error << ", " << name(want.termination);
}

void expect_path(const std::vector<Coreset>& path, const std::function<BuildResult(Index)>& build,
                 const std::string& what) {
  for (Index t = 1; t <= std::ssize(path); ++t) {
    const BuildResult result = build(t);
    if (result.relative_error < 1e-9) break;  // what the choices turn on is rounding
    const Coreset& want = path[static_cast<std::size_t>(t - 1)];
    ASSERT_EQ(result.coreset.rows, want.rows) << what << ", step " << t;
    for (std::size_t k = 0; k < want.weights.size(); ++k)
      EXPECT_NEAR(result.coreset.weights[k] / want.weights[k], 1, 1e-9) << what << ", step " << t;
  }
}

void expect_sound(const VectorSet& p, const VectorTable& table, const BuildResult& result) {
  SCOPED_TRACE(p.label() + ", " + std::string(name(result.method)) + ", " +
               std::string(name(result.termination)));
  expect_trace_in_order(result);
  expect_termination_sane(table, result);
  const Coreset& coreset = result.coreset;
  ASSERT_EQ(coreset.rows.size(), coreset.weights.size());
  for (std::size_t i = 0; i < coreset.rows.size(); ++i) {
    EXPECT_GT(coreset.weights[i], 0);
    EXPECT_TRUE(std::isfinite(coreset.weights[i]));
    EXPECT_GE(coreset.rows[i], 0);
    EXPECT_LT(coreset.rows[i], p.rows);
    if (i > 0) {
      EXPECT_GT(coreset.rows[i], coreset.rows[i - 1]);
    }
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_FALSE(identical_vectors(p, coreset.rows[i], coreset.rows[k]))
          << "rows " << coreset.rows[k] << " and " << coreset.rows[i] << " are identical";
    }
  }
  if (table.zero_target()) return;
  const Oracle oracle(table.rows());
  Extended shares = 0;  // rounding in L(w) is a part of its terms, not of the sum
  for (std::size_t i = 0; i < coreset.rows.size(); ++i)
    shares += static_cast<Extended>(coreset.weights[i]) * oracle.norm_of(coreset.rows[i]);
  const Extended rounding = 1e-18L * shares / oracle.target_norm();
  // Those that keep sum sigma_n w_n = sigma may have terms far larger than L.
  const bool scaled_by_sigma = result.method == Method::FrankWolfe || !is_greedy(result.method);
  expect_error_true(result.relative_error, oracle.relative_error(coreset), scaled_by_sigma ? rounding : 0);
  EXPECT_NEAR(relative_error(table, coreset), result.relative_error, static_cast<double>(1e-14L + rounding));
}

namespace {

void expect_giga_trace(const VectorTable& table, const BuildResult& result, const Oracle& oracle) {
  const Extended tau = oracle.target_norm() / oracle.norm_sum();
  Extended before = 1;  // J(0)
  for (const StepRecord& record : result.trace) {
    SCOPED_TRACE("step " + std::to_string(record.step));
    const auto error = static_cast<Extended>(record.relative_error);
    const auto alignment = static_cast<Extended>(record.alignment);
    EXPECT_GE(record.step_length, 0);
    EXPECT_LE(record.step_length, 1);
    EXPECT_GE(record.alignment, 0);
    EXPECT_LE(record.alignment, 1 + 1e-15);
    EXPECT_NEAR(static_cast<double>(error * error), static_cast<double>(before * (1 - alignment * alignment)),
                1e-12);
    const auto first = static_cast<Extended>(result.trace.front().relative_error);
    const Extended bound =
        first * first / (1 + tau * tau * first * first * static_cast<Extended>(record.step - 1));
    EXPECT_LE(error * error, bound * (1 + 1e-15L));
    EXPECT_LE(record.relative_error, record.bound);
    EXPECT_NEAR(record.bound, static_cast<double>(std::sqrt(bound)), 1e-14);
    EXPECT_LE(error, std::sqrt(before) + 1e-14L);
    before = error * error;
  }
  if (result.trace.empty()) return;
  const Extended best = oracle.best(oracle.first_scores());  // eta of Theorem 1
  EXPECT_NEAR(static_cast<double>(1 - best * best), std::pow(result.trace.front().relative_error, 2), 1e-12);
  EXPECT_FALSE(table.zero_target());
}

void expect_incremental(const VectorTable& table, const BuildResult& straight, Index size, Index middle,
                        const std::string& what) {
  const BuildResult half = build(table, straight.method, middle);
  expect_same_bits(build_on(table, half, size), straight, what + ", by way of " + std::to_string(middle));
  BuildResult steps = build(table, straight.method, 1);
  for (Index s = 2; s <= size; ++s) steps = build_on(table, std::move(steps), s);
  expect_same_bits(steps, straight, what + ", one by one");
}

}  // namespace

void expect_giga_laws(Index first, Index count) {
  for (Index i = first; i < first + count && !testing::Test::HasFailure(); ++i) {
    const VectorSet p = vector_set(i);
    Stream random = stream(1, "giga laws", i);
    const auto size = static_cast<Index>(1 + random.below(60));
    const auto middle = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(size)));
    SCOPED_TRACE(p.label() + ", size " + std::to_string(size));
    const DenseRows rows(p.view());
    const VectorTable table(rows, test::threads(1));
    const BuildResult result = giga(table, {.size = size});
    expect_sound(p, table, result);
    if (p.kind == VectorSetKind::Pairs) {
      EXPECT_EQ(name(result.termination), "zero_target");
    }
    if (table.zero_target()) continue;
    EXPECT_NE(name(result.termination), "no_progress");
    expect_giga_trace(table, result, Oracle(rows));
    expect_incremental(table, result, size, middle, p.label());
  }
}

void expect_resumable(Index first, Index count) {
  for (Index i = first; i < first + count && !testing::Test::HasFailure(); ++i) {
    const VectorSet p = vector_set(i);
    Stream random = stream(1, "resumable", i);
    const auto size = static_cast<Index>(1 + random.below(30));
    const auto middle = static_cast<Index>(1 + random.below(static_cast<std::uint64_t>(size)));
    const DenseRows rows(p.view());
    const VectorTable table(rows, test::threads(1));
    for (const Method method : kAllMethods) {
      const BuildResult straight = build(table, method, size);
      expect_sound(p, table, straight);
      expect_incremental(table, straight, size, middle, p.label() + ", " + std::string(name(method)));
    }
  }
}

void expect_selectors_agree(const VectorSet& p, Index size, bool may_scan) {
  const DenseRows rows(p.view());
  std::vector<BuildResult> want;
  for (const SelectorKind kind : {SelectorKind::Scan, SelectorKind::Quantised, SelectorKind::CapTree}) {
    for (const int threads : {1, 2}) {
      const VectorTable table(rows, test::threads(threads), {.selector = kind});
      if (!may_scan) {
        EXPECT_EQ(table.selector_kind(), kind);
      }
      for (std::size_t m = 0; m < std::size(kGreedyMethods); ++m) {
        BuildResult result = build(table, kGreedyMethods[m], size);
        if (want.size() <= m) {
          want.push_back(std::move(result));
          continue;
        }
        expect_same_bits(result, want[m],
                         p.label() + ", " + std::string(name(kGreedyMethods[m])) + ", " +
                             std::string(name(kind)) + ", threads " + std::to_string(threads));
      }
    }
  }
}

void expect_corrective_laws(Index first, Index count) {
  for (Index i = first; i < first + count && !testing::Test::HasFailure(); ++i) {
    const VectorSet p = vector_set(i);
    Stream random = stream(1, "corrective laws", i);
    const auto size = static_cast<Index>(1 + random.below(30));
    SCOPED_TRACE(p.label() + ", size " + std::to_string(size));
    const DenseRows rows(p.view());
    const VectorTable table(rows, test::threads(1));
    const BuildResult result = corrective(table, {.size = size});
    expect_sound(p, table, result);
    if (table.zero_target()) continue;
    const Oracle oracle(rows);
    EXPECT_LE(oracle.worst_stationarity(result.coreset), 1e-10L);
    // One column for each point, or later steps would weigh one point by another's column.
    if (!result.state->exhausted) {
      EXPECT_EQ(result.state->solver->num_columns(), result.state->active.size());
    }
    for (const StepRecord& record : result.trace) EXPECT_LE(record.relative_error, record.bound);

    BuildState plain = *result.state, corrected = *result.state;
    SearchStats stats;
    const Proposal giga_step = propose_giga(table, plain, stats);
    const Proposal step = propose_corrective(table, corrected, stats);
    EXPECT_EQ(giga_step.row, step.row);
    if (step.row < 0) continue;
    EXPECT_LE(step.error, giga_step.error + 1e-14L);
    const Extended plain_error = oracle.relative_error(oracle.giga_step(result.coreset, step.row));
    EXPECT_LE(step.error, plain_error + 1e-14L);
    // Both methods see the same weights, so both choose the row that the paper would. The direction from l(w)
    // to l is known to eps / error.
    const double slack = 1e-14 / result.relative_error + 1e-12;
    if (!(slack < 1e-3)) continue;
    const std::vector<Extended> scores = oracle.geodesic_scores(result.coreset);
    EXPECT_NEAR(static_cast<double>(scores[static_cast<std::size_t>(step.row)]), step.alignment, slack);
    EXPECT_GE(step.alignment, static_cast<double>(oracle.best(scores)) - slack);
  }
}

}  // namespace giga::test
