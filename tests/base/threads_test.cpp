#include "giga/base/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace giga {
namespace {

TEST(Threads, CallsEveryIndexExactlyOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 8}) {
    const Threads pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    for (const Index count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      pool.for_each(count, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& call : calls) EXPECT_EQ(call.load(), 1);
    }
  }
}

TEST(Threads, SurvivesManyShortLoopsInARow) {
  const Threads pool(2);
  std::atomic<Index> total = 0;
  for (int loop = 0; loop < 20000; ++loop) pool.for_each(3, [&](Index i) { total += i; });
  EXPECT_EQ(total.load(), 60000);
}

// Crews that are made and ended at once, before, while and after their workers first look for a loop.
TEST(Threads, EndWhereverTheirWorkersAre) {
  for (int round = 0; round < 2000; ++round) {
    const Threads threads(3);
    std::atomic<Index> calls = 0;
    for (int loop = 0; loop < round % 4; ++loop) threads.for_each(5, [&](Index) { ++calls; });
    EXPECT_EQ(calls, 5 * (round % 4));
  }
}

TEST(Threads, ThrowsTheExceptionOfTheLowestIndexAndGoesOnWorking) {
  const Threads pool(2);
  try {
    pool.for_each(100, [](Index i) {
      if (i >= 40) throw std::runtime_error(std::to_string(i));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "40");
  }
  std::atomic<int> calls = 0;
  pool.for_each(10, [&](Index) { ++calls; });
  EXPECT_EQ(calls.load(), 10);
}

TEST(Threads, LoopsAskedForBySeveralThreadsAllComplete) {
  const Threads pool(2);
  std::atomic<Index> total = 0;
  {
    std::vector<std::jthread> callers;
    for (int c = 0; c < 4; ++c) {
      callers.emplace_back([&] {
        for (int loop = 0; loop < 200; ++loop) pool.for_each(5, [&](Index) { ++total; });
      });
    }
  }
  EXPECT_EQ(total.load(), 4 * 200 * 5);
}

TEST(Threads, RefusesANegativeNumberOfThreads) {
  EXPECT_THROW(Threads(-1), std::invalid_argument);
}

}  // namespace
}  // namespace giga
