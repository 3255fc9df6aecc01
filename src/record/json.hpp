// JSON as records are written and read. Here and not in every file: the parser is long to compile.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/text.hpp"

namespace giga::record {

using Json = nlohmann::ordered_json;

/// Indented text, with a newline. Numbers that are not finite are null: JSON has no word for them.
[[nodiscard]] std::string dumped(const Json& json);

/// Whether lists and objects of a JSON text lie in each other deeper than those of any record. Whoever walks
/// such a tree calls itself once a level, and may run out of stack.
[[nodiscard]] bool is_too_deep(std::string_view text);

/// What a text says; is_discarded() if it is not JSON, or too deep.
[[nodiscard]] Json parsed(std::string_view text);

/// What a file says; is_discarded() if it is not JSON, or too deep; null if there is no such file.
[[nodiscard]] Json parsed_file(const std::filesystem::path& path);

/// Whether a value can be taken for a number of the type: whole, and in its range. An Index is a count or a
/// place, from 0 to 2^53: some of them can be added. The parser of JSON would cut or wrap others.
template <typename Number>
[[nodiscard]] bool is_whole(const Json& json) {
  constexpr double kExact = 0x1p53;
  constexpr bool kCount = std::is_same_v<Number, Index>;
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    return std::in_range<Number>(value) && (!kCount || value <= std::uint64_t{1} << 53);
  }
  if (json.is_number_integer()) return !kCount && std::in_range<Number>(json.get<std::int64_t>());
  if (!json.is_number_float()) return false;
  const auto value = json.get<double>();  // as tools write 3 that know no whole numbers
  return value >= 0 && value <= kExact && value == std::floor(value) &&
         std::in_range<Number>(static_cast<std::int64_t>(value));
}

/// The same of a type that records have: numbers that must be whole, or lists of them.
template <typename Value>
[[nodiscard]] bool fits(const Json& json) {
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    return is_whole<Value>(json);
  } else if constexpr (std::is_same_v<Value, std::vector<Index>>) {
    return json.is_array() && std::all_of(json.begin(), json.end(), is_whole<Index>);
  } else {
    return true;
  }
}

template <typename Value>
[[nodiscard]] Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The fields of an object in a file. One that is missing, or not what it should be, is a DataError that
/// names the file and the field and ends with the advice: "run again". Of a file that nobody writes by hand
/// the message begins with that it `is damaged`.
class Fields {
 public:
  /// `json` must outlive this object.
  Fields(const Json& json, std::string file, std::string advice, bool is_damaged = false)
      : json_(&json), file_(std::move(file)), advice_(std::move(advice)), is_damaged_(is_damaged) {}

  [[nodiscard]] const Json& json() const { return *json_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool has(const char* key) const { return json_->is_object() && json_->contains(key); }
  /// Whether it is absent or null.
  [[nodiscard]] bool is_null(const char* key) const { return !has(key) || (*json_)[key].is_null(); }

  template <typename Value>
  [[nodiscard]] Value get(const char* key) const {
    try {
      const Json& json = json_->at(key);
      if (fits<Value>(json)) return json.get<Value>();
    } catch (const Json::exception&) {  // the same is said of it
    }
    refuse(key, "is missing or of another kind");
  }

  /// A number; null is `absent`.
  [[nodiscard]] double number(const char* key, double absent) const {
    return has(key) && (*json_)[key].is_null() ? absent : get<double>(key);
  }
  [[nodiscard]] double number(const char* key) const;
  /// An array of numbers; null is NaN.
  [[nodiscard]] std::vector<double> numbers(const char* key) const;

  template <typename Value>
  [[nodiscard]] std::optional<Value> optional(const char* key) const {
    return is_null(key) ? std::nullopt : std::optional(get<Value>(key));
  }

  template <typename Enum>
  [[nodiscard]] Enum choice(const char* key) const {
    const auto text = get<std::string>(key);
    if (const auto value = named<Enum>(text)) return *value;
    refuse(key, "is '" + printable(text) + "', which is not known");
  }

  /// Refuses a field that is absent; it may be null.
  void require(const char* key) const {
    if (!has(key)) refuse(key, "is missing");
  }

  /// An object within.
  [[nodiscard]] Fields at(const char* key) const;
  /// The entries of an array.
  [[nodiscard]] std::vector<Fields> list(const char* key) const;

  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

 private:
  const Json* json_;
  std::string file_, advice_;
  bool is_damaged_;
  std::string within_;  // "model/"
};

/// Throws DataError if the file has a later format than `known`: it was written by a newer giga.
void require_format(const Fields& fields, Index known);

}  // namespace giga::record
