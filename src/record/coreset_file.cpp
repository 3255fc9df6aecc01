// coreset.csv and coreset.json, written and read. coreset.csv is for people and other programs: row, weight,
// and the row's own columns as they were. coreset.json has what the posterior needs besides, so that sampling
// the coreset uses the model and the scale of all rows.
#include "giga/record/coreset_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/data/output_file.hpp"
#include "giga/pipeline/read_table.hpp"
#include "record/forms.hpp"

namespace giga {
namespace {

using record::Fields;
using record::Json;

// Of coreset.json; files of version 0.1 do not say it. From 2 on columns may be other than numbers; a file in
// which none is has format 1. From 3 on rows may be of several shards; a file that was not merged says less.
constexpr Index kPlainFormat = 1, kTextFormat = 2, kFormat = 3;

// The first columns of coreset.csv, of one file and of several.
constexpr const char *kColumns = "row,weight", *kFileColumns = "row,weight,file,file_row";

Json form_of(const KnownColumn& column) {
  Json json = {{"name", column.name}, {"kind", name(column.kind)}};
  if (column.kind == ColumnKind::Category) json["levels"] = column.levels;
  return json;
}

KnownColumn known_of(const Fields& fields) {
  KnownColumn column{fields.get<std::string>("name"), fields.choice<ColumnKind>("kind"), {}};
  if (column.kind != ColumnKind::Category) return column;
  column.levels = fields.get<std::vector<std::string>>("levels");
  const std::set<std::string> distinct(column.levels.begin(), column.levels.end());
  if (column.levels.empty() || distinct.size() != column.levels.size())
    fields.refuse("levels", "must be at least one, each once");
  return column;
}

// What is known of the columns in use, those that are numbers among them. `called` is the name of a column in
// the file that is to be read.
template <typename Called>
std::vector<KnownColumn> known_columns(const CoresetFile& file, const Called& called) {
  std::vector<KnownColumn> known;
  const auto add = [&](const std::string& column) {
    const auto found = std::ranges::find(file.kinds, column, &KnownColumn::name);
    known.push_back(found == file.kinds.end() ? KnownColumn{column} : *found);
    known.back().name = called(column);
  };
  for (const std::string& feature : file.features) add(feature);
  if (!file.computes_response()) add(file.response);
  return known;
}

// The kinds that are not numbers, of the columns in use.
std::vector<KnownColumn> kinds_of(const Dataset& data) {
  std::vector<KnownColumn> kinds;
  for (const Column& column : data.columns()) {
    const bool used = column.role == ColumnRole::Feature || column.role == ColumnRole::Response;
    if (used && column.kind != ColumnKind::Number) kinds.push_back({column.name, column.kind, column.levels});
  }
  return kinds;
}

Json form_of(const InputFile& file) {
  return {{"name", file.name}, {"first_row", file.first_row}};
}

InputFile input_file_of(const Fields& fields) {
  return {fields.get<std::string>("name"), fields.get<Index>("first_row")};
}

// Names without the folder that all files have in common: those of one table are the same wherever it lies,
// and from wherever it is read.
std::vector<InputFile> named_within(std::vector<InputFile> files) {
  if (files.empty()) return files;
  std::string common = files.front().name;
  for (const InputFile& file : files) {
    const auto [end, other] = std::ranges::mismatch(common, file.name);
    common.erase(end, common.end());
  }
  const std::size_t folder = common.rfind('/') + 1;  // 0 if there is none
  for (InputFile& file : files) file.name.erase(0, folder);
  return files;
}

// "b.csv,16": the file of a row of the input, and the row there.
std::string place_text(const std::vector<InputFile>& files, Index row) {
  const auto after = std::ranges::upper_bound(files, row, {}, &InputFile::first_row);
  const InputFile& file = *(after - 1);
  return csv_field(inert(file.name)) + "," + std::to_string(row - file.first_row);
}

Json rows_json(const CoresetFile& file) {
  Json json = {
      {"rows", file.coreset.rows}, {"weights", file.coreset.weights}, {"multiplicity", file.multiplicity}};
  if (file.is_merged()) json["shards"] = file.shard_of;
  return json;
}

Index format_of(const CoresetFile& file) {
  if (file.is_merged()) return kFormat;
  return file.kinds.empty() && !file.model.formula ? kPlainFormat : kTextFormat;
}

// The sums, and which of their shards the rows are from.
void read_sums(const Fields& fields, const Fields& coreset, CoresetFile& file) {
  if (!fields.has("sums")) return;
  const Index groups = file.scale.group_sds.empty() ? std::ssize(file.scale.mean) : file.scale.group_sds[0];
  file.sums = record::sums_of(fields.at("sums"), file.num_parameters, groups);
  if (!coreset.has("shards")) return;
  file.shard_of = coreset.get<std::vector<Index>>("shards");
  const auto is_one = [&file](Index s) { return s >= 0 && s < std::ssize(file.sums->shards); };
  if (file.shard_of.size() != file.coreset.rows.size() || !std::ranges::all_of(file.shard_of, is_one))
    fields.refuse("coreset/shards", "does not have one of the shards for every row");
}

CoresetFile file_of(const Fields& fields, const std::filesystem::path& path) {
  // Fields that later versions added are optional, since older files lack them.
  record::require_format(fields, kFormat);
  CoresetFile out;
  out.path = path;
  out.num_rows = fields.get<Index>("N");
  out.num_parameters = fields.optional<Index>("D").value_or(0);
  out.model = record::model_of(fields.at("model"));
  if (const auto& priors = out.model.priors.found;
      !priors.empty() && std::ssize(priors) != out.num_parameters)
    fields.refuse("model/parameter_priors", "does not have one prior for each of D parameters");
  out.response = fields.get<std::string>("response");
  record::Scaled scaled = record::scaled_of(fields.at("standardisation"));
  out.raw_columns = std::move(scaled.features);
  out.scale = std::move(scaled.scale);
  if (fields.has("kinds")) {
    out.kinds = record::list_of(fields, "kinds", known_of);
    out.features = fields.get<std::vector<std::string>>("features");
  } else {
    out.features = out.raw_columns;
  }
  if (out.response.empty()) fields.refuse("response", "is empty");
  if (out.features.empty() && !out.model.formula) fields.refuse("standardisation/features", "is empty");
  if (fields.has("columns")) out.columns = fields.get<std::vector<std::string>>("columns");
  if (fields.has("files")) out.files = record::list_of(fields, "files", input_file_of);
  // Every row is of one of them.
  if (!out.files.empty() &&
      (out.files.front().first_row != 0 || !std::ranges::is_sorted(out.files, {}, &InputFile::first_row)))
    fields.refuse("files", "do not begin with row 0, or are not in the order of their rows");
  const Fields coreset = fields.at("coreset");
  out.coreset.rows = coreset.get<std::vector<Index>>("rows");
  out.coreset.weights = coreset.get<std::vector<double>>("weights");
  if (out.coreset.rows.size() != out.coreset.weights.size())
    fields.refuse("coreset", "does not have as many rows as weights");
  if (coreset.has("multiplicity")) out.multiplicity = coreset.get<std::vector<double>>("multiplicity");
  // Companions from before 0.1 do not say how the input was read: then as by default.
  if (fields.has("read")) out.read = record::read_of(fields.at("read"));
  // A formula says by itself which columns there are.
  if (!out.model.formula) {
    out.read.response = out.response;
    out.read.features = out.features;
  }
  out.read.known = known_columns(out, [](const std::string& column) { return column; });
  if (fields.has("data_digest")) out.data_digest = fields.get<std::string>("data_digest");
  read_sums(fields, coreset, out);
  return out;
}

// What coreset.csv calls a column of the input.
std::string heading_of(const std::string& column, const CoresetFile& file,
                       const std::vector<std::string>& headings) {
  const auto found = std::find(file.columns.begin(), file.columns.end(), column);
  if (found == file.columns.end()) return inert(column);
  return headings[static_cast<std::size_t>(found - file.columns.begin())];
}

// coreset.csv is read as any table is, with the columns that the companion names.
Dataset read_rows(const std::filesystem::path& path, const CoresetFile& file, const Executor& executor,
                  const Observer& observer) {
  const std::vector<std::string> headings = coreset_headings(file.columns, !file.files.empty());
  ReadOptions options;
  options.weights = "weight";
  options.has_response = !file.computes_response();
  if (options.has_response) options.response = heading_of(file.response, file, headings);
  options.features.emplace();
  for (const std::string& feature : file.features)
    options.features->push_back(heading_of(feature, file, headings));
  // Levels that a spreadsheet would take for formulas are written as names are.
  options.known =
      known_columns(file, [&](const std::string& column) { return heading_of(column, file, headings); });
  for (KnownColumn& column : options.known)
    for (std::string& level : column.levels) level = inert(level);
  try {
    return read_dataset(path, options, executor, observer);
  } catch (const NoSuchColumn& error) {
    throw DataError(std::string(error.what()) + "; " + printable_path(file.path) +
                    " names it, so the two files are not of one coreset");
  }
}

// The column `row` as numbers.
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

// Exact equality: weights are written in the shortest form that reads back to the same bits.
void require_one_coreset(const WeightedProblem& problem, const CoresetFile& file) {
  const auto weights = problem.data->weights();
  if (problem.input_rows == file.coreset.rows &&
      std::equal(weights.begin(), weights.end(), file.coreset.weights.begin(), file.coreset.weights.end()))
    return;
  throw DataError(problem.data->name() + ": its rows and weights are not those of " +
                  printable_path(file.path) +
                  ", so the scale of the features may be that of other data; build the coreset again");
}

// Whether a CSV file has these columns first.
bool begins_with(const std::filesystem::path& path, std::string_view columns) {
  // A byte order mark may precede the columns, and the character after them must end the name.
  std::string extension = path.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (extension != ".csv" && extension != ".txt") return false;
  using std::filesystem::file_type;
  std::error_code ignored;
  const file_type type = std::filesystem::status(path, ignored).type();
  if (type != file_type::regular && type != file_type::none && type != file_type::unknown) return false;
  if (std::filesystem::file_size(path, ignored) == 0) return false;
  const MappedFile file = MappedFile::open(path);
  std::string_view start(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
  const bool begins = start.starts_with(columns) &&
                      (start.size() == columns.size() ||
                       std::string_view(",\r\n").find(start[columns.size()]) != std::string_view::npos);
  file.require_whole();
  return begins;
}

}  // namespace

bool CoresetFile::computes_response() const {
  return model.formula && std::ranges::find(columns, response) == columns.end();
}

CoresetFile coreset_file(const CoresetResult& result) {
  CoresetFile out;
  out.coreset = result.coreset;
  out.multiplicity = result.multiplicity;
  out.options = result.options;
  out.dim = result.dim;
  out.relative_error = result.build.relative_error;
  out.heldout_error = result.heldout_error;
  out.termination = result.build.termination;
  return out;
}

CoresetFile coreset_file(const Problem& problem, const CoresetResult& result, const ReadOptions& read,
                         const std::string& digest) {
  CoresetFile out = coreset_file(result);
  for (Index& row : out.coreset.rows) row = problem.input_row(row);
  out.num_rows = problem.num_data_rows();
  out.num_parameters = problem.likelihood().num_parameters();
  const Problem::Table* table = problem.table();
  if (table == nullptr) return out;
  for (const Column& column : table->data->columns()) out.columns.push_back(column.name);
  out.files = named_within(table->data->files());
  out.cells = table->data->cells(result.coreset.rows);
  out.model = table->options;
  out.response = table->data->response_name();
  out.features = table->data->feature_names();
  out.kinds = kinds_of(*table->data);
  out.raw_columns = table->design->raw_names();
  out.scale = table->design->scale();
  out.read = read;
  out.data_digest = digest;
  return out;
}

void add_sums(CoresetFile& file, const Problem& problem, const CoresetResult& result,
              const Executor& executor, const Observer& observer) {
  if (problem.table() == nullptr || problem.likelihood().num_parameters() > kMostSummedParameters) return;
  ShardSums sums = shard_sums(problem, result, executor, observer);
  const auto finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  };
  // Where a log-likelihood is beyond a double there is nothing to merge.
  for (const Derivatives* each : {&sums.at_point, &sums.excess})
    if (!std::isfinite(each->value) || !finite(each->gradient) || !finite(each->hessian)) return;
  if (!finite(sums.point)) return;
  file.sums = std::move(sums);
  file.sums->shards.front().digest = file.data_digest;
}

std::string coreset_csv(const CoresetFile& file) {
  const bool several = !file.files.empty();
  std::string csv = several ? kFileColumns : kColumns;
  for (const std::string& name : coreset_headings(file.columns, several))
    csv.append(",").append(csv_field(name));
  csv += "\n";
  for (std::size_t i = 0; i < file.coreset.rows.size(); ++i) {
    csv.append(std::to_string(file.coreset.rows[i])).append(",").append(shortest(file.coreset.weights[i]));
    if (several) csv.append(",").append(place_text(file.files, file.coreset.rows[i]));
    if (!file.cells.empty()) {
      for (const std::string& cell : file.cells[i]) csv.append(",").append(csv_field(inert(cell)));
    }
    csv += "\n";
  }
  return csv;
}

std::string coreset_json(const CoresetFile& file) {
  Json reading = record::form_of(file.read);
  reading.erase("response");  // they stand by themselves
  reading.erase("features");
  Json out;
  out["giga"] = "coreset";
  out["version"] = version();
  out["format"] = format_of(file);
  out["N"] = file.num_rows;
  out["D"] = file.num_parameters;
  out["J"] = file.dim;
  out["size"] = file.coreset.size();
  out["model"] = record::form_of(file.model);
  out["response"] = file.response;
  out["columns"] = file.columns;
  for (const InputFile& each : file.files) out["files"].push_back(form_of(each));
  if (!file.kinds.empty() || file.model.formula) {
    out["features"] = file.features;
    out["kinds"] = Json::array();
    for (const KnownColumn& column : file.kinds) out["kinds"].push_back(form_of(column));
  }
  out["read"] = std::move(reading);
  out["data_digest"] = file.data_digest;
  out["standardisation"] = record::form_of(record::Scaled{file.raw_columns, file.scale});
  out["projection"] = record::projection_form(file.options);
  out["method"] = name(file.options.method);
  out["seed"] = file.options.seed;
  out["relative_error"] = file.relative_error;
  out["heldout_error"] = file.heldout_error;
  out["termination"] = name(file.termination);
  out["coreset"] = rows_json(file);
  if (file.sums) out["sums"] = record::form_of(*file.sums);
  return record::dumped(out);
}

void write_coreset(const std::filesystem::path& path, const CoresetFile& file, bool overwrite) {
  // The companion appears first, so a coreset.csv that is there always has one.
  std::vector<std::unique_ptr<OutputFile>> outputs;
  if (file.has_table() && !OutputFile::is_direct(path)) {
    outputs.push_back(std::make_unique<OutputFile>(companion_path(path), overwrite));
    outputs.back()->write(coreset_json(file));
  }
  outputs.push_back(std::make_unique<OutputFile>(path, overwrite));
  outputs.back()->write(coreset_csv(file));
  commit_together(outputs);
}

std::vector<std::string> coreset_headings(const std::vector<std::string>& columns, bool several_files) {
  // `row` and `weight` are ours: columns of the input with these names get a prefix, and
  // another if that is taken.
  const auto is_ours = [several_files](const std::string& name) {
    return name == "row" || name == "weight" || (several_files && (name == "file" || name == "file_row"));
  };
  std::set<std::string> taken(columns.begin(), columns.end());
  std::vector<std::string> headings;
  for (std::string name : columns) {
    if (is_ours(name)) {
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
  return begins_with(path, kColumns);
}

bool has_file_columns(const std::filesystem::path& path) {
  return begins_with(path, kFileColumns);
}

namespace {

std::optional<CoresetFile> coreset_of(const Json& json, const std::filesystem::path& coreset) {
  const std::filesystem::path path = companion_path(coreset);
  if (json.is_discarded())
    throw DataError(printable_path(path) +
                    ": is not JSON, or was cut short; build the coreset again, or move it away");
  if (!json.is_object() || json.value("giga", Json()) != "coreset") {
    if (!has_coreset_columns(coreset)) return std::nullopt;
    throw DataError(printable_path(path) + ": does not say what is in " + printable_path(coreset.filename()) +
                    ", which has the columns of a coreset; build the coreset again, or move it away");
  }
  return file_of(Fields(json, printable_path(path), "build the coreset again"), path);
}

}  // namespace

std::optional<CoresetFile> find_coreset(const std::filesystem::path& coreset) {
  const Json json = record::parsed_file(companion_path(coreset));
  if (json.is_null()) return std::nullopt;
  return coreset_of(json, coreset);
}

std::optional<CoresetFile> parse_coreset(std::string_view text, const std::filesystem::path& coreset) {
  return coreset_of(record::parsed(text), coreset);
}

WeightedProblem read_coreset(const std::filesystem::path& path, const CoresetFile& file,
                             const Executor& executor, const Observer& observer) {
  WeightedProblem out;
  out.data = std::make_unique<Dataset>(read_rows(path, file, executor, observer));
  out.input_rows = input_rows_of(*out.data);
  require_one_coreset(out, file);
  if (file.model.design) {
    const std::vector<KnownColumn> known =
        known_columns(file, [](const std::string& column) { return column; });
    for (Index d = 0; d < out.data->num_features(); ++d)
      out.data->rename_feature(d, known[at(d)].name, known[at(d)].levels);
    add_response(*file.model.design, *out.data, executor);
  }
  out.problem = std::make_unique<Problem>(*out.data, file.model, file.scale, executor);
  out.features = file.raw_columns;
  out.num_rows = file.num_rows;
  return out;
}

}  // namespace giga
