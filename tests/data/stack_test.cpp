// Tables one below the other: rows, weights, and levels that only some of them have.
#include "giga/data/stack.hpp"

#include <gtest/gtest.h>

#include <array>

#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

Dataset table(const std::string& text, const ReadOptions& options = {.response = "y", .weights = "w"}) {
  const TempDir folder;
  write_file(folder / "t.csv", text);
  return read_dataset(folder / "t.csv", options, Threads(1));
}

TEST(Stack, HasTheRowsOfAllTablesInTheirOrder) {
  const Dataset one = table("x,w,y\n1,2,3\n4,5,6\n"), other = table("x,w,y\n7,8,9\n");
  const std::array tables = {&other, &one};
  const Dataset both = stacked(tables, "both");
  ASSERT_EQ(both.num_rows(), 3);
  EXPECT_EQ(both.name(), "both");
  EXPECT_EQ(both.feature_names(), std::vector<std::string>{"x"});
  for (Index n = 0; n < 3; ++n) {
    const double first = n == 0 ? 7 : n == 1 ? 1 : 4;
    EXPECT_EQ(both.features(n)[0], first);
    EXPECT_EQ(both.weight(n), first + 1);
    EXPECT_EQ(both.response()[at(n)], first + 2);
  }
}

TEST(Stack, LevelsAreThoseOfAllAndRowsKeepTheirs) {
  const ReadOptions plain{.response = "y"};
  const Dataset one = table("c,y\nDL,no\nUA,yes\n", plain), other = table("c,y\nAA,yes\nDL,yes\n", plain);
  const std::array tables = {&one, &other};
  const Dataset both = stacked(tables, "both");
  EXPECT_EQ(both.feature_column(0).levels, (std::vector<std::string>{"AA", "DL", "UA"}));
  EXPECT_EQ(both.response_column().levels, (std::vector<std::string>{"no", "yes"}));
  const std::vector<Index> all = {0, 1, 2, 3};
  std::string texts;
  for (const auto& cells : both.cells(all)) texts += cells[0] + "," + cells[1] + ";";
  EXPECT_EQ(texts, "DL,no;UA,yes;AA,yes;DL,yes;");
}

TEST(Stack, LevelsThatAllShareKeepTheirOrder) {
  const std::vector<std::vector<std::string>> same = {{"b", "a"}, {"b", "a"}}, differ = {{"b", "a"}, {"b"}};
  EXPECT_EQ(joined_levels(same), same[0]);
  EXPECT_EQ(joined_levels(differ), (std::vector<std::string>{"a", "b"}));
}

TEST(Stack, TablesOfOtherColumnsAreRefused) {
  const Dataset one = table("x,w,y\n1,2,3\n");
  const Dataset renamed = table("z,w,y\n1,2,3\n"), words = table("x,w,y\na,2,3\nb,2,3\na,2,3\n"),
                more = table("x,z,w,y\n1,1,2,3\n");
  for (const Dataset* other : {&renamed, &words, &more}) {
    const std::array tables = {&one, other};
    EXPECT_THROW((void)stacked(tables, "both"), std::invalid_argument);
  }
  EXPECT_THROW((void)stacked({}, "none"), std::invalid_argument);
}

}  // namespace
}  // namespace giga::test
