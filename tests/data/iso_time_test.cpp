// Dates and times against the calendar counted day by day.
#include "data/iso_time.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <string>

namespace giga {
namespace {

bool is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

std::string two(int number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

TEST(IsoTime, CountsTheDaysOfTheCalendar) {
  const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  double day = -719528;  // 0000-01-01
  for (int year = 0; year < 3000; ++year) {
    for (int month = 1; month <= 12; ++month) {
      const int length = lengths[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
      for (int d = 1; d <= 32; ++d) {
        const std::string text = std::string(year < 10     ? "000"
                                             : year < 100  ? "00"
                                             : year < 1000 ? "0"
                                                           : "") +
                                 std::to_string(year) + "-" + two(month) + "-" + two(d);
        const IsoValue value = parse_iso(text);
        if (d > length) {
          ASSERT_EQ(value.kind, IsoKind::Impossible) << text;
          continue;
        }
        ASSERT_EQ(value.kind, IsoKind::Date) << text;
        ASSERT_EQ(value.days, day) << text;
        ASSERT_EQ(iso_date(day), text);
        day += 1;
      }
    }
  }
  EXPECT_EQ(parse_iso("1970-01-01").days, 0);
}

TEST(IsoTime, TakesOffsetsOff) {
  EXPECT_EQ(parse_iso("1970-01-01T01:00+01:00").days, 0);
  EXPECT_EQ(parse_iso("1970-01-01T00:00:00Z").days, 0);
  EXPECT_EQ(parse_iso("1970-01-01 00:30+01").days, parse_iso("1969-12-31 23:30").days);
  EXPECT_EQ(parse_iso("1969-12-31T18:00:00-0600").days, 0);
  EXPECT_EQ(parse_iso("2024-02-29T23:59:59.999999999").kind, IsoKind::Time);
  EXPECT_EQ(iso_time(parse_iso("1970-01-01 00:30+01").days), "1969-12-31T23:30:00");
}

TEST(IsoTime, OtherTextIsNone) {
  for (const char* text : {"",
                           "2024",
                           "2024-1-1",
                           "2024-01-01x",
                           "2024/01/01",
                           "2024-01-01T",
                           "2024-01-01T1",
                           "2024-01-01T10",
                           "2024-01-01T10:3",
                           "2024-01-01T10-30",
                           "2024-01-01T10:30:",
                           "2024-01-01T10:30:5",
                           "2024-01-01T10:30:05.",
                           "2024-01-01T10:30+",
                           "2024-01-01T10:30+1",
                           "2024-01-01T10:30+01:0",
                           "2024-01-01T10:30z",
                           "01-01-2024",
                           "2024-01-0l",
                           "-2024-01-01",
                           "2024-01-01T10:30+01:00x"})
    EXPECT_EQ(parse_iso(text).kind, IsoKind::None) << text;
  for (const char* text : {"2024-01-01T24:00", "2024-01-01T10:60", "2024-01-01T10:30:60", "2024-02-30T10:30",
                           "2024-01-01T10:30+24:00", "2024-01-01T10:30+01:60"})
    EXPECT_EQ(parse_iso(text).kind, IsoKind::Impossible) << text;
}

TEST(IsoTime, TextGivesTheBitsOfATimeAgain) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    const int digits = static_cast<int>(random() % 10);
    std::string text =
        std::to_string(1900 + random() % 200) + "-" + two(1 + static_cast<int>(random() % 12)) + "-" +
        two(1 + static_cast<int>(random() % 28)) + "T" + two(static_cast<int>(random() % 24)) + ":" +
        two(static_cast<int>(random() % 60)) + ":" + two(static_cast<int>(random() % 60));
    for (int d = 0; d < digits; ++d) text += (d == 0 ? "." : "") + std::to_string(random() % 10);
    const double days = parse_iso(text).days;
    const std::string again = iso_time(days);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(parse_iso(again).days), std::bit_cast<std::uint64_t>(days))
        << text << " " << again;
    EXPECT_LE(again.size(), text.size());
    if (digits == 0) {
      EXPECT_EQ(again, text);
    }
  }
}

}  // namespace
}  // namespace giga
