// One table of names per enumeration: what options, files, records and messages call its values.
//
//   enum class Expansion { Taylor, Hermite };
//   constexpr auto name_table(Expansion) {
//     return names_are<Expansion>({{Expansion::Taylor, "taylor"}, {Expansion::Hermite, "hermite"}});
//   }
//
//   name(Expansion::Taylor)        "taylor"
//   named<Expansion>("hermite")    Expansion::Hermite; nothing for an unknown name
//   names_of<Expansion>()          {"taylor", "hermite"}, in the order of the table; likewise
//   values_of<Expansion>()         {Expansion::Taylor, Expansion::Hermite}
//   words(value)                   what the table says about a value, where it says anything
//
// A table that leaves out an enumerator, or has one or a name twice, does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace giga {

/// One line of a table.
template <typename Enum>
struct NamedValue {
  Enum value;
  std::string_view name;
  std::string_view words = {};  ///< For help and reports; lines are separated by '\n'.
};

/// The table of an enumeration, as name_table returns it.
template <typename Enum, std::size_t kSize>
[[nodiscard]] constexpr auto names_are(const NamedValue<Enum> (&table)[kSize]) {
  return std::to_array(table);
}

template <typename Enum>
concept NamedEnum = requires(Enum value) {
  name_table(value).size();
};

namespace names_detail {

// Whether a number belongs to an enumerator: in __PRETTY_FUNCTION__ compilers spell it as a name, and any
// other value as a cast, "(giga::Method)7".
template <auto kValue>
constexpr bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  return text[text.rfind("kValue = ") + 9] != '(';
}

template <typename Enum, std::size_t kFrom = 0>
constexpr std::size_t enumerators_from() {
  if constexpr (is_enumerator<static_cast<Enum>(kFrom)>()) {
    return enumerators_from<Enum, kFrom + 1>();
  } else {
    return kFrom;
  }
}

template <typename Enum, std::size_t kSize>
constexpr bool counts_from_zero(const std::array<NamedValue<Enum>, kSize>& table) {
  std::array<bool, kSize> met = {};
  for (const NamedValue<Enum>& each : table) {
    const auto at = static_cast<std::size_t>(each.value);
    if (at >= kSize || met[at]) return false;
    met[at] = true;
  }
  return true;
}

template <typename Enum, std::size_t kSize>
constexpr bool names_differ(const std::array<NamedValue<Enum>, kSize>& table) {
  for (std::size_t i = 0; i < kSize; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (table[i].name == table[j].name) return false;
  return true;
}

template <typename Enum>
constexpr auto checked_table() {
  constexpr auto kLines = name_table(Enum{});
  static_assert(counts_from_zero(kLines), "every value from 0 on has one line in the table of names");
  static_assert(kLines.size() == enumerators_from<Enum>(), "the table of names ends too early");
  static_assert(names_differ(kLines), "two values have the same name");
  return kLines;
}

template <typename Enum>
inline constexpr auto kTable = checked_table<Enum>();

template <typename Enum>
constexpr const NamedValue<Enum>& line_of(Enum value) {
  for (const NamedValue<Enum>& each : kTable<Enum>)
    if (each.value == value) return each;
  throw std::invalid_argument("a value that is none of its enumeration");
}

}  // namespace names_detail

/// How many enumerators there are; they must be 0, 1, 2, ... without gaps.
template <typename Enum>
[[nodiscard]] constexpr std::size_t num_enumerators() {
  return names_detail::enumerators_from<Enum>();
}

template <NamedEnum Enum>
[[nodiscard]] constexpr std::string_view name(Enum value) {
  return names_detail::line_of(value).name;
}

template <NamedEnum Enum>
[[nodiscard]] constexpr std::string_view words(Enum value) {
  return names_detail::line_of(value).words;
}

template <NamedEnum Enum>
[[nodiscard]] constexpr std::optional<Enum> named(std::string_view name) {
  for (const NamedValue<Enum>& each : names_detail::kTable<Enum>)
    if (each.name == name) return each.value;
  return std::nullopt;
}

template <NamedEnum Enum>
[[nodiscard]] constexpr auto names_of() {
  std::array<std::string_view, names_detail::kTable<Enum>.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = names_detail::kTable<Enum>[i].name;
  return names;
}

template <NamedEnum Enum>
[[nodiscard]] constexpr auto values_of() {
  std::array<Enum, names_detail::kTable<Enum>.size()> values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = names_detail::kTable<Enum>[i].value;
  return values;
}

}  // namespace giga
