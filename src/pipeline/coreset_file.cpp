#include "giga/pipeline/coreset_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"

namespace giga {
namespace {

using Json = nlohmann::json;

// The fields of a companion, each refused with its name if it is not what it should be.
class Fields {
 public:
  Fields(const Json& json, std::string file) : json_(json), file_(std::move(file)) {}

  template <typename Value>
  [[nodiscard]] Value get(const char* pointer) const {
    try {
      return json_.at(Json::json_pointer(pointer)).get<Value>();
    } catch (const Json::exception&) {
      refuse(pointer, "is missing or of another kind");
    }
  }

  [[nodiscard]] bool has(const char* pointer) const { return json_.contains(Json::json_pointer(pointer)); }

  [[nodiscard]] bool is_null(const char* pointer) const {
    return json_.at(Json::json_pointer(pointer)).is_null();
  }

  [[noreturn]] void refuse(const char* pointer, const std::string& what) const {
    throw DataError(file_ + ": '" + (pointer + 1) + "' " + what + "; build the coreset again");
  }

 private:
  const Json& json_;
  std::string file_;
};

bool is_scale(double value) {
  return std::isfinite(value) && value > 0;
}

ModelOptions model_in(const Fields& fields) {
  ModelOptions model;
  const auto family = fields.get<std::string>("/model/family"), link = fields.get<std::string>("/model/link");
  const auto found = family_named(family, link);
  if (!found)
    fields.refuse("/model/family", "is '" + printable(family) + "' with the link '" + printable(link) + "'");
  model.family.family = *found;
  for (const FamilySetting& setting : family_settings()) {
    const std::string pointer = "/model/" + std::string(setting.name);
    // Files of before a family was known say nothing of its settings.
    if (!fields.has(pointer.c_str()) && !describe(*found).has_setting(setting.value)) continue;
    const double value = model.family.*setting.value = fields.get<double>(pointer.c_str());
    if (!is_scale(value)) fields.refuse(pointer.c_str(), "must be positive");
  }
  model.prior_scale = fields.get<double>("/model/prior_scale");
  model.intercept = fields.get<bool>("/model/intercept");
  model.standardise = fields.get<bool>("/model/standardise");
  if (!is_scale(model.prior_scale)) fields.refuse("/model/prior_scale", "must be positive");
  return model;
}

Standardisation scale_in(const Fields& fields, std::size_t num_features) {
  Standardisation scale;
  scale.mean = fields.get<std::vector<double>>("/standardisation/mean");
  scale.scale = fields.get<std::vector<double>>("/standardisation/scale");
  if (scale.mean.size() != num_features || scale.scale.size() != num_features)
    fields.refuse("/standardisation", "has not as many means and scales as features");
  for (std::size_t d = 0; d < num_features; ++d) {
    if (!is_scale(scale.scale[d]) || !std::isfinite(scale.mean[d]))
      fields.refuse("/standardisation/scale",
                    "has a scale that is not positive, or a mean that is not finite");
  }
  return scale;
}

// How the input was read. Companions of before 0.1 do not say it: then as by default.
ReadOptions read_in(const Fields& fields, const CoresetCompanion& companion) {
  ReadOptions read;
  read.response = companion.response;
  read.features = companion.features;
  if (!fields.has("/read")) return read;
  if (fields.has("/read/weights") && !fields.is_null("/read/weights"))
    read.weights = fields.get<std::string>("/read/weights");
  read.missing = named<Missing>(fields.get<std::string>("/read/missing")).value_or(Missing::Refuse);
  const auto delimiter = fields.get<std::string>("/read/delimiter");
  if (delimiter.size() != 1 ||
      std::string_view("\"\r\n.+-eE0123456789").find(delimiter) != std::string_view::npos)
    fields.refuse("/read/delimiter", "must be one character that is no part of a number");
  read.delimiter = delimiter[0];
  read.header = fields.get<bool>("/read/header");
  return read;
}

CoresetCompanion companion_in(const Json& json, const std::filesystem::path& path) {
  const Fields fields(json, printable_path(path));
  CoresetCompanion out;
  out.path = path;
  out.num_rows = fields.get<Index>("/N");
  out.model = model_in(fields);
  out.response = fields.get<std::string>("/response");
  out.features = fields.get<std::vector<std::string>>("/standardisation/features");
  if (out.features.empty()) fields.refuse("/standardisation/features", "is empty");
  out.scale = scale_in(fields, out.features.size());
  if (fields.has("/columns")) out.columns = fields.get<std::vector<std::string>>("/columns");
  out.coreset.rows = fields.get<std::vector<Index>>("/coreset/rows");
  out.coreset.weights = fields.get<std::vector<double>>("/coreset/weights");
  if (out.coreset.rows.size() != out.coreset.weights.size())
    fields.refuse("/coreset", "has not as many rows as weights");
  out.read = read_in(fields, out);
  if (fields.has("/data_digest")) out.data_digest = fields.get<std::string>("/data_digest");
  return out;
}

// What coreset.csv calls a column of the input.
std::string heading_of(const std::string& column, const CoresetCompanion& companion,
                       const std::vector<std::string>& headings) {
  const auto found = std::find(companion.columns.begin(), companion.columns.end(), column);
  if (found == companion.columns.end()) return inert(column);
  return headings[static_cast<std::size_t>(found - companion.columns.begin())];
}

Dataset read_rows(const std::filesystem::path& path, const CoresetCompanion& companion,
                  const Executor& executor, const ReadProgress& progress) {
  const std::vector<std::string> headings = coreset_headings(companion.columns);
  ReadOptions options;
  options.weights = "weight";
  options.response = heading_of(companion.response, companion, headings);
  options.features.emplace();
  for (const std::string& feature : companion.features)
    options.features->push_back(heading_of(feature, companion, headings));
  try {
    return read_dataset(path, options, executor, progress);
  } catch (const NoSuchColumn& error) {
    throw DataError(std::string(error.what()) + "; " + printable_path(companion.path) +
                    " names it, so the two files are not of one coreset");
  }
}

std::vector<Index> input_rows_of(const Dataset& data) {
  std::vector<Index> all(static_cast<std::size_t>(data.num_rows()));
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<Index>(n);
  std::vector<Index> out;
  for (const auto& cells : data.cells(all)) {
    const std::string& text = cells[0];
    Index row = -1;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), row);
    if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || row < 0)
      throw DataError(data.name() + ": " + data.place(std::ssize(out)) + ", column 'row': '" +
                      printable(text) + "' is not a row, a whole number from 0; build the coreset again");
    out.push_back(row);
  }
  return out;
}

void require_one_coreset(const WeightedProblem& problem, const CoresetCompanion& companion) {
  const auto weights = problem.data->weights();
  if (problem.input_rows == companion.coreset.rows &&
      std::equal(weights.begin(), weights.end(), companion.coreset.weights.begin(),
                 companion.coreset.weights.end()))
    return;
  throw DataError(problem.data->name() + ": its rows and weights are not those of " +
                  printable_path(companion.path) +
                  ", so the scale of the features may be that of other data; build the coreset again");
}

}  // namespace

std::vector<std::string> coreset_headings(const std::vector<std::string>& columns) {
  std::set<std::string> taken(columns.begin(), columns.end());
  std::vector<std::string> headings;
  for (std::string name : columns) {
    if (name == "row" || name == "weight") {
      do {
        name.insert(0, "input_");
      } while (!taken.insert(name).second);
    }
    headings.push_back(inert(name));
  }
  return headings;
}

std::filesystem::path companion_path(const std::filesystem::path& coreset) {
  std::filesystem::path path = coreset;
  return path.replace_extension(path.extension() == ".json" ? ".json.json" : ".json");
}

bool has_coreset_columns(const std::filesystem::path& path) {
  constexpr std::string_view kFirst = "row,weight";
  std::string extension = path.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::error_code ignored;
  const bool commas = extension == ".csv" || extension == ".txt";
  if (!commas || !std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string start(kFirst.size() + 4, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  if (start.starts_with("\xEF\xBB\xBF")) start.erase(0, 3);
  if (!start.starts_with(kFirst)) return false;
  return start.size() == kFirst.size() ||
         std::string_view(",\r\n").find(start[kFirst.size()]) != std::string_view::npos;
}

std::optional<CoresetCompanion> find_companion(const std::filesystem::path& coreset) {
  const std::filesystem::path path = companion_path(coreset);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const MappedFile file = MappedFile::open(path);
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  const Json json = Json::parse(text, text + file.bytes().size(), nullptr, false);
  if (json.is_discarded())
    throw DataError(printable_path(path) +
                    ": is not JSON, or was cut short; build the coreset again, or move it away");
  if (!json.is_object() || json.value("giga", Json()) != "coreset") return std::nullopt;
  return companion_in(json, path);
}

WeightedProblem read_coreset(const std::filesystem::path& path, const CoresetCompanion& companion,
                             const Executor& executor, const ReadProgress& progress) {
  WeightedProblem out;
  out.data = std::make_unique<Dataset>(read_rows(path, companion, executor, progress));
  out.input_rows = input_rows_of(*out.data);
  require_one_coreset(out, companion);
  out.problem = std::make_unique<Problem>(*out.data, companion.model, companion.scale, executor);
  out.features = companion.features;
  out.num_rows = companion.num_rows;
  return out;
}

}  // namespace giga
