// Tables that would not fit in memory, whose features stay in their files: the same table, without a copy.
#include "data/placed_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "giga/base/error.hpp"
#include "giga/base/random.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/read_dataset.hpp"
#include "support/temp_dir.hpp"
#include "tables.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

class Placed : public ::testing::Test {
 protected:
  // Labels in column `response`, numbers in the others; one of them may be given.
  fs::path write(const std::string& name, Index rows, Index cols, NpyWriter::Type type, Index response,
                 Index odd_row = -1, double odd = 0) {
    NpyWriter out(folder_ / name, rows, cols, true, type);
    Stream random = stream(1, name);
    for (Index n = 0; n < rows; ++n) {
      std::vector<double> row;
      for (Index j = 0; j < cols; ++j)
        row.push_back(j == response ? (random.uniform() < 0.5 ? 0 : 1) : random.normal());
      if (n == odd_row) row[0] = odd;
      out.append(row);
    }
    out.commit();
    return folder_ / name;
  }

  [[nodiscard]] Dataset read(const fs::path& path, const ReadOptions& options = {}) {
    return read_dataset(path, options, little_);
  }

  // What read() gives, against the table in memory.
  void expect_same(const fs::path& path, const ReadOptions& options, bool stays) {
    const Dataset whole = read_dataset(path, options, Threads(2)), table = read(path, options);
    EXPECT_EQ(table.bytes_in_place() > 0, stays);
    EXPECT_EQ(table.all_features() == nullptr, stays);
    ASSERT_EQ(table.num_rows(), whole.num_rows());
    ASSERT_EQ(table.num_features(), whole.num_features());
    FeatureRows rows(table, 3);
    for (Index n = 0; n + 3 <= table.num_rows(); n += 3) {
      const double* const* x = rows.from(n, 3);
      for (Index i = 0; i < 3; ++i) {
        const double* want = whole.features(n + i);
        ASSERT_TRUE(std::equal(want, want + whole.num_features(), x[i])) << "row " << n + i;
        EXPECT_EQ(table.response(n + i), whole.response(n + i));
      }
    }
    const std::vector<Index> some = {0, whole.num_rows() - 1};
    EXPECT_EQ(table.cells(some), whole.cells(some));
  }

  test::TempDir folder_;
  fs::path scratch_ = folder_ / "";
  RowMemory memory_{1000, scratch_};
  Threads little_{2, {}, memory_};
};

TEST_F(Placed, NumbersOfEightAndOfFourBytesAreReadWhereTheyAre) {
  for (const auto type : {NpyWriter::Type::Float64, NpyWriter::Type::Float32}) {
    const fs::path path = write("t.npy", 9000, 5, type, 4);
    expect_same(path, {}, true);
    EXPECT_EQ(read(path).features_need_room(), type == NpyWriter::Type::Float32);
    EXPECT_EQ(memory_.in_files(), 0U) << "the table is gone";
  }
}

TEST_F(Placed, ResponseMayComeFirstAndColumnsMayBeLeftOutAtTheEnds) {
  const fs::path path = write("t.npy", 5000, 6, NpyWriter::Type::Float32, 0);
  ReadOptions options;
  options.response = "x1";
  expect_same(path, options, true);
  options.features = {"x3", "x4"};
  expect_same(path, options, true);
}

TEST_F(Placed, SeveralFilesAreOneTable) {
  write("a.npy", 3000, 4, NpyWriter::Type::Float32, 3);
  write("b.npy", 1, 4, NpyWriter::Type::Float32, 3);
  write("c.npy", 5000, 4, NpyWriter::Type::Float32, 3);
  expect_same(folder_ / "?.npy", {}, true);
  write("b.npy", 1, 4, NpyWriter::Type::Float64, 3);
  expect_same(folder_ / "?.npy", {}, false);
}

TEST_F(Placed, TablesThatFitInMemoryAreCopied) {
  const fs::path path = write("t.npy", 9000, 5, NpyWriter::Type::Float64, 4);
  EXPECT_EQ(read_dataset(path, {}, Threads(2)).bytes_in_place(), 0U);
}

TEST_F(Placed, FeaturesThatAreNotSideBySideAreCopied) {
  const fs::path path = write("t.npy", 5000, 6, NpyWriter::Type::Float64, 2);
  ReadOptions options;
  options.response = "x3";
  expect_same(path, options, false);
}

TEST_F(Placed, AFileWithoutRowsIsRefusedAsEver) {
  write("a.npy", 3000, 4, NpyWriter::Type::Float32, 3);
  write("b.npy", 0, 4, NpyWriter::Type::Float32, 3);
  const auto refusal = [&](const Executor& executor) {
    return test::message_of<DataError>([&] { (void)read_dataset(folder_ / "?.npy", {}, executor); });
  };
  EXPECT_NE(refusal(little_).find("b.npy: 0 data rows"), std::string::npos) << refusal(little_);
  EXPECT_EQ(refusal(little_), refusal(Threads(2)));
}

// Whole numbers in any type, a byte at a time.
std::string bytes_of(const std::vector<double>& values, const std::string& type) {
  std::string all;
  for (const double value : values) {
    const auto whole = static_cast<std::int64_t>(value);
    std::string bytes = type.ends_with("f8") ? test::little_endian(std::bit_cast<std::uint64_t>(value), 8)
                        : type.ends_with("f4")
                            ? test::little_endian(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4)
                            : test::little_endian(static_cast<std::uint64_t>(whole), type.back() - '0');
    if (type.starts_with('>')) std::ranges::reverse(bytes);
    all += bytes;
  }
  return all;
}

TEST_F(Placed, NumbersInAnotherOrderOrOfAnotherTypeAreCopied) {
  constexpr Index kRows = 900, kCols = 3;
  std::vector<double> by_row, by_column(kRows * kCols);
  for (Index n = 0; n < kRows; ++n)
    for (Index j = 0; j < kCols; ++j) {
      by_row.push_back(static_cast<double>(j + 1 < kCols ? (n * 37 + j * 11) % 101 - 50 : n % 2));
      by_column[at(j * kRows + n)] = by_row.back();
    }
  for (const std::string& type : std::vector<std::string>{"<f8", "<f4", ">f8", ">f4", "<i4", "<i8", "|i1"}) {
    const fs::path path = folder_ / "t.npy";
    test::write_file(path, test::npy_of_bytes(type, bytes_of(by_row, type), "(900, 3)", false, 64));
    expect_same(path, {}, type == "<f8" || type == "<f4");
    test::write_file(path, test::npy_of_bytes(type, bytes_of(by_column, type), "(900, 3)", true, 64));
    expect_same(path, {}, false);
    EXPECT_EQ(*read(path).features(5), by_row[5 * kCols]);
  }
}

TEST_F(Placed, WhatIsMissingOrInfiniteIsToldAsEver) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const auto type : {NpyWriter::Type::Float64, NpyWriter::Type::Float32}) {
    const fs::path missing = write("m.npy", 9000, 5, type, 4, 8123, kNan);
    const auto refusal = [&](const fs::path& path, const Executor& executor) {
      return test::message_of<DataError>([&] { (void)read_dataset(path, {}, executor); });
    };
    EXPECT_NE(refusal(missing, little_).find("row 8124"), std::string::npos) << refusal(missing, little_);
    EXPECT_EQ(refusal(missing, little_), refusal(missing, Threads(2)));
    ReadOptions drop;
    drop.missing = Missing::Drop;
    expect_same(missing, drop, false);
    const fs::path infinite = write("i.npy", 9000, 5, type, 4, 17, std::numeric_limits<double>::infinity());
    EXPECT_EQ(refusal(infinite, little_), refusal(infinite, Threads(2)));
  }
}

// There is no folder for a copy: none is asked for.
TEST_F(Placed, WhatIsRefusedIsNotCopied) {
  RowMemory nowhere(1000, folder_ / "none");
  const Threads little(2, {}, nowhere);
  const auto refusal = [&](const fs::path& path, const ReadOptions& options) {
    return test::message_of<DataError>([&] { (void)read_dataset(path, options, little); });
  };
  for (const auto type : {NpyWriter::Type::Float64, NpyWriter::Type::Float32}) {
    // 70,000 numbers of 8 bytes and more are in files.
    const fs::path missing =
        write("m.npy", 70'000, 5, type, 4, 8123, std::numeric_limits<double>::quiet_NaN());
    const std::string message = refusal(missing, {});
    EXPECT_NE(message.find("1 missing value (NaN, NA or empty): row 8124, column 'x1'"), std::string::npos)
        << message;
    const fs::path infinite = write("i.npy", 70'000, 5, type, 4, 17, std::numeric_limits<double>::infinity());
    for (const Missing action : {Missing::Refuse, Missing::Drop}) {
      ReadOptions options;
      options.missing = action;
      EXPECT_NE(refusal(infinite, options).find("row 18, column 'x1'"), std::string::npos)
          << refusal(infinite, options);
    }
  }
}

TEST_F(Placed, FilesAreCopiedWhereThatIsAskedFor) {
  const fs::path path = write("t.npy", 70'000, 3, NpyWriter::Type::Float64, 2);
  RowMemory memory(1000, scratch_, true);
  const Dataset table = read_dataset(path, {}, Threads(2, {}, memory));
  EXPECT_EQ(table.bytes_in_place(), 0U);
  EXPECT_GT(memory.in_files(), 1'000'000U);
}

TEST_F(Placed, MissingResponsesDropTheirRows) {
  const fs::path path =
      write("t.npy", 9000, 3, NpyWriter::Type::Float32, 2, 40, std::numeric_limits<double>::quiet_NaN());
  ReadOptions options;
  options.response = "x1";
  options.missing = Missing::Drop;
  expect_same(path, options, false);
}

TEST_F(Placed, AFileThatIsWrittenToIsNoticed) {
  const fs::path path = write("t.npy", 9000, 5, NpyWriter::Type::Float64, 4);
  const Dataset table = read(path);
  EXPECT_NO_THROW(table.require_unchanged());
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::milliseconds(5));
  EXPECT_THROW(table.require_unchanged(), IoError);
}

}  // namespace
}  // namespace giga
