// From a table or a coreset to chains, and what they say: load, find the mode, sample about it,
// summarise, write. For a coreset the model and the scale come from its companion; for a table from the
// options and the data.
#include "giga/job/sample.hpp"

#include <memory>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/data/unchanged.hpp"
#include "giga/pipeline/mode_notes.hpp"
#include "giga/pipeline/model_check.hpp"
#include "giga/pipeline/posterior_mode.hpp"
#include "giga/pipeline/prior_effect.hpp"
#include "giga/pipeline/read_table.hpp"
#include "giga/pipeline/sample_posterior.hpp"
#include "giga/record/draws_file.hpp"
#include "giga/record/run_folder.hpp"
#include "giga/record/run_lock.hpp"
#include "giga/record/same_data.hpp"
#include "job/words.hpp"

namespace giga {
namespace {

WeightedProblem load(const SampleJob& job, const Executor& executor, const Observer& observer) {
  if (job.coreset) return read_coreset(job.input, *job.coreset, executor, observer);
  WeightedProblem loaded;
  ModelTable table = read_table(job.input, job.read, job.model, executor, observer);
  loaded.data = std::make_unique<Dataset>(std::move(table.data));
  of_unchanged(*loaded.data, executor, [&] {
    loaded.problem = std::make_unique<Problem>(*loaded.data, table.model, executor);
    loaded.problem->likelihood().complete(executor);  // a chain needs them all
  });
  loaded.features = loaded.problem->table()->design->raw_names();
  loaded.num_rows = loaded.data->num_rows();
  return loaded;
}

// A coreset without its companion can be sampled as a weighted table, but the scale of all rows is lost.
void note_input(const SampleJob& job, const WeightedProblem& loaded, const RowMemory& memory,
                job::Notes& notes) {
  job::mention_scratch(memory, *loaded.data, notes);
  notes.say(loaded.data->notes());
  notes.say(loaded.problem->notes());
  if (!job.bare_coreset) return;
  notes.say(
      "the columns are those of a coreset, but there is no " + companion_path(job.input).filename().native() +
      " beside it: 'row' is left out and the rows count by '" + job.read.weights.value_or("weight") + "'" +
      (job.model.standardise
           ? "; features are standardised by the coreset's rows, which is not the scale of all the "
             "data, so the prior is another"
           : ""));
}

RunRecord record_of(const SampleJob& job, const WeightedProblem& loaded, const Executor& executor) {
  const Problem& problem = *loaded.problem;
  RunRecord record;
  record.command = "sample";
  record.version = version();
  record.seed = job.sample.seed;
  RunOptions& options = record.options;
  options.path = job.input;
  options.files = {{"companion", job.coreset ? std::optional(job.coreset->path.native()) : std::nullopt},
                   {"out", job.out ? std::optional(job.out->native()) : std::nullopt}};
  options.read = job.read;
  options.model = problem.table()->options;
  options.sample = job.sample;
  options.chains = job.chains;
  options.protocol = job.protocol;
  options.seed = job.sample.seed;
  options.threads = executor.num_threads();
  record.model = problem.description();
  record.num_rows = loaded.num_rows;
  record.num_parameters = problem.likelihood().num_parameters();
  record.rows_used = problem.likelihood().num_rows();
  if (job.coreset) record.coreset_digest = posterior_digest(*job.coreset);
  record.response = job.coreset ? job.coreset->response : loaded.data->response_name();
  record.features = loaded.features;
  record.scale = problem.table()->design->scale();
  record.priors = prior_records(problem);
  return record;
}

}  // namespace

RunFiles draws_files(const PosteriorSummary& summary, const SampleOptions& options, const Ratios& ratios) {
  RunFiles files;
  const std::vector<std::string> columns = safe_columns(summary.names);
  for (std::size_t c = 0; c < summary.chains.size(); ++c) {
    files.emplace_back("draws_" + std::to_string(c + 1) + ".csv",
                       draws_csv(draws_file(columns, options, static_cast<Index>(c), summary.chains[c])));
  }
  files.emplace_back(kSummaryFile, summary_csv(summary.quantities, ratios));
  return files;
}

namespace {

// From what was loaded to the record, without its times; `stage` began with the loading.
SampleRun sampled(const SampleJob& job, const WeightedProblem& loaded, Stopwatch& stage,
                  StageSeconds& seconds, const Executor& executor, const JobObserver& observer) {
  job::Notes notes(observer);
  const Problem& problem = *loaded.problem;
  // Names are those of the input, which coreset.csv may have changed.
  const BothScales scales =
      parameter_scales(loaded.features, problem.table()->design->scale(), problem.table()->options);
  seconds.load = stage.restart();
  note_input(job, loaded, executor.memory(), notes);
  job::require_draws_memory(job.chains, job.sample.draws, std::ssize(scales.names()));

  const LaplaceResult mode = posterior_mode(problem, problem.likelihood(), executor, {}, observer.watch);
  seconds.laplace = stage.restart();
  if (mode.end != LaplaceEnd::Converged)
    notes.say("the search for the posterior mode did not converge; chains start where it ended");
  if (!job.coreset) {  // of a coreset that was said when it was built
    notes.say(mode_notes(problem, mode.posterior.mean(), executor));
    if (const auto note = prior_effect_note(problem, mode)) notes.say(*note);
  }
  const PosteriorSample drawn = sample_posterior(problem.likelihood(), problem.prior(), mode.posterior,
                                                 job.chains, job.sample, executor, observer.watch);
  if (drawn.stopped()) throw Stopped();
  seconds.sample = stage.restart();

  // The rows of a coreset are not the data: there is nothing to hold against the model.
  std::optional<ModelCheck> checked;
  if (!job.coreset && !job.bare_coreset)
    checked = check_model(problem, drawn.chains, {}, executor, {.seed = job.sample.seed, .mode = &mode},
                          observer.watch);
  job::spell(checked, observer);
  tell(observer.watch, {.stage = Stage::Report});
  SampleRun run{record_of(job, loaded, executor),
                posterior_summary(scales, drawn.chains, job.sample, executor)};
  for (std::string& text : run.summary.warnings) {
    notes.mention(text);
    text = observer.spelled(text);
  }
  run.record.mode = mode;
  run.record.model_check = std::move(checked);
  add_summary(run.record, run.summary, drawn.chain_seconds);
  return run;
}

}  // namespace

SampleRun run_sample(const SampleJob& job, const Executor& executor, const JobObserver& observer) {
  std::unique_ptr<RunLock> lock;  // of the one that writes
  once(executor, [&] {
    if (!job.out) return;
    const auto require_free = [&] {
      refuse_input_in_folder(*job.out, job.input);
      check_run_folder(*job.out, job.force);
    };
    std::error_code ignored;
    if (!std::filesystem::is_directory(*job.out, ignored)) require_free();  // says why it cannot be made
    lock = std::make_unique<RunLock>(*job.out);
    require_free();
  });
  const Stopwatch total;
  Stopwatch stage;
  StageSeconds seconds;
  const WeightedProblem loaded = load(job, executor, observer.watch);
  SampleRun run = of_unchanged(*loaded.data, executor,
                               [&] { return sampled(job, loaded, stage, seconds, executor, observer); });
  run.record.seconds = seconds;
  run.record.total_s = total.seconds();
  run.record.peak_bytes = peak_bytes();
  run.record.options.communication = executor.communication();
  once(executor, [&] {
    if (!job.out) return;
    RunFiles files = draws_files(run.summary, job.sample, run.record.ratios());
    files.emplace_back(kRecordFile, run_json(run.record));
    write_run_folder(*job.out, job.force, files);
  });
  return run;
}

}  // namespace giga
