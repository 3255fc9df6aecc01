// ISO 8601 dates and times as numbers of days since 1970-01-01, in the proleptic Gregorian calendar.
//
//     2024-03-01    2024-03-01T14:30    2024-03-01 14:30:05.25    2024-03-01T14:30:00Z    ...+01:00
//
// A time is the day plus the nanoseconds of the day over 86,400 10^9, rounded once; an offset is taken off
// first, so that times with an offset are UTC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace giga {

enum class IsoKind {
  None,        ///< not of the form of a date or a time
  Date,        ///< a day
  Time,        ///< a moment
  Impossible,  ///< of the form, but there is no such day or time: 2023-02-29
};

struct IsoValue {
  IsoKind kind = IsoKind::None;
  double days = 0;
};

/// What all of `text`, which has no blanks around it, is.
[[nodiscard]] IsoValue parse_iso(std::string_view text);

/// The day as 2024-03-01.
[[nodiscard]] std::string iso_date(double days);

/// The moment as 2024-03-01T14:30:00, with as many digits of a second as parse_iso needs to give the bits of
/// `days` again.
[[nodiscard]] std::string iso_time(double days);

/// Whether a day, counted as above, is of a year of four digits, which ISO text can say: 0000-01-01 to
/// 9999-12-31.
[[nodiscard]] bool is_day_of_text(std::int64_t day);

/// Ticks since 1970-01-01, `per_day` a day, which divides 86,400 10^9, as days: rounded once, as those of
/// text.
[[nodiscard]] double days_of(std::int64_t ticks, std::int64_t per_day);

}  // namespace giga
