// The options of giga fit, and what they ask for: a new run, or one to go on with.
#include "fit/options.hpp"

#include <algorithm>
#include <array>

#include "giga/base/text.hpp"
#include "giga/data/input_files.hpp"
#include "options/coreset.hpp"
#include "options/model.hpp"
#include "options/output.hpp"
#include "options/sampling.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

constexpr CoresetHelp kHelp = {
    .size = R"(Points in the coreset, 1 to 10^9, capped at N. Without it: until
the tolerance is met, at most D(D+3)/2, from 20 to 5000; and where
the certificate fails, more, in at most 4 rounds)",
    .tolerance = R"(Stop where the held-out error leaves the gradient this many posterior
standard deviations off per parameter, 0 to 1 (default 0.05; 0 with
--size))"};

// Options that a resumed run may have beside --resume; the others are those of the run that was stopped.
constexpr std::array kWhenResumed = {"resume", "threads", "memory", "scratch", "json", "quiet"};

// A word of a command line, quoted if a shell would not take it for one.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// "giga fit flights.csv --family bernoulli", without --out and what changes no number.
std::string command_line(const std::filesystem::path& input, const std::vector<Setting>& settings) {
  constexpr std::string_view kLeftOut[] = {"out",      "force",   "json",   "quiet",  "strict", "config",
                                           "no-times", "threads", "resume", "memory", "scratch"};
  std::string line = "giga fit";
  if (!input.empty()) line.append(" ").append(shell_word(input.native()));
  for (const Setting& setting : settings) {
    if (std::ranges::find(kLeftOut, setting.name) != std::end(kLeftOut)) continue;
    line.append(" --").append(setting.name);
    if (!setting.name.starts_with("no-")) line.append(" ").append(shell_word(setting.value));
  }
  return line;
}

void set_output(const Arguments& arguments, FitRequest& request) {
  FitJob& job = request.job;
  job.force = arguments.flag("force");
  job.timings = !arguments.flag("no-times");
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  request.strict = arguments.flag("strict");
  const auto out = arguments.text("out");
  if (out == "-") throw UsageError("--out is -; it is a folder, and --json prints the record on stdout");
  job.out = out ? std::filesystem::path(*out) : std::filesystem::path(input_stem(job.input) + "-fit");
}

void set_fit(const Arguments& arguments, FitOptions& fit) {
  set_projection(arguments, fit.coreset);
  set_construction(arguments, fit.coreset);
  if (fit.coreset.size > 0) fit.max_rounds = 1;
  fit.check_rows = row_count_of(arguments, "check-rows");
}

FitRequest new_request(const Arguments& arguments, const std::string& data) {
  FitRequest request;
  FitJob& job = request.job;
  job.input = data;
  job.read = read_options(arguments);
  job.model = model_options(arguments);
  set_fit(arguments, job.fit);
  ChainOptions chains{.sample = job.fit.sample};
  set_sampling(arguments, chains);
  job.protocol = chains.protocol;
  job.fit.sample = chains.sample;
  job.fit.chains = chains.chains;
  job.settings = arguments.settings();
  std::erase_if(job.settings, [](const Setting& setting) { return setting.name == "resume"; });
  job.command_line = command_line(job.input, job.settings);
  request.resources = resources_of(arguments);
  set_output(arguments, request);
  job.how_to_resume = resume_command(job.out);
  return request;
}

FitRequest resumed_request(Arguments& arguments, const std::filesystem::path& folder) {
  const StoppedFit::Request stored = StoppedFit(folder).request();
  std::vector<Setting> settings = stored.settings;
  std::erase_if(settings, [](const Setting& setting) { return setting.name == "config"; });
  arguments.take(settings, printable_path(folder));
  FitRequest request = new_request(arguments, stored.input);
  request.job.out = folder;
  request.job.how_to_resume = resume_command(folder);
  request.job.opened = stored.absolute_input;
  request.job.resumed = true;
  return request;
}

}  // namespace

std::string resume_command(const std::filesystem::path& folder) {
  return "giga fit --resume " + printable_path(shell_word(folder.native()));
}

void add_fit_options(Arguments& arguments) {
  add_table_options(arguments, "Table");
  add_model_options(arguments, "Model");
  add_projection_options(arguments, "Projection");
  add_construction_options(arguments, kHelp);
  add_sampling_options(arguments, "Sampling", FitOptions{}.sample);
  add_check_rows_option(arguments, "Certificate");
  const std::string run = "Run";
  add_run_options(arguments, run);
  arguments.add_value("resume", "DIR", "Go on with a run that was stopped, from what DIR has of it", run);
  arguments.add_flag("strict", "Exit with code 1 unless the verdict is safe", run);
  add_output_options(arguments, {.out_name = "DIR",
                                 .out = "Folder for coreset.csv, draws_1.csv, ..., posterior.csv, run.json\n"
                                        "and report.html, made if it does not exist (default NAME-fit\n"
                                        "for NAME.csv, query-fit for a query)",
                                 .force = "Replace the files of an earlier run in DIR",
                                 .quiet = "No notes, no progress, no table"});
  arguments.add_flag("no-times",
                     "Leave measured times out of run.json and report.html, so that\n"
                     "the same seed gives the same bytes in every file",
                     "Output");
  add_config_option(arguments);
  arguments.show_first({"response", "features", "missing", "formula", "family", "prior", "size", "seed",
                        "resume", "out", "force", "json"});
}

void check_resumed(const Arguments& arguments, const std::optional<std::string>& data) {
  if (data)
    throw UsageError("--resume takes its input from the folder; leave out '" + printable(*data) + "'");
  for (const Setting& setting : arguments.settings()) {
    if (std::ranges::find(kWhenResumed, setting.name) == kWhenResumed.end())
      throw UsageError("--" + setting.name + " cannot be given with --resume, which goes on as it began");
  }
}

FitRequest fit_request(Arguments& arguments, const std::optional<std::string>& data) {
  if (const auto folder = arguments.text("resume")) return resumed_request(arguments, *folder);
  if (!data && !arguments.given("sql")) throw UsageError("no input; give DATA, --sql QUERY, or --resume DIR");
  return new_request(arguments, data.value_or(""));
}

}  // namespace giga::tool
