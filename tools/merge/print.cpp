// The facts of a merge, one line each.
#include "merge/print.hpp"

#include <fmt/format.h>

#include <cmath>

#include "giga/base/text.hpp"

namespace giga::tool {
namespace {

std::string ended(const MergeRun& run) {
  const CoresetOptions& options = run.coreset.options;
  switch (run.file.termination) {
    case Termination::SizeReached:
      if (run.file.coreset.size() >= options.size) return "the coreset has the size asked for";
      return fmt::format("{} steps are spent", run.coreset.build.trace.size());
    case Termination::ToleranceMet:
      if (options.tolerance == 0) return "the reduction is exact: more points cannot lower its error";
      return fmt::format("the reduction is off by at most {} posterior standard deviations per parameter",
                         shortest(options.tolerance));
    case Termination::Plateau: return "the held-out error no longer follows the relative error";
    case Termination::NumericLimit: return "the error is down to rounding; more points cannot lower it";
    case Termination::NoProgress: return "no point lowers the error any further";
    case Termination::ZeroTarget: return "the vectors sum to zero, so the empty coreset is exact";
    case Termination::Stopped: break;
  }
  return "stopped before the end";
}

}  // namespace

std::string merged_error_text(const MergedError& error) {
  if (!std::isfinite(error.bound))
    return "not known: a shard was built in a norm that does not tell it in posterior units";
  return fmt::format("at most {:.2g}, usually {:.2g} posterior standard deviations per parameter",
                     error.bound, error.usual);
}

std::string merge_text(const MergeRun& run) {
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<16} {}\n", label, value);
  };
  line("input",
       fmt::format("{} of {}: N = {}, D = {}, {}", plural(std::ssize(run.inputs), "coreset"),
                   plural(std::ssize(run.file.sums->shards), "shard"), plural(run.file.num_rows, "row"),
                   plural(run.file.num_parameters, "parameter"), plural(run.union_size, "point")));
  line("model", description(run.file.model));
  if (run.reduced) {
    line("coreset", plural(run.file.coreset.size(), "point") + " in " +
                        plural(std::ssize(run.coreset.build.trace), "step"));
    line("relative error", fmt::format("{:.3g}", run.file.relative_error));
    line("held-out error", fmt::format("{:.3g}, of the reduction", run.file.heldout_error));
  } else {
    line("coreset", plural(run.file.coreset.size(), "point") + ", all of them");
  }
  line("error", merged_error_text(run.error));
  if (run.reduced) line("ended", fmt::format("{}: {}", name(run.file.termination), ended(run)));
  line("seconds", fmt::format("{:.3f} load, {:.3f} project, {:.3f} prepare, {:.3f} construct, {:.3f} in all",
                              run.seconds.load, run.seconds.project, run.seconds.prepare,
                              run.seconds.construct, run.total_s));
  if (run.out) line("written", printable_path(*run.out));
  return text;
}

}  // namespace giga::tool
