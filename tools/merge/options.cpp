// The options of giga merge, and what they ask for.
#include "merge/options.hpp"

#include <fmt/format.h>

#include <limits>

#include "options/coreset.hpp"
#include "options/output.hpp"
#include "options/resources.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

constexpr Index kLargest = 1'000'000'000;

void set_reduction(const Arguments& arguments, MergeOptions& merge) {
  merge.reduce = !arguments.flag("union");
  for (const char* option : {"size", "tolerance", "seed"}) {
    if (!merge.reduce && arguments.given(option))
      throw UsageError(
          fmt::format("--{} has no effect with --union, which keeps all points; leave it out", option));
  }
  CoresetOptions& coreset = merge.coreset;
  coreset.size = arguments.given("size") ? arguments.count("size", 1, 1, kLargest) : 0;
  coreset.tolerance = arguments.number("tolerance", coreset.size == 0 ? coreset.tolerance : 0, 0, 1);
  coreset.seed = arguments.whole("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
}

void set_output(const Arguments& arguments, MergeRequest& request) {
  request.job.force = arguments.flag("force");
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  request.job.out = coreset_output(arguments);
}

}  // namespace

void add_merge_options(Arguments& arguments) {
  const std::string how = "Reduction";
  arguments.add_value("size", "M",
                      "Most points of the result, 1 to 10^9. Without it: until the\n"
                      "tolerance is met, at most D(D+3)/2, from 20 to 5000",
                      how);
  arguments.add_value("tolerance", "E",
                      "Stop where the reduction leaves the gradient this many posterior\n"
                      "standard deviations off per parameter, 0 to 1 (default 0.05; 0\n"
                      "with --size); the errors of the shards are not part of it",
                      how);
  arguments.add_flag("union", "Keep all points with their weights; nothing is reduced", how);
  add_run_options(arguments, how);
  add_output_options(arguments, {.out_name = "FILE",
                                 .out = "Where the coreset goes (default stdout); what the others need\n"
                                        "goes beside it, in FILE with the extension .json",
                                 .force = "Replace FILE if it exists",
                                 .quiet = "No notes, no progress, no summary"});
  add_config_option(arguments);
}

MergeRequest merge_request(const Arguments& arguments, const std::vector<std::string>& inputs) {
  MergeRequest request;
  if (inputs.size() < 2)
    throw UsageError("give at least 2 coresets: files of giga build, or folders of giga fit");
  request.job.inputs.assign(inputs.begin(), inputs.end());
  set_reduction(arguments, request.job.merge);
  request.threads = threads_of(arguments);
  set_output(arguments, request);
  return request;
}

}  // namespace giga::tool
