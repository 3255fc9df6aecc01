#include "build_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "giga/base/text.hpp"
#include "giga/record/coreset_file.hpp"
#include "support/resources.hpp"

namespace giga::tool {
namespace {

std::string ended(const BuildRequest& request, const BuildOutcome& outcome) {
  const BuildResult& result = outcome.result;
  switch (result.termination) {
    case Termination::SizeReached:
      if (!is_greedy(request.coreset.method)) return fmt::format("all {} draws are made", request.size);
      if (result.coreset.size() >= request.size) return "the coreset has the size asked for";
      return fmt::format("{} steps are spent; --max-steps allows more", result.trace.size());
    case Termination::ToleranceMet:
      if (request.coreset.tolerance == 0) return "the coreset is exact: more points cannot lower its error";
      return fmt::format("the {} error is at most {}", outcome.data ? "held-out" : "relative",
                         shortest(request.coreset.tolerance));
    case Termination::NumericLimit: return "the error is down to rounding; more points cannot lower it";
    case Termination::NoProgress: return "no row lowers the error any further";
    case Termination::ZeroTarget: return "the vectors sum to zero, so the empty coreset is exact";
    case Termination::Stopped: break;
  }
  return "stopped before the end";
}

std::string size_text(const BuildOutcome& outcome) {
  const Index points = outcome.result.coreset.size();
  const std::size_t steps = outcome.result.trace.size();
  return fmt::format("{} point{} in {} step{}", points, points == 1 ? "" : "s", steps, steps == 1 ? "" : "s");
}

std::string input_text(const BuildRequest& request, const BuildOutcome& outcome) {
  const std::string path = printable_path(request.input);
  switch (request.kind) {
    case InputKind::Data: break;
    case InputKind::Vectors:
      return fmt::format("{}: N = {} rows, J = {}", path, outcome.num_rows, outcome.dim);
    case InputKind::Loglik:
      return fmt::format("{}: N = {} observations, S = J = {} draws", path, outcome.num_rows, outcome.dim);
  }
  return fmt::format(
      "{}: N = {} row{}, D = {} parameter{}, response {}", request.input == "-" ? "standard input" : path,
      outcome.num_rows, outcome.num_rows == 1 ? "" : "s", outcome.data->num_parameters,
      outcome.data->num_parameters == 1 ? "" : "s", printable(outcome.data->response_name, 40));
}

std::string projection_text(const BuildRequest& request, const BuildOutcome& outcome) {
  const CoresetOptions& options = request.coreset;
  std::string text = fmt::format("{}, {} norm, pihat {}, J = {}", name(options.projection),
                                 name(options.norm), name(options.pihat), outcome.dim);
  if (outcome.data->trials.size() > 1)
    text += fmt::format(" (found in {} tries)", outcome.data->trials.size());
  return text;
}

double last_bound(const BuildResult& result) {
  return result.trace.empty() ? std::nan("") : result.trace.back().bound;
}

Json projection_json(const CoresetOptions& options) {
  return {{"projection", name(options.projection)},
          {"norm", name(options.norm)},
          {"projection_dim", options.projection_dim > 0 ? Json(options.projection_dim) : Json("auto")},
          {"expansion", name(options.expansion)},
          {"remainder_dim", options.remainder_dim},
          {"heldout_dim", options.heldout_dim},
          {"pihat", name(options.pihat)},
          {"pihat_rows", options.subsample_rows > 0 ? Json(options.subsample_rows) : Json(nullptr)}};
}

Json options_json(const BuildRequest& request) {
  const CoresetOptions& coreset = request.coreset;
  Json options;
  options["input"] = name(request.kind);
  options["path"] = request.input.native();
  if (request.kind == InputKind::Data) {
    options.update(read_json(request.read));
    options.update(model_json(request.model));
    options.update(projection_json(coreset));
  }
  options["method"] = name(coreset.method);
  options["selector"] = name(coreset.selector);
  options["size"] = request.size;
  options["max_steps"] = coreset.max_steps > 0 ? Json(coreset.max_steps) : Json(nullptr);
  options["tolerance"] = coreset.tolerance;
  options["seed"] = coreset.seed;
  options["threads"] = request.threads;
  options["out"] = request.out ? Json(request.out->native()) : Json(nullptr);
  return options;
}

Json trace_json(const BuildResult& result) {
  Json trace = Json::array();
  for (const StepRecord& record : result.trace) {
    trace.push_back({{"step", record.step},
                     {"row", record.row},
                     {"size", record.size},
                     {"gamma", record.step_length},
                     {"alignment", record.alignment},
                     {"relative_error", record.relative_error},
                     {"heldout_error", record.heldout_error},
                     {"bound", record.bound}});
  }
  return trace;
}

Json search_json(const BuildOutcome& outcome) {
  const SearchStats& search = outcome.result.search;
  return {{"prepare_bytes_read", outcome.prepare_bytes_read},
          {"bytes_read", search.bytes_read},
          {"rows_touched", search.rows_touched},
          {"rows_rescored", search.rows_rescored},
          {"selector_bytes", outcome.selector_bytes}};
}

Json seconds_json(const BuildOutcome& outcome) {
  return {{"load", outcome.load_s},
          {"laplace", outcome.laplace_s},
          {"project", outcome.project_s},
          {"prepare", outcome.prepare_s},
          {"construct", outcome.construct_s},
          {"sample", 0.0},
          {"certify", 0.0},
          {"total", outcome.total_s}};
}

Json pihat_json(const DataFacts& data) {
  Json pihat = {{"parameters", data.parameter_names}, {"mean", data.pihat_mean}, {"sd", data.pihat_sd}};
  if (data.laplace) {
    pihat["log_joint"] = data.laplace->log_joint;
    pihat["log_likelihood"] = data.laplace->log_likelihood;
    pihat["log_prior"] = data.laplace->log_prior;
    pihat["iterations"] = data.laplace->iterations;
    pihat["converged"] = data.laplace->end == LaplaceEnd::Converged;
  }
  return pihat;
}

Json trials_json(const DataFacts& data) {
  Json trials = Json::array();
  for (const ProjectionTrial& trial : data.trials) {
    trials.push_back({{"J", trial.dim},
                      {"size", trial.size},
                      {"relative_error", trial.relative_error},
                      {"heldout_error", trial.heldout_error}});
  }
  return trials;
}

Json coreset_json(const BuildOutcome& outcome) {
  Json coreset = {{"rows", outcome.coreset.rows}, {"weights", outcome.coreset.weights}};
  if (outcome.data) coreset["multiplicity"] = outcome.data->multiplicity;
  return coreset;
}

}  // namespace

std::string coreset_csv(const BuildOutcome& outcome) {
  std::string csv = "row,weight";
  if (outcome.data) {
    for (const std::string& name : coreset_headings(outcome.data->columns))
      csv.append(",").append(csv_field(name));
  }
  csv += "\n";
  for (std::size_t i = 0; i < outcome.coreset.rows.size(); ++i) {
    csv.append(std::to_string(outcome.coreset.rows[i]))
        .append(",")
        .append(shortest(outcome.coreset.weights[i]));
    if (outcome.data) {
      for (const std::string& cell : outcome.data->cells[i]) csv.append(",").append(csv_field(inert(cell)));
    }
    csv += "\n";
  }
  return csv;
}

std::string coreset_companion(const BuildRequest& request, const BuildOutcome& outcome) {
  const DataFacts& data = *outcome.data;
  Json out;
  out["giga"] = "coreset";
  out["version"] = GIGA_VERSION;
  out["N"] = outcome.num_rows;
  out["D"] = data.num_parameters;
  out["J"] = outcome.dim;
  out["size"] = outcome.coreset.size();
  out["model"] = model_json(request.model);
  out["response"] = data.response_name;
  out["columns"] = data.columns;
  out["read"] = reading_json(request.read);
  out["data_digest"] = data.digest;
  out["standardisation"] = scale_json(data.feature_names, data.scale);
  out["projection"] = projection_json(request.coreset);
  out["method"] = name(request.coreset.method);
  out["seed"] = request.coreset.seed;
  out["relative_error"] = outcome.result.relative_error;
  out["heldout_error"] = data.heldout_error;
  out["termination"] = name(outcome.result.termination);
  out["coreset"] = coreset_json(outcome);
  return dumped(out);
}

std::string summary(const BuildRequest& request, const BuildOutcome& outcome) {
  const BuildResult& result = outcome.result;
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<16} {}\n", label, value);
  };
  line("input", input_text(request, outcome));
  if (outcome.data) {
    line("model", model_text(request.model));
    line("projection", projection_text(request, outcome));
  }
  line("method", std::string(name(request.coreset.method)));
  if (outcome.selector) line("selector", std::string(name(*outcome.selector)));
  line("coreset", size_text(outcome));
  line("relative error", fmt::format("{:.3g}", result.relative_error));
  if (outcome.data) line("held-out error", fmt::format("{:.3g}", outcome.data->heldout_error));
  if (const double bound = last_bound(result); std::isfinite(bound))
    line("Theorem 1 bound", fmt::format("{:.3g}", bound));
  line("ended", fmt::format("{}: {}", name(result.termination), ended(request, outcome)));
  if (outcome.data) {
    line("seconds",
         fmt::format("{:.3f} load, {:.3f} laplace, {:.3f} project, {:.3f} prepare, {:.3f} construct",
                     outcome.load_s, outcome.laplace_s, outcome.project_s, outcome.prepare_s,
                     outcome.construct_s));
  } else {
    line("seconds", fmt::format("{:.3f} prepare, {:.3f} construct", outcome.prepare_s, outcome.construct_s));
  }
  if (request.out) line("written", printable_path(*request.out));
  return text;
}

Json build_record(const BuildRequest& request, const BuildOutcome& outcome) {
  const BuildResult& result = outcome.result;
  Json record;
  record["command"] = "build";
  record["version"] = GIGA_VERSION;
  record["options"] = options_json(request);
  record["seed"] = request.coreset.seed;
  record["N"] = outcome.num_rows;
  record["J"] = outcome.dim;
  record["D"] = outcome.data ? Json(outcome.data->num_parameters) : Json(nullptr);
  record["selector"] = outcome.selector ? Json(name(*outcome.selector)) : Json(nullptr);
  record["size"] = result.coreset.size();
  record["steps"] = result.trace.size();
  record["relative_error"] = result.relative_error;
  record["heldout_error"] = outcome.data ? Json(outcome.data->heldout_error) : Json(nullptr);
  record["termination"] = name(result.termination);
  record["bound"] = last_bound(result);
  record["tau"] = outcome.target_norm / outcome.norm_sum;
  record["target_norm"] = outcome.target_norm;
  record["norm_sum"] = outcome.norm_sum;
  record["zero_rows"] = outcome.zero_rows;
  record["coreset"] = coreset_json(outcome);
  if (outcome.data) {
    record["distinct_rows"] = outcome.data->distinct_rows;
    record["separable"] = outcome.data->separable;
    record["response"] = outcome.data->response_name;
    record["standardisation"] = scale_json(outcome.data->feature_names, outcome.data->scale);
    record["pihat"] = pihat_json(*outcome.data);
    record["trials"] = trials_json(*outcome.data);
  }
  record["trace"] = trace_json(result);
  record["search"] = search_json(outcome);
  record["certificate"] = nullptr;
  record["diagnostics"] = nullptr;
  record["seconds"] = seconds_json(outcome);
  record["peak_bytes"] = peak_bytes();
  return record;
}

std::string run_record(const BuildRequest& request, const BuildOutcome& outcome) {
  return dumped(build_record(request, outcome));
}

}  // namespace giga::tool
