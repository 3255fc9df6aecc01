// giga sample: draws of the posterior of a table, or of a coreset.
#include "commands.hpp"
#include "giga/base/text.hpp"
#include "giga/record/run_folder.hpp"
#include "options/model.hpp"
#include "sample/options.hpp"
#include "sample/print.hpp"
#include "support/coefficient_table.hpp"
#include "support/console.hpp"
#include "support/session.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Draw from the posterior of all the data, or of a coreset";

constexpr const char* kExamples = R"(Examples:
  giga sample coreset.csv --out draws
      the posterior of a coreset; model, prior and the scale of the features come
      from coreset.json, which giga build wrote beside it
  giga sample flights.csv --family bernoulli --out draws
      the posterior of all rows; DATA is whatever giga build reads
  giga sample trips.csv --family poisson --weights n --chains 2 --draws 4000
      rows that count n times each; the table on stdout, nothing written
  giga sample coreset.csv --sampler rwmh --protocol paper --json > run.json
      the paper's protocol, with the record of the run

Files:
  coreset.json     beside coreset.csv: what giga build wrote for it
  DIR/draws_1.csv  and so on, a chain each
  DIR/summary.csv  mean, sd, quantiles, R-hat and effective sizes
  DIR/run.json     the record of the run

DIR/draws_1.csv, ... have a chain each in the form of CmdStan: first the
coefficients of the features as they are in the data, then, as std_..., those of
the standardised features, which were sampled. giga summary, rstan, cmdstanr,
posterior and ArviZ read them. The same seed gives the same bytes.)";

void run(Arguments arguments) {
  const auto data = take_data_and_formula(arguments);
  arguments.read_config();
  const SampleRequest request = sample_request(arguments, data);
  const SampleJob& job = request.job;
  Session session({.resources = request.resources,
                   .quiet = request.quiet,
                   .input = job.input,
                   .chains = job.chains,
                   .all_ranks = true});
  const SampleRun made =
      session.run([&](const JobObserver& observer) { return run_sample(job, session.executor(), observer); });
  if (request.json) {
    write_stdout(run_json(made.record));
  } else if (!request.quiet || !job.out) {
    write_stdout(coefficient_table(
        made.summary.original(), made.record,
        job.out ? printable_path(*job.out / kSummaryFile) + " has them" : "--out DIR keeps them"));
    if (!request.quiet) write_stderr(sample_facts(made.record));
  }
}

}  // namespace

Verb declare_sample(CLI::App& root) {
  return declare_verb(root, "sample", kDescription, kExamples, add_sample_options, run);
}

}  // namespace giga::tool
