// From a matrix of vectors to a coreset.
#include <fmt/format.h>

#include <memory>

#include "build_stages.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/npy_rows.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

std::unique_ptr<RowSource> rows_of(const NpyMatrix& matrix, InputKind kind) {
  if (kind == InputKind::Vectors) return std::make_unique<NpyRows>(matrix);
  return std::make_unique<NpyLoglikRows>(matrix);
}

void cap_size(BuildRequest& request, Index num_rows, const Notes& note) {
  if (request.size <= num_rows) return;
  if (request.asked_size) {
    note(fmt::format("--size {} is more than the {} row{}; using {}", request.size, num_rows,
                     num_rows == 1 ? "" : "s", num_rows));
  }
  request.size = num_rows;
}

void note_oddities(const BuildRequest& request, const BuildOutcome& outcome, const Notes& note) {
  const char* rows = request.kind == InputKind::Vectors ? "rows" : "observations";
  if (request.kind == InputKind::Loglik && outcome.dim == 1) {
    note("one draw only: every centred column is zero; give the log-likelihoods of many draws");
  } else if (outcome.zero_rows > 0) {
    note(fmt::format("{} of {} {} are zero vectors; they are never chosen", outcome.zero_rows,
                     outcome.num_rows, rows));
  }
  if (outcome.zero_target) {
    note("the vectors sum to zero but for rounding: there is nothing to approximate, the coreset is empty");
  }
}

void set_table_facts(const VectorTable& table, bool searches, BuildOutcome& outcome) {
  outcome.num_rows = table.num_rows();
  outcome.dim = table.dim();
  outcome.zero_rows = table.num_zero_rows();
  outcome.zero_target = table.zero_target();
  outcome.target_norm = static_cast<double>(table.target_norm());
  outcome.norm_sum = table.norm_sum();
  if (searches) outcome.selector = table.selector_kind();
}

}  // namespace

BuildOutcome build_from_vectors(BuildRequest& request, const Notes& note) {
  BuildOutcome outcome;
  const Stopwatch total;
  Stopwatch stage;
  Progress progress(request.quiet);
  const NpyMatrix matrix = NpyMatrix::open(request.input);
  const auto rows = rows_of(matrix, request.kind);
  outcome.load_s = stage.restart();

  cap_size(request, rows->num_rows(), note);
  progress.begin(fmt::format("preparing {} x {} vectors", rows->num_rows(), rows->dim()));
  // Draws need no search, so nothing is prepared for one.
  const bool greedy = is_greedy(request.coreset.method);
  const Threads executor(request.threads, stop_requested);
  const VectorTable table(*rows, executor,
                          {.selector = greedy ? request.coreset.selector : SelectorKind::Scan});
  stop_if_signalled();
  const bool searches = greedy && !table.zero_target();
  if (searches) (void)table.selector();
  outcome.prepare_s = stage.restart();
  progress.end();
  set_table_facts(table, searches, outcome);
  note_oddities(request, outcome, note);

  progress.begin("building", request.size, greedy ? "points" : "draws");
  const CoresetOptions& options = request.coreset;
  const GreedyOptions steps{request.size, options.max_steps, options.tolerance, {}};
  const SamplingOptions draws{request.size, options.seed, {}};
  outcome.result = build(table, options.method, steps, draws, [&](const StageProgress& at) {
    progress.update(at.done, at.step->step, fmt::format("relative error {:.2e}", at.step->relative_error));
    return stop_requested() ? Answer::Stop : Answer::Continue;
  });
  outcome.construct_s = stage.restart();
  outcome.coreset = outcome.result.coreset;
  outcome.selector_bytes = table.selector_bytes();
  outcome.prepare_bytes_read = table.prepare_bytes_read();
  outcome.total_s = total.seconds();
  return outcome;
}

}  // namespace giga::tool
