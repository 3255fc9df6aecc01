// Rows that are known by their products, and steps that choose several rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/dense_kernels.hpp"
#include "base/extended.hpp"
#include "construct/build_state.hpp"
#include "construct/laws.hpp"
#include "construct/product_selector.hpp"
#include "construct/quantised_selector.hpp"
#include "construct/scan_selector.hpp"
#include "construct/shortlist.hpp"
#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/simulate.hpp"
#include "support/executors.hpp"
#include "support/oracle.hpp"
#include "support/pretend_ranks.hpp"
#include "support/vector_sets.hpp"

namespace giga {
namespace {

// Rows in memory that answer for their products as well; `wrong` is added to each of them.
class KnownRows final : public RowSource, private RowProducts {
 public:
  explicit KnownRows(MatrixView view, double wrong = 0) : rows_(view), wrong_(wrong) {}

  [[nodiscard]] Index num_rows() const override { return rows_.num_rows(); }
  [[nodiscard]] Index dim() const override { return rows_.dim(); }
  void read(Index first, Index count, double* out) const override { rows_.read(first, count, out); }
  [[nodiscard]] const RowProducts* products() const override { return this; }

 private:
  [[nodiscard]] std::vector<double> row(Index n) const {
    std::vector<double> out(at(dim()));
    rows_.read(n, 1, out.data());
    return out;
  }
  void norms(Index first, Index count, double* out) const override {
    for (Index n = first; n < first + count; ++n) {
      const std::vector<double> x = row(n);
      *out++ = std::sqrt(kernels::dot(x.data(), x.data(), dim()));
    }
  }
  void with_direction(Index first, Index count, const double* direction, double* out) const override {
    for (Index n = first; n < first + count; ++n)
      *out++ = kernels::dot(row(n).data(), direction, dim()) + wrong_;
  }
  void with_rows(Index n, std::span<const Index> rows, double* out) const override {
    for (const Index m : rows) *out++ = kernels::dot(row(n).data(), row(m).data(), dim()) + wrong_;
  }
  // The components j with j mod 3 = part.
  [[nodiscard]] Index num_parts() const override { return 3; }
  void combine(Index part, std::span<const Index> rows, std::span<const double> factors,
               double* sum) const override {
    for (Index j = part; j < dim(); j += num_parts()) sum[j] = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::vector<double> x = row(rows[k]);
      for (Index j = part; j < dim(); j += num_parts()) sum[j] += factors[k] * x[at(j)];
    }
  }

  DenseRows rows_;
  double wrong_;
};

// Log-likelihood vectors of a regression: late in a build hundreds of rows score alike.
std::vector<double> likelihood_vectors(Index rows, Index dim, std::uint64_t seed) {
  const SimulatedRows source(
      {.rows = rows, .dim = dim, .kind = VectorKind::Likelihood, .rank = 20, .seed = seed});
  std::vector<double> out(at(rows * dim));
  source.read(0, rows, out.data());
  return out;
}

TEST(Products, GiveTheCoresetThatTheRowsGive) {
  const std::vector<double> data = likelihood_vectors(1500, 320, 1);
  const MatrixView view = MatrixView::of(data.data(), 1500, 320);
  const DenseRows plain(view);
  const KnownRows known(view);
  const VectorTable by_rows(plain, test::threads(2)), by_products(known, test::threads(2));
  const BuildResult one = corrective(by_rows, {.size = 250}), two = corrective(by_products, {.size = 250});
  EXPECT_EQ(by_products.selector_kind(), SelectorKind::Scan);
  ASSERT_EQ(one.coreset.rows, two.coreset.rows);
  for (std::size_t k = 0; k < one.coreset.weights.size(); ++k)
    EXPECT_NEAR(one.coreset.weights[k] / two.coreset.weights[k], 1, 1e-8);
  EXPECT_NEAR(one.relative_error, two.relative_error, 1e-10);
}

// Nobody holds the rows of a source that knows products: what needs all digits reads them again, and rows
// that leave and come back are those they were. By products, weights differ in the last digits, so that two
// ways to the same sum may part; the sum is the target on both.
TEST(Products, GoOnPastDoublePrecision) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<double> data = likelihood_vectors(600, 24, seed);
    const MatrixView view = MatrixView::of(data.data(), 600, 24);
    const DenseRows plain(view);
    const KnownRows known(view);
    const VectorTable by_rows(plain, test::threads(2)), by_products(known, test::threads(2));
    for (const Method method : {Method::Corrective, Method::Pursuit, Method::Giga}) {
      const BuildResult one = build(by_rows, method, {.size = 60}, {}),
                        two = build(by_products, method, {.size = 60}, {});
      if (method != Method::Giga) {
        EXPECT_LT(two.relative_error, 1e-12) << "seed " << seed;
      }
      EXPECT_NEAR(one.relative_error, two.relative_error, 1e-6) << "seed " << seed;
      // The weights are those of the rows that are named.
      std::vector<double> sum(24, 0.0);
      for (std::size_t k = 0; k < two.coreset.rows.size(); ++k) {
        for (std::size_t j = 0; j < sum.size(); ++j)
          sum[j] += two.coreset.weights[k] * data[at(two.coreset.rows[k]) * sum.size() + j];
      }
      Extended missed = 0;
      for (std::size_t j = 0; j < sum.size(); ++j) {
        const Extended off = static_cast<Extended>(sum[j]) / by_rows.target_norm() - by_rows.target()[j];
        missed += off * off;
      }
      EXPECT_NEAR(static_cast<double>(std::sqrt(missed)), two.relative_error, 1e-11) << "seed " << seed;
    }
  }
}

TEST(Products, LargerErrorsThanPromisedAreSeen) {
  const std::vector<double> data = likelihood_vectors(1500, 320, 1);
  const MatrixView view = MatrixView::of(data.data(), 1500, 320);
  const DenseRows plain(view);
  const KnownRows wrong(view, 0.05);
  const VectorTable by_rows(plain, test::threads(2)), by_products(wrong, test::threads(2));
  EXPECT_NE(corrective(by_rows, {.size = 60}).coreset.rows,
            corrective(by_products, {.size = 60}).coreset.rows);
}

TEST(Products, SpareReadingRowsWhereTheirSumIsKnown) {
  const std::vector<double> data = likelihood_vectors(500, 100, 2);
  const KnownRows known(MatrixView::of(data.data(), 500, 100));
  const VectorTable whole(known, test::threads(1));
  const KnownSum sum{whole.sum(), whole.norm_sum()};
  const VectorTable table(known, test::threads(1), {.known = &sum});
  EXPECT_GT(whole.prepare_bytes_read(), 0);
  EXPECT_EQ(table.prepare_bytes_read(), 0);
  EXPECT_EQ(corrective(table, {.size = 40}).coreset.rows, corrective(whole, {.size = 40}).coreset.rows);
}

// --- several rows from one search
// ---------------------------------------------------------------------------

TEST(SeveralRows, AllSelectorsFindTheSameRowsInTheSameOrder) {
  for (Index seed = 1; seed <= 4; ++seed) {
    const std::vector<double> data = likelihood_vectors(5000, 60, static_cast<std::uint64_t>(seed));
    const DenseRows rows(MatrixView::of(data.data(), 5000, 60));
    const VectorTable table(rows, test::threads(2));
    // A direction from the middle of a build.
    const BuildResult build = corrective(table, {.size = 30});
    ExtendedVector v(60, 0);
    for (std::size_t k = 0; k < build.coreset.rows.size(); ++k) {
      for (Index j = 0; j < 60; ++j)
        v[at(j)] += static_cast<Extended>(build.coreset.weights[k]) *
                    static_cast<Extended>(data[at(build.coreset.rows[k] * 60 + j)]);
    }
    scale(v, 1 / norm(v));
    const Query query = geodesic_query(table.target(), v, table.norm_sum());
    SearchStats stats;
    for (const Wanted wanted :
         {Wanted{}, Wanted{1, 0.5}, Wanted{40, 0.7}, Wanted{5000, 0.9}, Wanted{64, 0.99}}) {
      SearchMemory memory;
      const auto scan = ScanSelector(rows, test::threads(2)).best_several(query, wanted, memory, stats);
      const auto codes = QuantisedSelector(rows, test::threads(2), table.target())
                             .best_several(query, wanted, memory, stats);
      ASSERT_FALSE(scan.empty());
      ASSERT_EQ(scan.size(), codes.size()) << wanted.count << ", " << wanted.share;
      for (std::size_t k = 0; k < scan.size(); ++k) {
        EXPECT_EQ(scan[k].row, codes[k].row);
        EXPECT_EQ(scan[k].score, codes[k].score);
        EXPECT_GE(scan[k].score, wanted.share * scan[0].score);
      }
    }
  }
}

// Far into a build the codes leave most rows, and 16 bits decide which are read: the choice stays that of a
// scan.
TEST(SeveralRows, BuildsByCodesAndByScanHaveTheSameBits) {
  const std::vector<double> data = likelihood_vectors(4200, 300, 3);
  const DenseRows rows(MatrixView::of(data.data(), 4200, 300));
  std::optional<BuildResult> first;
  for (const SelectorKind kind : {SelectorKind::Scan, SelectorKind::Quantised}) {
    for (const int threads : {1, 2}) {
      const VectorTable table(rows, test::threads(threads), {.selector = kind});
      const BuildResult result = corrective(table, {.size = 260});
      if (!first) first = result;
      EXPECT_EQ(first->coreset.rows, result.coreset.rows) << name(kind) << ", " << threads;
      EXPECT_EQ(first->coreset.weights, result.coreset.weights) << name(kind) << ", " << threads;
    }
  }
  const test::PretendRanks ranks(3);
  const VectorTable table(rows, ranks);
  EXPECT_EQ(first->coreset.weights, corrective(table, {.size = 260}).coreset.weights);
  EXPECT_EQ(first->coreset.size(), 260) << "no step goes past the size";
}

TEST(SeveralRows, AStepThatTheSizeCutShortIsForgottenWhenTheBuildGoesOn) {
  const std::vector<double> data = likelihood_vectors(2000, 400, 4);
  const DenseRows rows(MatrixView::of(data.data(), 2000, 400));
  const VectorTable table(rows, test::threads(2));
  const BuildResult straight = corrective(table, {.size = 300});
  for (const Index stop : {205, 231, 262, 299}) {
    BuildResult some = corrective(table, {.size = stop});
    EXPECT_EQ(some.coreset.size(), stop);
    const BuildResult whole = resume(table, std::move(some), GreedyOptions{.size = 300});
    EXPECT_EQ(whole.coreset.rows, straight.coreset.rows) << stop;
    EXPECT_EQ(whole.coreset.weights, straight.coreset.weights) << stop;
    EXPECT_EQ(whole.trace.size(), straight.trace.size()) << stop;
  }
}

TEST(SeveralRows, OneSearchChoosesSeveralBeyondTwoHundredPoints) {
  const std::vector<double> data = likelihood_vectors(2000, 400, 5);
  const DenseRows rows(MatrixView::of(data.data(), 2000, 400));
  const VectorTable table(rows, test::threads(2));
  const BuildResult result = corrective(table, {.size = 300});
  Index before = 0, most = 0;
  for (const StepRecord& step : result.trace) {
    if (before < 200) {
      EXPECT_LE(step.size, before + 1) << "step " << step.step;
    }
    most = std::max(most, step.size - before);
    before = step.size;
  }
  EXPECT_GT(most, 3);
  for (std::size_t t = 1; t < result.trace.size(); ++t)
    EXPECT_LT(result.trace[t].relative_error, result.trace[t - 1].relative_error);
}

// Where the error crosses what double precision is enough for, rows that a search chose for it are judged
// beside GIGA's step.
TEST(SeveralRows, StepsAcrossTheLimitOfQuickErrors) {
  const test::VectorSet p = test::gaussian_vectors(3000, 280, 1);
  const DenseRows rows(p.view());
  const VectorTable table(rows, test::threads(2));
  const GreedyOptions options{.size = 330};
  const BuildResult straight = corrective(table, options);
  Index crossing = 0, added = 0;
  for (std::size_t t = 1; t < straight.trace.size(); ++t) {
    const StepRecord &before = straight.trace[t - 1], &step = straight.trace[t];
    EXPECT_LT(step.relative_error, before.relative_error) << "step " << step.step;
    if (!(before.relative_error > 1e-4 && step.relative_error <= 1e-4)) continue;
    crossing = step.step;
    added = step.size - before.size;
  }
  ASSERT_GT(crossing, 0);
  EXPECT_GT(added, 1);
  EXPECT_LE(test::Oracle(rows).worst_stationarity(straight.coreset), 1e-10L);
  for (const Index stop : {crossing - 1, crossing, crossing + 1}) {
    GreedyOptions some = options;
    some.max_steps = stop;
    const BuildResult whole = resume(table, corrective(table, some), options);
    EXPECT_EQ(whole.coreset.rows, straight.coreset.rows) << stop;
    EXPECT_EQ(whole.coreset.weights, straight.coreset.weights) << stop;
  }
  const VectorTable alone(rows, test::threads(1), {.selector = SelectorKind::Scan});
  EXPECT_EQ(corrective(alone, options).coreset.weights, straight.coreset.weights);
  // Below the limit steps choose one row, so that no size cuts one short: here, the first below it.
  const Index size = straight.trace[at(crossing - 1)].size;
  const BuildResult cut = corrective(table, {.size = size + (size - 200) / 5 - 1});
  EXPECT_GT(std::ssize(cut.trace), crossing);
  EXPECT_EQ(cut.state->before_cut, nullptr);
}

// Told to stop at its call number `at`, and never again.
class StopsAt final : public Executor {
 public:
  void arm(Index at) const { left_ = at; }
  [[nodiscard]] int num_threads() const override { return 1; }
  [[nodiscard]] bool stop_requested() const override { return left_ == 0; }
  void for_each(Index count, const std::function<void(Index)>& body) const override {
    const Index half = tick() ? count / 2 : count;  // some of it is done before it stops
    for (Index i = 0; i < half; ++i) body(i);
    if (half < count) throw Stopped();
  }
  void fold(const BlockFold& work, std::byte* total) const override {
    if (tick()) throw Stopped();
    Serial().fold(work, total);
  }

 private:
  bool tick() const {
    if (left_ < 0) return false;
    if (left_ > 0) --left_;
    return left_ == 0;
  }
  mutable Index left_ = -1;
};

TEST(SeveralRows, ABuildThatWasStoppedAnywhereGoesOnToTheSameBits) {
  const std::vector<double> data = likelihood_vectors(700, 420, 8);
  const DenseRows rows(MatrixView::of(data.data(), 700, 420));
  const VectorTable table(rows, test::threads(1));
  const BuildResult straight = corrective(table, {.size = 270});
  Index stopped = 0;
  for (const Index at : {3, 40, 250, 300, 333, 360, 380, 400, 420, 431, 440, 452, 460, 471, 480, 490, 505}) {
    const StopsAt executor;
    const VectorTable watched(rows, executor);
    (void)watched.selector();
    executor.arm(at);
    BuildResult some = corrective(watched, {.size = 270});
    stopped += some.termination == Termination::Stopped ? 1 : 0;
    const BuildResult whole = resume(table, std::move(some), GreedyOptions{.size = 270});
    EXPECT_EQ(whole.coreset.rows, straight.coreset.rows) << at;
    EXPECT_EQ(whole.coreset.weights, straight.coreset.weights) << at;
  }
  EXPECT_GE(stopped, 12) << "the calls should be within the build";
}

// The target, given apart from the rows, is hardly beyond their span. Weights of half the size have no row to
// step to but by rounding, which lets the search find one and the step towards it none: the solved weights,
// which are good, must not be lost with it.
TEST(Corrective, KeepsSolvedWeightsWhereThereIsNoStep) {
  const std::vector<double> data = {1, 0, 0, 0, 1, 0};
  const DenseRows rows(MatrixView::of(data.data(), 2, 3));
  Index without_step = 0;
  for (Index k = 1; k <= 200; ++k) {
    const Extended angle = static_cast<Extended>(k) / 130;
    const KnownSum known{{std::cos(angle), std::sin(angle), 5e-5L}, 2};
    const VectorTable table(rows, test::threads(1), {.known = &known});
    BuildState state;
    state.method = Method::Corrective;
    state.x = table.target();
    state.x[2] = 0;
    scale(state.x, 0.5L);
    state.error = 0.5L;
    state.steps = 2;
    std::vector<double> weights;
    for (const Index row : {0, 1}) {
      const Index slot = state.active.slot_of(rows, row);
      weights.push_back(weight_of(table, state.active, slot, state.x[at(row)]));
    }
    state.active.set_weights(weights);
    SearchStats stats;
    BuildState twin = state;
    const std::vector<Pick> picks = geodesic_picks(table, twin, {}, stats);
    if (picks.empty() || geodesic_step(table, twin, picks.front().row).row >= 0) continue;
    ++without_step;
    const Proposal proposal = propose_corrective(table, state, stats);
    EXPECT_EQ(proposal.row, picks.front().row) << k;
    EXPECT_LT(proposal.error, 6e-5L) << k;
  }
  EXPECT_GT(without_step, 0);
}

// The scores of a shortlist are those that a search over all rows would give.
TEST(Shortlist, ChoosesAsASearchOverItsRowsWould) {
  const Index dim = 60;
  const std::vector<double> data = likelihood_vectors(800, dim, 6);
  const DenseRows rows(MatrixView::of(data.data(), 800, dim));
  const VectorTable table(rows, test::threads(1));
  BuildState state;
  std::vector<std::vector<double>> columns;
  for (const Index row : {3, 77, 201, 333, 480, 512, 640, 790}) {
    const Index slot = state.active.slot_of(rows, row);
    columns.push_back(*state.active.row(rows, slot));
  }
  NnlsSolver solver(table.target());
  for (const auto& column : columns) solver.add(column);
  solver.solve();
  ExtendedVector v(at(dim), 0);
  for (Index slot = 0; slot < state.active.size(); ++slot)
    add_scaled(v, solver.solution()[at(slot)], state.active.unit_row(rows, slot));
  scale(v, 1 / norm(v));
  const Query query = geodesic_query(table.target(), v, table.norm_sum());
  std::vector<Pick> picks;
  std::vector<double> scratch;
  Pick best;
  for (Index row = 1; row < 800; row += 7) {
    const double score = score_row(query, rows, row, scratch);
    picks.push_back({row, score});
    best.offer(row, score);
  }
  const Shortlist list(table, state.active, picks, 1);
  const Pick chosen = list.best(solver.solution());
  ASSERT_GE(chosen.row, 0);
  EXPECT_EQ(list.row(chosen.row), best.row);
  EXPECT_NEAR(chosen.score, best.score, 1e-10);
}

// After rows of it were taken, as well: with the products that were formed on the way.
TEST(Shortlist, ChoosesAsASearchWouldAfterRowsWereTaken) {
  const Index dim = 60;
  const std::vector<double> data = likelihood_vectors(800, dim, 7);
  const MatrixView view = MatrixView::of(data.data(), 800, dim);
  const DenseRows plain(view);
  const KnownRows known(view);
  for (const RowSource* rows :
       {static_cast<const RowSource*>(&plain), static_cast<const RowSource*>(&known)}) {
    for (const Executor* executor : {&test::threads(1), &test::threads(3)}) {
      const VectorTable table(*rows, *executor);
      BuildState state;
      NnlsSolver solver(table.target());
      const auto add = [&](Index row) {
        const Index slot = state.active.slot_of(*rows, row);
        solver.add(*state.active.row(*rows, slot));
        solver.solve();
      };
      for (const Index row : {3, 77, 201, 333, 480, 512, 640, 790}) add(row);
      std::vector<Pick> picks;
      for (Index row = 1; row < 800; row += 7) picks.push_back({row, 1});
      Shortlist list(table, state.active, picks, 6);
      for (Index taken = 0; taken < 6; ++taken) {
        ExtendedVector v(at(dim), 0);
        for (Index slot = 0; slot < state.active.size(); ++slot)
          add_scaled(v, solver.solution()[at(slot)], state.active.unit_row(*rows, slot));
        scale(v, 1 / norm(v));
        const Query query = geodesic_query(table.target(), v, table.norm_sum());
        std::vector<double> scratch;
        Pick best;
        for (Index row = 1; row < 800; row += 7) {
          if (std::ranges::find(state.active.rows(), row) != state.active.rows().end()) continue;
          best.offer(row, score_row(query, *rows, row, scratch));
        }
        const Pick chosen = list.best(solver.solution());
        ASSERT_GE(chosen.row, 0);
        EXPECT_EQ(list.row(chosen.row), best.row) << taken;
        EXPECT_NEAR(chosen.score, best.score, 1e-9) << taken;
        EXPECT_EQ(std::ssize(list.cosines(chosen.row)), state.active.size());
        add(list.row(chosen.row));
        list.take(chosen.row);
      }
    }
  }
}

// Eight for each that may be chosen, as far as memory and products go, and never fewer than may be chosen.
TEST(Shortlist, IsAsLongAsItsProductsAndVectorsAllow) {
  EXPECT_EQ(shortlist_size(2, 210, 2000), 16);
  EXPECT_EQ(shortlist_size(200, 1200, 2000), 1600);
  EXPECT_EQ(shortlist_size(200, 1200, 0), 1600);
  // 2^22 products.
  EXPECT_EQ(shortlist_size(960, 4000, 2), 1048);
  EXPECT_EQ(shortlist_size(960, 4000, 0), 1048);
  EXPECT_EQ(shortlist_size(960, 5000, 0), 960);
  // 2^24 numbers of vectors that are held.
  EXPECT_EQ(shortlist_size(200, 1200, Index{1} << 14), 1024);
  EXPECT_EQ(shortlist_size(200, 1200, 100'000), 200);
  EXPECT_EQ(shortlist_size(2, 0, 0), 16);
}

// The same integers as doubles and as multiples of the smallest number, whose products with unit vectors are
// rounded to such multiples: a build has the same bits, in its quick steps and with several rows per search.
TEST(SeveralRows, TheSmallestVectorsHaveTheBitsOfTheSameIntegers) {
  constexpr Index kRows = 700, kDim = 420;
  std::vector<double> integers = likelihood_vectors(kRows, kDim, 8), smallest;
  double most = 0;
  for (const double value : integers) most = std::max(most, std::abs(value));
  for (double& value : integers) {
    value = std::round(value / most * 1000);
    smallest.push_back(value * std::numeric_limits<double>::denorm_min());
  }
  std::vector<BuildResult> built;
  for (const std::vector<double>& data : {integers, smallest}) {
    const DenseRows rows(MatrixView::of(data.data(), kRows, kDim));
    const VectorTable table(rows, test::threads(2), {.selector = SelectorKind::Scan});
    built.push_back(corrective(table, {.size = 230}));
  }
  ASSERT_EQ(built[0].coreset.size(), 230);
  EXPECT_EQ(built[0].coreset.rows, built[1].coreset.rows);
  EXPECT_EQ(built[0].coreset.weights, built[1].coreset.weights);
  ASSERT_EQ(built[0].trace.size(), built[1].trace.size());
  Index most_added = 0;
  for (std::size_t t = 0; t < built[0].trace.size(); ++t) {
    EXPECT_EQ(built[0].trace[t].row, built[1].trace[t].row) << t;
    EXPECT_EQ(built[0].trace[t].relative_error, built[1].trace[t].relative_error) << t;
    EXPECT_EQ(built[0].trace[t].step_length, built[1].trace[t].step_length) << t;
    if (t > 0) most_added = std::max(most_added, built[0].trace[t].size - built[0].trace[t - 1].size);
  }
  EXPECT_GT(most_added, 1);
}

// --- where the held-out error stays behind
// ------------------------------------------------------------------

TEST(Plateau, EndsABuildWhoseHeldOutErrorDoesNotFollow) {
  const std::vector<double> data = likelihood_vectors(600, 50, 7);
  const DenseRows rows(MatrixView::of(data.data(), 600, 50));
  const VectorTable table(rows, test::threads(1));
  const ErrorMeasure stuck = [](const Coreset&) { return 0.5; };
  const BuildResult result =
      corrective(table, {.size = 400, .tolerance = 0.05, .heldout = stuck, .enough = 0.01});
  EXPECT_EQ(result.termination, Termination::Plateau);
  EXPECT_LE(result.relative_error, 0.01);
  EXPECT_GT(result.trace[result.trace.size() - 2].relative_error, 0.01);
  EXPECT_EQ(corrective(table, {.size = 5, .tolerance = 0.05, .heldout = stuck, .enough = 1e-9}).termination,
            Termination::SizeReached);
}

}  // namespace
}  // namespace giga
