// giga build: from a matrix of vectors to a coreset.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "build_report.hpp"
#include "commands.hpp"
#include "giga/base/text.hpp"
#include "giga/construct/npy_rows.hpp"
#include "giga/data/output_file.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

constexpr Index kDefaultSize = 100;
constexpr Index kToleranceSize = 1000;  // the limit when only --tolerance is given
constexpr Index kLargest = 1'000'000'000;
constexpr Index kMostThreads = 1024;

constexpr const char* kDescription = "Build a coreset: a few weighted rows that stand for all of them";

constexpr const char* kExamples = R"(Examples:
  giga build --vectors V.npy --size 100 --out coreset.csv
      100 rows of V and their weights, as `row,weight`; rows count from 0
  giga build --loglik LL.npy --tolerance 0.01 --out coreset.csv
      points until the relative error is 0.01, from pointwise log-likelihoods
      as R's loo has them: S draws x N observations
  giga build --vectors V.npy --method giga --size 500 --json > run.json
      the published algorithm, with a record of every step
  giga build --vectors V.npy --config build.toml
      options from a file of lines such as `size = 200`; the command line wins

The relative error is |L(w) - L| / |L|: L the sum of all vectors, L(w) the
weighted sum of the chosen ones.)";

constexpr const char* kMethodHelp = R"(corrective   rows as giga, weights re-solved each step (default)
giga         the published greedy geodesic ascent
frank_wolfe  the older greedy method, on a simplex
pursuit      rows by matching pursuit, weights re-solved
importance   rows drawn by the length of their vectors
uniform      rows drawn alike)";

constexpr const char* kSelectorHelp = R"(How the best row is found: auto, scan, quantised, cap_tree
(default auto); the coreset is the same, the speed is not)";

constexpr const char* kSizeHelp = R"(Most points in the coreset, 1 to 10^9, capped at N
(default 100; 1000 if only --tolerance is given))";

constexpr const char* kStepsHelp = R"(Most steps, 1 to 10^9
(default M; 4 M for corrective and pursuit))";

void add_options(Arguments& arguments) {
  const std::string input = "Input (exactly one)";
  arguments.add_value("vectors", "V.npy", "N x J matrix; a row is the vector of an observation", input);
  arguments.add_value("loglik", "LL.npy", "S x N log-likelihoods; a column, centred, is the vector", input);
  const std::string how = "Construction";
  arguments.add_value("method", "NAME", kMethodHelp, how);
  arguments.add_value("selector", "NAME", kSelectorHelp, how);
  arguments.add_value("size", "M", kSizeHelp, how);
  arguments.add_value("max-steps", "T", kStepsHelp, how);
  arguments.add_value("tolerance", "E", "Stop at this relative error, 0 to 1 (default 0)", how);
  arguments.add_value("seed", "S", "For importance and uniform, 0 to 2^64-1 (default 1)", how);
  arguments.add_value("threads", "T", "0 to 1024, 0 for all cores (default 0); same result", how);
  const std::string output = "Output";
  arguments.add_value("out", "FILE", "Where the coreset goes (default stdout)", output);
  arguments.add_flag("force", "Replace FILE if it exists", output);
  arguments.add_flag("json", "Print the record of the run on stdout", output);
  arguments.add_flag("quiet", "No notes, no progress, no summary", output);
  arguments.add_value("config", "FILE", "Read options from an INI or TOML file", output);
}

void set_input(const Arguments& arguments, BuildRequest& request) {
  const auto vectors = arguments.text("vectors");
  const auto loglik = arguments.text("loglik");
  if (!vectors && !loglik) throw UsageError("no input; give --vectors V.npy or --loglik LL.npy");
  if (vectors && loglik) throw UsageError("--vectors and --loglik are both given; give one of them");
  request.kind = vectors ? InputKind::Vectors : InputKind::Loglik;
  request.input = vectors ? *vectors : *loglik;
}

void set_output(const Arguments& arguments, BuildRequest& request) {
  request.force = arguments.flag("force");
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  const auto out = arguments.text("out");
  if (!out) return;
  if (*out == "-") throw UsageError("--out is -; leave --out away to get the coreset on stdout");
  request.out = *out;
  std::error_code ignored;
  if (std::filesystem::equivalent(*request.out, request.input, ignored))
    throw UsageError("--out is the input file; give another name");
}

BuildRequest request_of(const Arguments& arguments) {
  BuildRequest request;
  set_input(arguments, request);
  request.method = arguments.choice("method", Method::Corrective);
  request.selector = arguments.choice("selector", SelectorKind::Auto);
  if (arguments.given("size")) request.asked_size = arguments.count("size", kDefaultSize, 1, kLargest);
  request.max_steps = arguments.count("max-steps", 0, 1, kLargest);
  request.tolerance = arguments.number("tolerance", 0, 0, 1);
  request.size = request.asked_size.value_or(arguments.given("tolerance") ? kToleranceSize : kDefaultSize);
  request.seed = arguments.whole("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
  request.threads = static_cast<int>(arguments.count("threads", 0, 0, kMostThreads));
  for (const char* option : {"max-steps", "tolerance"}) {
    if (arguments.given(option) && !is_greedy(request.method)) {
      throw UsageError(fmt::format("--{} means nothing to {}, which makes --size draws; leave it away",
                                   option, name(request.method)));
    }
  }
  set_output(arguments, request);
  return request;
}

// Made and destroyed before the work, so that nobody waits an hour to hear that a folder is missing. Opening
// a pipe twice would show its reader an end that is none.
void check_creatable(const BuildRequest& request) {
  if (!request.out) return;
  std::error_code ignored;
  const auto type = std::filesystem::status(*request.out, ignored).type();
  using std::filesystem::file_type;
  if (type == file_type::fifo || type == file_type::character || type == file_type::socket) return;
  const OutputFile probe(*request.out, request.force);
}

std::unique_ptr<RowSource> rows_of(const NpyMatrix& matrix, InputKind kind) {
  if (kind == InputKind::Vectors) return std::make_unique<NpyRows>(matrix);
  return std::make_unique<NpyLoglikRows>(matrix);
}

void cap_size(BuildRequest& request, Index num_rows, const Notes& note) {
  if (request.size <= num_rows) return;
  if (request.asked_size) {
    note(fmt::format("--size {} is more than the {} row{}; using {}", request.size, num_rows,
                     num_rows == 1 ? "" : "s", num_rows));
  }
  request.size = num_rows;
}

void note_oddities(const BuildRequest& request, const BuildOutcome& outcome, const Notes& note) {
  const char* rows = request.kind == InputKind::Vectors ? "rows" : "observations";
  if (request.kind == InputKind::Loglik && outcome.dim == 1) {
    note("one draw only: every centred column is zero; give the log-likelihoods of many draws");
  } else if (outcome.zero_rows > 0) {
    note(fmt::format("{} of {} {} are zero vectors; they are never chosen", outcome.zero_rows,
                     outcome.num_rows, rows));
  }
  if (outcome.zero_target) {
    note("the vectors sum to zero but for rounding: there is nothing to approximate, the coreset is empty");
  }
}

void note_bad_draws(const BuildResult& result, const Notes& note) {
  if (result.relative_error > 1 && result.coreset.size() > 0)
    note("a relative error above 1 is worse than no rows at all; draw more or use --method corrective");
}

BuildResult construct(const VectorTable& table, const BuildRequest& request, const Observer& observer) {
  const GreedyOptions greedy{request.size, request.max_steps, request.tolerance};
  const SamplingOptions sampling{request.size, request.seed};
  switch (request.method) {
    case Method::Giga: return giga(table, greedy, observer);
    case Method::Corrective: return corrective(table, greedy, observer);
    case Method::FrankWolfe: return frank_wolfe(table, greedy, observer);
    case Method::Pursuit: return pursuit(table, greedy, observer);
    case Method::Importance: return importance(table, sampling, observer);
    case Method::Uniform: return uniform(table, sampling, observer);
  }
  throw std::logic_error("a method without a function");
}

void set_table_facts(const VectorTable& table, bool searches, BuildOutcome& outcome) {
  outcome.num_rows = table.num_rows();
  outcome.dim = table.dim();
  outcome.zero_rows = table.num_zero_rows();
  outcome.zero_target = table.zero_target();
  outcome.target_norm = static_cast<double>(table.target_norm());
  outcome.norm_sum = table.norm_sum();
  outcome.tau = static_cast<double>(table.target_norm() / static_cast<Extended>(table.norm_sum()));
  if (searches) outcome.selector = table.selector_kind();
}

// From the file to the coreset. `request.size` is resolved on the way.
BuildOutcome build(BuildRequest& request, const Notes& note) {
  BuildOutcome outcome;
  const Stopwatch total;
  Stopwatch stage;
  Progress progress(request.quiet);
  const NpyMatrix matrix = NpyMatrix::open(request.input);
  const auto rows = rows_of(matrix, request.kind);
  outcome.load_s = stage.restart();

  cap_size(request, rows->num_rows(), note);
  progress.begin(fmt::format("preparing {} x {} vectors", rows->num_rows(), rows->dim()));
  // Draws need no search, so nothing is prepared for one.
  const bool greedy = is_greedy(request.method);
  const VectorTable table(*rows, {greedy ? request.selector : SelectorKind::Scan, request.threads});
  stop_if_signalled();
  const bool searches = greedy && !table.zero_target();
  if (searches) (void)table.selector();
  outcome.prepare_s = stage.restart();
  progress.end();
  set_table_facts(table, searches, outcome);
  note_oddities(request, outcome, note);

  progress.begin("building", request.size, greedy ? "points" : "draws");
  outcome.result = construct(table, request, [&](const StepRecord& record) {
    progress.update(greedy ? record.size : record.step, record.step,
                    fmt::format("relative error {:.2e}", record.relative_error));
    return signal_received() != 0 ? Verdict::Stop : Verdict::Continue;
  });
  outcome.construct_s = stage.restart();
  outcome.selector_bytes = table.selector_bytes();
  outcome.prepare_bytes_read = table.prepare_bytes_read();
  outcome.total_s = total.seconds();
  return outcome;
}

void deliver(const BuildRequest& request, const BuildOutcome& outcome) {
  if (request.out) {
    OutputFile file(*request.out, request.force);
    file.write(coreset_csv(outcome.result.coreset));
    file.commit();
  }
  if (request.json) {
    write_stdout(run_record(request, outcome));
  } else if (!request.out) {
    write_stdout(coreset_csv(outcome.result.coreset));
    if (!request.quiet) write_stderr(summary(request, outcome));
  } else if (!request.quiet) {
    write_stdout(summary(request, outcome));
  }
}

void run(Arguments arguments) {
  arguments.refuse_leftovers("; give the input with --vectors or --loglik");
  arguments.read_config();
  BuildRequest request = request_of(arguments);
  check_creatable(request);
  const Notes note(request.quiet);
  const BuildOutcome outcome = build(request, note);
  stop_if_signalled();
  note_bad_draws(outcome.result, note);
  deliver(request, outcome);
}

}  // namespace

Verb declare_build(CLI::App& root) {
  CLI::App* app = root.add_subcommand("build", kDescription);
  app->allow_extras();
  app->footer(kExamples);
  Arguments arguments(*app);
  add_options(arguments);
  return {app, [arguments] { run(arguments); }};
}

}  // namespace giga::tool
