// giga build: from a table of observations, or from a matrix of vectors, to a coreset.
#include "build/options.hpp"
#include "build/print.hpp"
#include "commands.hpp"
#include "giga/record/coreset_file.hpp"
#include "options/model.hpp"
#include "support/console.hpp"
#include "support/session.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Build a coreset: a few weighted rows that stand for all of them";

constexpr const char* kExamples = R"(Examples:
  giga build flights.csv --family bernoulli --size 100 --out coreset.csv
      100 rows of the table and their weights, with all their columns; DATA is
      .csv, .tsv, .txt (or with .gz), .parquet or a folder of these, .npy, .npz
      (X and y), .svm or .libsvm; - is CSV on stdin; 'parts/*.csv', a list of
      files or a folder are one table
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
weighted sum of the chosen ones. The held-out error is that of a second,
independent projection that played no part in the selection.)";

void deliver(const BuildRequest& request, const BuildRun& run) {
  if (request.json) {
    write_stdout(run_json(run.record));
  } else if (!request.job.out) {
    write_stdout(coreset_csv(run.file));
    if (!request.quiet) write_stderr(build_text(run));
  } else if (!request.quiet) {
    write_stdout(build_text(run));
  }
}

void run(Arguments arguments) {
  const auto data = take_data_and_formula(arguments);
  arguments.read_config();
  const BuildRequest request = build_request(arguments, data);
  Session session({.resources = request.resources,
                   .quiet = request.quiet,
                   .input = request.job.input,
                   .all_ranks = true});
  deliver(request, session.run([&](const JobObserver& observer) {
    return run_build(request.job, session.executor(), observer);
  }));
}

}  // namespace

Verb declare_build(CLI::App& root) {
  return declare_verb(root, "build", kDescription, kExamples, add_build_options, run);
}

}  // namespace giga::tool
