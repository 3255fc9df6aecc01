// giga fit: the whole job, from a table to a report.
#include <algorithm>
#include <array>
#include <exception>

#include "commands.hpp"
#include "fit_run.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/data/mapped_file.hpp"
#include "run_folder.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription =
    "The whole job: a coreset, draws of its posterior, a certificate, a report";

constexpr const char* kExamples = R"(Examples:
  giga fit flights.csv --family bernoulli
      coreset, draws and report in flights-fit; DATA is .csv, .tsv or .txt
      (or with .gz), .npy, .npz (X and y), .svm or .libsvm; - is CSV on stdin
  giga fit trips.npz --family poisson --link softplus --size 100 --out trips
      with 100 points, whatever the certificate says of them
  giga fit --resume trips
      goes on with a run that was stopped, to the same result
  giga fit flights.csv --family bernoulli --strict --quiet && use-the-draws
      exit code 1 unless the result is certified

Standardises the features, finds the posterior mode, builds a coreset, draws
from its posterior by NUTS, and checks the draws against every row. Without
--size the coreset has as many points as that takes. DIR has:
  report.html   all of it, for people; open it in a browser
  coreset.csv   the rows and their weights, with all their columns
  draws_1.csv   a chain each, as CmdStan writes them; weights.csv corrects
                them to the posterior of all rows
  posterior.csv means, sds and quantiles of every coefficient, corrected so
  summary.csv   the same of the draws as they are, with R-hat
  run.json      the record: options, errors, certificate, times)";

// Options that a resumed run may have beside --resume; the others are those of the run that was stopped.
constexpr std::array kWhenResumed = {"resume", "threads", "json", "quiet"};

// To be copied into a shell.
std::string resume_command(const std::filesystem::path& folder) {
  return "giga fit --resume " + printable_path(shell_word(folder.native()));
}

struct Job {
  FitRequest request;
  std::filesystem::path input;  ///< as it can be opened from here
  bool resumed = false;
};

void check_resumed(const Arguments& arguments, const std::optional<std::string>& data) {
  if (data)
    throw UsageError("--resume takes its input from the folder; leave '" + printable(*data) + "' away");
  for (const Setting& setting : arguments.settings()) {
    if (std::ranges::find(kWhenResumed, setting.name) == kWhenResumed.end())
      throw UsageError("--" + setting.name + " cannot be given with --resume, which goes on as it began");
  }
}

Job resumed_job(Arguments& arguments, const std::filesystem::path& folder) {
  const PartialRun::Request stored = PartialRun(folder).request();
  std::vector<Setting> settings = stored.settings;
  std::erase_if(settings, [](const Setting& setting) { return setting.name == "config"; });
  arguments.take(settings, printable_path(folder));
  Job job{fit_request(arguments, stored.input), stored.absolute_input, true};
  std::erase_if(job.request.settings, [](const Setting& setting) { return setting.name == "resume"; });
  job.request.out = folder;
  return job;
}

Job new_job(const Arguments& arguments, const std::optional<std::string>& data) {
  Job job{fit_request(arguments, data), {}, false};
  job.input = job.request.build.input;
  const std::filesystem::path& out = job.request.out;
  if (!job.request.force && PartialRun(out).exists())
    throw CannotCreate(printable_path(out) + ": has a run that was stopped; go on with " +
                       resume_command(out) + ", or use --force to start anew");
  check_run_folder(out, job.request.force, kCoresetFiles);
  if (job.input != "-")
    (void)MappedFile::open(job.input);  // what is not there is said before a folder is made
  return job;
}

void tell(const FitRequest& request, const FitFiles& fit) {
  if (request.json) {
    write_stdout(fit.record);
  } else if (!request.quiet) {
    write_stdout(fit.summary);
  }
  if (request.strict && !fit.safe) throw NotSafe{};
}

// Runs that can go on are kept when they are stopped, and when something other than the data makes them fail
// after something has been done.
void fit_and_keep(Job& job, const Notes& note) {
  PartialRun partial(job.request.out);
  if (!job.resumed)
    partial.begin(
        {job.request.build.input.native(), std::filesystem::absolute(job.input), job.request.settings});
  const std::string command = resume_command(job.request.out);
  set_stop_message("stopped; go on with: " + command);
  try {
    const FitFiles fit = run_fit(job.request, job.input, &partial, note);
    write_run_folder(job.request.out, true, fit.files);
    partial.remove();
    tell(job.request, fit);
  } catch (const Stopped&) {
    throw;
  } catch (const NotSafe&) {
    throw;
  } catch (const DataError&) {
    if (!job.resumed) partial.remove();
    throw;
  } catch (const std::exception&) {
    if (partial.has_state() || (job.resumed && partial.exists())) {
      note("what was done is kept; go on with: " + command);
    } else {
      partial.remove();
    }
    throw;
  }
}

// A run that giga fit has finished is in the folder.
bool is_complete(const std::filesystem::path& folder) {
  std::error_code ignored;
  return !PartialRun(folder).exists() && std::filesystem::exists(folder / kRecordFile, ignored) &&
         std::filesystem::exists(folder / kCoresetFiles.front(), ignored);
}

void run(Arguments arguments) {
  const auto data = arguments.take_word();
  arguments.read_config();
  const auto resume = arguments.text("resume");
  if (resume) check_resumed(arguments, data);
  if (resume && is_complete(*resume)) {
    PartialRun(*resume).remove();  // it may have been killed while it tidied up
    write_stderr("giga: note: the run in " + printable_path(*resume) + " is complete\n");
    return;
  }
  Job job = resume ? resumed_job(arguments, *resume) : new_job(arguments, data);
  const Notes note(job.request.quiet);
  if (job.input == "-") {
    const FitFiles fit = run_fit(job.request, job.input, nullptr, note);
    write_run_folder(job.request.out, true, fit.files);
    tell(job.request, fit);
    return;
  }
  fit_and_keep(job, note);
}

}  // namespace

Verb declare_fit(CLI::App& root) {
  Arguments arguments = Arguments::of_verb(root, "fit", kDescription, kExamples);
  add_fit_options(arguments);
  return {arguments.app(), [arguments] { run(arguments); }};
}

}  // namespace giga::tool
