// data.json: rows, parameters and a digest for each real dataset, compared with what an earlier run
// in the folder used.
#include "experiments/data_record.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/record/same_data.hpp"

namespace giga::experiments {
namespace {

namespace fs = std::filesystem;

Json earlier_record(const fs::path& folder, Earlier earlier) {
  constexpr const char* kAdvice = "take another --out, or --force to begin anew";
  const fs::path path = folder / "data.json";
  std::error_code ignored;
  if (earlier == Earlier::Replace || !fs::exists(path, ignored)) return Json::object();
  Json json = read_json(path, kAdvice);
  if (!json.is_object())
    throw DataError(fmt::format("{}: is no record of data; {}", printable_path(path), kAdvice));
  return json;
}

}  // namespace

Json data_entry(const RegressionSet& set, const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return {{"rows", set.num_data_rows()},
          {"parameters", set.model().num_parameters()},
          {"digest", text_digest(bytes)}};
}

Json data_record(const fs::path& folder, const Json& entries, Earlier earlier) {
  const Json before = earlier_record(folder, earlier);
  Json out = Json::object();
  for (const SetInfo& info : kSets) {  // in this order, whichever was read first
    const auto was = before.find(info.name), is = entries.find(info.name);
    if (was != before.end() && is != entries.end() && *was != *is)
      throw CannotCreate(fmt::format(
          "{}: was begun with another {} ({}); take that file, another --out, or --force to begin "
          "anew",
          printable_path(folder), info.file, info.title));
    if (was != before.end()) {
      out[info.name] = *was;
    } else if (is != entries.end()) {
      out[info.name] = *is;
    }
  }
  return out;
}

}  // namespace giga::experiments
