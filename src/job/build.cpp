// From a file to a coreset: read, build, describe, write. What can be refused without the work (a folder that
// is missing, a file that exists, memory) is refused before it.
#include "giga/job/build.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "giga/base/error.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/version.hpp"
#include "giga/construct/npy_rows.hpp"
#include "giga/data/npy.hpp"
#include "giga/data/output_file.hpp"
#include "giga/data/unchanged.hpp"
#include "giga/pipeline/build_vectors.hpp"
#include "giga/pipeline/fit.hpp"
#include "giga/pipeline/read_table.hpp"
#include "giga/project/curvature_projection.hpp"
#include "giga/record/same_data.hpp"
#include "job/shared_design.hpp"
#include "job/words.hpp"

namespace giga {
namespace {

constexpr const char* kNothing =
    "the vectors sum to zero up to rounding: there is nothing to approximate, the coreset is empty";

std::string three_digits(double value) {
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 3);
  return {buffer.data(), end.ptr};
}

// Made and destroyed before the work, so that nobody waits an hour to hear that a folder is missing. Opening
// a pipe twice would show its reader an end of file that is not the end.
void require_creatable(const BuildJob& job) {
  if (!job.out || OutputFile::is_direct(*job.out)) return;
  const OutputFile probe(*job.out, job.force);
  if (job.kind == InputKind::Data) const OutputFile another(companion_path(*job.out), job.force);
}

RunRecord record_of(const BuildJob& job, const Executor& executor) {
  RunRecord record;
  record.command = "build";
  record.version = version();
  record.seed = job.coreset.seed;
  record.options.input = name(job.kind);
  record.options.path = job.input;
  record.options.seed = job.coreset.seed;
  record.options.threads = executor.num_threads();
  record.options.files = {{"out", job.out ? std::optional(job.out->native()) : std::nullopt}};
  return record;
}

void note_bad_draws(const CoresetResult& result, job::Notes& notes) {
  if (result.build.relative_error > 1 && result.build.coreset.size() > 0)
    notes.say(
        "a relative error above 1 is worse than no rows at all; draw more or use `method = corrective`");
}

// The seconds do not include the writing of the file, which comes last.
void finish(const BuildJob& job, const Stopwatch& total, const StageSeconds& seconds,
            const Executor& executor, BuildRun& run) {
  run.record.seconds = seconds;
  run.record.total_s = total.seconds();
  run.record.peak_bytes = peak_bytes();
  run.record.options.communication = executor.communication();
  if (job.out) once(executor, [&] { write_coreset(*job.out, run.file, job.force); });
}

// Where the tolerance is meant as that of a fit, the coreset is that of the first round of a fit with the
// same options.
CoresetOptions resolved_options(const BuildJob& job, const Problem& problem) {
  return job.coreset.posterior_units ? round_options(problem, {.coreset = job.coreset}, {})
                                     : resolved(job.coreset, problem);
}

// All but the reading and the writing; `total` began with the reading.
BuildRun built_of(const BuildJob& job, const ReadOptions& read, const ModelTable& table,
                  const Stopwatch& total, StageSeconds& seconds, const Executor& executor,
                  const JobObserver& observer) {
  job::Notes notes(observer);
  const Dataset& data = table.data;
  const Problem problem(data, table.model, executor);
  const double load_s = total.seconds();
  job::mention_scratch(executor.memory(), data, notes);
  notes.say(data.notes());
  notes.say(problem.notes());
  const Index rows = problem.likelihood().num_rows();
  if (job.coreset.size > rows) notes.say(job::size_note(job.coreset.size, rows, "distinct row"));
  if (const std::string lost = job::lost_columns(job.input, data); !lost.empty()) notes.say(lost);
  const CoresetOptions options = resolved_options(job, problem);
  require_memory(options, problem);

  CoresetResult result = build_coreset(problem, options, executor, observer.watch);
  if (result.build.termination == Termination::Stopped) throw Stopped();
  notes.say(result.notes);
  if (const auto text = missed_tolerance(result)) notes.say(*text);
  if (result.zero_target) notes.say(kNothing);
  note_bad_draws(result, notes);

  data.fetch_cells(result.coreset.rows, executor);
  BuildRun run{record_of(job, executor), coreset_file(problem, result, read, data_digest(data, executor))};
  add_sums(run.file, problem, result, executor, observer.watch);
  seconds = result.seconds;
  seconds.load = load_s;
  RunRecord& record = run.record;
  record.options.read = read;
  record.options.model = problem.table()->options;
  record.options.coreset = result.options;
  record.num_rows = problem.num_data_rows();
  record.num_parameters = problem.likelihood().num_parameters();
  record.num_distinct_rows = rows;
  record.response = data.response_name();
  record.features = problem.table()->design->raw_names();
  record.scale = problem.table()->design->scale();
  record.priors = prior_records(problem);
  record.pihat_names = problem.table()->design->names();
  record.model = problem.description();
  record.passes = result.passes;
  record.coreset = by_input_rows(problem, std::move(result));
  return run;
}

BuildRun build_table(const BuildJob& job, const Executor& executor, const JobObserver& observer) {
  const Stopwatch total;
  ReadOptions read = job.read;
  ModelOptions model = job.model;
  if (job.design_from) job::take_design(*job.design_from, read, model);
  const ModelTable table = read_table(job.input, read, std::move(model), executor, observer.watch);
  StageSeconds seconds;
  BuildRun run = of_unchanged(table.data, executor,
                              [&] { return built_of(job, read, table, total, seconds, executor, observer); });
  finish(job, total, seconds, executor, run);
  return run;
}

// Vectors are rows of the file; log-likelihoods are columns, centred.
std::unique_ptr<RowSource> rows_of(const NpyMatrix& matrix, InputKind kind) {
  if (kind == InputKind::Vectors) return std::make_unique<NpyRows>(matrix);
  return std::make_unique<NpyLoglikRows>(matrix);
}

BuildRun built_of(const BuildJob& job, const NpyMatrix& matrix, const Stopwatch& total, StageSeconds& seconds,
                  const Executor& executor, const JobObserver& observer) {
  job::Notes notes(observer);
  const auto rows = rows_of(matrix, job.kind);
  const double load_s = total.seconds();
  if (job.coreset.size > rows->num_rows())
    notes.say(job::size_note(job.coreset.size, rows->num_rows(), "row"));

  CoresetResult result = build_from_vectors(*rows, job.coreset, executor, observer.watch);
  if (result.build.termination == Termination::Stopped) throw Stopped();
  if (job.kind == InputKind::Loglik && result.dim == 1) {
    notes.say("one draw only: every centred column is zero; give the log-likelihoods of many draws");
  } else if (result.num_zero_rows > 0) {
    notes.say(std::to_string(result.num_zero_rows) + " of " + std::to_string(rows->num_rows()) +
              (job.kind == InputKind::Vectors ? " rows" : " observations") +
              " are zero vectors; they are never chosen");
  }
  if (result.zero_target) notes.say(kNothing);
  note_bad_draws(result, notes);

  BuildRun run{record_of(job, executor), coreset_file(result)};
  seconds = result.seconds;
  seconds.load = load_s;
  run.record.options.coreset = result.options;
  run.record.num_rows = rows->num_rows();
  run.record.coreset = std::move(result);
  return run;
}

// The rows are read where they are, in every pass.
BuildRun build_matrix(const BuildJob& job, const Executor& executor, const JobObserver& observer) {
  const Stopwatch total;
  const NpyMatrix matrix = NpyMatrix::open(job.input);
  StageSeconds seconds;
  BuildRun run = of_unchanged(matrix.file(), executor,
                              [&] { return built_of(job, matrix, total, seconds, executor, observer); });
  finish(job, total, seconds, executor, run);
  return run;
}

}  // namespace

std::optional<std::string> missed_tolerance(const CoresetResult& result) {
  const CoresetOptions& options = result.options;
  if (options.tolerance == 0 || result.build.termination == Termination::ToleranceMet || result.zero_target ||
      (far_from_normal(result) && result.build.termination == Termination::Plateau))
    return std::nullopt;
  const bool curvature = options.projection == ProjectionKind::Curvature;
  const bool tried = curvature && result.trials.size() > 1;  // with features of the remainder as well
  // The remedy depends on why the build ended: out of points, or out of what its features can see.
  const char* remedy = result.build.termination == Termination::SizeReached ? "allow more points with `size`"
                       : curvature && options.remainder_dim > 0             ? "use a larger `remainder_dim`"
                       : tried                                              ? "use `projection = random`"
                       : curvature ? "the curvature does not see the rest: add `remainder_dim = 500`, or use "
                                     "`projection = random`"
                                   : "use a larger `projection_dim`, or auto";
  // Where the tolerance is in posterior standard deviations, it is said what it comes to.
  const std::string in_units = result.tolerance == options.tolerance
                                   ? ""
                                   : " (here an error of " + three_digits(result.tolerance) + ")";
  return "the held-out error ended at " + three_digits(result.heldout_error) + ", above `tolerance` " +
         shortest(options.tolerance) + in_units + "; " + remedy;
}

// Said before the work: nobody should wait a minute to hear that it was in vain. An automatic J begins at
// kFirstAutoDim. One byte per number: the 8-bit codes of the quantised selector; rows that are known by their
// products take D numbers, and the points of the coreset four copies of their J at most.
void require_memory(const CoresetOptions& options, const Problem& problem) {
  const bool curvature = options.projection == ProjectionKind::Curvature;
  const Index parameters = problem.likelihood().num_parameters();
  const Index dim = curvature ? curvature_dim(parameters) + options.remainder_dim
                              : std::max(options.projection_dim, kFirstAutoDim);
  const Index rows = num_candidates(options, problem.likelihood().num_rows(), dim);
  const bool products = curvature && knows_products(rows, parameters, options.remainder_dim);
  const double each = static_cast<double>(products ? parameters + options.remainder_dim : dim) *
                      (products ? sizeof(double) : 1.0);
  const double points = 4.0 * sizeof(double) * static_cast<double>(options.size) * static_cast<double>(dim);
  const double needed = static_cast<double>(rows) * each + points;
  const auto present = static_cast<double>(physical_memory_bytes());
  if (!is_greedy(options.method) || needed < present) return;
  const auto gigabytes = [](double bytes) { return std::to_string(std::lround(bytes / 1e9)); };
  throw ResourceError(std::to_string(rows) + " rows of J = " + std::to_string(dim) + " and " +
                      std::to_string(options.size) + " points take " + gigabytes(needed) + " GB, of " +
                      gigabytes(present) + " GB of memory; use " +
                      (curvature ? "`projection = random`" : "a smaller `projection_dim`"));
}

BuildRun run_build(const BuildJob& job, const Executor& executor, const JobObserver& observer) {
  once(executor, [&] { require_creatable(job); });
  return job.kind == InputKind::Data ? build_table(job, executor, observer)
                                     : build_matrix(job, executor, observer);
}

}  // namespace giga
