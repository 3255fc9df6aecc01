// Load, fit, describe, write; and what is kept of a run that does not get there. DIR/partial holds the
// request and the state after each stage (stopped_fit.hpp); it is removed once the files of the
// finished run are in place.
#include "giga/job/fit.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <memory>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/data/folders.hpp"
#include "giga/data/input_files.hpp"
#include "giga/data/unchanged.hpp"
#include "giga/job/build.hpp"
#include "giga/job/report.hpp"
#include "giga/job/sample.hpp"
#include "giga/pipeline/read_table.hpp"
#include "giga/record/run_lock.hpp"
#include "giga/record/same_data.hpp"
#include "giga/record/weights_file.hpp"
#include "giga/report/certificate_text.hpp"
#include "job/words.hpp"

namespace giga {
namespace {

namespace fs = std::filesystem;

std::string two_decimals(double value) {
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 2);
  return {buffer.data(), end.ptr};
}

// The stages that a stopped run may have done before; loading and reporting are done by every run.
double all_stages(const StageSeconds& s) {
  return s.laplace + s.project + s.prepare + s.construct + s.sample + s.certify;
}

class FitWork {
 public:
  FitWork(const FitJob& job, StoppedFit* stopped, const Executor& executor, const JobObserver& observer)
      : job_(job), stopped_(stopped), executor_(executor), observer_(observer), notes_(observer) {}

  FitRun go() {
    const fs::path& path = job_.opened.empty() ? job_.input : job_.opened;
    const ModelTable table = read_table(path, job_.read, job_.model, executor_, observer_.watch);
    return of_unchanged(table.data, executor_, [&] { return go(table); });
  }

 private:
  FitRun go(const ModelTable& table) {
    const Dataset& data = table.data;
    const Problem problem(data, table.model, executor_);
    const std::string digest = data_digest(data, executor_);
    const double load_s = total_.seconds();
    job::mention_scratch(executor_.memory(), data, notes_);
    notes_.say(data.notes());
    notes_.say(problem.notes());
    prepare(problem);
    const FitState state = stopped_ != nullptr ? stopped_->load(digest) : FitState{};
    check_draws(problem, state);
    once(executor_, [] {});  // all ranks have read the state before one of them writes another
    if (state.coreset || !state.rounds.empty()) {
      notes_.mention("going on with what was done before");
    } else {
      tell_plan(problem);
    }
    const FitResult result = fitted(problem, state, digest);
    notes_.say(result.coreset.notes);
    if (const auto text = missed_tolerance(result.coreset)) notes_.say(*text);
    return described(problem, result, digest, load_s);
  }

  // What can be said before the work.
  void prepare(const Problem& problem) {
    const Index rows = problem.likelihood().num_rows();
    if (job_.fit.coreset.size > rows) notes_.say(job::size_note(job_.fit.coreset.size, rows, "distinct row"));
    if (job_.input == "-")
      notes_.mention("standard input cannot be read twice: this run cannot be resumed once it is stopped");
    if (const std::string lost = job::lost_columns(job_.input, *problem.table()->data); !lost.empty())
      notes_.mention(lost);
    require_memory(round_options(problem, job_.fit, {}), problem);
    job::require_draws_memory(job_.fit.chains, resolved_sampling(problem, job_.fit, 1).draws,
                              std::ssize(problem.scales().names()));
  }

  // Nothing that is computed depends on the plan, which is timed.
  void tell_plan(const Problem& problem) const {
    if (!observer_.note && !observer_.plan) return;
    const FitPlan plan = plan_fit(problem, job_.fit, executor_);
    if (observer_.plan) observer_.plan(plan);
    constexpr double kWorthTelling_s = 1;
    if (plan.total() >= kWorthTelling_s || plan.full_seconds >= kWorthTelling_s)
      notes_.mention(job::plan_text(plan));
  }

  // Chains that were kept are those that would be made now.
  void check_draws(const Problem& problem, const FitState& state) const {
    if (!state.coreset) return;
    const Index draws = resolved_sampling(problem, job_.fit, state.coreset->coreset.size()).draws;
    for (const Chain& chain : state.chains) stopped_->require_draws(chain, draws);
  }

  FitResult fitted(const Problem& problem, const FitState& state, const std::string& digest) {
    FitObserver watching;
    watching.watch = observer_.watch;
    watching.save = [&](const FitState& now) {
      // What is kept is of the data of this digest: a run that goes on would believe it.
      on_every_rank(executor_, [&] { problem.table()->data->require_unchanged(); });
      const Index points = now.coreset ? now.coreset->coreset.size() : 1;
      if (stopped_ != nullptr)
        once(executor_, [&] { stopped_->save(now, resolved_sampling(problem, job_.fit, points), digest); });
      // A state without a coreset is the beginning of a round after the first: the last one
      // was not certified.
      if (now.coreset) return;
      const FitRound& last = now.rounds.back();
      notes_.mention(job::points_text(last.size) + (last.size == 1 ? " is" : " are") +
                     " not certified (k-hat " + two_decimals(last.k_hat) + "); trying " +
                     std::to_string(now.next_size));
    };
    FitResult result = fit(problem, job_.fit, executor_, watching, state);
    if (result.stopped) throw Stopped();
    return result;
  }

  // From the result to the record: words, spelling and times that the pipeline knows nothing of.
  FitRun described(const Problem& problem, const FitResult& result, const std::string& digest,
                   double load_s) {
    const Stopwatch reporting;
    tell(observer_.watch, {.stage = Stage::Report});
    FitRun run =
        fit_run(problem, job_.fit, result, executor_, {job_.timings, notes_.kept(), job_.read, digest});
    for (const std::string& text : run.summary.warnings) notes_.mention(text);
    RunRecord& record = run.record;
    for (std::string& text : record.warnings) text = observer_.spelled(text);
    record.certificate_sentence = observer_.spelled(certificate_sentence(*record.certificate));
    job::spell(record.model_check, observer_);
    record.command_line = job_.command_line;
    record.options.path = job_.input;
    record.options.protocol = job_.protocol;
    run.seconds.load = load_s;
    run.seconds.report = reporting.seconds();
    // What runs before this one spent on stages that need not be done again.
    const double here = total_.seconds() - load_s - run.seconds.report;
    run.total_s = total_.seconds() + std::max(0.0, all_stages(result.seconds) - here);
    if (!job_.timings) return run;
    record.options.threads = executor_.num_threads();
    record.options.communication = executor_.communication();
    record.seconds = run.seconds;
    record.total_s = run.total_s;
    return run;
  }

  const FitJob& job_;
  StoppedFit* stopped_;
  const Executor& executor_;
  const JobObserver& observer_;
  job::Notes notes_;
  Stopwatch total_;
};

// Runs that can go on are kept when they are stopped, and when something other than the data makes them fail
// after something has been done.
FitRun fit_and_keep(const FitJob& job, const Executor& executor, const JobObserver& observer) {
  StoppedFit stopped(job.out);
  const fs::path& input = job.opened.empty() ? job.input : job.opened;
  once(executor, [&] {
    if (!job.resumed) stopped.begin({job.input.native(), absolute_input(input), job.settings});
  });
  // After a failure ranks no longer agree on what comes next, so nothing is asked of them: one tidies up.
  const auto tidy_up = [&] {
    if (executor.leads()) stopped.remove_if_possible();
  };
  try {
    FitRun run = FitWork(job, &stopped, executor, observer).go();
    once(executor, [&] {
      write_run_folder(job.out, true, fit_files(run, observer.spelling));
      stopped.remove();
    });
    return run;
  } catch (const Stopped&) {
    throw;
  } catch (const DataError&) {
    if (!job.resumed) tidy_up();
    throw;
  } catch (const std::exception&) {
    // Anything saved is kept; a run that failed before it had saved anything leaves nothing behind.
    if (stopped.has_state() || (job.resumed && stopped.exists())) {
      if (observer.note) observer.note("what was done is kept; go on with: " + job.how_to_resume);
    } else {
      tidy_up();
    }
    throw;
  }
}

void require_free(const FitJob& job) {
  if (job.resumed) return;
  if (job.out.empty()) return require_input(job.input, job.read);
  refuse_input_in_folder(job.out, job.input, kCoresetFiles);
  if (!job.force && StoppedFit(job.out).exists())
    throw CannotCreate(printable_path(job.out) + ": has a run that was stopped; go on with " +
                       job.how_to_resume + ", or use `force` to start anew");
  check_run_folder(job.out, job.force, kCoresetFiles);
  const fs::path& input = job.opened.empty() ? job.input : job.opened;
  require_input(input, job.read);  // what is not there is said before a folder is made
}

}  // namespace

FitRun run_fit(const FitJob& job, const Executor& executor, const JobObserver& observer) {
  std::unique_ptr<RunLock> lock;  // of the one that writes
  once(executor, [&] {
    if (job.out.empty()) return require_free(job);
    std::error_code ignored;
    if (!fs::is_directory(job.out, ignored)) require_free(job);  // says why it cannot be made
    lock = std::make_unique<RunLock>(job.out);
    require_free(job);
    if (lock->note() && observer.note) observer.note(*lock->note());
  });
  const bool readable_again = job.input != "-" && !job.read.memory;
  if (readable_again && !job.out.empty()) return fit_and_keep(job, executor, observer);
  FitRun run = FitWork(job, nullptr, executor, observer).go();
  once(executor, [&] {
    if (!job.out.empty()) write_run_folder(job.out, true, fit_files(run, observer.spelling));
  });
  return run;
}

namespace {

// The response as the table has it; of words 1 for the success and 0 for the other.
double response_number(const Problem::Table& table, Index row) {
  const double value = table.data->response(row);
  if (!table.options.success) return value;
  for (const Column& column : table.data->columns()) {
    if (column.role == ColumnRole::Response && column.kind == ColumnKind::Category)
      return column.levels[static_cast<std::size_t>(value)] == *table.options.success ? 1 : 0;
  }
  return value;
}

}  // namespace

FitRun fit_run(const Problem& problem, const FitOptions& options, const FitResult& result,
               const Executor& executor, const FitRecordOptions& about) {
  FitRun run;
  run.summary = posterior_summary(problem.scales(), result.chains, result.sample, executor);
  if (problem.table() != nullptr) problem.table()->data->fetch_cells(result.coreset.coreset.rows, executor);
  run.coreset = coreset_file(problem, result.coreset, about.read, about.data_digest);
  add_sums(run.coreset, problem, result.coreset, executor);
  RunRecord& record = run.record;
  record.command = "fit";
  record.version = version();
  record.options.path = problem.name();
  record.seed = result.coreset.options.seed;
  record.options.seed = result.coreset.options.seed;
  record.options.coreset = result.coreset.options;
  record.options.sample = result.sample;
  record.options.chains = options.chains;
  record.options.check_rows = options.check_rows;
  record.model = problem.description();
  record.num_rows = problem.num_data_rows();
  record.num_parameters = problem.likelihood().num_parameters();
  record.num_distinct_rows = problem.likelihood().num_rows();
  record.rounds = result.rounds;
  for (Index d = 0; d < *record.num_parameters; ++d)
    record.pihat_names.push_back(problem.likelihood().parameter_name(d));
  if (const Problem::Table* table = problem.table(); table != nullptr) {
    record.options.read = about.read;
    record.options.model = table->options;
    record.response = table->data->response_name();
    record.features = table->design->raw_names();
    record.scale = table->design->scale();
    record.priors = prior_records(problem);
    record.coreset_digest = posterior_digest(run.coreset);
    for (const Index row : result.coreset.coreset.rows)
      record.responses.push_back(response_number(*table, row));
  }
  record.coreset = by_input_rows(problem, result.coreset);
  if (result.coreset.laplace)
    record.laplace = laplace_marginals(result.coreset.laplace->posterior, problem.scales());
  add_summary(record, run.summary);
  record.certificate = result.certificate;
  record.model_check = result.model_check;
  record.certificate_names = run.summary.names;
  record.certificate_originals = run.summary.num_original;
  record.notes = about.notes;
  record.passes = result.passes;
  run.seconds = result.seconds;
  run.total_s = all_stages(result.seconds);
  if (about.timings) {
    record.full_data = full_data_cost(problem, result.chains, result.sample.thin, executor);
    record.seconds = run.seconds;
    record.total_s = run.total_s;
    record.peak_bytes = peak_bytes();
  }
  return run;
}

std::string posterior_csv(const FitRun& run) {
  return weighted_csv(best_quantities(run.summary, run.record.certificate->coreset), run.record.ratios());
}

// posterior.csv only if the certificate is safe: otherwise the weights do not give the posterior of all rows.
RunFiles fit_files(const FitRun& run, const Spelling& spelling) {
  RunFiles files;
  files.emplace_back(kCoresetFiles[0], coreset_csv(run.coreset));
  if (run.coreset.has_table()) files.emplace_back(kCoresetFiles[1], coreset_json(run.coreset));
  for (auto& file : draws_files(run.summary, *run.record.options.sample, run.record.ratios()))
    files.push_back(std::move(file));
  files.emplace_back(kWeightsFile, weights_csv(run.summary.chains, run.record.certificate->coreset.weights));
  if (run.safe()) files.emplace_back(kPosteriorFile, posterior_csv(run));
  files.emplace_back(kReportFile, report_html(report_data(run.record, run.summary, spelling)));
  files.emplace_back(kRecordFile, run_json(run.record));
  return files;
}

void write_fit(const fs::path& folder, const FitRun& run, bool force) {
  check_run_folder(folder, force, kCoresetFiles);
  write_run_folder(folder, force, fit_files(run));
}

bool is_complete_fit(const fs::path& folder) {
  return !StoppedFit(folder).exists() && is_present(folder / kRecordFile) &&
         is_present(folder / kCoresetFiles.front()) && !RunLock::left_since(folder, folder / kRecordFile);
}

}  // namespace giga
