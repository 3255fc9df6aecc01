// giga check: the certificate of a coreset against all rows.
#include <fmt/format.h>

#include <cmath>

#include "check/options.hpp"
#include "commands.hpp"
#include "giga/base/text.hpp"
#include "giga/report/certificate_text.hpp"
#include "giga/report/model_check_text.hpp"
#include "merge/print.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/ranks_text.hpp"
#include "support/session.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Check a coreset's posterior against all rows: the certificate";

constexpr const char* kExamples = R"(Examples:
  giga check flights.csv coreset.csv draws
      draws of giga sample coreset.csv --out draws, against every row of the
      table that the coreset was built from; DIR/certificate.json has the record
  giga check flights.csv coreset.csv
      the same with draws made on the spot
  giga check flights.csv coreset.csv draws --strict --quiet && use-the-draws
      exit code 1 unless the verdict is safe
  giga check merged.csv
      without the rows: the error that giga merge told; never certified

Files:
  coreset.json          beside coreset.csv: what giga build wrote for it
  DIR/draws_1.csv       and so on, of giga sample
  DIR/certificate.json  the record, unless --out says otherwise

The coreset's draws are weighted so that they become draws of the posterior of
all rows. k-hat, at most 0.7, says whether that is possible, and so whether the
coreset is safe to use. Corrected means and standard deviations, Fisher
distances and divergences stand beside it, and so does the Laplace
approximation. Model, prior and the way of reading DATA come from coreset.json;
DATA that is not the table of the coreset is refused.)";

// A line for each fact.
std::string facts(const CheckJob& job, const RunRecord& record) {
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<16} {}\n", label, value);
  };
  line("data", fmt::format("{}: N = {}, D = {}", input_words(job.data), plural(record.num_rows, "row"),
                           plural(*record.num_parameters, "parameter")));
  line("coreset",
       fmt::format("{}: {}", printable_path(job.coreset), plural(record.certificate->coreset_size, "point")));
  line("model", record.model);
  line("draws", fmt::format("{}: {} of {}", job.draws ? printable_path(*job.draws) : "made here",
                            plural(record.draws->chains, "chain"), record.draws->length));
  if (record.model_check) {
    const char* label = "model check";
    for (const std::string& sentence : model_verdict(*record.model_check)) {
      line(label, stderr_has_colours() && record.model_check->doubtful() ? amber(sentence) : sentence);
      label = "";
    }
  }
  const StageSeconds& s = *record.seconds;
  line("seconds", fmt::format("{:.3f} load, {:.3f} sample, {:.3f} certify", s.load, s.sample, s.certify));
  if (record.options.communication) line("ranks", ranks_text(*record.options.communication));
  if (job.out) line("written", printable_path(*job.out));
  return text;
}

// Of a merged coreset whose rows are elsewhere: what is known of its error.
void tell_error(const Arguments& arguments, const std::filesystem::path& path, const CoresetFile& file) {
  const MergedError error = merged_error(*file.sums);
  if (arguments.flag("json")) {
    const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; };
    write_stdout(
        fmt::format("{{\n  \"command\": \"check\",\n  \"certified\": false,\n  \"N\": {},\n  \"size\": {},\n"
                    "  \"error_bound\": {},\n  \"usual_error\": {}\n}}\n",
                    file.num_rows, file.coreset.size(), number(error.bound), number(error.usual)));
  } else {
    write_stdout(fmt::format(
        "{}: {} for {} of {}; its error is {}, as measured when they were built and "
        "merged\nnot certified: that needs the rows of all shards, giga check DATA {}\n",
        printable_path(path), plural(file.coreset.size(), "point"), plural(file.num_rows, "row"),
        plural(std::ssize(file.sums->shards), "shard"), merged_error_text(error), printable_path(path)));
  }
  if (arguments.flag("strict")) throw NotSafe{};
}

void run(Arguments arguments) {
  const std::vector<std::string> words = arguments.take_words();
  arguments.read_config();
  if (words.size() == 1 && !arguments.given("sql") && has_coreset_columns(words[0])) {
    const auto file = find_coreset(words[0]);
    if (file && file->is_merged() && !file->read.sql) return tell_error(arguments, words[0], *file);
  }
  const CheckRequest request = check_request(arguments, words);
  const CheckJob& job = request.job;
  Session session({.resources = request.resources,
                   .quiet = request.quiet,
                   .input = job.data,
                   .chains = job.chains,
                   .all_ranks = true});
  const RunRecord record =
      session.run([&](const JobObserver& observer) { return run_check(job, session.executor(), observer); });
  if (request.json) {
    write_stdout(run_json(record));
  } else {
    if (!request.quiet) write_stderr(facts(job, record));
    write_stdout(spelled(certificate_text(*record.certificate, record.certificate_names)));
  }
  if (job.strict && !record.certificate->safe()) throw NotSafe{};
}

}  // namespace

Verb declare_check(CLI::App& root) {
  return declare_verb(root, "check", kDescription, kExamples, add_check_options, run);
}

}  // namespace giga::tool
