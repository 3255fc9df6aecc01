// Numbers to the last bit: against the C library's correctly rounded strtod.
#include "data/number_parse.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "giga/base/text.hpp"

namespace giga {
namespace {

// What a reader makes of a cell: the quick parser if it knows the text, else the careful one.
CellValue read_cell(const std::string& text) {
  const std::string line = text + "\n";
  CellValue quick{.kind = CellKind::Number};
  const char* end = parse_plain_number(line.data(), line.data() + line.size(), quick.value);
  const CellValue careful = parse_cell(text);
  if (end != line.data() + text.size()) return careful;
  EXPECT_EQ(careful.kind, CellKind::Number) << text;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(careful.value), std::bit_cast<std::uint64_t>(quick.value)) << text;
  return quick;
}

void expect_bits(const std::string& text, double expected) {
  const CellValue cell = read_cell(text);
  ASSERT_EQ(cell.kind, CellKind::Number) << text;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(cell.value), std::bit_cast<std::uint64_t>(expected)) << text;
}

std::string printed(const char* format, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

TEST(NumberParse, ReadsBackRandomBitPatternsExactly) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    expect_bits(shortest(value), value);
    if (i % 2 == 0) expect_bits(printed("%.17g", value), value);
  }
}

TEST(NumberParse, ReadsBackNumbersOfOrdinarySizeExactly) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 500000; ++i) {
    const double value = std::ldexp(normal(random), static_cast<int>(random() % 80) - 40);
    expect_bits(shortest(value), value);
    expect_bits(printed("%.17g", value), value);
    if (i % 4 == 0) expect_bits(printed("%.19g", value), value);
  }
}

// Decimal text near the middle between two doubles, where one wrong rounding shows.
TEST(NumberParse, RoundsNearTiesAsTheCLibraryDoes) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    const double low =
        std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 60) - 20);
    const long double middle =
        (static_cast<long double>(low) + std::nextafter(low, std::numeric_limits<double>::infinity())) / 2;
    for (const char* format : {"%.17Lg", "%.18Lg", "%.19Lg", "%.25Lg"}) {
      std::array<char, 64> buffer{};
      std::snprintf(buffer.data(), buffer.size(), format, middle);
      expect_bits(buffer.data(), std::strtod(buffer.data(), nullptr));
    }
  }
}

TEST(NumberParse, ReadsRandomDigitStringsAsTheCLibraryDoes) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 100000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    const std::size_t length = 1 + random() % 24;
    const std::size_t point = random() % (length + 1);
    for (std::size_t k = 0; k < length; ++k) {
      if (k == point) text += '.';
      text += static_cast<char>('0' + (random() % 3 == 0 ? 0 : random() % 10));
    }
    if (random() % 2 == 0) text += "e" + std::to_string(static_cast<int>(random() % 70) - 35);
    expect_bits(text, std::strtod(text.c_str(), nullptr));
  }
}

TEST(NumberParse, TakesTheFormsPeopleWrite) {
  for (const auto& [text, value] :
       std::vector<std::pair<std::string, double>>{{"0", 0.0},
                                                   {"-0", -0.0},
                                                   {"+1.5", 1.5},
                                                   {".5", 0.5},
                                                   {"5.", 5.0},
                                                   {"1E3", 1000.0},
                                                   {"1e+3", 1000.0},
                                                   {"00012", 12.0},
                                                   {" 7\t", 7.0},
                                                   {"9007199254740993", 9007199254740992.0},
                                                   {"179769313486231570000e288", 1.7976931348623157e308},
                                                   {"4.9406564584124654e-324", 4.9406564584124654e-324},
                                                   {"0e999999999", 0.0}}) {
    expect_bits(text, value);
  }
}

TEST(NumberParse, NeverTakesAPrefixForTheWhole) {
  for (const char* text : {"1,5",       "1 000",   "0x1p3", "1.5abc", "1e",    "1e+",       "--1",   "+-1",
                           ".",         "-",       "+",     "e5",     "1.2.3", "1_000",     "1'000", "١",
                           "1\xC2\xA0", "infinit", "nano",  "1d3",    "True",  "2020-01-01"}) {
    EXPECT_EQ(read_cell(text).kind, CellKind::NotANumber) << text;
  }
}

TEST(NumberParse, KnowsMissingAndInfiniteAndTooLargeAndTooSmall) {
  for (const char* text : {"", " ", "NA", "NaN", "nan", "-nan", "N/A", "null", "None", "#N/A", "<NA>"}) {
    EXPECT_EQ(read_cell(text).kind, CellKind::Missing) << text;
  }
  for (const char* text : {"inf", "-Inf", "+INF", "Infinity", "-infinity"}) {
    EXPECT_EQ(read_cell(text).kind, CellKind::Infinite) << text;
  }
  for (const char* text : {"1e400", "-1e309", "2e308", "1e99999999999999999999"}) {
    EXPECT_EQ(read_cell(text).kind, CellKind::Overflow) << text;
  }
  for (const char* text : {"1e-400", "-2e-324", "1e-99999999999999999999"}) {
    const CellValue cell = read_cell(text);
    EXPECT_EQ(cell.kind, CellKind::Number) << text;
    EXPECT_TRUE(cell.too_small && cell.value == 0) << text;
  }
  EXPECT_FALSE(read_cell("0e-400").too_small);
  EXPECT_FALSE(read_cell("1e-310").too_small);
}

}  // namespace
}  // namespace giga
