// Text to JSON and back, and the messages about fields that are missing or of the wrong type.
#include "record/json.hpp"

#include <limits>

#include "giga/base/error.hpp"
#include "giga/base/printable.hpp"
#include "giga/base/version.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/unchanged.hpp"

namespace giga::record {

std::string dumped(const Json& json) {
  // replace: a path need not be UTF-8, a record must be.
  return printable_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

bool is_too_deep(std::string_view text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

Json parsed(std::string_view text) {
  if (is_too_deep(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

Json parsed_file(const std::filesystem::path& path) {
  if (!is_present(path)) return nullptr;
  const MappedFile file = MappedFile::open(path);
  return of_unchanged(file, [&] {
    return parsed({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  });
}

double Fields::number(const char* key) const {
  return number(key, std::numeric_limits<double>::quiet_NaN());
}

std::vector<double> Fields::numbers(const char* key) const {
  std::vector<double> all;
  for (const auto& value : get<std::vector<Json>>(key)) {
    if (!value.is_null() && !value.is_number()) refuse(key, "has an entry that is not a number");
    all.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  }
  return all;
}

Fields Fields::at(const char* key) const {
  if (!has(key) || !(*json_)[key].is_object()) refuse(key, "is missing or of another kind");
  Fields inner((*json_)[key], file_, advice_, is_damaged_);
  // Messages name the whole way to a field: 'model/family'.
  inner.within_ = within_ + key + "/";
  return inner;
}

std::vector<Fields> Fields::list(const char* key) const {
  if (!has(key) || !(*json_)[key].is_array()) refuse(key, "is missing or of another kind");
  std::vector<Fields> all;
  for (const Json& each : (*json_)[key]) {
    all.emplace_back(each, file_, advice_, is_damaged_);
    all.back().within_ = within_ + key + "/";
  }
  return all;
}

void require_format(const Fields& fields, Index known) {
  if (!fields.has("format") || fields.get<Index>("format") <= known) return;
  throw DataError(fields.file() + ": was written by a newer giga (format " + fields.json()["format"].dump() +
                  "), and this is " + std::string(version()));
}

void Fields::refuse(const std::string& key, const std::string& what) const {
  const std::string field = "'" + within_ + key + "' " + what;
  throw DataError(file_ + ": " + (is_damaged_ ? "is damaged, or of another version (" + field + ")" : field) +
                  "; " + advice_);
}

}  // namespace giga::record
