// Arrays over all rows are zero at first, keep what is in them however they grow or shrink, and are in files
// without a name as soon as they exceed the limit.
#include "giga/base/row_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <utility>

#include "giga/base/error.hpp"
#include "support/temp_dir.hpp"

namespace giga::test {
namespace {

constexpr Index kMega = 1'000'000;

// Writes 1, 2, ... and sees that they are still there after each change of size.
template <typename T>
void expect_kept(RowArray<T>& array) {
  array.resize(10);
  std::iota(array.begin(), array.end(), T{1});
  for (const Index size : {20L, 300'000L, 3 * kMega, 5L * kMega, 200'001L, 2 * kMega, 7L}) {
    const Index before = std::ssize(array);
    array.resize(size);
    ASSERT_EQ(std::ssize(array), size);
    T next = 1;
    const auto kept = array.begin() + std::min(size, before);
    ASSERT_TRUE(std::all_of(array.begin(), kept, [&](T value) { return value == next++; })) << size;
    ASSERT_EQ(std::count(kept, array.end(), T{}), array.end() - kept) << size;
    std::iota(array.begin(), array.end(), T{1});
  }
}

TEST(RowArray, IsZeroAtFirstAndKeepsItsEntriesAsItGrowsAndShrinks) {
  RowArray<double> doubles;
  expect_kept(doubles);
  RowArray<std::uint32_t> numbers;
  expect_kept(numbers);
}

TEST(RowArray, KeepsThemAsItMovesToAFileAndBack) {
  const TempDir folder;
  RowMemory memory(20 * kMega, folder.path());  // 5 million doubles do not fit, 2 million do
  RowArray<double> array(memory);
  expect_kept(array);
  EXPECT_EQ(memory.most_in_files(), 40U * kMega);
  EXPECT_EQ(memory.in_files(), 0U);
  EXPECT_EQ(memory.in_memory(), 0U);  // it is short by now
}

TEST(RowArray, GrowsByDoubling) {
  RowArray<float> array;
  array.grow(100);
  EXPECT_EQ(array.size(), 100U);
  array.grow(101);
  EXPECT_EQ(array.size(), 200U);
  array.grow(150);
  EXPECT_EQ(array.size(), 200U);
}

TEST(RowMemory, CountsWhatIsInMemoryAndInFiles) {
  const TempDir folder;
  RowMemory memory(30 * kMega, folder.path());
  {
    RowArray<char> first(memory, 20 * kMega);
    const RowArray<char> second(memory, 20 * kMega);  // together they would be beyond the limit
    const RowArray<char> third(memory, 5 * kMega);    // this one still fits
    EXPECT_EQ(memory.in_memory(), 25U * kMega);
    EXPECT_EQ(memory.in_files(), 20U * kMega);
    const RowArray<char> moved = std::move(first);
    EXPECT_EQ(memory.in_memory(), 25U * kMega);
  }
  EXPECT_EQ(memory.in_memory(), 0U);
  EXPECT_EQ(memory.in_files(), 0U);
  EXPECT_EQ(memory.most_in_files(), 20U * kMega);
}

TEST(RowMemory, LeavesNoFileBehind) {
  const TempDir folder;
  RowMemory memory(0, folder.path());
  const RowArray<double> array(memory, kMega);
  EXPECT_EQ(memory.in_files(), 8U * kMega);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(RowMemory, NamesAFolderThatWillNotDo) {
  const TempDir folder;
  RowMemory missing(0, folder / "none");
  try {
    const RowArray<double> array(missing, kMega);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find((folder / "none").string()), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("`scratch`"), std::string::npos);
  }
  // More than any disk has: refused when it is asked for, and the array is as it was.
  RowMemory memory(0, folder.path());
  RowArray<double> array(memory, kMega);
  array[7] = 7;
  EXPECT_THROW(array.resize(Index{1} << 52), IoError);
  EXPECT_EQ(array.size(), static_cast<std::size_t>(kMega));
  EXPECT_EQ(array[7], 7);
}

TEST(RowArray, RefusesMoreThanCanBeAddressed) {
  RowArray<double> array;
  EXPECT_THROW(array.resize(Index{1} << 61), std::bad_alloc);
  EXPECT_TRUE(array.empty());
}

}  // namespace
}  // namespace giga::test
