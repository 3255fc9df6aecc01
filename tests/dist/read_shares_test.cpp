// Ranks that read their shares of one input have the rows of the whole, in order.
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "../support/temp_dir.hpp"
#include "dist/thread_ranks.hpp"
#include "giga/base/error.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_share.hpp"
#include "giga/dist/rank_executor.hpp"

namespace giga::test {
namespace {

std::string table_text(int rows, const std::string& last) {
  std::string text = "x,c,y\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(i % 17) + (i % 3 == 0 ? ",AA," : ",\"B\n6\",") + std::to_string(i % 2) + "\n";
  return text + last;
}

// A line for each row; levels, so that their numbers mean the same.
std::string words_of(const Dataset& data) {
  std::vector<Index> rows;
  for (Index n = 0; n < data.num_rows(); ++n) rows.push_back(n);
  std::string words;
  const auto cells = data.cells(rows);
  for (Index n = 0; n < data.num_rows(); ++n) {
    words += std::to_string(data.input_row(n)) + " " + data.place(n) + ":";
    for (const std::string& cell : cells[static_cast<std::size_t>(n)]) words += " " + cell;
    words += " " + std::to_string(data.features(n)[1]) + "\n";
  }
  return words;
}

TEST(ReadShares, OfRanksAreTheWholeInOrder) {
  const TempDir dir;
  write_file(dir / "a.csv", table_text(100, ""));
  write_file(dir / "b.csv", table_text(37, "3,DL,1\n"));
  const std::string whole = words_of(read_dataset(dir / "*.csv", {}, Threads(1)));
  for (const int size : {1, 2, 3, 7}) {
    std::vector<std::string> parts(static_cast<std::size_t>(size));
    std::mutex mutex;
    on_ranks(size, [&](Transport& transport) {
      Ranks ranks(transport);
      const RankExecutor executor(ranks, 1);
      const SharedRows own = read_shares(dir / "*.csv", {}, executor);
      EXPECT_EQ(own.place.num_rows, 138);
      const std::lock_guard lock(mutex);
      parts[static_cast<std::size_t>(ranks.rank())] = words_of(own.data);
    });
    std::string all;
    for (const std::string& part : parts) all += part;
    EXPECT_EQ(all, whole) << size << " ranks";
  }
}

TEST(ReadShares, OfRanksFailWithTheFirstBadRow) {
  const TempDir dir;
  write_file(dir / "a.csv", table_text(100, "1,AA\n"));
  write_file(dir / "b.csv", table_text(37, "1\n"));
  const std::string expected =
      message_of<DataError>([&] { (void)read_dataset(dir / "*.csv", {}, Threads(1)); });
  ASSERT_NE(expected.find("a.csv: row 101"), std::string::npos) << expected;
  std::mutex mutex;
  std::vector<std::string> messages;
  on_ranks(3, [&](Transport& transport) {
    Ranks ranks(transport);
    const RankExecutor executor(ranks, 1);
    std::string message = message_of<DataError>([&] { (void)read_shares(dir / "*.csv", {}, executor); });
    const std::lock_guard lock(mutex);
    messages.push_back(std::move(message));
  });
  EXPECT_EQ(messages, std::vector<std::string>(3, expected));
}

}  // namespace
}  // namespace giga::test
