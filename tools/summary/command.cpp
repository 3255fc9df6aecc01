// giga summary: what draws say, and what is wrong with them.
#include "commands.hpp"
#include "giga/job/summary.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/session.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Summarise draws: a table with R-hat, ESS and MCSE, and warnings";

constexpr const char* kExamples = R"(Examples:
  giga summary draws
      all draws_*.csv in the folder, which giga sample wrote
  giga summary output_1.csv output_2.csv output_3.csv output_4.csv
      chains that CmdStan or rstan wrote; warm-up draws are left out
  giga summary draws --csv > summary.csv
      all digits, under the names of R's posterior::summarise_draws

Files:
  DIR/draws_1.csv  and so on, a chain each
  DIR/run.json     the names of the parameters, if it is there

R-hat, effective sizes and standard errors are those of Vehtari et al. (2021).)";

void run(const Arguments& arguments) {
  const bool json = arguments.flag("json"), csv = arguments.flag("csv"), quiet = arguments.flag("quiet");
  if (json && csv) throw UsageError("--json and --csv are both given; give one of them");
  const std::vector<std::string> words = arguments.take_words();
  if (words.empty()) throw UsageError("no input; give a folder of giga sample, or files of draws");
  Session session({.quiet = quiet});
  const SummaryRun made = session.run([&](const JobObserver& observer) {
    return run_summary({words.begin(), words.end()}, session.executor(), observer);
  });
  write_stdout(json ? summary_json(made)
               : csv
                   ? summary_csv(made.quantities, made.ratios)
                   : summary_text(made.quantities) + after_blank(ratios_text(made.quantities, made.ratios)));
}

}  // namespace

Verb declare_summary(CLI::App& root) {
  Arguments arguments = Arguments::of_verb(root, "summary", kDescription, kExamples);
  const std::string output = "Output";
  arguments.add_flag("json", "Print a record with the table and the warnings", output);
  arguments.add_flag("csv", "Print the table as CSV, with all digits", output);
  arguments.add_flag("quiet", "No warnings on stderr", output);
  return {arguments.app(), [arguments] { run(arguments); }};
}

}  // namespace giga::tool
