// Names of columns that mean the same to every reader of draws: R, Stan's readers, ArviZ. Names that are safe
// already are taken first, so that none of them changes because an unsafe one would become equal to it.
#include <algorithm>
#include <array>
#include <set>

#include "giga/record/draws_file.hpp"

namespace giga {
namespace {

// R's read.csv puts a dot behind these, and a dot begins the index of an array.
constexpr std::array<std::string_view, 19> kReserved = {
    "if",          "else",     "repeat",      "while",         "function", "for", "next",
    "break",       "TRUE",     "FALSE",       "NULL",          "Inf",      "NaN", "NA",
    "NA_integer_", "NA_real_", "NA_complex_", "NA_character_", "in"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_plain(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

bool is_reserved(std::string_view name) {
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

bool is_safe(std::string_view name) {
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), is_plain) &&
         !name.ends_with("__") && !is_reserved(name);
}

std::string made_safe(std::string_view name) {
  // Invariant: `safe` has the plain characters so far, with one underscore for each run of
  // others between them.
  std::string safe;
  bool gap = false;
  for (const char c : name) {
    if (!is_plain(c)) {
      gap = true;
      continue;
    }
    if (gap && !safe.empty() && safe.back() != '_') safe += '_';
    gap = false;
    safe += c;
  }
  if (safe.empty()) return "v";
  if (!is_letter(safe[0]) || is_reserved(safe)) safe.insert(0, "v_");
  if (safe.ends_with("__")) safe += 'v';
  return safe;
}

}  // namespace

std::vector<std::string> safe_columns(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<bool> stays(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    stays[i] = is_safe(names[i]) && taken.insert(names[i]).second;
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string safe = stays[i] ? names[i] : made_safe(names[i]);
    std::string column = safe;
    for (int k = 2; !stays[i] && !taken.insert(column).second; ++k)
      column = safe + std::string("_").append(std::to_string(k));
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace giga
