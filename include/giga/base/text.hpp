// Numbers and foreign text in messages and files. Nothing here depends on the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "giga/base/types.hpp"

namespace giga {

/// `value` safe for a terminal and a log: control characters, those that are not seen or turn text round, and
/// bytes that are not UTF-8 become `\xNN`. At most `limit` bytes of text, then "..."; no character and no
/// escape is cut in two. Applying it twice changes nothing as long as nothing is cut.
[[nodiscard]] std::string printable(std::string_view value, std::size_t limit = 80);

/// A path as printable text, long enough to be copied back.
[[nodiscard]] std::string printable_path(const std::filesystem::path& path);

/// The shortest decimal text that parse_double turns back into the same bits.
[[nodiscard]] std::string shortest(double value);

/// 26733 as "26,733".
[[nodiscard]] std::string grouped(Index count);

/// "350 MB", "1.7 GB", "17 GB".
[[nodiscard]] std::string data_size(std::uint64_t bytes);

/// "1 row", "26733 rows".
[[nodiscard]] std::string plural(Index count, std::string_view noun);

/// The nearest double if all of `text` is one finite decimal number such as "-1.5e3"; nothing otherwise: no
/// spaces, no leading '+', no hexadecimal, no inf or nan, no overflow. A number too small for a double is a
/// signed zero.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

/// Text as a field of a CSV file, in quotes if it needs them.
[[nodiscard]] std::string csv_field(const std::string& text);

/// Text that a spreadsheet would take for a formula ("=x", not "-1.5"), or such a text after apostrophes,
/// gets one more before it: "=x" is "'=x" and "'=x" is "''=x". So different texts stay different.
[[nodiscard]] std::string inert(const std::string& text);

}  // namespace giga
