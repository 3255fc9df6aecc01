// giga build: from a table of observations, or from a matrix of vectors, to a coreset.
#include "build_report.hpp"
#include "build_stages.hpp"
#include "commands.hpp"
#include "giga/base/text.hpp"
#include "giga/data/output_file.hpp"
#include "giga/record/coreset_file.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Build a coreset: a few weighted rows that stand for all of them";

constexpr const char* kExamples = R"(Examples:
  giga build flights.csv --family bernoulli --size 100 --out coreset.csv
      100 rows of the table and their weights, with all their columns; DATA is
      .csv, .tsv, .txt (or with .gz), .npy, .npz (X and y), .svm or .libsvm; -
      is CSV on stdin
  giga build trips.npz --family poisson --link softplus --projection curvature \
      --tolerance 0.01 --out coreset.csv
      points until the held-out error is 0.01
  giga build --vectors V.npy --size 100 --out coreset.csv
      100 rows of V and their weights, as `row,weight`; rows count from 0
  giga build --loglik LL.npy --tolerance 0.01 --out coreset.csv
      points until the relative error is 0.01, from pointwise log-likelihoods
      as R's loo has them: S draws x N observations
  giga build --vectors V.npy --method giga --size 500 --json > run.json
      the published algorithm, with a record of every step
  giga build --vectors V.npy --config build.toml
      options from a file of lines such as `size = 200`; the command line wins

Files:
  coreset.csv   FILE of --out: row (from 0), weight, and the columns of that row
  coreset.json  beside it, for DATA: model, prior, scale of the features, and
      digests of the table, for giga sample and giga check

The relative error is |L(w) - L| / |L|: L the sum of all vectors, L(w) the
weighted sum of the chosen ones. The held-out error is the same of a second
projection that nothing was chosen by.)";

// Where what travels with the coreset goes; nowhere beside a pipe.
std::optional<std::filesystem::path> companion_of(const BuildRequest& request) {
  if (!request.out || request.kind != InputKind::Data || OutputFile::is_direct(*request.out))
    return std::nullopt;
  return companion_path(*request.out);
}

// Made and destroyed before the work, so that nobody waits an hour to hear that a folder is missing. Opening
// a pipe twice would show its reader an end that is none.
void check_creatable(const BuildRequest& request) {
  if (!request.out || OutputFile::is_direct(*request.out)) return;
  const OutputFile probe(*request.out, request.force);
  const auto companion = companion_of(request);
  if (!companion) return;
  const OutputFile another(*companion, request.force);
  std::error_code ignored;
  for (const auto& input : {std::optional(request.input), request.config}) {
    if (input && std::filesystem::equivalent(*companion, *input, ignored)) {
      throw UsageError("what goes beside --out would replace " + printable_path(*input) +
                       "; give another name");
    }
  }
}

void note_bad_draws(const BuildResult& result, const Notes& note) {
  if (result.relative_error > 1 && result.coreset.size() > 0)
    note("a relative error above 1 is worse than no rows at all; draw more or use --method corrective");
}

// All is on the disk before any of it appears: if that is full there is neither file.
void write_files(const BuildRequest& request, const BuildOutcome& outcome) {
  OutputFile csv(*request.out, request.force);
  csv.write(coreset_csv(outcome));
  csv.finish();
  if (const auto path = companion_of(request)) {
    OutputFile companion(*path, request.force);
    companion.write(coreset_companion(request, outcome));
    companion.commit();
  }
  csv.commit();
}

void deliver(const BuildRequest& request, const BuildOutcome& outcome) {
  if (request.out) write_files(request, outcome);
  if (request.json) {
    write_stdout(run_record(request, outcome));
  } else if (!request.out) {
    write_stdout(coreset_csv(outcome));
    if (!request.quiet) write_stderr(summary(request, outcome));
  } else if (!request.quiet) {
    write_stdout(summary(request, outcome));
  }
}

void run(Arguments arguments) {
  const auto data = arguments.take_word();
  arguments.read_config();
  BuildRequest request = build_request(arguments, data);
  check_creatable(request);
  const Notes note(request.quiet);
  const BuildOutcome outcome =
      request.kind == InputKind::Data ? build_from_data(request, note) : build_from_vectors(request, note);
  stop_if_signalled();
  note_bad_draws(outcome.result, note);
  deliver(request, outcome);
}

}  // namespace

Verb declare_build(CLI::App& root) {
  Arguments arguments = Arguments::of_verb(root, "build", kDescription, kExamples);
  add_build_options(arguments);
  return {arguments.app(), [arguments] { run(arguments); }};
}

}  // namespace giga::tool
