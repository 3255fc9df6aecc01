// giga report: the report of a run that has been made, from its folder.
#include "commands.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/job/report.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/signals.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

constexpr const char* kDescription = "Make the report of a run: one HTML file with all of it";

constexpr const char* kExamples = R"(Examples:
  giga report flights-fit --force
      flights-fit/report.html again, as giga fit made it
  giga report draws --title "Flights that are late" --out late.html
      of a folder of giga sample; giga check adds the certificate to it

The page opens from disk in any browser, loads nothing and sends nothing.)";

void run(const Arguments& arguments) {
  const auto folder = arguments.take_word();
  if (!folder) throw UsageError("no input; give the folder of giga fit or giga sample");
  const auto out = arguments.text("out");
  if (out == "-") throw UsageError("--out is -; use /dev/stdout to get the page on stdout");
  ReportJob job{.folder = *folder, .title = arguments.text("title"), .force = arguments.flag("force")};
  job.spelling = [](const std::string& text) { return spelled(text); };
  if (out) job.out = *out;
  const std::filesystem::path written = run_report(job, Threads(0, stop_requested));
  if (!arguments.flag("quiet")) write_stderr("giga: note: written to " + printable_path(written) + "\n");
}

}  // namespace

Verb declare_report(CLI::App& root) {
  Arguments arguments = Arguments::of_verb(root, "report", kDescription, kExamples);
  const std::string output = "Output";
  arguments.add_value("out", "FILE", "Where the page goes (default DIR/report.html)", output);
  arguments.add_value("title", "TEXT", "Heading of the page (default the command and the data)", output);
  arguments.add_flag("force", "Replace FILE if it exists", output);
  arguments.add_flag("quiet", "Say nothing", output);
  return {arguments.app(), [arguments] { run(arguments); }};
}

}  // namespace giga::tool
