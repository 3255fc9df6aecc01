// Text from foreign files made safe to print, and numbers to text and back by std::to_chars and
// std::from_chars, which ignore the locale and are exact in both directions.
#include "giga/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "giga/base/printable.hpp"

namespace giga {
namespace {

// PATH_MAX of Linux.
constexpr std::size_t kPathLimit = 4096;

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Bytes of the well-formed UTF-8 character at `i` (Unicode table 3-7), or 0.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const unsigned lead = byte_at(text, i);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  // 0x80 .. 0xC1 cannot begin a character; 0xC0 and 0xC1 would be overlong.
  if (lead < 0xC2 || lead > 0xF4 || length > text.size() - i) return 0;
  // [low, high] is what the next byte may be. Only the second byte has a narrower range, and only after four
  // lead bytes; every later byte is in [0x80, 0xBF].
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead == 0xE0) low = 0xA0;   // overlong
  if (lead == 0xED) high = 0x9F;  // surrogates
  if (lead == 0xF0) low = 0x90;   // overlong
  if (lead == 0xF4) high = 0x8F;  // beyond U+10FFFF
  for (std::size_t k = 1; k < length; ++k) {
    const unsigned next = byte_at(text, i + k);
    if (next < low || next > high) return 0;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

// The code point of one well-formed character.
char32_t code_of(std::string_view character) {
  char32_t code = byte_at(character, 0);
  if (character.size() > 1) code &= 0xFFU >> (character.size() + 1);
  for (std::size_t k = 1; k < character.size(); ++k) code = (code << 6U) | (byte_at(character, k) & 0x3FU);
  return code;
}

// What text is not made of: characters that a terminal acts on, that turn the text after them round, or that
// are not seen at all, so that two texts look the same.
bool is_deceptive(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  constexpr std::array<Range, 17> kRanges = {{{0x00, 0x1F},          // C0
                                              {0x7F, 0x9F},          // DEL, C1
                                              {0xAD, 0xAD},          // soft hyphen
                                              {0x034F, 0x034F},      // grapheme joiner
                                              {0x061C, 0x061C},      // Arabic letter mark
                                              {0x115F, 0x1160},      // fillers of Hangul
                                              {0x17B4, 0x17B5},      // vowels of Khmer that have no sign
                                              {0x180B, 0x180F},      // selectors of Mongolian
                                              {0x200B, 0x200B},      // space without width
                                              {0x200E, 0x200F},      // marks of direction
                                              {0x2028, 0x202E},      // ends of lines, embeddings, overrides
                                              {0x2060, 0x206F},      // word joiner, isolates
                                              {0x3164, 0x3164},      // filler
                                              {0xFEFF, 0xFEFF},      // byte order mark
                                              {0xFFA0, 0xFFA0},      // filler
                                              {0xFFF0, 0xFFFB},      // annotations
                                              {0xE0000, 0xE0FFF}}};  // tags
  return std::ranges::any_of(
      kRanges, [code](const Range& range) { return code >= range.first && code <= range.last; });
}

// Joiners and selectors of variants. They belong to letters of some scripts and to emoji, none of which is
// ASCII; after ASCII they are only not seen.
bool is_joining(char32_t code) {
  return code == 0x200C || code == 0x200D || (code >= 0xFE00 && code <= 0xFE0F);
}

// Whether a character would not be seen as what it is after `before`, the text that is shown already.
bool is_unseen(std::string_view character, std::string_view before) {
  const char32_t code = code_of(character);
  if (code >= 0x20 && code < 0x7F) return false;
  if (is_joining(code)) return before.empty() || byte_at(before, before.size() - 1) < 0x80;
  return is_deceptive(code);
}

// \xNN for each byte: the form in which a shell or Python would take it back.
std::string escaped(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out += "\\x";
    out += kDigits[byte_at(bytes, i) >> 4];
    out += kDigits[byte_at(bytes, i) & 15];
  }
  return out;
}

// Whether a well-formed number that from_chars found out of range is too small rather than too large. With f
// the position of the first nonzero digit, p that of the point and e the exponent, that digit stands for a
// multiple of 10^(p - f + e), or of a tenth of that if it is before the point. Out of range this power is
// below -300 or above 300, so its sign decides.
bool underflows(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string_view exponent = text.substr(std::min(e + 1, text.size()));
  const bool negative = exponent.starts_with('-');
  if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
  long long power = 0;
  const auto result = std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  if (result.ec == std::errc::result_out_of_range) return negative;
  return (negative ? -power : power) + static_cast<long long>(point) - static_cast<long long>(first) < 0;
}

}  // namespace

std::string printable(std::string_view value, std::size_t limit) {
  std::string out;
  // Invariant: `out` is the printable form of value[0 .. i) and at most `limit` bytes long.
  for (std::size_t i = 0; i < value.size();) {
    // A whole character, or a single byte that begins none.
    const std::size_t length = utf8_length(value, i);
    const std::string_view character = value.substr(i, std::max<std::size_t>(length, 1));
    const bool plain = length > 0 && !is_unseen(character, out);
    const std::string shown = plain ? std::string(character) : escaped(character);
    if (out.size() + shown.size() > limit) return out + "...";
    out += shown;
    i += character.size();
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  // Invariant: `out` is the printable form of the text before `text`.
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\n\t");
    out += printable(text.substr(0, end), std::string_view::npos);
    if (end == std::string_view::npos) break;
    out += text[end];
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string printable_json(std::string_view json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  const auto append_unit = [&out, kDigits](char32_t unit) {
    out += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kDigits[(unit >> shift) & 15U];
  };
  for (std::size_t i = 0; i < json.size();) {
    const std::string_view character = json.substr(i, std::max<std::size_t>(utf8_length(json, i), 1));
    const bool is_layout = character == "\n" || character == "\t" || character == "\r";
    if (is_layout || !is_unseen(character, out)) {
      out += character;
    } else if (const char32_t code = code_of(character); code < 0x10000) {
      append_unit(code);
    } else {  // two units of UTF-16, as JSON has it
      append_unit(0xD7C0 + (code >> 10U));
      append_unit(0xDC00 + (code & 0x3FFU));
    }
    i += character.size();
  }
  return out;
}

std::string printable_path(const std::filesystem::path& path) {
  return printable(path.native(), kPathLimit);
}

std::string shortest(double value) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::optional<double> parse_double(std::string_view text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, std::chars_format::general);
  // A number must be all of the text: from_chars stops at the first byte that does not belong to it.
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    if (!underflows(text)) return std::nullopt;
    return text.starts_with('-') ? -0.0 : 0.0;
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::string csv_field(const std::string& text) {
  // A '#' at the beginning of a line would make it a comment to many readers.
  if (text.find_first_of(",\"\r\n") == std::string::npos && !text.starts_with('#')) return text;
  std::string quoted = "\"";
  // RFC 4180: a quote inside quotes is doubled.
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string inert(const std::string& text) {
  // With text = a + rest, a all of its leading apostrophes: what is written is "'" + a + rest for a rest that
  // reads as a formula, and the text itself for others. One apostrophe less gives the text back. The first
  // characters are those by which spreadsheets recognise a formula, in their full width, too, or that some
  // skip before one; "-1.5" begins with one of them, too.
  constexpr std::array<std::string_view, 11> kFirst = {
      "=", "+", "-", "@", "\t", "\r", "\n", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
  const std::string_view rest =
      std::string_view(text).substr(std::min(text.find_first_not_of('\''), text.size()));
  const bool formula =
      std::ranges::any_of(kFirst, [rest](std::string_view first) { return rest.starts_with(first); });
  return formula && !parse_double(rest) ? "'" + text : text;
}

std::string grouped(Index count) {
  std::string text = std::to_string(count);
  // From the right, three digits at a time; a minus sign is not a digit to put a comma behind.
  for (std::size_t at = text.size(); at > 3 && text[at - 4] != '-'; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

std::string data_size(std::uint64_t bytes) {
  constexpr double kKilo = 1e3, kMega = 1e6, kGiga = 1e9;
  const auto size = static_cast<double>(bytes);
  if (size < kMega) return std::to_string(std::lround(std::ceil(size / kKilo))) + " kB";
  if (size < kGiga) return std::to_string(std::lround(size / kMega)) + " MB";
  const double gigabytes = size / kGiga;
  return (gigabytes < 10 ? shortest(std::round(gigabytes * 10) / 10) : grouped(std::lround(gigabytes))) +
         " GB";
}

std::string plural(Index count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

}  // namespace giga
