#include "build_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "giga/base/text.hpp"
#include "support/resources.hpp"

namespace giga::tool {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kIndent = 2;

std::string ended(const BuildRequest& request, const BuildOutcome& outcome) {
  const BuildResult& result = outcome.result;
  switch (result.termination) {
    case Termination::SizeReached:
      if (!is_greedy(request.method)) return fmt::format("all {} draws are made", request.size);
      if (result.coreset.size() >= request.size) return "the coreset has the size asked for";
      return fmt::format("{} steps are spent; --max-steps allows more", result.trace.size());
    case Termination::ToleranceMet:
      return fmt::format("the relative error is at most {}", shortest(request.tolerance));
    case Termination::NumericLimit: return "the error is down to rounding; more points cannot lower it";
    case Termination::NoProgress: return "no row lowers the error any further";
    case Termination::ZeroTarget: return "the vectors sum to zero, so the empty coreset is exact";
    case Termination::Stopped: return "stopped before the end";
  }
  return "unknown";
}

std::string size_text(const BuildOutcome& outcome) {
  const Index points = outcome.result.coreset.size();
  const std::size_t steps = outcome.result.trace.size();
  return fmt::format("{} point{} in {} step{}", points, points == 1 ? "" : "s", steps, steps == 1 ? "" : "s");
}

std::string input_text(const BuildRequest& request, const BuildOutcome& outcome) {
  if (request.kind == InputKind::Vectors)
    return fmt::format("{}: N = {} rows, J = {}", printable_path(request.input), outcome.num_rows,
                       outcome.dim);
  return fmt::format("{}: N = {} observations, S = J = {} draws", printable_path(request.input),
                     outcome.num_rows, outcome.dim);
}

double last_bound(const BuildResult& result) {
  return result.trace.empty() ? std::nan("") : result.trace.back().bound;
}

Json options_json(const BuildRequest& request) {
  Json options;
  options["input"] = name(request.kind);
  options["path"] = request.input.native();
  options["method"] = name(request.method);
  options["selector"] = name(request.selector);
  options["size"] = request.size;
  options["max_steps"] = request.max_steps > 0 ? Json(request.max_steps) : Json(nullptr);
  options["tolerance"] = request.tolerance;
  options["seed"] = request.seed;
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
  return {
      {"load", outcome.load_s},           {"laplace", 0.0}, {"project", 0.0}, {"prepare", outcome.prepare_s},
      {"construct", outcome.construct_s}, {"sample", 0.0},  {"certify", 0.0}, {"total", outcome.total_s}};
}

}  // namespace

std::string coreset_csv(const Coreset& coreset) {
  std::string csv = "row,weight\n";
  for (std::size_t i = 0; i < coreset.rows.size(); ++i)
    csv.append(std::to_string(coreset.rows[i])).append(",").append(shortest(coreset.weights[i])).append("\n");
  return csv;
}

std::string summary(const BuildRequest& request, const BuildOutcome& outcome) {
  const BuildResult& result = outcome.result;
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<16} {}\n", label, value);
  };
  line("input", input_text(request, outcome));
  line("method", std::string(name(request.method)));
  if (outcome.selector) line("selector", std::string(name(*outcome.selector)));
  line("coreset", size_text(outcome));
  line("relative error", fmt::format("{:.3g}", result.relative_error));
  if (const double bound = last_bound(result); std::isfinite(bound))
    line("Theorem 1 bound", fmt::format("{:.3g}", bound));
  line("ended", fmt::format("{}: {}", name(result.termination), ended(request, outcome)));
  line("seconds", fmt::format("{:.3f} prepare, {:.3f} construct", outcome.prepare_s, outcome.construct_s));
  if (request.out) line("written", printable_path(*request.out));
  return text;
}

std::string run_record(const BuildRequest& request, const BuildOutcome& outcome) {
  const BuildResult& result = outcome.result;
  Json record;
  record["command"] = "build";
  record["version"] = GIGA_VERSION;
  record["options"] = options_json(request);
  record["seed"] = request.seed;
  record["N"] = outcome.num_rows;
  record["J"] = outcome.dim;
  record["D"] = nullptr;
  record["selector"] = outcome.selector ? Json(name(*outcome.selector)) : Json(nullptr);
  record["size"] = result.coreset.size();
  record["steps"] = result.trace.size();
  record["relative_error"] = result.relative_error;
  record["heldout_error"] = nullptr;
  record["termination"] = name(result.termination);
  record["bound"] = last_bound(result);
  record["tau"] = outcome.tau;
  record["target_norm"] = outcome.target_norm;
  record["norm_sum"] = outcome.norm_sum;
  record["zero_rows"] = outcome.zero_rows;
  record["coreset"] = {{"rows", result.coreset.rows}, {"weights", result.coreset.weights}};
  record["trace"] = trace_json(result);
  record["search"] = search_json(outcome);
  record["certificate"] = nullptr;
  record["diagnostics"] = nullptr;
  record["seconds"] = seconds_json(outcome);
  record["peak_bytes"] = peak_bytes();
  // replace: a path need not be UTF-8, a record must be.
  return record.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace giga::tool
