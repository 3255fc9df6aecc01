// giga simulate vectors: simulated vectors, the same for a seed on every machine and any number of threads.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "commands.hpp"
#include "giga/base/error.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/construct/simulate.hpp"
#include "giga/data/npy.hpp"
#include "simulate/output.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

constexpr Index kLargest = 1'000'000'000;

constexpr const char* kExamples = R"(Examples:
  giga simulate vectors --out V.npy
      10000 x 50 independent standard normal numbers
  giga simulate vectors --rows 1000000 --dim 500 --kind lowrank --out V.npy
      a million rows of rank 3; 4 GB, written as they are made
  giga simulate vectors --rows 5000 --dim 5000 --kind axis --out axis.npy
      row n is the unit vector of axis n)";

struct Request {
  SimulateOptions options;
  SimulateOutput output;
};

bool has_rank(VectorKind kind) {
  return kind == VectorKind::LowRank || kind == VectorKind::Likelihood;
}

void add_options(Arguments& arguments) {
  const std::string what = "Vectors";
  arguments.add_value("rows", "N", "Number of rows, 1 to 10^9 (default 10000)", what);
  arguments.add_value("dim", "J", "Numbers a row, 1 to 10^9 (default 50)", what);
  arguments.add_choice<VectorKind>(
      "kind", "NAME", choices_help(VectorKind::Gaussian, {{VectorKind::Gaussian, " (default)"}}), what);
  arguments.add_value("rank", "R", "For lowrank and likelihood, 1 to J (default 3)", what);
  arguments.add_value("seed", "S", "0 to 2^64-1 (default 1)", what);
  arguments.add_value("threads", "T", "0 to 1024, 0 for all cores (default 0); same numbers", what);
  const std::string output = "Output";
  arguments.add_value("out", "FILE.npy", "Where the matrix goes, as float64 in C order (required)", output);
  arguments.add_flag("force", "Replace FILE.npy if it exists", output);
  arguments.add_flag("quiet", "No progress, no summary", output);
}

Request request_of(const Arguments& arguments) {
  Request request;
  SimulateOptions& options = request.options;
  options.rows = arguments.count("rows", options.rows, 1, kLargest);
  options.dim = arguments.count("dim", options.dim, 1, kLargest);
  options.kind = arguments.choice("kind", options.kind);
  options.rank = arguments.count("rank", std::min(options.rank, options.dim), 1, options.dim);
  options.seed = arguments.whole("seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  if (arguments.given("rank") && !has_rank(options.kind))
    throw UsageError(fmt::format("--rank has no effect with --kind {}; leave it out", name(options.kind)));
  request.output = simulate_output(arguments, "FILE.npy");
  return request;
}

void run(const Arguments& arguments) {
  arguments.refuse_leftovers("; give the output with --out");
  const Request request = request_of(arguments);
  const SimulateOptions& options = request.options;
  const SimulateOutput& output = request.output;
  NpyWriter writer(output.out, options.rows, options.dim, output.force);
  check_disk(output.out, static_cast<std::uint64_t>(options.rows) * static_cast<std::uint64_t>(options.dim) *
                             sizeof(double));
  if (has_rank(options.kind)) {
    check_memory(static_cast<std::uint64_t>(options.rank) * static_cast<std::uint64_t>(options.dim) *
                 sizeof(double));
  }
  const Stopwatch total;
  {
    const Threads executor(output.threads, stop_requested);
    Progress progress(output.quiet);
    progress.begin("simulating", options.rows, "rows");
    const SimulatedRows rows(options);
    write_matrix(
        writer, output.out, options.rows, options.dim, executor,
        [&](Index first, Index count, double* out) { rows.read(first, count, out); }, progress);
  }
  if (output.quiet) return;
  write_stdout(fmt::format("{}: {} x {} {} vectors, seed {}, in {:.1f} s\n", printable_path(output.out),
                           options.rows, options.dim, name(options.kind), options.seed, total.seconds()));
}

}  // namespace

Verb declare_simulate_vectors(CLI::App& simulate) {
  return declare_verb(simulate, "vectors", "Write a matrix of random vectors, one a row", kExamples,
                      add_options, run);
}

}  // namespace giga::tool
