// Arrays over all rows are zero at first, keep what is in them however they grow or shrink, and are in files
// without a name as soon as they exceed the limit.
#include "giga/base/row_array.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "giga/base/error.hpp"
#include "support/temp_dir.hpp"

// As UCX has it, which replaces that of the C library in a program that MPI starts: the address is lost.
// NOLINTNEXTLINE: its name and parameters are those of the C library
extern "C" void* mremap(void* from, std::size_t length, std::size_t new_length, int flags, ...) noexcept {
  const long where = ::syscall(SYS_mremap, from, length, new_length, flags, nullptr);
  return where == -1 ? MAP_FAILED : reinterpret_cast<void*>(where);  // NOLINT(performance-no-int-to-ptr)
}

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

// Entries 3,000,000 to 4,999,999 of ten million.
void expect_part(RowMemory& memory, bool in_memory) {
  const auto count = [&] { return in_memory ? memory.in_memory() : memory.in_files(); };
  RowArray<double> array(memory, 10 * kMega, {3 * kMega, 5 * kMega});
  EXPECT_EQ(array.size(), 10U * kMega);
  EXPECT_EQ(count(), 2U * kMega * sizeof(double));
  EXPECT_EQ(array[3'000'000], 0);
  std::iota(array.data() + 3 * kMega, array.data() + 5 * kMega, 1.0);
  array.widen(5 * kMega, 6 * kMega);
  EXPECT_EQ(count(), 3U * kMega * sizeof(double));
  EXPECT_EQ(array[4'999'999], 2e6);
  EXPECT_EQ(array[5'999'999], 0);
  array[5'999'999] = 7;
  array.narrow(4 * kMega, 6 * kMega);
  EXPECT_EQ(count(), 2U * kMega * sizeof(double));
  EXPECT_EQ(array[4'000'000], 1e6 + 1);
  EXPECT_EQ(array[5'999'999], 7);
  EXPECT_THROW(array.resize(kMega), std::logic_error);
  array = RowArray<double>();
  EXPECT_EQ(count(), 0U);
}

TEST(RowArray, OfWhichAPartIsThereTakesMemoryForThatPart) {
  RowMemory memory;
  expect_part(memory, true);
}

TEST(RowArray, OfWhichAPartIsThereMayBeAFile) {
  const TempDir folder;
  RowMemory memory(kMega, folder.path());
  expect_part(memory, false);
}

TEST(RowArrayDeathTest, ToTouchWhatIsNotThereEndsTheProgram) {
  RowMemory memory;
  const RowArray<double> array(memory, 10 * kMega, {3 * kMega, 5 * kMega});
  volatile double seen = array[4'000'000];
  EXPECT_DEATH(seen = array[1'000'000], "");
  EXPECT_DEATH(seen = array[9'000'000], "");
  (void)seen;
}

TEST(RowArray, APartIsPutInItsPlaceAndKeepsItsEntries) {
  const TempDir folder;
  for (const std::uint64_t limit : {UINT64_MAX, std::uint64_t{kMega}}) {
    for (const Index size : {Index{1000}, 2 * kMega + 1}) {
      for (const Index first : {Index{0}, Index{12'345}, 3 * kMega}) {
        RowMemory memory(limit, folder.path());
        RowArray<double> part(memory, size);
        std::iota(part.begin(), part.end(), 1.0);
        RowArray<double> array = RowArray<double>::placed(std::move(part), 10 * kMega, first);
        EXPECT_EQ(array.size(), 10U * kMega);
        EXPECT_EQ(memory.in_memory() + memory.in_files(), static_cast<std::uint64_t>(size) * sizeof(double));
        double next = 1;
        EXPECT_TRUE(std::all_of(array.data() + first, array.data() + first + size,
                                [&](double value) { return value == next++; }));
        array.widen(first, first + size + 5000);
        array[static_cast<std::size_t>(first + size + 4999)] = 3;
        array.narrow(first + 500, first + size + 5000);
        EXPECT_EQ(array[static_cast<std::size_t>(first + 500)], 501);
        EXPECT_EQ(array[static_cast<std::size_t>(first + size + 4999)], 3);
      }
    }
  }
}

}  // namespace
}  // namespace giga::test
