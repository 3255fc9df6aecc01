// The reader against files built byte by byte here, the writer against the reader. No NumPy is needed.
#include "giga/data/npy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "../support/temp_dir.hpp"
#include "giga/base/error.hpp"

// Counts what is allocated, for the promise that a header's word allocates nothing. Sanitizers bring their
// own.
std::atomic<std::size_t> allocated_bytes{0};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsAllocations = false;
#else
constexpr bool kCountsAllocations = true;
// noinline: else the compiler takes the malloc and free inside for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocated_bytes += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
#endif

namespace giga {
namespace {

using test::message_of;
using test::read_file;
using test::TempDir;
using test::write_file;
using namespace std::string_literals;

std::string npy(int major, const std::string& dict, const std::string& data) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(dict.size() >> (8 * i));
  return file + dict + data;
}

std::string dict_of(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::string doubles(std::size_t count) {
  return std::string(8 * count, '\0');
}

std::vector<double> values_of(const MatrixView& view) {
  std::vector<double> out(static_cast<std::size_t>(view.rows * view.cols));
  read_rows(view, 0, view.rows, out.data());
  return out;
}

// The copy has no spare capacity, so that address sanitizers see a read beyond the end.
std::vector<std::byte> exact_bytes(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

std::vector<double> values_of(std::string_view file) {
  const std::vector<std::byte> bytes = exact_bytes(file);
  return values_of(npy_matrix(bytes, "x.npy"));
}

// The message for a bad file, which must be a DataError that names the file, made with little memory.
std::string refusal(std::string_view file) {
  const std::vector<std::byte> bytes = exact_bytes(file);
  const std::size_t before = allocated_bytes;
  std::string message = message_of<DataError>([&] { return npy_matrix(bytes, "x.npy"); });
  if (kCountsAllocations) {
    EXPECT_LT(allocated_bytes - before, std::size_t{1} << 20);
  }
  EXPECT_EQ(message.find("x.npy: "), 0U) << message;
  return message;
}

void expect_refused(std::string_view file, std::string_view part) {
  const std::string message = refusal(file);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

void expect_header_refused(const std::string& dict, std::string_view part) {
  expect_refused(npy(1, dict, doubles(6)), part);
}

template <typename Element>
std::string stored(const std::vector<double>& values, bool big_endian) {
  std::string data;
  for (const double value : values) {
    const auto element = static_cast<Element>(value);
    char bytes[sizeof element];
    std::memcpy(bytes, &element, sizeof element);
    if (big_endian != (std::endian::native == std::endian::big)) std::reverse(bytes, bytes + sizeof element);
    data.append(bytes, sizeof element);
  }
  return data;
}

// 2 x 3, the same matrix in both orders, both byte orders and all versions.
template <typename Element>
void expect_loads(const std::string& code, const std::vector<double>& rows) {
  const std::vector<double> columns{rows[0], rows[3], rows[1], rows[4], rows[2], rows[5]};
  for (const int version : {1, 2, 3}) {
    for (const bool big : {false, true}) {
      const std::string descr = (big ? "'>" : "'<") + code + "'";
      EXPECT_EQ(values_of(npy(version, dict_of(descr, "False", "(2, 3)"), stored<Element>(rows, big))), rows);
      EXPECT_EQ(values_of(npy(version, dict_of(descr, "True", "(2, 3)"), stored<Element>(columns, big))),
                rows);
    }
  }
}

TEST(Npy, LoadsEveryTypeInBothByteOrdersAndBothArrayOrders) {
  expect_loads<bool>("b1", {1, 0, 0, 1, 1, 0});
  expect_loads<bool>("?", {1, 0, 0, 1, 1, 0});
  expect_loads<std::int8_t>("i1", {-128, 127, 0, -1, 5, 6});
  expect_loads<std::uint8_t>("u1", {255, 127, 0, 1, 5, 6});
  expect_loads<std::int16_t>("i2", {-32768, 32767, 0, -1, 258, 6});
  expect_loads<std::uint16_t>("u2", {65535, 32767, 0, 1, 258, 6});
  expect_loads<std::int32_t>("i4", {-2147483648.0, 2147483647, 0, -1, 258, 6});
  expect_loads<std::uint32_t>("u4", {4294967295.0, 2147483647, 0, 1, 258, 6});
  expect_loads<std::int64_t>("i8", {-9223372036854775808.0, 9007199254740992.0, 0, -1, 258, 6});
  expect_loads<std::uint64_t>("u8", {9223372036854775808.0, 9007199254740992.0, 0, 1, 258, 6});
  expect_loads<float>("f4", {-0.5, 3.0e38F, 0, -1, 258, 1.0e-45F});
  expect_loads<double>("f8", {-0.1, 1.7e308, 0, -1, 258, 5e-324});
}

TEST(Npy, LoadsNativeAndUnmarkedByteOrders) {
  const std::vector<double> rows{1, -2, 3, 4, 5, 6};
  const bool big = std::endian::native == std::endian::big;
  for (const char* descr : {"'=f8'", "'|f8'", "'f8'", "\"<f8\""}) {
    const bool stored_big = descr[1] != '<' && big;
    const std::string file = npy(1, dict_of(descr, "False", "(2, 3)"), stored<double>(rows, stored_big));
    EXPECT_EQ(values_of(file), rows) << descr;
  }
}

TEST(Npy, LoadsHeadersHoweverTheyAreSpaced) {
  for (const char* dict : {"{\"shape\":(2,3),\"descr\":\"<f8\",\"fortran_order\":False}",
                           "{'fortran_order':False,'descr':'<f8','shape':(2,3,),}",
                           "  { 'shape' : ( 2L , 3L ) , 'descr' : '<f8' , 'fortran_order' : False , }  \n",
                           "{'descr':'<f8','fortran_order':False,'shape':\t(2,\r\n3)}"}) {
    EXPECT_EQ(values_of(npy(1, dict, doubles(6))).size(), 6U) << dict;
  }
}

TEST(Npy, RefusesFilesThatAreNotNpy) {
  expect_refused("PK\x03\x04rest of a zip", "not a .npy file: it starts with 'PK\\x03\\x04re'");
  expect_refused("", "not a .npy file");
  expect_refused("\x93NUMP", "not a .npy file");
  expect_refused("\x93NUMPY", "ends inside the .npy header");
  expect_refused("\x93NUMPY\x01\x00\x10"s, "ends inside the .npy header");
  expect_refused("\x93NUMPY\x02\x00\x10\x00\x00"s, "ends inside the .npy header");
}

TEST(Npy, RefusesUnknownVersions) {
  for (const int major : {0, 4, 255}) {
    expect_refused(npy(major, dict_of("'<f8'", "False", "(2, 3)"), doubles(6)), "unknown .npy version");
  }
  std::string minor = npy(1, dict_of("'<f8'", "False", "(2, 3)"), doubles(6));
  minor[7] = 1;
  expect_refused(minor, "unknown .npy version 1.1");
}

TEST(Npy, RefusesAHeaderLengthBeyondTheFile) {
  expect_refused("\x93NUMPY\x01\x00\xff\xff{}"s, "65535 bytes, but only 2 follow");
  expect_refused("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"s, "4294967295 bytes, but only 2 follow");
  std::string by_one = npy(1, dict_of("'<f8'", "False", "(2, 3)"), "");
  ++by_one[8];
  expect_refused(by_one, "follow; copy or save");
}

TEST(Npy, RefusesMalformedHeaders) {
  for (const char* dict : {"",
                           "{",
                           "}",
                           "{}",
                           "x",
                           "{'descr'}",
                           "{'descr':}",
                           "{'descr': '<f8', 'shape': (2, 3)}",
                           "{'descr': '<f8', 'fortran_order': False}",
                           "{'fortran_order': False, 'shape': (2, 3)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape: (2, 3)}",
                           "{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3)}",
                           "{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 3)}",
                           "{'descr': '<f8', 'fortran_order': Falsehood, 'shape': (2, 3)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': [2, 3]}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (2 3)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (6)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (,)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (2,,3)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (2.0, 3)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'x': 1}",
                           "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} x",
                           "{'descr': '\\x3cf8', 'fortran_order': False, 'shape': (2, 3)}"}) {
    expect_header_refused(dict, "malformed .npy header");
  }
}

TEST(Npy, RefusesObjectArrays) {
  expect_header_refused(dict_of("'|O'", "False", "(2, 3)"), "object arrays are refused");
  expect_header_refused(dict_of("'|O8'", "False", "(2, 3)"), "object arrays are refused");
}

TEST(Npy, RefusesStructuredArrays) {
  expect_header_refused(dict_of("[('a', '<f8'), ('b', '<i4')]", "False", "(2, 3)"), "structured arrays");
  expect_header_refused(dict_of("('<f8', (3,))", "False", "(2, 3)"), "structured arrays");
}

TEST(Npy, ListsWhatIsSupportedWhenATypeIsNot) {
  for (const char* code : {"<c8", "<c16", "<f2", "<f16", "|S5", "<U7", "|V8", "<M8[ns]", "<m8", "b", "f",
                           "<i3", "<i", "", "<", "<<f8", "<f88", "<f8 ", "i16"}) {
    const std::string dict = dict_of("'"s + code + "'", "False", "(2, 3)");
    expect_header_refused(dict, "supported are bool, int8 to int64, uint8 to uint64, float32 and float64");
  }
}

TEST(Npy, RefusesNegativeLengths) {
  expect_header_refused(dict_of("'<f8'", "False", "(-1,)"), "negative length");
  expect_header_refused(dict_of("'<f8'", "False", "(2, -3)"), "negative length");
}

TEST(Npy, RefusesShapeWhoseProductOverflows) {
  expect_header_refused(dict_of("'<f8'", "False", "(4294967296, 4294967296)"), "overflows");
  expect_header_refused(dict_of("'<f8'", "False", "(1152921504606846976, 1)"), "overflows");
  expect_header_refused(dict_of("'|i1'", "False", "(99999999999999999999, 1)"), "overflows");
  expect_header_refused(dict_of("'|i1'", "False", "(3, 9223372036854775807)"), "overflows");
}

TEST(Npy, RefusesALargePromiseWithoutAllocating) {
  expect_header_refused(dict_of("'<f8'", "False", "(1000000000, 1000000)"), "bytes short");
}

TEST(Npy, CountsMissingAndTrailingBytes) {
  const std::string file = npy(1, dict_of("'<f8'", "False", "(2, 3)"), doubles(6));
  expect_refused(std::string_view(file).substr(0, file.size() - 1), "the data is 1 byte short");
  expect_refused(std::string_view(file).substr(0, file.size() - 48), "the data is 48 bytes short");
  expect_refused(file + "xyz", "3 trailing bytes");
}

TEST(Npy, RefusesOtherThanTwoDimensions) {
  expect_header_refused(dict_of("'<f8'", "False", "(6,)"),
                        "has shape (6,), a matrix needs 2 dimensions; save x.reshape");
  expect_header_refused(dict_of("'<f8'", "False", "()"), "has shape (), a matrix needs 2 dimensions");
  expect_header_refused(dict_of("'<f8'", "False", "(1, 2, 3)"),
                        "has shape (1, 2, 3), a matrix needs 2 dimensions");
  std::string many = "(";
  for (int i = 0; i < 1000; ++i) many += "1,";
  expect_header_refused(dict_of("'<f8'", "False", many + ")"), "more than 64 dimensions");
}

TEST(Npy, RefusesMatricesWithoutRowsOrColumns) {
  expect_refused(npy(1, dict_of("'<f8'", "False", "(0, 3)"), ""), "0 data rows");
  expect_refused(npy(1, dict_of("'<f8'", "False", "(3, 0)"), ""), "0 columns");
  expect_refused(npy(1, dict_of("'<f8'", "False", "(0, 9223372036854775807)"), ""), "0 data rows");
}

TEST(Npy, EscapesNamesAndValuesInMessages) {
  const std::vector<std::byte> bytes =
      exact_bytes(npy(1, dict_of("'\x1b[31m'", "False", "(2, 3)"), doubles(6)));
  const std::string message = message_of<DataError>([&] { return npy_matrix(bytes, "a\nb.npy"); });
  EXPECT_EQ(message.find("a\\x0ab.npy: elements of type '\\x1b[31m'"), 0U) << message;
}

// One to four random edits: flip, overwrite with a telling character, delete, insert, cut.
std::string mutated(std::string file, std::mt19937& random) {
  constexpr std::string_view kTelling = "{}()[],:'\"-0129L<>|=\\ \n\0\xff";
  for (unsigned edits = 1 + random() % 4; edits > 0 && !file.empty(); --edits) {
    const std::size_t at = random() % std::min<std::size_t>(file.size(), 140);
    const char telling = kTelling[random() % kTelling.size()];
    switch (random() % 5) {
      case 0: file[at] = static_cast<char>(file[at] ^ (1 << random() % 8)); break;
      case 1: file[at] = telling; break;
      case 2: file.erase(at, 1 + random() % 3); break;
      case 3: file.insert(at, 1, telling); break;
      default:
        if (random() % 8 == 0) file.resize(at);
    }
  }
  return file;
}

TEST(Npy, ParsesOrThrowsDataErrorWhateverTheBytes) {
  const std::vector<std::string> seeds{npy(1, dict_of("'<f8'", "False", "(2, 3)"), doubles(6)),
                                       npy(2, dict_of("'>i4'", "True", "(4, 3)"), doubles(6)),
                                       npy(3, dict_of("'|b1'", "False", "(48, 1)"), doubles(6)),
                                       npy(1, dict_of("'<f4'", "True", "(12,)"), doubles(6)),
                                       npy(1, dict_of("[('a', '<f8')]", "False", "(6,)"), doubles(6))};
  std::mt19937 random(20180610);
  int loaded = 0;
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::vector<std::byte> bytes = exact_bytes(mutated(seeds[random() % seeds.size()], random));
    try {
      (void)values_of(npy_matrix(bytes, "fuzz"));
      ++loaded;
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(loaded, 100);  // else the mutations are too wild to test anything
  EXPECT_GT(refused, 10000);
}

TEST(Npy, OpensAFileInPlace) {
  const TempDir dir;
  const std::vector<double> rows{1, 2, 3, 4, 5, 6};
  const std::string header = dict_of("'<f8'", "False", "(2, 3)");
  write_file(dir / "x.npy", npy(1, header, stored<double>(rows, false)));
  NpyMatrix opened = NpyMatrix::open(dir / "x.npy");
  const NpyMatrix matrix = std::move(opened);
  EXPECT_EQ(values_of(matrix.view()), rows);
  EXPECT_EQ(matrix.data_offset(), 10 + header.size());
  EXPECT_EQ(matrix.view().data, matrix.file().bytes().data() + matrix.data_offset());
}

TEST(Npy, NamesThePathOfABadFile) {
  const TempDir dir;
  write_file(dir / "bad.npy", "a,b\n1,2\n");
  const std::string message = message_of<DataError>([&] { return NpyMatrix::open(dir / "bad.npy"); });
  EXPECT_EQ(message.find((dir / "bad.npy").string() + ": not a .npy file"), 0U) << message;
  EXPECT_THROW((void)NpyMatrix::open(dir / "none.npy"), InputMissing);
}

TEST(NpyWriter, RoundTripsEveryBit) {
  const TempDir dir;
  std::mt19937_64 random(3);
  std::vector<double> values(1000 * 37);
  for (double& value : values) value = std::bit_cast<double>(random());
  {
    NpyWriter writer(dir / "x.npy", 1000, 37, false);
    const std::span<const double> all(values);
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t count = std::min<std::size_t>(all.size() - at, random() % 20000);
      writer.append(all.subspan(at, count));
      at += count;
    }
    writer.commit();
  }
  const NpyMatrix matrix = NpyMatrix::open(dir / "x.npy");
  EXPECT_EQ(matrix.view().rows, 1000);
  EXPECT_EQ(matrix.view().cols, 37);
  EXPECT_EQ(matrix.data_offset() % 64, 0U);
  const double* read = contiguous_rows(matrix.view());
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(std::memcmp(read, values.data(), values.size() * sizeof(double)), 0);
}

TEST(NpyWriter, WritesNothingUnlessAllValuesCame) {
  const TempDir dir;
  const std::vector<double> values(7);
  {
    NpyWriter writer(dir / "x.npy", 2, 3, false);
    EXPECT_THROW(writer.append(values), std::invalid_argument);
    writer.append(std::span(values).first(5));
    EXPECT_THROW(writer.commit(), std::invalid_argument);
  }
  EXPECT_EQ(dir.size(), 0);
}

TEST(NpyWriter, RefusesSizesItCannotCountBeforeMakingAFile) {
  const TempDir dir;
  const Index large = std::numeric_limits<Index>::max() / 8;
  EXPECT_THROW(NpyWriter(dir / "x.npy", -1, 3, false), std::invalid_argument);
  EXPECT_THROW(NpyWriter(dir / "x.npy", large, 2, false), std::invalid_argument);
  EXPECT_EQ(dir.size(), 0);
}

TEST(NpyWriter, DoesNotReplaceWithoutBeingAsked) {
  const TempDir dir;
  write_file(dir / "x.npy", "old");
  EXPECT_THROW(NpyWriter(dir / "x.npy", 2, 3, false), CannotCreate);
  EXPECT_EQ(read_file(dir / "x.npy"), "old");
}

TEST(NpyWriter, ReportsAFullDevice) {
  const std::vector<double> values(100000);
  NpyWriter writer("/dev/full", 1000, 100, false);
  EXPECT_THROW(writer.append(values), IoError);
}

}  // namespace
}  // namespace giga
