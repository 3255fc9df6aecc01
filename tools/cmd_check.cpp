// giga check: the certificate of a coreset against all rows.
#include <algorithm>
#include <optional>

#include "check_draws.hpp"
#include "check_report.hpp"
#include "commands.hpp"
#include "data_input.hpp"
#include "displays.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/output_file.hpp"
#include "giga/pipeline/certify_coreset.hpp"
#include "giga/record/same_data.hpp"
#include "giga/report/certificate_text.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"
#include "support/spelling.hpp"

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

// Made and destroyed before the work: nobody should wait to hear that the file exists.
void check_creatable(const CheckRequest& request) {
  if (!request.out || OutputFile::is_direct(*request.out)) return;
  const OutputFile probe(*request.out, request.force);
}

class Check {
 public:
  Check(const CheckRequest& request, const Notes& note)
      : request_(request), note_(note), executor_(request.threads, stop_requested) {}

  CheckOutcome go() {
    const Stopwatch total;
    Stopwatch stage;
    CheckOutcome out;
    const CoresetCompanion& companion = request_.companion;
    const BothScales scales(companion.features, companion.scale, companion.model.intercept,
                            companion.model.standardise);
    std::optional<DrawsToCheck> draws;
    if (request_.draws) draws = draws_of_folder(request_, scales);

    Progress progress(request_.quiet);
    const WeightedProblem coreset = read_coreset(request_.coreset, companion, executor_);
    const Dataset data = read_table(progress);
    stop_if_signalled();
    const Problem problem(data, companion.model, companion.scale, executor_);
    const Coreset chosen = coreset_within(problem, coreset, companion, executor_);
    progress.end();
    stop_if_signalled();
    out.load_s = stage.restart();
    for (const std::string& text : data.notes()) say(text, out);
    for (const std::string& text : problem.notes()) say(text, out);

    if (!draws) {
      draws = draws_made(request_, note_);
      out.notes.insert(out.notes.end(), draws->notes.begin(), draws->notes.end());  // said already
      out.sample_s = stage.restart();
    } else {
      for (const std::string& text : draws->notes) say(text, out);
    }
    out.known = draws->known;
    out.num_chains = std::ssize(draws->chains);
    out.length = draws->chains[0].num_draws();
    out.names = scales.names();
    out.num_original = scales.num_original();
    out.certificate = certified(problem, chosen, draws->chains, scales, progress);
    out.certify_s = stage.restart();
    if (out.certificate.laplace_end != LaplaceEnd::Converged)
      say("the search for the posterior mode of all rows did not converge; do not use what is said of "
          "Laplace",
          out);
    out.total_s = total.seconds();
    return out;
  }

 private:
  // Columns that are not there are a matter of the data: it is the companion that names them.
  Dataset read_table(Progress& progress) const {
    std::optional<Dataset> data;
    try {
      while_shown(request_.data, progress, [&](const Observer& shown) {
        data = read_dataset(request_.data, request_.read, executor_, shown);
      });
    } catch (const NoSuchColumn& error) {
      throw DataError(std::string(error.what()) + "; " + printable_path(request_.companion.path) +
                      " names it, so the coreset is of another table");
    }
    return std::move(*data);
  }

  void say(const std::string& text, CheckOutcome& out) const {
    note_(text);
    out.notes.push_back(spelled(text));
  }

  Certificate certified(const Problem& problem, const Coreset& chosen, const std::vector<Chain>& chains,
                        const BothScales& scales, Progress& progress) const {
    CertificateOptions options;
    options.seed = request_.sample.sample.seed;
    options.quantities = original_quantities(scales, request_.companion.model.standardise);
    CertificateDisplay display(progress);
    Certificate certificate = certify_coreset(problem, chosen, chains, executor_, options,
                                              [&display](const StageProgress& at) { return display(at); });
    progress.end();
    stop_if_signalled();
    return certificate;
  }

  const CheckRequest& request_;
  const Notes& note_;
  Threads executor_;
};

void run(Arguments arguments) {
  const std::vector<std::string> words = arguments.take_words();
  arguments.read_config();
  const CheckRequest request = check_request(arguments, words);
  check_creatable(request);
  const Notes note(request.quiet);
  const CheckOutcome outcome = Check(request, note).go();
  const std::string record = check_record(request, outcome);
  if (request.out) {
    OutputFile file(*request.out, request.force);
    file.write(record);
    file.commit();
  }
  if (request.json) {
    write_stdout(record);
  } else {
    if (!request.quiet) write_stderr(check_facts(request, outcome));
    write_stdout(spelled(certificate_text(outcome.certificate, outcome.names)));
  }
  if (request.strict && !outcome.certificate.safe()) throw NotSafe{};
}

}  // namespace

Verb declare_check(CLI::App& root) {
  Arguments arguments = Arguments::of_verb(root, "check", kDescription, kExamples);
  add_check_options(arguments);
  return {arguments.app(), [arguments] { run(arguments); }};
}

}  // namespace giga::tool
