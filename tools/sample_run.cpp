#include "sample_run.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "data_input.hpp"
#include "displays.hpp"
#include "giga/base/threads.hpp"
#include "giga/infer/regression_posterior.hpp"
#include "giga/pipeline/mode_notes.hpp"
#include "giga/record/draws_file.hpp"
#include "giga/design/both_scales.hpp"
#include "support/exit_codes.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

WeightedProblem load_coreset(const SampleRequest& request, const Executor& executor, Progress& progress) {
  WeightedProblem loaded;
  while_shown(request.input, progress, [&](const Observer& shown) {
    loaded = read_coreset(request.input, *request.companion, executor, shown);
  });
  return loaded;
}

WeightedProblem load_table(const SampleRequest& request, const Executor& executor, Progress& progress) {
  WeightedProblem loaded;
  loaded.data = std::make_unique<Dataset>(load_data(request.input, request.read, executor, progress));
  stop_if_signalled();
  loaded.problem = std::make_unique<Problem>(*loaded.data, request.model, executor);
  loaded.features = loaded.data->feature_names();
  loaded.num_rows = loaded.data->num_rows();
  return loaded;
}

void tell(const SampleRequest& request, const WeightedProblem& loaded, const Notes& note) {
  for (const std::string& text : loaded.data->notes()) note(text);
  for (const std::string& text : loaded.problem->notes()) note(text);
  if (!request.bare_coreset) return;
  note(fmt::format(
      "the columns are those of a coreset, but there is no {} beside it: 'row' is left out and the rows "
      "count by '{}'{}",
      companion_path(request.input).filename().native(), *request.read.weights,
      request.model.standardise
          ? "; features are standardised by the coreset's rows, which is not the scale of all the "
            "data, so the prior is another"
          : ""));
}

// Chains run side by side, one a thread. Where there are more threads than chains and rows enough to share,
// chains follow each other and the threads share the rows instead: the draws are the same.
bool share_rows(const SampleRequest& request, Index num_rows, int threads) {
  constexpr Index kBlocksPerThread = 2;
  return request.chains < threads && num_blocks(num_rows) >= kBlocksPerThread * threads;
}

std::vector<Chain> run_chains(const SampleRequest& request, const Problem& problem, const Normal& about,
                              const Executor& executor, Progress& progress, std::vector<double>& seconds) {
  const bool rows = share_rows(request, problem.model().num_rows(), executor.num_threads());
  const Threads one(1, stop_requested);
  const RegressionPosterior posterior(problem.model(), problem.prior(), rows ? &executor : nullptr);
  ChainDisplay display(progress, request.chains, request.sample);
  auto chains = sample_about(posterior, about, request.chains, request.sample, rows ? one : executor,
                             [&display](const StageProgress& at) { return display(at); });
  seconds = display.seconds();
  progress.end();
  stop_if_signalled();
  return chains;
}

}  // namespace

void check_draws_memory(const SampleRequest& request, Index num_columns) {
  const double needed = 2.0 * static_cast<double>(request.chains) *
                        static_cast<double>(request.sample.draws) * static_cast<double>(num_columns) *
                        sizeof(double);
  const auto present = static_cast<double>(physical_memory_bytes());
  if (needed < present) return;
  throw ResourceError(
      fmt::format("{} chains of {} draws take {:.0f} GB, of {:.0f} GB of memory; use a larger "
                  "--thin and fewer --draws",
                  request.chains, request.sample.draws, needed / 1e9, present / 1e9));
}

SampleOutcome sample_posterior(const SampleRequest& request, const Notes& note) {
  const Stopwatch total;
  Stopwatch stage;
  const Threads executor(request.threads, stop_requested);
  Progress progress(request.quiet);
  const WeightedProblem loaded =
      request.companion ? load_coreset(request, executor, progress) : load_table(request, executor, progress);
  const Problem& problem = *loaded.problem;
  const BothScales scales(loaded.features, problem.scale(), request.model.intercept,
                          request.model.standardise);
  const double load_s = stage.restart();
  progress.end();
  stop_if_signalled();
  tell(request, loaded, note);
  check_draws_memory(request, std::ssize(scales.names()));

  progress.begin("finding the posterior mode");
  const LaplaceResult mode = laplace(problem.model(), problem.prior(), executor);
  const double laplace_s = stage.restart();
  progress.end();
  stop_if_signalled();
  if (mode.end != LaplaceEnd::Converged)
    note("the search for the posterior mode did not converge; chains start where it ended");
  if (!request.companion) {  // of a coreset that was said when it was built
    for (const std::string& text : mode_notes(problem, mode.posterior.mean(), executor)) note(text);
  }
  std::vector<double> chain_s;
  const std::vector<Chain> chains = run_chains(request, problem, mode.posterior, executor, progress, chain_s);
  const double sample_s = stage.restart();

  progress.begin("summarising");
  SampleOutcome outcome = sample_outcome(request, problem, scales, chains, executor);
  progress.end();
  stop_if_signalled();
  outcome.num_rows = loaded.num_rows;
  outcome.response = request.companion ? request.companion->response : loaded.data->response_name();
  outcome.features = loaded.features;
  outcome.laplace = mode;
  outcome.chain_s = std::move(chain_s);
  outcome.load_s = load_s;
  outcome.laplace_s = laplace_s;
  outcome.sample_s = sample_s;
  for (const std::string& text : outcome.warnings) note(text);
  outcome.total_s = total.seconds();
  return outcome;
}

}  // namespace giga::tool
