// Fixed places for the digits of a date and of a time; the calendar is that of std::chrono.
#include "data/iso_time.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

#include "data/number_parse.hpp"

namespace giga {
namespace {

using number_detail::is_digit;

constexpr std::int64_t kSecond = 1'000'000'000;  // in nanoseconds
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::size_t kDateLength = 10;

// The number in text[from .. from + count); -1 unless all of it are digits.
int digits(std::string_view text, std::size_t from, std::size_t count) {
  if (text.size() < from + count) return -1;
  int number = 0;
  for (std::size_t i = from; i < from + count; ++i) {
    if (!is_digit(text[i])) return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

// Days since 1970-01-01; nothing where there is no such day.
std::optional<std::int64_t> day_of(int year, int month, int day) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return std::nullopt;
  return sys_days(date).time_since_epoch().count();
}

// Takes the digits after a point from the front of `text`: nanoseconds; digits beyond the ninth are left out.
std::int64_t take_fraction(std::string_view& text) {
  std::int64_t nanoseconds = 0;
  std::int64_t unit = kSecond;
  while (!text.empty() && is_digit(text.front())) {
    unit /= 10;
    nanoseconds += unit * (text.front() - '0');
    text.remove_prefix(1);
  }
  return nanoseconds;
}

struct Clock {
  bool is_time = false;   // of the form of a time
  bool possible = false;  // and there is such a time
  std::int64_t nanoseconds = 0;
};

// "", "Z", "+01", "+0100", "+01:00": the nanoseconds ahead of UTC.
Clock parse_offset(std::string_view text) {
  if (text.empty() || text == "Z") return {true, true, 0};
  if (text[0] != '+' && text[0] != '-') return {};
  const int hours = digits(text, 1, 2);
  const bool colon = text.size() > 3 && text[3] == ':';
  const int minutes = text.size() == 3 ? 0 : digits(text, colon ? 4 : 3, 2);
  if (hours < 0 || minutes < 0 || (text.size() != 3 && text.size() != (colon ? 6U : 5U))) return {};
  const std::int64_t ahead = hours * kHour + minutes * kMinute;
  return {true, hours < 24 && minutes < 60, text[0] == '-' ? -ahead : ahead};
}

// "14:30", "14:30:05", "14:30:05.25", each with an offset or without: nanoseconds since midnight UTC.
Clock parse_clock(std::string_view text) {
  const int hour = digits(text, 0, 2), minute = digits(text, 3, 2);
  if (hour < 0 || minute < 0 || text[2] != ':') return {};
  text.remove_prefix(5);
  int second = 0;
  std::int64_t fraction = 0;
  if (text.starts_with(':')) {
    second = digits(text, 1, 2);
    if (second < 0) return {};
    text.remove_prefix(3);
    if (text.size() > 1 && text[0] == '.' && is_digit(text[1])) {
      text.remove_prefix(1);
      fraction = take_fraction(text);
    }
  }
  const Clock offset = parse_offset(text);
  if (!offset.is_time) return {};
  return {true, offset.possible && hour < 24 && minute < 60 && second < 60,
          hour * kHour + minute * kMinute + second * kSecond + fraction - offset.nanoseconds};
}

std::string padded(std::int64_t number, std::size_t width) {
  std::string text = std::to_string(number);
  if (text.size() < width) text.insert(0, width - text.size(), '0');
  return text;
}

std::string date_text(std::int64_t day) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  return padded(static_cast<int>(date.year()), 4) + "-" + padded(static_cast<unsigned>(date.month()), 2) +
         "-" + padded(static_cast<unsigned>(date.day()), 2);
}

// Rounded to `places` digits of a second.
std::string moment_text(std::int64_t day, std::int64_t nanoseconds, std::size_t places) {
  std::int64_t unit = kSecond;
  for (std::size_t i = 0; i < places; ++i) unit /= 10;
  nanoseconds = (nanoseconds + unit / 2) / unit * unit;
  day += nanoseconds / kDay;
  nanoseconds %= kDay;
  std::string text = date_text(day) + "T" + padded(nanoseconds / kHour, 2) + ":" +
                     padded(nanoseconds % kHour / kMinute, 2) + ":" +
                     padded(nanoseconds % kMinute / kSecond, 2);
  if (places > 0) text.append(".").append(padded(nanoseconds % kSecond / unit, places));
  return text;
}

}  // namespace

IsoValue parse_iso(std::string_view text) {
  if (text.size() < kDateLength || text[4] != '-' || text[7] != '-') return {};
  const int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  if (year < 0 || month < 0 || day < 0) return {};
  const auto days = day_of(year, month, day);
  if (text.size() == kDateLength)
    return days ? IsoValue{IsoKind::Date, static_cast<double>(*days)} : IsoValue{IsoKind::Impossible, 0};
  if (text[kDateLength] != 'T' && text[kDateLength] != ' ') return {};
  const Clock clock = parse_clock(text.substr(kDateLength + 1));
  if (!clock.is_time) return {};
  if (!clock.possible || !days) return {IsoKind::Impossible, 0};
  // An offset may lead to the day before or after; in all the numbers are exact up to the last division.
  const std::int64_t shift = clock.nanoseconds < 0 ? -1 : clock.nanoseconds >= kDay ? 1 : 0;
  const std::int64_t within = clock.nanoseconds - shift * kDay;
  return {IsoKind::Time,
          static_cast<double>(*days + shift) + static_cast<double>(within) / static_cast<double>(kDay)};
}

std::string iso_date(double days) {
  return date_text(std::llround(days));
}

std::string iso_time(double days) {
  constexpr std::size_t kMostPlaces = 9;
  const double day = std::floor(days);
  const auto nanoseconds = std::llround((days - day) * static_cast<double>(kDay));
  for (std::size_t places = 0; places < kMostPlaces; ++places) {
    std::string text = moment_text(static_cast<std::int64_t>(day), nanoseconds, places);
    if (std::bit_cast<std::uint64_t>(parse_iso(text).days) == std::bit_cast<std::uint64_t>(days)) return text;
  }
  return moment_text(static_cast<std::int64_t>(day), nanoseconds, kMostPlaces);
}

bool is_day_of_text(std::int64_t day) {
  constexpr std::int64_t kFirst = -719'528, kLast = 2'932'896;
  return day >= kFirst && day <= kLast;
}

// The day, and the fraction of it in nanoseconds.
double days_of(std::int64_t ticks, std::int64_t per_day) {
  const std::int64_t day = ticks / per_day - (ticks % per_day < 0 ? 1 : 0);
  const std::int64_t within = (ticks - day * per_day) * (kDay / per_day);
  return static_cast<double>(day) + static_cast<double>(within) / static_cast<double>(kDay);
}

}  // namespace giga
