#include "check_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/record/same_data.hpp"
#include "giga/record/draws_file.hpp"
#include "record_parts.hpp"
#include "run_folder.hpp"
#include "sample_run.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

// The record of giga sample in the folder, or null if there is none that can be read.
Json record_in(const std::filesystem::path& folder, std::vector<std::string>& notes) {
  const std::filesystem::path path = folder / "run.json";
  const char* doubt = "whether the draws are of this coreset cannot be told";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    notes.push_back(fmt::format("{}: no such file; {}", printable_path(path), doubt));
    return nullptr;
  }
  const MappedFile file = MappedFile::open(path);
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  Json record = parsed({text, file.bytes().size()});
  const bool good =
      record.is_object() &&
      (record.value("command", Json()) == "sample" || record.value("command", Json()) == "fit") &&
      record.contains("options") && record["options"].is_object();
  if (good) return record;
  notes.push_back(
      fmt::format("{}: is not a record of giga sample or giga fit; {}", printable_path(path), doubt));
  return nullptr;
}

std::string sampled_from(const Json& record) {
  const Json path = record["options"].value("path", Json());
  return path.is_string() ? printable(path.get<std::string>(), 4096) : std::string("another input");
}

// Whether the record says that the draws are of this coreset. Throws if it says that they are not.
bool known_by(const Json& record, const CheckRequest& request, std::vector<std::string>& notes) {
  if (record.is_null()) return false;
  const std::string folder = printable_path(*request.draws);
  if (record["command"] == "sample" && record["options"].value("companion", Json()).is_null()) {
    throw DataError(fmt::format(
        "{}: its draws are of the posterior of {}, without a companion, and not of {}; "
        "sample the coreset: giga sample {} --out DIR",
        folder, sampled_from(record), printable_path(request.coreset), printable_path(request.coreset)));
  }
  const Json digest = record.value("coreset_digest", Json());
  if (!digest.is_string()) {
    notes.push_back(folder +
                    "/run.json has no coreset_digest; whether the draws are of this coreset cannot be told");
    return false;
  }
  if (digest.get<std::string>() == posterior_digest(request.companion)) return true;
  throw DataError(fmt::format(
      "{}: its draws are of another coreset or model than {}: they were made from {} as "
      "it was then; sample again: giga sample {} --out DIR",
      folder, printable_path(request.coreset), sampled_from(record), printable_path(request.coreset)));
}

// The columns of the files that have names() of the scales, in their order: as the record says, else as giga
// sample would call them.
std::vector<std::string> columns_of(const BothScales& scales, const Json& record) {
  std::vector<std::string> columns = safe_columns(scales.names());
  if (record.is_null() || !record.contains("parameters") || !record["parameters"].is_array() ||
      record["parameters"].size() != columns.size())
    return columns;
  std::vector<std::string> recorded;
  for (const Json& parameter : record["parameters"]) {
    const Json name = parameter.is_object() ? parameter.value("name", Json()) : Json();
    const Json column = parameter.is_object() ? parameter.value("column", Json()) : Json();
    if (!column.is_string() || name != scales.names()[recorded.size()]) return columns;
    recorded.push_back(column.get<std::string>());
  }
  return recorded;
}

// Where the sampled parameters are among the columns of a file.
std::vector<std::size_t> positions(const DrawsFile& file, const std::filesystem::path& path,
                                   const BothScales& scales, const std::vector<std::string>& columns,
                                   Index num_parameters) {
  const auto refuse = [&path](const std::string& what) {
    throw DataError(printable_path(path) + ": " + what +
                    ", so its draws are of another model than the coreset's");
  };
  for (const std::string& name : file.names) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end())
      refuse("column '" + printable(name) + "' is no parameter of the model");
  }
  std::vector<std::size_t> found;
  for (auto d = columns.size() - static_cast<std::size_t>(num_parameters); d < columns.size(); ++d) {
    const auto at = std::find(file.names.begin(), file.names.end(), columns[d]);
    if (at == file.names.end())
      refuse("there is no column '" + printable(columns[d]) + "' for the parameter '" +
             printable(scales.names()[d]) + "'");
    found.push_back(static_cast<std::size_t>(at - file.names.begin()));
  }
  return found;
}

Chain selected(const Chain& chain, const std::vector<std::size_t>& columns) {
  Chain out;
  out.dim = std::ssize(columns);
  out.stats = chain.stats;
  for (Index s = 0; s < chain.num_draws(); ++s) {
    for (const std::size_t column : columns) out.draws.push_back(chain.draw(s)[column]);
  }
  return out;
}

// Chains are cut to the shortest of them.
void even_out(DrawsToCheck& draws) {
  const auto length = [](const Chain& chain) { return chain.num_draws(); };
  const Index shortest_chain = std::ranges::min(draws.chains, {}, length).num_draws();
  for (Chain& chain : draws.chains) {
    draws.num_cut += chain.num_draws() - shortest_chain;
    chain.draws.resize(static_cast<std::size_t>(shortest_chain * chain.dim));
    chain.stats.resize(static_cast<std::size_t>(shortest_chain));
  }
  if (draws.num_cut == 0) return;
  draws.notes.push_back(
      fmt::format("the chains are not of one length: only the first {} draws of each count, "
                  "{} are left out",
                  shortest_chain, draws.num_cut));
}

}  // namespace

DrawsToCheck draws_of_folder(const CheckRequest& request, const BothScales& scales) {
  const std::filesystem::path& folder = *request.draws;
  const std::vector<std::filesystem::path> paths = draws_in(folder);
  if (paths.empty())
    throw InputMissing(printable_path(folder) + ": has no draws_*.csv; make them with giga sample " +
                       printable_path(request.coreset) + " --out DIR");
  DrawsToCheck out;
  const Json record = record_in(folder, out.notes);
  out.known = known_by(record, request, out.notes);
  const std::vector<std::string> columns = columns_of(scales, record);
  const Index dim = std::ssize(request.companion.features) + (request.companion.model.intercept ? 1 : 0);
  for (const auto& path : paths) {
    stop_if_signalled();
    const DrawsFile file = read_draws(path);
    if (file.chain.num_draws() == 0) throw DataError(printable_path(path) + ": has no draws; sample again");
    out.chains.push_back(selected(file.chain, positions(file, path, scales, columns, dim)));
  }
  even_out(out);
  return out;
}

DrawsToCheck draws_made(const CheckRequest& request, const Notes& note) {
  const SampleOutcome outcome = sample_posterior(request.sample, note);
  DrawsToCheck out;
  std::vector<std::size_t> columns;
  for (Index d = std::ssize(outcome.names) - outcome.num_parameters; d < std::ssize(outcome.names); ++d)
    columns.push_back(static_cast<std::size_t>(d));
  for (const Chain& chain : outcome.chains) out.chains.push_back(selected(chain, columns));
  out.known = true;
  out.notes = outcome.warnings;
  return out;
}

}  // namespace giga::tool
