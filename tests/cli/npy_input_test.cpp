// Every row of the list of bad inputs that concerns .npy files, through the command.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "cli/command.hpp"
#include "cli/npy_files.hpp"

namespace giga::test {
namespace {

using namespace std::string_literals;
using ::testing::TestWithParam;

// Sanitizers have memory of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kMostKilobytes = 1024 * 1024, kProgramKilobytes = 512 * 1024;
#else
constexpr long kMostKilobytes = 64 * 1024, kProgramKilobytes = 8 * 1024;
#endif

Outcome build_from(const TempDir& folder, const std::string& content, const std::string& kind = "--vectors") {
  const auto input = folder / "in.npy";
  write_file(input, content);
  return run({"build", kind, input.string(), "--out", (folder / "out.csv").string()});
}

// What holds for every refusal: the code, one line that names the file, nothing on stdout, nothing left.
void expect_refused(const TempDir& folder, const Outcome& outcome, int code, const std::string& words) {
  EXPECT_EQ(outcome.code, code) << outcome.error;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.error.starts_with("giga: error: ")) << outcome.error;
  EXPECT_EQ(count_of(outcome.error, "\n"), 1) << outcome.error;
  EXPECT_NE(outcome.error.find("in.npy"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find(words), std::string::npos) << outcome.error;
  EXPECT_EQ(folder.size(), 1) << "something beside the input is left";
  EXPECT_LT(outcome.peak_kilobytes, kMostKilobytes);
}

struct BadFile {
  std::string claim;
  std::string content;
  std::string words;

  friend std::ostream& operator<<(std::ostream& out, const BadFile& file) { return out << file.claim; }
};

class BadNpy : public TestWithParam<BadFile> {};

TEST_P(BadNpy, IsRefusedAsBadDataInLittleMemory) {
  const TempDir folder;
  expect_refused(folder, build_from(folder, GetParam().content), 65, GetParam().words);
}

std::vector<BadFile> bad_files() {
  const std::string good = npy_of(whole_numbers(3, 2, 0, 9));
  const std::string two(16, '\0');
  return {
      {"EmptyFile", "", "file is empty"},
      {"WrongMagic", "PK\x03\x04 not an array", "not a .npy file"},
      {"TextFile", "row,weight\n1,2\n", "not a .npy file"},
      {"EndsInsideTheHeader", good.substr(0, 9), "header"},
      {"HeaderLengthBeyondTheFile", "\x93NUMPY\x01\0\xff\xff{'descr'"s, "65535 bytes"},
      {"NegativeLength", npy_of(dict_of("<f8", "(-1,)"), two), "negative"},
      {"NegativeLengthOfRows", npy_of(dict_of("<f8", "(-1, 2)"), two), "negative"},
      {"ProductOverflows", npy_of(dict_of("<f8", "(4294967296, 4294967296)"), two), "overflows"},
      {"LengthOverflows", npy_of(dict_of("<f8", "(99999999999999999999, 1)"), two), "overflows"},
      {"PromisesTerabytes", npy_of(dict_of("<f8", "(1000000000, 1000)"), two), "bytes short"},
      {"ShortByOneByte", good.substr(0, good.size() - 1), "1 byte short"},
      {"TrailingBytes", good + "x", "1 trailing byte after"},
      {"ObjectArray", npy_of(dict_of("|O", "(1, 2)"), two), "object arrays are refused"},
      {"StructuredArray",
       npy_of("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 1), }\n", two),
       "supported are bool, int8"},
      {"ComplexArray", npy_of(dict_of("<c16", "(1, 1)"), two), "complex"},
      {"TextArray", npy_of(dict_of("<U1", "(2, 2)"), two), "supported are bool, int8"},
      {"HalfFloats", npy_of(dict_of("<f2", "(4, 2)"), two), "supported are bool, int8"},
      {"OneDimension", npy_of(dict_of("<f8", "(2,)"), two), "2 dimensions"},
      {"ThreeDimensions", npy_of(dict_of("<f8", "(1, 1, 2)"), two), "2 dimensions"},
      {"NoRows", npy_of(dict_of("<f8", "(0, 3)"), ""), "0 data rows"},
      {"NoColumns", npy_of(dict_of("<f8", "(3, 0)"), ""), "0 columns"},
      {"ControlCharactersInTheHeader", npy_of(dict_of("\x1b[31m\n", "(1, 2)"), two), "\\x1b"},
  };
}

INSTANTIATE_TEST_SUITE_P(List, BadNpy, ::testing::ValuesIn(bad_files()),
                         [](const auto& each) { return each.param.claim; });

TEST(NpyInput, MissingFileIsNoInput) {
  const auto outcome = run({"build", "--vectors", "/nonexistent/in.npy"});
  EXPECT_EQ(outcome.code, 66);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error, "giga: error: /nonexistent/in.npy: no such file; check the path\n");
}

TEST(NpyInput, DirectoryIsNoInput) {
  const TempDir folder;
  std::filesystem::create_directory(folder / "in.npy");
  expect_refused(folder, run({"build", "--vectors", (folder / "in.npy").string()}), 66, "is a directory");
}

TEST(NpyInput, NamedPipeIsRefusedWithoutWaiting) {
  const TempDir folder;
  ASSERT_EQ(::mkfifo((folder / "in.npy").c_str(), 0600), 0);
  expect_refused(folder, run({"build", "--vectors", (folder / "in.npy").string()}), 66, "pipe");
}

TEST(NpyInput, UnreadableFileIsNoInput) {
  const TempDir folder;
  write_file(folder / "in.npy", npy_of(whole_numbers(3, 2, 0, 9)));
  ::chmod((folder / "in.npy").c_str(), 0000);
  ::chmod(folder.path().c_str(), 0755);
  Launch launch{.arguments = {"build", "--vectors", (folder / "in.npy").string()}};
  if (::geteuid() == 0) {  // root may read anything: become nobody
    launch.before = {"/usr/bin/setpriv", "--reuid=65534", "--clear-groups"};
    if (run(Launch{.arguments = {"--version"}, .before = launch.before}).code != 0)
      GTEST_SKIP() << "nobody cannot run the command here";
  }
  expect_refused(folder, run(launch), 66, "no permission");
}

TEST(NpyInput, NanIsRefusedWithTheCountAndTheFirstFivePlaces) {
  Matrix matrix = whole_numbers(10, 4, 1, 9);
  for (const std::size_t at : {3U, 5U, 11U, 16U, 20U, 29U, 39U}) matrix.values[at] = std::nan("");
  const TempDir folder;
  expect_refused(folder, build_from(folder, npy_of(matrix)), 65,
                 "in.npy: 7 values are not finite: row 0, column 3 is nan; row 1, column 1 is nan; row 2, "
                 "column 3 is nan; row 4, column 0 is nan; row 5, column 0 is nan; ...; ");
}

TEST(NpyInput, InfinityIsRefusedWithItsPlace) {
  for (const double sign : {1.0, -1.0}) {
    Matrix matrix = whole_numbers(3, 2, 1, 9);
    matrix.values[5] = sign * std::numeric_limits<double>::infinity();
    const TempDir folder;
    expect_refused(folder, build_from(folder, npy_of(matrix)), 65,
                   "1 value is not finite: row 2, column 1 is "s + (sign > 0 ? "inf" : "-inf"));
  }
}

TEST(NpyInput, NanInFloat32FortranIsFoundAtItsPlace) {
  Matrix matrix = whole_numbers(5, 3, 1, 9);
  matrix.values[4] = std::nan("");
  const TempDir folder;
  expect_refused(folder, build_from(folder, npy_as<float>(matrix, "<f4", true)), 65,
                 "row 1, column 1 is nan");
}

// One bad value makes its whole centred column bad; the message must still count what is in the file.
TEST(NpyInput, BadLoglikelihoodsAreCountedAsTheFileHasThem) {
  Matrix matrix = whole_numbers(6, 5, -9, -1);
  matrix.values[8] = -std::numeric_limits<double>::infinity();
  matrix.values[29] = std::nan("");
  const TempDir folder;
  expect_refused(folder, build_from(folder, npy_of(matrix), "--loglik"), 65,
                 "2 values are not finite: row 1, column 3 is -inf; row 5, column 4 is nan; remove");
}

TEST(NpyInput, OverflowingNormsAreRefused) {
  Matrix matrix{2, 2, {1e308, 1e308, 1e308, 1e308}};
  const TempDir folder;
  expect_refused(folder, build_from(folder, npy_of(matrix)), 65, "overflow");
}

std::string coreset_of(const std::string& content) {
  const TempDir folder;
  write_file(folder / "in.npy", content);
  const auto outcome = run({"build", "--vectors", (folder / "in.npy").string(), "--size", "12", "--quiet"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  return outcome.out;
}

TEST(NpyInput, EveryTypeAndOrderGivesTheBytesOfFloat64) {
  const Matrix some = whole_numbers(60, 20, -50, 99);
  const std::string expected = coreset_of(npy_of(some));
  EXPECT_EQ(count_of(expected, "\n"), 13) << "the case should give a coreset of 12 points";
  EXPECT_EQ(coreset_of(npy_as<double>(some, "<f8", true)), expected);
  EXPECT_EQ(coreset_of(npy_as<double>(some, ">f8")), expected);
  EXPECT_EQ(coreset_of(npy_as<double>(some, ">f8", true)), expected);
  EXPECT_EQ(coreset_of(npy_as<float>(some, "<f4")), expected);
  EXPECT_EQ(coreset_of(npy_as<float>(some, ">f4", true)), expected);
  EXPECT_EQ(coreset_of(npy_as<std::int8_t>(some, "|i1")), expected);
  EXPECT_EQ(coreset_of(npy_as<std::int16_t>(some, "<i2")), expected);
  EXPECT_EQ(coreset_of(npy_as<std::int16_t>(some, ">i2")), expected);
  EXPECT_EQ(coreset_of(npy_as<std::int32_t>(some, "<i4", true)), expected);
  EXPECT_EQ(coreset_of(npy_as<std::int64_t>(some, "<i8")), expected);
  EXPECT_EQ(coreset_of(npy_as<std::int64_t>(some, ">i8", true)), expected);
}

TEST(NpyInput, UnsignedTypesAndBoolGiveTheBytesOfFloat64) {
  const Matrix some = whole_numbers(60, 20, 0, 199);
  const std::string expected = coreset_of(npy_of(some));
  EXPECT_EQ(coreset_of(npy_as<std::uint8_t>(some, "|u1")), expected);
  EXPECT_EQ(coreset_of(npy_as<std::uint16_t>(some, "<u2", true)), expected);
  EXPECT_EQ(coreset_of(npy_as<std::uint32_t>(some, ">u4")), expected);
  EXPECT_EQ(coreset_of(npy_as<std::uint64_t>(some, "<u8")), expected);
  const Matrix bits = whole_numbers(60, 20, 0, 1);
  EXPECT_EQ(coreset_of(npy_as<bool>(bits, "|b1")), coreset_of(npy_of(bits)));
}

// 200 MB of zeros, of which a pass keeps only the rows it is reading.
// The peak counts the pages of the mapped file.
TEST(NpyInput, BuildHoldsAtMostSixFifthsOfAByteAComponentBeyondTheMappedFile) {
  const TempDir folder;
  const auto file = (folder / "in.npy").string();
  constexpr long kRows = 200'000, kDim = 50;
  ASSERT_EQ(run({"simulate", "vectors", "--rows", "200000", "--dim", "50", "--out", file}).code, 0);
  const auto outcome = run({"build", "--vectors", file, "--selector", "quantised"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_LT(outcome.peak_kilobytes, (8 * kRows * kDim + kRows * kDim * 6 / 5) / 1024 + kProgramKilobytes);
}

TEST(NpyInput, FileNameIsNeverTakenForTerminalControl) {
  const auto outcome = run({"build", "--vectors", "/nonexistent/\x1b[2J\nx"});
  EXPECT_EQ(outcome.code, 66);
  EXPECT_EQ(outcome.error, "giga: error: /nonexistent/\\x1b[2J\\x0ax: no such file; check the path\n");
}

}  // namespace
}  // namespace giga::test
