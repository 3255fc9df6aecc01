// giga fit: the whole job, from a table to a report.
#include "commands.hpp"
#include "fit/options.hpp"
#include "fit/print.hpp"
#include "giga/base/text.hpp"
#include "giga/record/run_lock.hpp"
#include "options/model.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/process.hpp"
#include "support/session.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription =
    "The whole job: a coreset, draws of its posterior, a certificate, a report";

constexpr const char* kExamples = R"(Examples:
  giga fit flights.csv --family bernoulli
      coreset, draws and report in flights-fit; DATA is .csv, .tsv or .txt
      (or with .gz), .parquet or a folder of these, .npy, .npz (X and y), .svm
      or .libsvm; - is CSV on stdin
  giga fit 'parts/*.csv' --family bernoulli
      several files as one table, by a pattern, a folder or their names
  giga fit --sql "SELECT * FROM 'flights.parquet' WHERE year > 2020" \
      'late ~ hour + carrier' --family bernoulli
      the rows that DuckDB makes of any files it reads
  giga fit trips.npz --family poisson --link softplus --size 100 --out trips
      with 100 points, whatever the certificate says of them
  giga fit --resume trips
      goes on with a run that was stopped, to the same result
  giga fit flights.csv --family bernoulli --strict --quiet && use-the-draws
      exit code 1 unless the result is certified

Standardises the features, finds the posterior mode, builds a coreset, draws
from its posterior by NUTS, and checks the draws against every row. Without
--size the coreset has as many points as that takes.

Files:
  DIR/report.html    all of it, for people; open it in a browser
  DIR/coreset.csv    the rows and their weights, with all their columns
  DIR/draws_1.csv    and so on, a chain each, as CmdStan writes them
  DIR/weights.csv    what corrects the draws to the posterior of all rows
  DIR/posterior.csv  means, sds and quantiles of every coefficient, corrected so
  DIR/summary.csv    the same of the draws as they are, with R-hat
  DIR/run.json       the record: options, errors, certificate, times)";

void run(Arguments arguments) {
  const auto data = take_data_and_formula(arguments);
  arguments.read_config();
  const auto resume = arguments.text("resume");
  if (resume) check_resumed(arguments, data);
  if (resume && is_complete_fit(*resume)) {
    // It may have been killed while it tidied up.
    if (this_process().leads()) {
      RunLock::clear(*resume);
      StoppedFit(*resume).remove();
    }
    write_stderr("giga: note: the run in " + printable_path(*resume) + " is complete\n");
    return;
  }
  const FitRequest request = fit_request(arguments, data);
  const FitJob& job = request.job;
  if (job.input != "-") set_stop_message("stopped; go on with: " + job.how_to_resume);
  Session session({.resources = request.resources,
                   .quiet = request.quiet,
                   .input = job.input,
                   .chains = job.fit.chains,
                   .parts = true,
                   .all_ranks = true});
  const FitRun made =
      session.run([&](const JobObserver& observer) { return run_fit(job, session.executor(), observer); });
  if (request.json) {
    write_stdout(run_json(made.record));
  } else if (!request.quiet) {
    write_stdout(fit_text(made, job.out));
  }
  if (request.strict && !made.safe()) throw NotSafe{};
}

}  // namespace

Verb declare_fit(CLI::App& root) {
  return declare_verb(root, "fit", kDescription, kExamples, add_fit_options, run);
}

}  // namespace giga::tool
