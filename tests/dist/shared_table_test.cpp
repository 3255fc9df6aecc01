// Of a table that ranks share, each reads its share and holds whole blocks of rows: all of them together, and
// what they tell each other, are the table that one process reads.
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "data/row_hash.hpp"
#include "data/tables.hpp"
#include "dist/thread_ranks.hpp"
#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/duplicates.hpp"
#include "giga/data/read_share.hpp"
#include "giga/dist/rank_executor.hpp"
#include "giga/pipeline/problem.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

// Two blocks or more for each of 4 ranks, the last of them not full.
constexpr Index kRows = 9 * kBlockRows - 100;

// On each rank, with memory of its own.
void on_each(int size, const std::function<void(const RankExecutor&)>& body) {
  on_ranks(size, [&](Transport& transport) {
    Ranks ranks(transport);
    RowMemory memory;
    std::exception_ptr failure;
    try {
      const RankExecutor executor(ranks, 1 + size % 2, RankExecutor::kBytesHeld, memory);
      body(executor);
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure = ranks.conclude(failure); failure) ADD_FAILURE() << "a rank failed";
  });
}

// Lines of different lengths, so that shares and blocks end at different rows; a level that only late rows
// have, a column that is not used, weights that are not exact in binary, and missing cells.
std::string lively_csv(Index first, Index rows, bool missing) {
  std::string text = "x,c,id,w,y\n";
  for (Index n = first; n < first + rows; ++n) {
    const Index v = n * 7919 % 1009;
    text += (missing && n % 50 == 7 ? std::string("NA") : std::to_string(v)) + ",";
    text += n < kRows - 40 ? (v % 3 == 0 ? "aa" : "b") : "late";
    text += "," + std::string(static_cast<std::size_t>(n % 13 + (n < kRows / 3 ? 9 : 0)), 'k') +
            std::to_string(n) + "," + std::to_string(n % 10) + ".1," + std::to_string(v % 2) + "\n";
  }
  return text;
}

ReadOptions lively_options(Missing missing = Missing::Refuse) {
  ReadOptions options;
  options.features = {{"x", "c"}};
  options.weights = "w";
  options.missing = missing;
  return options;
}

// Whether what a rank has is what one process has.
void expect_part_of(const Dataset& whole, const Dataset& part, const RankExecutor& executor) {
  ASSERT_EQ(part.num_rows(), whole.num_rows());
  const RowRange held = part.held();
  for (Index n = held.begin; n < held.end; ++n) {
    for (Index d = 0; d < whole.num_features(); ++d)
      ASSERT_EQ(part.features(n)[d], whole.features(n)[d]) << "row " << n;
    ASSERT_EQ(part.response(n), whole.response(n)) << "row " << n;
    ASSERT_EQ(part.weight(n), whole.weight(n)) << "row " << n;
  }
  EXPECT_EQ(part.notes(), whole.notes());
  EXPECT_EQ(part.first_responses(), whole.first_responses());
  for (std::size_t j = 0; j < whole.columns().size(); ++j)
    EXPECT_EQ(part.columns()[j].levels, whole.columns()[j].levels);
  // Some rows of every rank.
  std::vector<Index> some;
  for (Index n = 0; n < whole.num_rows(); n += 509) some.push_back(n);
  for (int rank = 0; rank < executor.num_ranks(); ++rank)
    some.push_back(executor.rows_of(rank, whole.num_rows()).begin);
  part.fetch_cells(some, executor);
  EXPECT_EQ(part.cells(some), whole.cells(some));
  for (const Index n : some) {
    EXPECT_EQ(part.input_row(n), whole.input_row(n));
    for (Index d = 0; d < whole.num_features(); ++d) EXPECT_EQ(part.features(n)[d], whole.features(n)[d]);
    EXPECT_EQ(part.response(n), whole.response(n));
    EXPECT_EQ(part.weight(n), whole.weight(n));
  }
}

TEST(SharedTable, RanksHoldTheTableInOrderAndNoRowTwice) {
  const TempDir dir;
  write_file(dir / "t.csv", lively_csv(0, kRows, true));
  const ReadOptions options = lively_options(Missing::Drop);
  const Dataset whole = read_dataset(dir / "t.csv", options, Threads(1));
  for (const int size : {2, 3, 4}) {
    on_each(size, [&](const RankExecutor& executor) {
      const Dataset part = read_shared(dir / "t.csv", options, executor);
      ASSERT_TRUE(part.is_shared());
      const RowRange own = executor.own_rows(whole.num_rows());
      EXPECT_EQ(part.held().begin, own.begin);
      EXPECT_EQ(part.held().end, own.end);
      const int rank = executor.rank();
      EXPECT_EQ(own.begin, rank == 0 ? 0 : executor.rows_of(rank - 1, whole.num_rows()).end);
      EXPECT_EQ(own.end == whole.num_rows(), rank + 1 == size);
      expect_part_of(whole, part, executor);
    });
  }
}

TEST(SharedTable, ARankHasMemoryForItsOwnRowsAlone) {
  const TempDir dir;
  write_file(dir / "t.csv", lively_csv(0, kRows, false));
  for (const int size : {2, 3, 4}) {
    on_each(size, [&](const RankExecutor& executor) {
      const Dataset part = read_shared(dir / "t.csv", lively_options(), executor);
      // Two features, response and weight.
      const RowRange held = part.held();
      EXPECT_EQ(executor.memory().in_memory(), static_cast<std::uint64_t>(held.size()) * 4 * sizeof(double));
      const Index other = held.begin > 0 ? 0 : kRows - 1;
      EXPECT_THROW((void)part.features(other), std::logic_error);
      part.complete(executor);
      EXPECT_EQ(part.held().size(), kRows);
      EXPECT_EQ(executor.memory().in_memory(), static_cast<std::uint64_t>(kRows) * 4 * sizeof(double));
    });
  }
}

// Every rank has a file of its own in which nearly all that is another's to read is no number: whoever parsed
// it would say so.
TEST(SharedTable, ARankReadsNoRowsOfOthers) {
  const TempDir dir;
  constexpr Index kRowBytes = 16, kMargin = 20;
  const auto row_text = [](Index n) {
    std::string cells = std::to_string(100'000 + n % 997) + "," + std::to_string(1'000'000 + n);
    return cells + ",1\n";
  };
  ASSERT_EQ(std::ssize(row_text(0)), kRowBytes + 1);
  const auto text_for = [&](int rank, int size) {
    const Index begin = kRows * rank / size - kMargin, end = kRows * (rank + 1) / size + kMargin;
    std::string text = "x,z,y\n";
    for (Index n = 0; n < kRows; ++n)
      text += rank >= 0 && (n < begin || n >= end) ? std::string(kRowBytes, '?') + "\n" : row_text(n);
    return text;
  };
  write_file(dir / "whole.csv", text_for(-1, 1));
  const Dataset whole = read_dataset(dir / "whole.csv", {}, Threads(1));
  for (const int size : {2, 3, 4}) {
    for (int rank = 0; rank < size; ++rank)
      write_file(dir / (std::to_string(rank) + ".csv"), text_for(rank, size));
    on_each(size, [&](const RankExecutor& executor) {
      const Dataset part = read_shared(dir / (std::to_string(executor.rank()) + ".csv"), {}, executor);
      for (Index n = part.held().begin; n < part.held().end; ++n) {
        ASSERT_EQ(part.features(n)[0], whole.features(n)[0]) << n;
        ASSERT_EQ(part.features(n)[1], whole.features(n)[1]) << n;
      }
    });
  }
}

TEST(SharedTable, OfSeveralFilesAndOfSharesWithoutRowsIsTheSame) {
  const TempDir dir;
  write_file(dir / "a.csv", lively_csv(0, kRows - 5000, true));
  write_file(dir / "b.csv", lively_csv(kRows - 5000, 5000, true));
  // A packed file is read by the rank that has its first byte.
  write_file(dir / "one.csv.gz", gzipped(lively_csv(0, kRows, true)));
  const ReadOptions options = lively_options(Missing::Drop);
  for (const char* input : {"?.csv", "one.csv.gz"}) {
    const Dataset whole = read_dataset(dir / input, options, Threads(1));
    on_each(3, [&](const RankExecutor& executor) {
      const Dataset part = read_shared(dir / input, options, executor);
      ASSERT_TRUE(part.is_shared());
      expect_part_of(whole, part, executor);
      ASSERT_EQ(part.files().size(), whole.files().size());
    });
  }
}

TEST(SharedTable, OfFewRowsIsWholeOnEveryRank) {
  const TempDir dir;
  for (const Index rows : {Index{2}, Index{5000}}) {
    write_file(dir / "t.csv", lively_csv(0, rows, false));
    const Dataset whole = read_dataset(dir / "t.csv", lively_options(), Threads(1));
    on_each(4, [&](const RankExecutor& executor) {
      const Dataset part = read_shared(dir / "t.csv", lively_options(), executor);
      EXPECT_FALSE(part.is_shared());
      EXPECT_EQ(part.held().size(), rows);
      expect_part_of(whole, part, executor);
      EXPECT_EQ(part.place(rows - 1), whole.place(rows - 1));
    });
  }
}

// Rows of few values: most repeat, within a rank and across ranks.
std::string repeated_csv(Index distinct, bool weighted) {
  std::string text = "x,z,y,w\n";
  for (Index n = 0; n < kRows; ++n) {
    const Index v = n * 7919 % distinct;
    text += std::to_string(v / 40) + "," + std::to_string(v % 40) + ".5," + std::to_string(v % 2) + "," +
            (weighted ? std::to_string(n % 7) + ".3" : std::string("1")) + "\n";
    // -0 equals 0, and a row of weight 0 counts for nothing.
    if (n % 1000 == 17) text += "-0,0.5,0,0.7\n0,0.5,0,0.1\n1,2,0,0\n";
  }
  return text;
}

TEST(SharedTable, EqualRowsAreOneWhicheverRanksHoldThem) {
  const TempDir dir;
  for (const Index distinct : {Index{600}, Index{30'000}, Index{1'000'000'007}}) {
    for (const bool weighted : {false, true}) {
      write_file(dir / "t.csv", repeated_csv(distinct, weighted));
      ReadOptions options;
      options.response = "y";
      if (weighted) options.weights = "w";
      const Dataset whole = read_dataset(dir / "t.csv", options, Threads(1));
      // Few bits of the hash: rows that differ have hashes in common.
      for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xF0000000000003FF}}) {
        const DistinctRows want = distinct_rows_masked(whole, Threads(1), mask);
        for (const int size : {2, 3}) {
          on_each(size, [&](const RankExecutor& executor) {
            const Dataset part = read_shared(dir / "t.csv", options, executor);
            const DistinctRows got = distinct_rows_masked(part, executor, mask);
            EXPECT_EQ(got.num_rows, want.num_rows);
            EXPECT_EQ(got.num_repeats, want.num_repeats);
            EXPECT_EQ(got.rows, want.rows);
            EXPECT_EQ(got.multiplicity, want.multiplicity);
            part.hold(got, executor);
            const RowRange own = executor.own_rows(got.num_rows);
            for (Index k = own.begin; k < own.end; ++k) {
              const Index n = got.row(k);
              ASSERT_EQ(part.features(n), part.all_features() + n * part.num_features());
              ASSERT_EQ(part.features(n)[0], whole.features(n)[0]);
              ASSERT_EQ(part.features(n)[1], whole.features(n)[1]);
              ASSERT_EQ(part.response(n), whole.response(n));
            }
          });
        }
      }
    }
  }
}

// What is wrong with a row is said as one process says it, by all ranks: also where the rank that holds the
// row has not read it, and only the one that did knows its line.
TEST(SharedTable, AnErrorInTheRowsOfOneRankIsThatOfOneProcessOnAll) {
  const TempDir dir;
  const ModelOptions model{.family = {Family::PoissonLog}};
  for (const Index bad : {Index{5}, 3 * kBlockRows - 1, 3 * kBlockRows + 2, 4 * kBlockRows + 1, kRows - 1}) {
    std::string text = "x,id,y\n";
    for (Index n = 0; n < kRows; ++n) {
      // Lines that are no rows, so that lines must be counted.
      if (n % 997 == 3) text += "\n";
      text += std::to_string(n * 7919 % 1009) + "," + (n < kRows / 2 ? "long text" : "s") + "," +
              (n == bad ? "-1" : std::to_string(n % 5)) + "\n";
    }
    write_file(dir / "t.csv", text);
    ReadOptions options;
    options.features = {{"x"}};
    options.response = "y";
    const Dataset whole = read_dataset(dir / "t.csv", options, Threads(1));
    const std::string want = message_of<DataError>([&] { const Problem problem(whole, model, Threads(1)); });
    ASSERT_NE(want.find("(line "), std::string::npos) << want;
    for (const int size : {2, 3}) {
      on_each(size, [&](const RankExecutor& executor) {
        const Dataset part = read_shared(dir / "t.csv", options, executor);
        ASSERT_TRUE(part.is_shared());
        EXPECT_EQ(message_of<DataError>([&] { const Problem problem(part, model, executor); }), want);
      });
    }
  }
}

}  // namespace
}  // namespace giga::test
