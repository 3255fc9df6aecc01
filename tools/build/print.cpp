// The facts of a build, one line each.
#include "build/print.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "giga/base/text.hpp"
#include "support/ranks_text.hpp"

namespace giga::tool {
namespace {

std::string ended(const RunRecord& record) {
  const CoresetOptions& options = *record.options.coreset;
  const BuildResult& build = record.coreset->build;
  switch (build.termination) {
    case Termination::SizeReached:
      if (!is_greedy(options.method)) return fmt::format("all {} draws are made", options.size);
      if (build.coreset.size() >= options.size) return "the coreset has the size asked for";
      return fmt::format("{} steps are spent; --max-steps allows more", build.trace.size());
    case Termination::ToleranceMet:
      if (options.tolerance == 0) return "the coreset is exact: more points cannot lower its error";
      return fmt::format("the {} error is at most {}{}", record.num_parameters ? "held-out" : "relative",
                         shortest(options.tolerance),
                         record.num_parameters && record.coreset->tolerance != options.tolerance
                             ? " posterior standard deviations per parameter"
                             : "");
    case Termination::Plateau: return "the held-out error no longer follows the relative error";
    case Termination::NumericLimit: return "the error is down to rounding; more points cannot lower it";
    case Termination::NoProgress: return "no row lowers the error any further";
    case Termination::ZeroTarget: return "the vectors sum to zero, so the empty coreset is exact";
    case Termination::Stopped: break;
  }
  return "stopped before the end";
}

std::string size_text(const RunRecord& record) {
  const Index points = record.coreset->build.coreset.size();
  const Index steps = std::ssize(record.coreset->build.trace);
  return plural(points, "point") + " in " + plural(steps, "step");
}

std::string input_text(const RunRecord& record) {
  const std::string path = printable_path(record.options.path);
  const Index dim = record.coreset->dim;
  if (record.options.input == "vectors")
    return fmt::format("{}: N = {}, J = {}", path, plural(record.num_rows, "row"), dim);
  if (record.options.input == "loglik")
    return fmt::format("{}: N = {}, S = J = {}", path, plural(record.num_rows, "observation"),
                       plural(dim, "draw"));
  return fmt::format("{}: N = {}, D = {}, response {}", input_words(record.options.path),
                     plural(record.num_rows, "row"), plural(*record.num_parameters, "parameter"),
                     printable(*record.response, 40));
}

std::string projection_text(const RunRecord& record) {
  const CoresetOptions& options = *record.options.coreset;
  std::string text = fmt::format("{}, {} norm, pihat {}, J = {}", name(options.projection),
                                 name(options.norm), name(options.pihat), record.coreset->dim);
  if (record.coreset->trials.size() > 1)
    text += fmt::format(" (found in {} tries)", record.coreset->trials.size());
  return text;
}

}  // namespace

std::string build_text(const BuildRun& run) {
  const RunRecord& record = run.record;
  const CoresetResult& result = *record.coreset;
  const bool table = record.num_parameters.has_value();
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<16} {}\n", label, value);
  };
  line("input", input_text(record));
  if (table) {
    line("model", record.model);
    line("projection", projection_text(record));
  }
  line("method", std::string(name(record.options.coreset->method)));
  if (result.selector) line("selector", std::string(name(*result.selector)));
  line("coreset", size_text(record));
  line("relative error", fmt::format("{:.3g}", result.build.relative_error));
  if (table) line("held-out error", fmt::format("{:.3g}", result.heldout_error));
  const double bound = result.build.trace.empty() ? std::nan("") : result.build.trace.back().bound;
  if (std::isfinite(bound)) line("Theorem 1 bound", fmt::format("{:.3g}", bound));
  line("ended", fmt::format("{}: {}", name(result.build.termination), ended(record)));
  const StageSeconds& s = *record.seconds;
  if (table) {
    line("seconds",
         fmt::format("{:.3f} load, {:.3f} laplace, {:.3f} project, {:.3f} prepare, {:.3f} construct", s.load,
                     s.laplace, s.project, s.prepare, s.construct));
  } else {
    line("seconds", fmt::format("{:.3f} prepare, {:.3f} construct", s.prepare, s.construct));
  }
  if (record.options.communication) line("ranks", ranks_text(*record.options.communication));
  for (const auto& [key, value] : record.options.files) {
    if (key == "out" && value) line("written", printable_path(*value));
  }
  return text;
}

}  // namespace giga::tool
