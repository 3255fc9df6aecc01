// The text of a cell, taken apart with care: missing, infinite, a decimal number or something else. The quick
// path for plain numbers is in the header; parse_double (base/text) converts what it leaves.
#include "data/number_parse.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "giga/base/text.hpp"

namespace giga {
namespace {

using number_detail::is_digit;

// What R, pandas, NumPy and spreadsheets write for a value that is missing, in lower case.
constexpr std::array<std::string_view, 8> kMissing{"", "na", "nan", "n/a", "#n/a", "<na>", "null", "none"};

// ASCII letters only; `lower` is in lower case.
bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
  });
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

// "-nan" is what C prints for some NaNs.
bool is_missing(std::string_view text) {
  if (equals_ignoring_case(without_sign(text), "nan")) return true;
  return std::any_of(kMissing.begin(), kMissing.end(),
                     [&](std::string_view word) { return equals_ignoring_case(text, word); });
}

// digits [. digits] [e [sign] digits], with at least one digit before the e.
bool is_decimal(std::string_view text) {
  text = without_sign(text);
  const auto skip_digits = [&] {
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count])) ++count;
    text.remove_prefix(count);
    return count;
  };
  std::size_t digits = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text = without_sign(text.substr(1));
    if (skip_digits() == 0) return false;
  }
  return text.empty();
}

// In the mantissa: "0e5" is 0, "1e-400" is a number that is too small.
bool has_nonzero_digit(std::string_view number) {
  return number.substr(0, number.find_first_of("eE")).find_first_of("123456789") != std::string_view::npos;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

CellValue parse_cell(std::string_view text) {
  text = trimmed(text);
  // The order matters: "nan" and "inf" are not decimal numbers, and an empty cell is missing, not text.
  if (is_missing(text)) return {.kind = CellKind::Missing};
  const std::string_view bare = without_sign(text);
  if (equals_ignoring_case(bare, "inf") || equals_ignoring_case(bare, "infinity")) {
    return {.kind = CellKind::Infinite};
  }
  if (!is_decimal(text)) return {.kind = CellKind::NotANumber};
  // parse_double takes no plus sign.
  if (text.starts_with('+')) text.remove_prefix(1);
  // A decimal number that parse_double refuses can only be too large.
  const auto value = parse_double(text);
  if (!value) return {.kind = CellKind::Overflow};
  return {.kind = CellKind::Number, .value = *value, .too_small = *value == 0 && has_nonzero_digit(text)};
}

}  // namespace giga
