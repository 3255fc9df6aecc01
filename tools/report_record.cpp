#include "report_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "certificate_record.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"
#include "giga/record/draws_file.hpp"
#include "run_folder.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

namespace fs = std::filesystem;

std::string option_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return shortest(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& item : value) list.append(list.empty() ? "" : ", ").append(option_text(item));
  return list;
}

double number_of(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::vector<StepRecord> trace_of(const Json& trace) {
  std::vector<StepRecord> out;
  for (const Json& step : trace) {
    out.push_back({.step = step.at("step").get<Index>(),
                   .row = step.at("row").get<Index>(),
                   .size = step.at("size").get<Index>(),
                   .step_length = number_of(step.at("gamma")),
                   .alignment = number_of(step.at("alignment")),
                   .relative_error = number_of(step.at("relative_error")),
                   .bound = number_of(step.at("bound")),
                   .heldout_error = number_of(step.at("heldout_error"))});
  }
  return out;
}

void add_coreset(ReportData& data, const Json& record) {
  data.method = record.at("options").at("method").get<std::string>();
  data.termination = words(enum_of<Termination>(record.at("termination")));
  data.trace = trace_of(record.at("trace"));
  data.relative_error = number_of(record.at("relative_error"));
  data.heldout_error = number_of(record.at("heldout_error"));
  const Json& coreset = record.at("coreset");
  for (std::size_t i = 0; i < coreset.at("rows").size(); ++i) {
    data.coreset.push_back({coreset.at("rows").at(i).get<Index>(), number_of(coreset.at("weights").at(i)),
                            number_of(coreset.at("responses").at(i))});
  }
  for (const Json& marginal : record.at("laplace"))
    data.laplace.push_back({number_of(marginal.at("mean")), number_of(marginal.at("sd"))});
}

BothScales scales_of(const Json& record) {
  const Json &scale = record.at("standardisation"), &options = record.at("options");
  Standardisation standardisation;
  standardisation.mean = scale.at("mean").get<std::vector<double>>();
  standardisation.scale = scale.at("scale").get<std::vector<double>>();
  return {scale.at("features").get<std::vector<std::string>>(), std::move(standardisation),
          options.at("intercept").get<bool>(), options.at("standardise").get<bool>()};
}

// The chains as they were sampled: the last D columns of the files.
std::vector<Chain> chains_of(const fs::path& folder, const Json& record) {
  const auto dim = std::ssize(record.at("standardisation").at("features")) +
                   (record.at("options").at("intercept").get<bool>() ? 1 : 0);
  if (record.at("D") != dim) throw std::invalid_argument("D is not the number of its parameters");
  const Json& known = record.at("chains");
  std::vector<Chain> chains;
  for (const fs::path& path : draws_in(folder)) {
    const Chain all = read_draws(path).chain;
    if (chains.size() >= known.size() || all.dim < dim)
      throw DataError(printable_path(path) + ": is not a file of the run that run.json describes");
    Chain chain;
    chain.dim = dim;
    chain.stats = all.stats;
    for (Index s = 0; s < all.num_draws(); ++s)
      chain.draws.insert(chain.draws.end(), all.draw(s) + all.dim - dim, all.draw(s) + all.dim);
    const Json& facts = known.at(chains.size());
    chain.num_gradients = facts.at("gradients").get<Index>();
    chain.num_not_finite = facts.at("not_finite").get<Index>();
    chains.push_back(std::move(chain));
  }
  if (chains.size() != known.size())
    throw DataError(printable_path(folder) + ": has " + std::to_string(chains.size()) +
                    " files of draws, and " + "run.json speaks of " + std::to_string(known.size()) +
                    "; run again");
  return chains;
}

std::vector<double> weights_in(const fs::path& path) {
  std::vector<double> weights;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return weights;
  const MappedFile file = MappedFile::open(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (!text.starts_with("chain,draw,weight\n"))
    throw DataError(printable_path(path) + ": is not a file of weights; run again");
  for (std::size_t at = text.find('\n'); at + 1 < text.size();) {
    const std::size_t end = std::min(text.find('\n', at + 1), text.size());
    const std::string_view line = text.substr(at + 1, end - at - 1);
    const auto value = parse_double(std::string(line.substr(line.rfind(',') + 1)));
    if (!value || *value < 0)
      throw DataError(printable_path(path) + ": '" + printable(line) + "' is no weight; run again");
    weights.push_back(*value);
    at = end;
  }
  return weights;
}

// null if there is no such file.
Json json_in(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return nullptr;
  const MappedFile file = MappedFile::open(path);
  return Json::parse(
      std::string_view(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()));
}

void add_certificate(ReportData& data, const fs::path& folder, const Json& record,
                     const std::vector<Chain>& chains) {
  Json certificate = record.at("certificate");
  if (certificate.is_null()) {
    const Json checked = json_in(folder / kCertificateFile);
    if (checked.is_object()) certificate = checked.at("certificate");
  }
  if (certificate.is_null()) return;
  data.certificate = certificate_of(certificate);
  std::vector<double> weights = weights_in(folder / kWeightsFile);
  std::size_t draws = 0;
  for (const Chain& chain : chains) draws += chain.stats.size();
  if (!weights.empty() && weights.size() != draws)
    throw DataError(fmt::format("{}: has {} weights for {} draws; run again",
                                printable_path(folder / kWeightsFile), weights.size(), draws));
  data.certificate->coreset.weights = std::move(weights);
}

[[noreturn]] void refuse_damaged(const fs::path& path, const std::string& what) {
  throw DataError(printable_path(path) + ": is damaged, or of another version (" + printable(what, 200) +
                  "); run again");
}

ReportData report_of(const fs::path& folder, const Json& record, const Executor& executor) {
  const RunFacts facts = facts_of_record(record);
  ReportData data;
  data.num_rows = record.at("N").get<Index>();
  data.num_parameters = record.at("D").get<Index>();
  if (record.contains("distinct_rows")) data.num_distinct_rows = record.at("distinct_rows").get<Index>();
  if (record.at("command") == "fit") add_coreset(data, record);
  const std::vector<Chain> chains = chains_of(folder, record);
  add_certificate(data, folder, record, chains);
  add_posterior(
      data,
      {scales_of(record), record.at("options").at("intercept").get<bool>(), facts.sampler, facts.max_depth},
      chains, executor);
  add_facts(data, facts);
  data.notes = facts.notes;
  data.spelling = [](const std::string& text) { return spelled(text); };
  return data;
}

}  // namespace

RunFacts facts_of_record(const Json& record) {
  RunFacts facts;
  const Json& options = record.at("options");
  const auto path = options.at("path").get<std::string>();
  facts.data_name = path == "-" ? "standard input" : fs::path(path).filename().string();
  facts.title = "giga " + record.at("command").get<std::string>() + ": " + facts.data_name;
  facts.model = fmt::format("response {}, {}", record.at("response").get<std::string>(),
                            record.at("model").get<std::string>());
  for (const auto& [name, value] : options.items()) {
    if (!value.is_null() && name != "threads") facts.options.emplace_back(name, option_text(value));
  }
  if (record.contains("notes")) facts.notes = record.at("notes").get<std::vector<std::string>>();
  facts.sampler = enum_of<SamplerKind>(options.at("sampler"));
  if (!options.at("max_depth").is_null()) facts.max_depth = options.at("max_depth").get<Index>();
  if (record.at("seconds").is_object()) {
    for (const auto& [name, value] : record.at("seconds").items()) {
      if (name != "total" && value.get<double>() > 0) facts.stages.push_back({name, value.get<double>()});
    }
  }
  if (record.contains("full_data") && record.at("full_data").is_object()) {
    const Json& cost = record.at("full_data");
    facts.full_data = FullDataCost{number_of(cost.at("gradients")), number_of(cost.at("gradient_seconds")),
                                   number_of(cost.at("parallel_chains"))};
  }
  if (record.contains("command_line")) facts.command_line = record.at("command_line").get<std::string>();
  facts.version = record.at("version").get<std::string>();
  facts.seed = record.at("seed").get<std::uint64_t>();
  return facts;
}

std::string report_of_folder(const fs::path& folder, const std::optional<std::string>& title,
                             const Executor& executor) {
  const fs::path path = folder / kRecordFile;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw InputMissing(printable_path(folder) + ": no such folder; give that of giga fit or giga sample");
  if (!fs::exists(path, ignored))
    throw InputMissing(printable_path(path) + ": no such file; giga fit and giga sample write it");
  try {
    const Json record = json_in(path);
    const std::string command = record.at("command").get<std::string>();
    if (command != "fit" && command != "sample")
      throw DataError(printable_path(path) + ": is not a record of giga fit or giga sample");
    ReportData data = report_of(folder, record, executor);
    if (title) data.title = *title;
    return report_html(data);
  } catch (const Json::exception& error) {
    refuse_damaged(path, error.what());
  } catch (const std::invalid_argument& error) {  // parts that do not fit each other
    refuse_damaged(path, error.what());
  }
}

}  // namespace giga::tool
