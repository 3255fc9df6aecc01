// From a table of observations to a coreset.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "build_stages.hpp"
#include "data_input.hpp"
#include "displays.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/record/same_data.hpp"
#include "giga/project/curvature_projection.hpp"
#include "support/exit_codes.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

void resolve_size(BuildRequest& request, const Problem& problem, const Notes& note) {
  constexpr Index kLeast = 20, kMost = 1000;
  const Index rows = problem.model().num_rows(), dim = problem.model().num_parameters();
  if (!request.asked_size && request.coreset.tolerance == 0)
    request.size = std::clamp(curvature_dim(dim), kLeast, kMost);
  if (request.size <= rows) return;
  if (request.asked_size) {
    note(fmt::format("--size {} is more than the {} distinct row{}; using {}", request.size, rows,
                     rows == 1 ? "" : "s", rows));
  }
  request.size = rows;
}

DataFacts facts_of(const Problem& problem, const CoresetResult& result, const Executor& executor) {
  DataFacts facts;
  facts.distinct_rows = problem.model().num_rows();
  facts.num_parameters = problem.model().num_parameters();
  for (Index d = 0; d < facts.num_parameters; ++d)
    facts.parameter_names.push_back(problem.model().parameter_name(d));
  facts.feature_names = problem.data().feature_names();
  facts.response_name = problem.data().response_name();
  facts.scale = problem.scale();
  facts.heldout_error = result.heldout_error;
  facts.pihat_mean = result.pihat.mean();
  facts.pihat_sd = result.pihat.standard_deviations();
  facts.laplace = result.laplace;
  facts.separable = result.separable;
  facts.trials = result.trials;
  facts.multiplicity = result.multiplicity;
  for (const Column& column : problem.data().columns()) facts.columns.push_back(column.name);
  facts.digest = data_digest(problem.data(), executor);
  facts.cells = problem.data().cells(result.coreset.rows);
  return facts;
}

}  // namespace

std::optional<std::string> missed_tolerance(const CoresetOptions& options, const CoresetResult& result) {
  if (options.tolerance == 0 || result.build.termination == Termination::ToleranceMet || result.zero_target)
    return std::nullopt;
  const bool bare_curvature = options.projection == ProjectionKind::Curvature && options.remainder_dim == 0;
  const char* remedy = result.build.termination == Termination::SizeReached ? "allow more points with --size"
                       : bare_curvature
                           ? "the curvature does not see the rest: add --remainder-dim 500, or use "
                             "--projection random"
                           : "use a larger --projection-dim, or auto";
  return fmt::format("the held-out error ended at {:.3g}, above --tolerance {}; {}", result.heldout_error,
                     shortest(options.tolerance), remedy);
}

// Said before the work: nobody should wait a minute to hear that it was in vain.
void check_memory(const CoresetOptions& options, const Problem& problem) {
  const bool curvature = options.projection == ProjectionKind::Curvature;
  const Index dim = curvature ? curvature_dim(problem.model().num_parameters()) + options.remainder_dim
                              : options.projection_dim;
  const double needed = static_cast<double>(problem.model().num_rows()) * static_cast<double>(dim);
  const auto present = static_cast<double>(physical_memory_bytes());
  if (!is_greedy(options.method) || needed < present) return;
  throw ResourceError(fmt::format("{} rows of J = {} take {:.0f} GB as codes, of {:.0f} GB of memory; use {}",
                                  problem.model().num_rows(), dim, needed / 1e9, present / 1e9,
                                  curvature ? "--projection random" : "a smaller --projection-dim"));
}

BuildOutcome build_outcome(const Problem& problem, CoresetResult result, const Executor& executor) {
  BuildOutcome outcome;
  outcome.data = facts_of(problem, result, executor);
  outcome.num_rows = problem.data().num_rows();
  outcome.dim = result.dim;
  outcome.zero_rows = result.num_zero_rows;
  outcome.zero_target = result.zero_target;
  outcome.target_norm = result.target_norm;
  outcome.norm_sum = result.norm_sum;
  outcome.selector = result.selector;
  outcome.selector_bytes = result.selector_bytes;
  outcome.prepare_bytes_read = result.prepare_bytes_read;
  outcome.coreset = std::move(result.coreset);
  for (Index& row : outcome.coreset.rows) row = problem.data().input_row(row);
  outcome.result = std::move(result.build);
  for (StepRecord& record : outcome.result.trace)
    record.row = problem.data().input_row(problem.distinct().row(record.row));
  outcome.laplace_s = result.seconds.laplace;
  outcome.project_s = result.seconds.project;
  outcome.prepare_s = result.seconds.prepare;
  outcome.construct_s = result.seconds.construct;
  return outcome;
}

BuildOutcome build_from_data(BuildRequest& request, const Notes& note) {
  const Stopwatch total;
  Stopwatch stage;
  const Threads executor(request.threads, stop_requested);
  Progress progress(request.quiet);
  const Dataset data = load_data(request.input, request.read, executor, progress);
  stop_if_signalled();
  const Problem problem(data, request.model, executor);
  const double load_s = stage.restart();
  progress.end();
  for (const std::string& text : data.notes()) note(text);
  for (const std::string& text : problem.notes()) note(text);
  resolve_size(request, problem, note);
  request.coreset.size = request.size;
  request.coreset = with_projection(request.coreset, problem);
  note_lost_columns(request.input, data, note);
  check_memory(request.coreset, problem);

  BuildDisplay display(progress);
  CoresetResult result = build_coreset(problem, request.coreset, executor,
                                       [&display](const StageProgress& at) { return display(at); });
  progress.end();
  stop_if_signalled();
  for (const std::string& text : result.notes) note(text);
  if (const auto text = missed_tolerance(request.coreset, result)) note(*text);
  if (result.zero_target)
    note("the vectors sum to zero but for rounding: there is nothing to approximate, the coreset is empty");
  BuildOutcome outcome = build_outcome(problem, std::move(result), executor);
  outcome.load_s = load_s;
  outcome.total_s = total.seconds();
  return outcome;
}

}  // namespace giga::tool
