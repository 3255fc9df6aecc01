#include "giga/base/executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/observer.hpp"
#include "giga/base/threads.hpp"
#include "support/executors.hpp"
#include "support/pretend_ranks.hpp"

namespace giga {
namespace {

// A total that depends on the order in which parts are joined to it.
std::uint64_t chained(const Executor& executor, Index rows, FoldOptions options = {}) {
  std::uint64_t total = 1;
  const Index pieces = options.num_pieces;
  fold_blocks<Index>(
      executor, rows, pieces, std::span(&total, 1),
      [](Index first, Index count, Index piece, Index* part) { part[piece] += first + count * (piece + 1); },
      [pieces](const Index* part, std::uint64_t* sum) {
        for (Index i = 0; i < pieces; ++i)
          *sum = *sum * 6364136223846793005U + static_cast<unsigned>(part[i]);
      },
      std::move(options));
  return total;
}

TEST(Fold, JoinsPartsInBlockOrderWhoeverFillsThem) {
  for (const Index rows : {1, 4096, 4097, 50'000, 100'000}) {
    for (const Index pieces : {1, 3}) {
      const std::uint64_t want = chained(Threads(1), rows, {.num_pieces = pieces});
      for (const Index at_once : {0, 1, 5}) {
        for (const bool backwards : {false, true}) {
          const FoldOptions options{.num_pieces = pieces, .at_once = at_once, .backwards = backwards};
          for (const int count : {1, 2, 5})
            EXPECT_EQ(chained(test::threads(count), rows, options), want) << rows << " " << at_once;
          for (const Index ranks : {1, 3, 40})
            EXPECT_EQ(chained(test::PretendRanks(ranks), rows, options), want) << rows << " " << ranks;
        }
      }
    }
  }
}

TEST(Fold, OfNoRowsLeavesTheTotalAsItIs) {
  EXPECT_EQ(chained(test::threads(2), 0), 1U);
  EXPECT_EQ(chained(test::PretendRanks(3), 0), 1U);
}

TEST(Fold, TakesBlocksOfAnySize) {
  for (const Index size : {1, 7, 100, 5000}) {
    std::vector<Index> ends;  // of the blocks, as they are joined
    Index last = 0;
    fold_blocks<Index>(
        test::threads(2), 1000, 1, std::span(&last, 1),
        [](Index first, Index count, Index /*piece*/, Index* part) { *part = first + count; },
        [&ends](const Index* part, Index* total) { ends.push_back(*total = *part); }, {.block_rows = size});
    ASSERT_EQ(std::ssize(ends), num_blocks(1000, size));
    for (std::size_t k = 0; k < ends.size(); ++k)
      EXPECT_EQ(ends[k], std::min<Index>(1000, static_cast<Index>(k + 1) * size));
  }
}

TEST(Fold, SumsInExtendedPrecision) {
  const ExtendedVector sum =
      sum_blocks(test::threads(2), 3 * kBlockRows, 2, [](Index first, Index count, double* part) {
        part[0] += first == 0 ? 1 : 1e-18;
        part[1] += static_cast<double>(count);
      });
  EXPECT_EQ(sum[0], 1 + Extended{1e-18} + Extended{1e-18});
  EXPECT_EQ(sum[1], 3 * kBlockRows);
}

TEST(Fold, TellsItsProgressUpToTheEnd) {
  std::vector<Index> done;
  (void)chained(test::threads(2), 10 * kBlockRows,
                {.at_once = 4, .progress = [&](Index blocks) { done.push_back(blocks); }});
  EXPECT_EQ(done, (std::vector<Index>{4, 8, 10}));
}

TEST(Stop, ARequestEndsLoopsAndFoldsAndIsSeen) {
  std::atomic<bool> stop = false;
  const Threads threads(2, [&stop] { return stop.load(); });
  std::atomic<Index> calls = 0;
  EXPECT_NO_THROW(threads.for_each(100, [&](Index) { ++calls; }));
  EXPECT_FALSE(threads.stop_requested());
  // Whoever finds 104 calls asks for the end before its own call counts, so however the threads are slowed
  // down each makes one more call at most.
  const auto body = [&](Index) {
    if (calls >= 104) stop = true;
    ++calls;
  };
  EXPECT_THROW(threads.for_each(1'000'000, body), Stopped);
  EXPECT_LE(calls.load(), 107);
  EXPECT_TRUE(threads.stop_requested());
  EXPECT_THROW((void)chained(threads, 100'000), Stopped);
}

TEST(Stop, ABodyThatThrowsStoppedEndsTheLoopEarly) {
  std::atomic<Index> calls = 0;
  const auto body = [&](Index) {
    if (++calls >= 10) throw Stopped();
  };
  EXPECT_THROW(test::threads(2).for_each(1'000'000, body), Stopped);
  EXPECT_LE(calls.load(), 12);
}

TEST(Observer, AsksAndTellsOnlyWhereThereIsOne) {
  EXPECT_FALSE(asks_to_stop({}, {}));
  EXPECT_NO_THROW(tell({}, {}));
  EXPECT_FALSE(seen_as({}, {}));
  const Observer stop = [](const StageProgress&) { return Answer::Stop; };
  EXPECT_TRUE(asks_to_stop(stop, {}));
  EXPECT_THROW(tell(stop, {}), Stopped);
  Stage seen = Stage::Load;
  const Observer watch = seen_as({.stage = Stage::Sample}, [&seen](const StageProgress& at) {
    seen = at.stage;
    return Answer::Continue;
  });
  EXPECT_FALSE(asks_to_stop(watch, {.stage = Stage::Laplace}));
  EXPECT_EQ(seen, Stage::Sample);
}

}  // namespace
}  // namespace giga
