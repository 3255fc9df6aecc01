// run.json, written and read. The order of fields is that of the parts of a run: command, options, data,
// coreset, chains, certificate, times. Parts that a command does not have are absent. Readers must accept
// files that lack fields which were added later, and refuse those of a newer format.
#include "giga/record/run_record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "giga/base/error.hpp"
#include "giga/base/version.hpp"
#include "giga/data/folders.hpp"
#include "giga/record/draws_file.hpp"
#include "record/forms.hpp"

namespace giga {

namespace {

using record::Fields;
using record::Json;

constexpr Index kFormat = 1;  // of run.json; files of version 0.1 do not say it

// In a fixed order: the input and how it is read, model, coreset, chains, seed and threads, output.
Json options_form(const RunOptions& options) {
  Json out = Json::object();
  if (options.input) out["input"] = *options.input;
  out["path"] = options.path.native();
  for (const auto& [key, value] : options.files) {
    if (key != "out") out[key] = record::or_null(value);
  }
  if (options.read) out.update(record::form_of(*options.read));
  if (options.model) out.update(record::form_of(*options.model));
  if (options.coreset) {
    if (options.input != "vectors" && options.input != "loglik")
      out.update(record::projection_form(*options.coreset));
    out.update(record::construction_form(*options.coreset));
  }
  if (options.coreset && options.seed) out["seed"] = *options.seed;
  if (options.sample && !options.strict) {
    Json sample = record::form_of(*options.sample);
    out["sampler"] = name(options.sample->sampler);
    if (options.protocol) out["protocol"] = name(*options.protocol);
    out["metric"] = sample["metric"];
    out["chains"] = record::or_null(options.chains);
    out.update(sample);
  }
  if (options.strict) {  // of a check, which has no other choice of chains
    for (const char* key : {"chains", "warmup", "draws"}) out[key] = nullptr;
    if (options.chains) out["chains"] = *options.chains;
    if (options.sample) out.update({{"warmup", options.sample->warmup}, {"draws", options.sample->draws}});
  }
  if (options.check_rows) out["check_rows"] = record::form_of(*options.check_rows);
  if (!options.coreset && options.seed) out["seed"] = *options.seed;
  if (options.threads) out["threads"] = *options.threads;
  if (const auto& sent = options.communication)
    out["communication"] = {{"ranks", sent->ranks}, {"messages", sent->messages}, {"bytes", sent->bytes}};
  if (options.strict) out["strict"] = *options.strict;
  for (const auto& [key, value] : options.files) {
    if (key == "out") out[key] = record::or_null(value);
  }
  return out;
}

RunOptions options_of(const Fields& fields) {
  RunOptions out;
  out.input = fields.optional<std::string>("input");
  out.path = fields.get<std::string>("path");
  if (fields.has("missing")) out.read = record::read_of(fields);
  if (fields.has("family")) out.model = record::model_of(fields);
  if (fields.has("method")) out.coreset = record::coreset_options_of(fields);
  if (!fields.is_null("sampler")) out.sample = record::sample_of(fields);
  out.chains = fields.optional<Index>("chains");
  if (!fields.is_null("protocol")) out.protocol = fields.choice<Protocol>("protocol");
  if (fields.has("check_rows")) out.check_rows = record::row_count_of(fields, "check_rows");
  out.seed = fields.optional<std::uint64_t>("seed");
  out.threads = fields.optional<int>("threads");
  if (fields.has("communication")) {
    const Fields sent = fields.at("communication");
    out.communication = {sent.get<int>("ranks"), sent.get<std::int64_t>("messages"),
                         sent.get<std::int64_t>("bytes")};
  }
  out.strict = fields.optional<bool>("strict");
  for (const char* key : {"coreset", "companion", "dir", "out"}) {
    if (fields.has(key)) out.files.emplace_back(key, fields.optional<std::string>(key));
  }
  return out;
}

// Of a problem with parameters; coresets of vectors have none.
Json pihat_form(const RunRecord& run) {
  const CoresetResult& coreset = *run.coreset;
  Json pihat = {{"parameters", run.pihat_names},
                {"mean", coreset.pihat.mean()},
                {"sd", coreset.pihat.standard_deviations()}};
  if (coreset.laplace) {
    pihat["log_joint"] = coreset.laplace->log_joint;
    pihat["log_likelihood"] = coreset.laplace->log_likelihood;
    pihat["log_prior"] = coreset.laplace->log_prior;
    pihat["iterations"] = coreset.laplace->iterations;
    pihat["converged"] = coreset.laplace->end == LaplaceEnd::Converged;
  }
  return pihat;
}

void put_coreset(const RunRecord& run, Json& out) {
  const CoresetResult& coreset = *run.coreset;
  const BuildResult& build = coreset.build;
  out["J"] = coreset.dim;
  out["selector"] = coreset.selector ? Json(name(*coreset.selector)) : Json(nullptr);
  out["size"] = coreset.coreset.size();
  out["steps"] = build.trace.size();
  out["relative_error"] = build.relative_error;
  out["heldout_error"] = coreset.heldout_error;
  if (!run.pihat_names.empty()) {
    out["heldout_tolerance"] = coreset.tolerance;
    out["candidates"] = coreset.num_candidates;
    out["heldout_rows"] = coreset.heldout_rows;
    out["heldout_noise"] = coreset.heldout_noise;
  }
  out["termination"] = name(build.termination);
  out["bound"] = build.trace.empty() ? std::nan("") : build.trace.back().bound;
  out["tau"] = coreset.target_norm / coreset.norm_sum;
  out["target_norm"] = coreset.target_norm;
  out["norm_sum"] = coreset.norm_sum;
  out["zero_rows"] = coreset.num_zero_rows;
  Json& rows = out["coreset"] = {{"rows", coreset.coreset.rows}, {"weights", coreset.coreset.weights}};
  if (!run.pihat_names.empty()) rows["multiplicity"] = coreset.multiplicity;
  if (!run.responses.empty()) rows["responses"] = run.responses;
  if (!run.pihat_names.empty()) {
    out["separable"] = coreset.separable;
    out["pihat"] = pihat_form(run);
    out["trials"] = record::list_form(coreset.trials);
  }
  out["trace"] = record::list_form(build.trace);
}

// The work of the search depends on the timing of threads, so it is left out of records whose
// bytes must be the same.
Json search_form(const CoresetResult& coreset) {
  const SearchStats& search = coreset.build.search;
  return {{"prepare_bytes_read", coreset.prepare_bytes_read},
          {"bytes_read", search.bytes_read},
          {"rows_touched", search.rows_touched},
          {"rows_rescored", search.rows_rescored},
          {"selector_bytes", coreset.selector_bytes}};
}

CoresetResult coreset_of(const Fields& fields) {
  CoresetResult out;
  out.options.method = out.build.method = fields.at("options").choice<Method>("method");
  out.dim = fields.get<Index>("J");
  out.build.relative_error = fields.number("relative_error");
  out.heldout_error = fields.number("heldout_error");
  out.tolerance = fields.optional<double>("heldout_tolerance").value_or(0);
  out.num_candidates = fields.optional<Index>("candidates").value_or(0);
  out.heldout_rows = fields.optional<Index>("heldout_rows").value_or(0);
  out.heldout_noise = fields.optional<double>("heldout_noise").value_or(0);
  out.build.termination = fields.choice<Termination>("termination");
  out.build.trace = record::list_of(fields, "trace", record::step_of);
  const Fields rows = fields.at("coreset");
  out.coreset.rows = rows.get<std::vector<Index>>("rows");
  out.coreset.weights = rows.get<std::vector<double>>("weights");
  if (out.coreset.weights.size() != out.coreset.rows.size())
    rows.refuse("weights", "does not have one entry per row");
  return out;
}

Json form_of(const ChainRecord& chain, bool seconds) {
  Json out = {{"step_size", chain.step_size},
              {"gradients", chain.num_gradients},
              {"not_finite", chain.num_not_finite},
              {"divergent", chain.num_divergent},
              {"at_max_depth", chain.num_at_max_depth},
              {"acceptance", chain.acceptance},
              {"e_bfmi", chain.e_bfmi},
              {"attempts", chain.attempts}};
  if (seconds) out["seconds"] = record::or_null(chain.seconds);
  return out;
}

ChainRecord chain_of(const Fields& fields) {
  ChainRecord out;
  out.step_size = fields.number("step_size");
  out.num_gradients = fields.get<Index>("gradients");
  out.num_not_finite = fields.get<Index>("not_finite");
  out.num_divergent = fields.get<Index>("divergent");
  out.num_at_max_depth = fields.get<Index>("at_max_depth");
  out.acceptance = fields.number("acceptance");
  out.e_bfmi = fields.number("e_bfmi");
  out.attempts = fields.get<Index>("attempts");
  return out;
}

Json form_of(const ParameterRecord& parameter) {
  return {{"column", parameter.column},
          {"name", parameter.name},
          {"scale", parameter.original ? "original" : "standardised"}};
}

ParameterRecord parameter_of(const Fields& fields) {
  return {fields.get<std::string>("column"), fields.get<std::string>("name"),
          fields.get<std::string>("scale") == "original"};
}

// Without its scale, which old records may lack.
ParameterRecord name_of_parameter(const Fields& fields) {
  return {fields.get<std::string>("column"), fields.get<std::string>("name"), true};
}

// `sample` records times of chains and the mode they began at; `fit` the marginals of the Laplace
// approximation, and no times, so that its record can be the same bytes in every run.
void put_chains(const RunRecord& run, Json& out) {
  Json parameters = Json::array(), chains = Json::array();
  for (const ParameterRecord& each : run.parameters) parameters.push_back(form_of(each));
  for (const ChainRecord& each : run.chains) chains.push_back(form_of(each, run.command == "sample"));
  out["parameters"] = std::move(parameters);
  if (run.mode) {
    out["laplace"] = {{"mode", run.mode->posterior.mean()},
                      {"sd", run.mode->posterior.standard_deviations()},
                      {"log_joint", run.mode->log_joint},
                      {"iterations", run.mode->iterations},
                      {"converged", run.mode->end == LaplaceEnd::Converged}};
  }
  if (run.command == "fit") {
    Json& marginals = out["laplace"] = Json::array();
    for (std::size_t k = 0; k < run.laplace.size(); ++k) {
      marginals.push_back(
          {{"name", run.parameters[k].name}, {"mean", run.laplace[k].mean}, {"sd", run.laplace[k].sd}});
    }
  }
  out["chains"] = std::move(chains);
  out["diagnostics"] = record::list_form(run.diagnostics);
  out["warnings"] = run.warnings;
  if (run.command == "sample") {
    const double seconds = run.seconds ? run.seconds->sample : 0;
    out["gradients"] = run.num_gradients();
    out["gradients_per_second"] = seconds > 0 ? static_cast<double>(run.num_gradients()) / seconds : 0.0;
  }
}

Json seconds_form(const RunRecord& run) {
  if (!run.seconds) return nullptr;
  Json out = record::form_of(*run.seconds);
  if (run.command != "fit") out.erase("report");
  out["total"] = run.total_s;
  return out;
}

Json checked_form(const CheckedDraws& draws) {
  return {{"chains", draws.chains},
          {"length", draws.length},
          {"made_here", draws.made_here},
          {"known_to_be_of_this_coreset", draws.known}};
}

Json priors_form(const std::vector<PriorRecord>& priors) {
  Json list = Json::array();
  for (const PriorRecord& each : priors) {
    list.push_back({{"parameter", each.parameter}, {"prior", each.prior}});
    if (!each.times.empty()) list.back()["times"] = each.times;
  }
  return list;
}

PriorRecord prior_of(const Fields& fields) {
  return {fields.get<std::string>("parameter"), fields.get<std::string>("prior"),
          fields.optional<std::string>("times").value_or("")};
}

// A value of an option as people read it.
std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return shortest(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& item : value) list.append(list.empty() ? "" : ", ").append(text_of(item));
  return list;
}

std::vector<std::pair<std::string, std::string>> texts_of(const Json& options) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [key, value] : options.items()) {
    if (!value.is_null() && key != "threads" && key != "communication")
      texts.emplace_back(key, text_of(value));
  }
  return texts;
}

}  // namespace

Index RunRecord::num_gradients() const {
  Index sum = 0;
  for (const ChainRecord& chain : chains) sum += chain.num_gradients;
  return sum;
}

// A table has the scale of its features; any other model has its parameters as they are.
BothScales RunRecord::scales() const {
  if (options.model) return parameter_scales(features, scale, *options.model);
  std::vector<std::string> names;
  for (const ParameterRecord& parameter : parameters) names.push_back(parameter.name);
  return BothScales::plain(names);
}

// Parameters begin with the coefficients of the raw columns on the scale of the data, and standard deviations
// of groups are among them, which have no ratio.
Ratios RunRecord::ratios() const {
  Ratios out;
  if (!options.model) return out;
  out.name = describe(options.model->family.family).ratio;
  if (out.name.empty()) return out;
  for (std::size_t k = 0; k < std::min(features.size(), parameters.size()); ++k) {
    if (std::ranges::find(scale.group_sds, static_cast<Index>(k)) == scale.group_sds.end())
      out.coefficients.insert(parameters[k].name);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> RunRecord::option_texts() const {
  return recorded_options ? *recorded_options : texts_of(options_form(options));
}

std::vector<PriorRecord> prior_records(const Problem& problem) {
  std::vector<PriorRecord> out;
  if (problem.table() == nullptr) return out;
  // Priors of positive parameters are of their own values, not of the logarithms that were sampled.
  const ModelOptions& model = problem.table()->options;
  const Index columns = problem.table()->design->num_columns();
  const auto extras = describe(model.family.family).extras;
  for (const ScalarPrior& prior : model.priors.found) {
    const Index d = std::ssize(out);
    out.push_back({d < columns ? problem.likelihood().parameter_name(d)
                               : std::string(extras[static_cast<std::size_t>(d - columns)].name),
                   prior.text()});
  }
  for (const GroupColumns& group : problem.prior().groups()) {
    for (Index d = group.first; d < group.first + group.count && d < std::ssize(out); ++d)
      out[at(d)].times = problem.likelihood().parameter_name(group.sd);
  }
  return out;
}

void add_summary(RunRecord& record, const PosteriorSummary& summary,
                 const std::vector<double>& chain_seconds) {
  const std::vector<std::string> columns = safe_columns(summary.names);
  for (std::size_t d = 0; d < summary.names.size(); ++d)
    record.parameters.push_back({columns[d], summary.names[d], static_cast<Index>(d) < summary.num_original});
  for (std::size_t c = 0; c < summary.chains.size(); ++c) {
    const Chain& chain = summary.chains[c];
    const ChainHealth& health = summary.health.chains[c];
    ChainRecord& out = record.chains.emplace_back();
    out.step_size = chain.step_size;
    out.num_gradients = chain.num_gradients;
    out.num_not_finite = chain.num_not_finite;
    out.num_divergent = health.num_divergent;
    out.num_at_max_depth = health.num_at_max_depth;
    out.acceptance = health.acceptance;
    out.e_bfmi = health.e_bfmi;
    out.attempts = chain.attempts;
    if (c < chain_seconds.size()) out.seconds = chain_seconds[c];
  }
  record.diagnostics = summary.quantities;
  record.warnings = summary.warnings;
}

// The coreset names rows of the data, its trace rows of the likelihood; both become rows of the input.
CoresetResult by_input_rows(const Problem& problem, CoresetResult result) {
  for (Index& row : result.coreset.rows) row = problem.input_row(row);
  for (StepRecord& step : result.build.trace) step.row = problem.input_row(problem.data_row(step.row));
  return result;
}

std::string run_json(const RunRecord& run) {
  Json out;
  out["command"] = run.command;
  out["version"] = run.version;
  out["format"] = kFormat;
  if (run.command_line) out["command_line"] = *run.command_line;
  out["options"] = options_form(run.options);
  if (run.command == "fit" || run.command == "sample") out["model"] = run.model;
  out["seed"] = run.seed;
  out["N"] = run.num_rows;
  out["D"] = record::or_null(run.num_parameters);
  if (run.num_distinct_rows) out["distinct_rows"] = *run.num_distinct_rows;
  if (run.rows_used) out["rows_used"] = *run.rows_used;
  if (run.response) out["response"] = *run.response;
  if (!run.features.empty())
    out["standardisation"] = record::form_of(record::Scaled{run.features, run.scale});
  if (!run.priors.empty()) out["priors"] = priors_form(run.priors);
  if (run.coreset) put_coreset(run, out);
  if (run.coreset && run.command == "build") out["search"] = search_form(*run.coreset);
  if (run.draws) {
    out["size"] = run.certificate->coreset_size;
    out["draws"] = checked_form(*run.draws);
  }
  if (run.command == "fit" || run.command == "sample") {
    out["coreset_digest"] = record::or_null(run.coreset_digest);
    if (run.command == "fit") out["rounds"] = record::list_form(run.rounds);
    put_chains(run, out);
  } else if (run.command == "build") {
    out["diagnostics"] = nullptr;
  }
  out["certificate"] = run.certificate ? record::form_of(*run.certificate, run.certificate_names,
                                                         run.certificate_originals, run.certificate_sentence)
                                       : Json(nullptr);
  if (run.model_check) out["model_check"] = record::form_of(*run.model_check);
  if (run.notes) out["notes"] = *run.notes;
  if (run.command == "fit")
    out["full_data"] = run.full_data ? record::form_of(*run.full_data) : Json(nullptr);
  if (run.passes) out["passes"] = record::form_of(*run.passes);
  out["seconds"] = seconds_form(run);
  out["peak_bytes"] = record::or_null(run.peak_bytes);
  return record::dumped(out);
}

namespace {

// What the command must have made.
void read_results(const Fields& fields, RunRecord& run) {
  const bool fit = run.command == "fit";
  if (fit || run.command == "build") run.coreset = coreset_of(fields);
  if (run.coreset && fields.at("coreset").has("responses"))
    run.responses = fields.at("coreset").numbers("responses");
  if (fit || run.command == "sample") {
    fields.at("options").require("sampler");
    if (!run.features.empty()) fields.at("options").require("family");
    run.parameters = record::list_of(fields, "parameters", parameter_of);
    run.chains = record::list_of(fields, "chains", chain_of);
    run.warnings = fields.get<std::vector<std::string>>("warnings");
  }
  if (!fit) return;
  run.rounds = record::list_of(fields, "rounds", record::round_of);
  for (const Fields& each : fields.list("laplace"))
    run.laplace.push_back({each.number("mean"), each.number("sd")});
  for (const char* key : {"full_data", "notes"}) fields.require(key);
}

Json json_of(const std::filesystem::path& path) {
  const std::string file = printable_path(path);
  if (!is_present(path)) throw InputMissing(file + ": no such file; giga fit and giga sample write it");
  return record::parsed_file(path);
}

Fields fields_of(const Json& json, const std::filesystem::path& path) {
  if (!json.is_object())
    throw DataError(printable_path(path) + ": is damaged: it is not JSON, or was cut short; run again");
  Fields fields(json, printable_path(path), "run again", true);
  record::require_format(fields, kFormat);
  return fields;
}

RunRecord run_of(const Json& json, const std::filesystem::path& path) {
  const Fields fields = fields_of(json, path);
  RunRecord run;
  run.command = fields.get<std::string>("command");
  run.version = fields.get<std::string>("version");
  run.command_line = fields.optional<std::string>("command_line");
  run.seed = fields.optional<std::uint64_t>("seed").value_or(1);
  run.options = options_of(fields.at("options"));
  run.recorded_options = texts_of(json["options"]);
  if (fields.has("model")) run.model = fields.get<std::string>("model");
  run.num_rows = fields.get<Index>("N");
  run.num_parameters = fields.optional<Index>("D");
  run.num_distinct_rows = fields.optional<Index>("distinct_rows");
  run.rows_used = fields.optional<Index>("rows_used");
  run.response = fields.optional<std::string>("response");
  if (fields.has("standardisation")) {
    record::Scaled scaled = record::scaled_of(fields.at("standardisation"));
    run.features = std::move(scaled.features);
    run.scale = std::move(scaled.scale);
  }
  if (fields.has("priors")) run.priors = record::list_of(fields, "priors", prior_of);
  run.coreset_digest = fields.optional<std::string>("coreset_digest");
  read_results(fields, run);
  for (const char* key : {"certificate", "seconds"}) fields.require(key);
  if (!fields.is_null("certificate")) run.certificate = record::certificate_of(fields.at("certificate"));
  if (!fields.is_null("model_check")) run.model_check = record::model_check_of(fields.at("model_check"));
  if (fields.has("notes")) run.notes = fields.get<std::vector<std::string>>("notes");
  if (!fields.is_null("full_data")) run.full_data = record::cost_of(fields.at("full_data"));
  if (!fields.is_null("seconds")) run.seconds = record::seconds_of(fields.at("seconds"));
  if (fields.has("passes")) run.passes = record::passes_of(fields.at("passes"));
  return run;
}

}  // namespace

RunRecord read_run_head(const std::filesystem::path& path) {
  const Json json = json_of(path);
  const Fields fields = fields_of(json, path);
  RunRecord run;
  run.command = fields.get<std::string>("command");
  if (fields.has("parameters")) run.parameters = record::list_of(fields, "parameters", name_of_parameter);
  if (fields.has("standardisation") && fields.has("options") && fields.at("options").has("family")) {
    run.options.model = record::model_of(fields.at("options"));
    run.features = record::scaled_of(fields.at("standardisation")).features;
  }
  return run;
}

RunRecord read_run(const std::filesystem::path& path) {
  return run_of(json_of(path), path);
}

RunRecord parse_run(std::string_view text, const std::filesystem::path& path) {
  return run_of(record::parsed(text), path);
}

}  // namespace giga
