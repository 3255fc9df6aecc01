#include "fit_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "giga/base/text.hpp"
#include "model_request.hpp"
#include "run_folder.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

constexpr BuildHelp kHelp = {
    .projection = ProjectionKind::Auto,
    .norm = Norm::Whitened,
    .projection_dim = R"(Random features, 2 to 10^6, or auto: doubled from 500 until
the held-out error is within 1.5 of the relative (default auto))",
    .size = R"(Points in the coreset, 1 to 10^9, capped at N. Without it: until
the tolerance is met, at most D(D+3)/2, from 20 to 1000; and where
the certificate fails, more, in at most 4 rounds)",
    .tolerance = R"(Stop at this held-out error, 0 to 1 (default 0.05; 0 with --size))"};

// "flights" of "data/flights.csv.gz".
std::string stem_of(const std::filesystem::path& input) {
  std::string name = input == "-" ? "stdin" : input.filename().string();
  const std::size_t dot = name.find('.', 1);
  return dot == std::string::npos ? name : name.substr(0, dot);
}

void set_output(const Arguments& arguments, FitRequest& request) {
  request.force = arguments.flag("force");
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  request.strict = arguments.flag("strict");
  request.times = !arguments.flag("no-times");
  const auto out = arguments.text("out");
  if (out == "-") throw UsageError("--out is -; it is a folder, and --json prints the record on stdout");
  request.out =
      out ? std::filesystem::path(*out) : std::filesystem::path(stem_of(request.build.input) + "-fit");
  refuse_input_in_folder(request.out, request.build.input, kCoresetFiles);
}

}  // namespace

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

FitOptions FitRequest::options() const {
  FitOptions options;
  options.coreset = build.coreset;
  if (build.asked_size) options.max_rounds = 1;
  options.sample = sample.sample;
  options.chains = sample.chains;
  return options;
}

std::string FitRequest::command_line() const {
  constexpr std::string_view kLeftOut[] = {"out",    "force",    "json",    "quiet", "strict",
                                           "config", "no-times", "threads", "resume"};
  std::string line = "giga fit " + shell_word(build.input.native());
  for (const Setting& setting : settings) {
    if (std::ranges::find(kLeftOut, setting.name) != std::end(kLeftOut)) continue;
    line.append(" --").append(setting.name);
    if (!setting.name.starts_with("no-")) line.append(" ").append(shell_word(setting.value));
  }
  return line;
}

void add_fit_options(Arguments& arguments) {
  add_table_options(arguments, "Table");
  add_model_options(arguments, "Model");
  add_projection_options(arguments, "Projection", kHelp);
  add_construction_options(arguments, kHelp);
  add_sampling_options(arguments, "Sampling", FitOptions{}.sample);
  const std::string run = "Run";
  add_run_options(arguments, run);
  arguments.add_value("resume", "DIR", "Go on with a run that was stopped, from what DIR has of it", run);
  arguments.add_flag("strict", "Exit with code 1 unless the verdict is safe", run);
  const std::string output = "Output";
  arguments.add_value("out", "DIR",
                      "Folder for coreset.csv, draws_1.csv, ..., posterior.csv, run.json\n"
                      "and report.html, made if it does not exist (default NAME-fit\n"
                      "for NAME.csv)",
                      output);
  arguments.add_flag("force", "Replace the files of an earlier run in DIR", output);
  arguments.add_flag("json", "Print the record of the run on stdout", output);
  arguments.add_flag("quiet", "No notes, no progress, no table", output);
  arguments.add_flag("no-times",
                     "Leave measured times out of run.json and report.html, so that\n"
                     "the same seed gives the same bytes in every file",
                     output);
  arguments.add_value("config", "FILE", "Read options from an INI or TOML file", output);
}

FitRequest fit_request(const Arguments& arguments, const std::optional<std::string>& data) {
  if (!data) throw UsageError("no input; give DATA, or --resume DIR");
  FitRequest request;
  BuildRequest& build = request.build;
  build.kind = InputKind::Data;
  build.input = *data;
  build.read = read_options(arguments);
  build.model = model_options(arguments);
  build.coreset = fit_coreset_options();
  const double tolerance = build.coreset.tolerance;
  set_projection(arguments, build.coreset);
  set_construction(arguments, build);
  if (!arguments.given("tolerance"))
    build.coreset.tolerance = build.asked_size || !is_greedy(build.coreset.method) ? 0 : tolerance;
  build.coreset.size = build.asked_size.value_or(0);
  request.sample.sample = FitOptions{}.sample;
  set_sampling(arguments, request.sample);
  request.sample.input = build.input;
  request.sample.read = build.read;
  request.sample.model = build.model;
  request.settings = arguments.settings();
  set_output(arguments, request);
  build.out = request.out / "coreset.csv";
  build.quiet = request.sample.quiet = request.quiet;
  request.sample.out = request.out;
  return request;
}

}  // namespace giga::tool
