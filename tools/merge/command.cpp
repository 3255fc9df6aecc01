// giga merge: coresets of shards to one.
#include "commands.hpp"
#include "merge/options.hpp"
#include "merge/print.hpp"
#include "support/console.hpp"
#include "support/session.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Merge coresets of shards that were built apart into one";

constexpr const char* kExamples = R"(Examples:
  giga merge monday.csv tuesday.csv --out both.csv
      one coreset for the rows of both, which need not be at hand: each
      coreset.json keeps what is needed of them
  giga merge shards/*.csv --size 200 --out all.csv
      at most 200 points; in any order of the files the same bytes
  giga merge all.csv wednesday-fit --out next.csv
      a merged coreset and that of a new fit: merging goes on day by day
  giga merge monday.csv tuesday.csv --union --out both.csv
      all points of both with the weights they have

Files:
  coreset.csv   of every shard, or a folder of giga fit that has one
  coreset.json  beside each: giga build, giga fit or giga merge wrote it
  FILE          row (of its shard, from 0), weight, shard, and the columns
  FILE.json     beside it: .json in place of the extension

Shards must have one model: family, prior, formula or features. Their scale and
their levels may differ. The prior counts once. giga sample takes the result as
any coreset; giga check holds it against the rows of all shards, in any order.)";

void deliver(const MergeRequest& request, const MergeRun& run) {
  if (request.json) {
    write_stdout(merge_json(run));
  } else if (!request.job.out) {
    write_stdout(coreset_csv(run.file));
    if (!request.quiet) write_stderr(merge_text(run));
  } else if (!request.quiet) {
    write_stdout(merge_text(run));
  }
}

void run(Arguments arguments) {
  const std::vector<std::string> inputs = arguments.take_words();
  arguments.read_config();
  const MergeRequest request = merge_request(arguments, inputs);
  Session session(
      {.resources = {.threads = request.threads}, .quiet = request.quiet, .input = inputs.front()});
  deliver(request, session.run([&](const JobObserver& observer) {
    return run_merge(request.job, session.executor(), observer);
  }));
}

}  // namespace

Verb declare_merge(CLI::App& root) {
  return declare_verb(root, "merge", kDescription, kExamples, add_merge_options, run);
}

}  // namespace giga::tool
