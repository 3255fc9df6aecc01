// giga reproduce: the experiments of the paper, with figures and verdicts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "giga/base/machine.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "reproduce/options.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"

namespace giga::tool {
namespace {

using experiments::Finding;
using experiments::RunResult;
using experiments::Section;
using Json = nlohmann::ordered_json;

constexpr const char* kDescription = "Run the experiments of the paper, with figures and verdicts";

constexpr const char* kExamples = R"(Experiments:
  fig1        a Gaussian mean: coresets of one point, 1000 replications
  vectors     a million normal vectors in 50 dimensions
  axis        5000 unit vectors, each along an axis of its own
  regression  logistic and Poisson regression on six datasets: distance from the
              posterior of all rows against coreset size and time
  all         all of them

Examples:
  giga reproduce fig1 --out paper
  giga reproduce all --data datasets --out paper
      everything, at the scale of the paper; a few hours on two cores
  giga reproduce all --data datasets --out paper --resume
      goes on after an interruption; the results are the same
  giga reproduce regression --sampler nuts --trials 1 --out quick
      the synthetic sets, once, by one sampler

DIR/verdicts.md has the claims of the paper and whether they hold; a folder for
each experiment has its raw results, figures (SVG, CSV, an HTML page) and times.)";

constexpr const char* kKept = "stopped; finished trials are kept, --resume goes on";

experiments::Watch watch_with(Progress& progress) {
  experiments::Watch watch;
  watch.stop = [] { return signal_received() != 0; };
  watch.progress = [&progress, begun = false](const experiments::RunProgress& now) mutable {
    const Index total = std::max<Index>(1, std::lround(now.work));
    if (!begun) progress.begin("reproducing", total, "core-seconds");
    begun = true;
    progress.update(std::min(total, static_cast<Index>(std::lround(now.work_done))), 0,
                    fmt::format("{} of {} jobs, {}", now.jobs_done, now.num_jobs, now.job));
  };
  return watch;
}

// The processor as Linux names it; empty where it does not.
std::string processor() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("model name"))
      return printable(line.substr(std::min(line.size(), line.find(':') + 2)));
  }
  return "";
}

std::string record(const ReproduceRequest& request, const RunResult& result, double total_s) {
  Json samplers = Json::array(), sections = Json::array();
  for (const Section& section : result.sections) {
    for (const std::string& sampler : section.report.samplers) samplers.push_back(sampler);
    sections.push_back({{"name", section.name},
                        {"title", section.title},
                        {"verdicts", experiments::findings_json(section.report.findings)},
                        {"timing", experiments::findings_json(section.report.timing)},
                        {"notes", section.report.notes}});
  }
  const Json data = request.settings.data ? Json(printable_path(*request.settings.data)) : Json(nullptr);
  const Json json = {{"version", GIGA_VERSION},
                     {"seed", request.settings.seed},
                     {"trials", request.settings.trials},
                     {"samplers", samplers},
                     {"data", data},
                     {"processor", processor()},
                     {"threads", Threads(request.run.threads).num_threads()},
                     {"experiments", sections},
                     {"jobs_done", result.jobs_done},
                     {"seconds", {{"total", total_s}, {"processor_of_trials", result.processor_s}}},
                     {"peak_bytes", peak_bytes()}};
  return json.dump(2) + "\n";
}

std::string summary(const RunResult& result) {
  std::string text;
  for (const Section& section : result.sections) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", section.title);
    for (const auto* some : {&section.report.findings, &section.report.timing}) {
      for (const Finding& each : *some)
        text += fmt::format("  {:<14} {} [{}]\n{:17}{}\n", each.holds ? "holds" : "does not hold", each.claim,
                            each.source, "", each.ours);
    }
  }
  return text;
}

void run(Arguments arguments) {
  const auto word = arguments.take_word();
  arguments.read_config();
  const ReproduceRequest request = reproduce_request(arguments, word);
  set_stop_message(kKept);
  const Stopwatch total;
  RunResult result;
  try {
    Progress progress(request.quiet);
    result = experiments::reproduce(request.kinds, request.settings, request.run, watch_with(progress));
  } catch (const experiments::Interrupted&) {
    throw Stopped();
  }
  const std::string made = record(request, result, total.seconds());
  experiments::write_whole(request.run.out / "run.json", made);
  const Notes note(request.quiet);
  for (const Section& section : result.sections)
    for (const std::string& text : section.report.notes) note(text);
  if (request.json) {
    write_stdout(made);
  } else if (!request.quiet) {
    write_stdout(summary(result));
    note(fmt::format("{}: figures and verdicts, in {:.0f} s", printable_path(request.run.out),
                     total.seconds()));
  }
}

}  // namespace

Verb declare_reproduce(CLI::App& root) {
  return declare_verb(root, "reproduce", kDescription, kExamples, add_reproduce_options, run);
}

}  // namespace giga::tool
