// The order of a run: every check that could refuse it, then folders and stores, then all jobs side by side,
// then reports. Nothing is made or removed before the checks have passed.
#include "experiments/reproduce.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "experiments/jobs.hpp"
#include "giga/base/error.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/folders.hpp"
#include "giga/record/run_lock.hpp"
#include "giga/report/chart_page.hpp"

namespace giga::experiments {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Experiment> make(Kind kind, const Settings& settings) {
  switch (kind) {
    case Kind::Fig1: return make_fig1(settings);
    case Kind::Vectors: return make_vectors(settings);
    case Kind::Axis: return make_axis(settings);
    case Kind::Regression: return make_regression(settings);
  }
  throw std::invalid_argument("no such experiment");
}

const char* word(bool holds) {
  return holds ? "holds" : "does not hold";
}

std::string row_markdown(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) {
    out += ' ';
    for (const char c : cell) {
      if (c == '|') out += '\\';
      out += c;
    }
    out += " |";
  }
  out += '\n';
  return out;
}

std::string table_markdown(const std::vector<std::string>& headings,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string out = row_markdown(headings);
  out += row_markdown(std::vector<std::string>(headings.size(), "---"));
  for (const auto& row : rows) out += row_markdown(row);
  return out;
}

std::string verdicts_markdown(const Section& section) {
  std::string out = fmt::format("## {}\n\n{}", section.title, findings_markdown(section.report.findings));
  for (const std::string& note : section.report.notes) out += fmt::format("\n{}.\n", note);
  return out;
}

std::string timing_markdown(const Section& section) {
  std::string out = fmt::format("## {}, times\n", section.title);
  if (!section.report.timing.empty()) out.append("\n").append(findings_markdown(section.report.timing));
  if (!section.report.timing_rows.empty())
    out.append("\nMedians over trials, processor time of one thread.\n\n")
        .append(table_markdown(section.report.timing_headings, section.report.timing_rows));
  return out;
}

PageTable numbers(const Panel& panel) {
  PageTable table{panel.title, {"curve", panel.x.label, "lower quartile", "median", "upper quartile"}, {}};
  const auto text = [](double value) { return fmt::format("{:.4g}", value); };
  for (const Curve& curve : panel.curves) {
    for (const CurvePoint& point : curve.points)
      table.rows.push_back({curve.name, text(point.x), text(point.low), text(point.mid), text(point.high)});
  }
  return table;
}

std::string page_html(const Section& section, const std::string& version) {
  ChartPage page{.title = section.title,
                 .lead =
                     "An experiment of Campbell and Broderick, Bayesian Coreset Construction via Greedy "
                     "Iterative Geodesic Ascent (2018), run anew.",
                 .version = version};
  PageTable verdicts{"Claims and what was found", {"claim", "of", "ours", "verdict"}, {}};
  for (const auto* some : {&section.report.findings, &section.report.timing}) {
    for (const Finding& each : *some)
      verdicts.rows.push_back({each.claim, each.source, each.ours, word(each.holds)});
  }
  page.sections.push_back({.heading = "Verdicts", .tables = {verdicts}});
  for (const Figure& figure : section.report.figures) {
    PageSection part{.heading = figure.title, .text = figure.caption};
    for (const Panel& panel : figure.panels)
      part.charts.push_back({.heading = panel.title, .spec = vega_lite(panel), .numbers = numbers(panel)});
    page.sections.push_back(std::move(part));
  }
  return chart_page_html(page);
}

void write_section(const fs::path& folder, const Section& section, const std::string& version) {
  std::set<std::string> names;
  for (const Figure& figure : section.report.figures) names.insert(figure.file);
  remove_figures(folder, names);
  for (const Figure& figure : section.report.figures) {
    write_whole(folder / (figure.file + ".svg"), svg(figure));
    write_whole(folder / (figure.file + ".csv"), csv(figure));
  }
  write_whole(folder / "verdicts.md", verdicts_markdown(section));
  write_whole(folder / "verdicts.json", findings_json(section.report.findings).dump(1) + "\n");
  if (!section.report.timing.empty() || !section.report.timing_rows.empty())
    write_whole(folder / "timing.md", timing_markdown(section));
  write_whole(folder / "figures.html", page_html(section, version));
}

// The time of a path of coresets: it is one build, so its last time counts, and a chain that was not run
// again has the time of the one before it.
double seconds_of_path(const Json& stops) {
  double sum = stops.empty() ? 0 : stops.back().at("build_s").get<double>();
  double before = -1;
  for (const Json& stop : stops) {
    const auto chain_s = stop.at("chain_s").get<double>();
    if (chain_s != before) sum += chain_s;
    before = chain_s;
  }
  return sum;
}

double seconds_in(const Json& times) {
  if (times.is_array()) return seconds_of_path(times);
  if (!times.is_object()) return times.get<double>();
  double sum = 0;
  for (const Json& part : times) sum += seconds_in(part);
  return sum;
}

double seconds_of_trials(const TrialStore& store) {
  double sum = 0;
  for (const fs::path& path : entries_of(store.folder() / "times"))
    if (path.extension() == ".json") sum += store.read_times(path.stem().string(), seconds_in);
  return sum;
}

void check_out(const fs::path& out) {
  const fs::path plain = out.has_filename() ? out : out.parent_path();
  const fs::path parent = plain.has_parent_path() ? plain.parent_path() : fs::path(".");
  if (!is_folder(parent))
    throw CannotCreate(printable_path(out) + ": the folder " + printable_path(parent) +
                       " does not exist; make it first");
  if (is_present(out) && !is_folder(out))
    throw CannotCreate(printable_path(out) + ": is a file; --out is a folder: give another name");
}

// A folder without experiments, but with a file that a run writes: it is somebody else's.
void refuse_foreign(const fs::path& out, Earlier earlier) {
  if (earlier == Earlier::Replace) return;
  for (const Kind kind : values_of<Kind>())
    if (is_present(out / name(kind) / "settings.json")) return;
  for (const char* file : {"verdicts.md", "run.json"}) {
    if (is_present(out / file))
      throw CannotCreate(printable_path(out / file) +
                         ": is not of an earlier reproduction; give another --out, or --force to replace it");
  }
}

}  // namespace

RunResult reproduce(const std::vector<Kind>& kinds, const Settings& settings, const RunOptions& options,
                    const Watch& watch) {
  std::vector<std::unique_ptr<Experiment>> experiments;
  for (const Kind kind : kinds) experiments.push_back(make(kind, settings));
  refuse_foreign(options.out, options.earlier);
  for (const auto& each : experiments)
    check_earlier(options.out / each->name(), each->settings(), options.earlier);
  for (const auto& each : experiments) each->prepare(options.out / each->name(), options.earlier);
  check_out(options.out);
  const RunLock lock(options.out);  // which makes the folder; nothing is made or removed before
  std::vector<TrialStore> stores;
  for (const auto& each : experiments)
    stores.emplace_back(options.out / each->name(), each->settings(), options.earlier);
  std::vector<Job> jobs;
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    experiments[e]->begin(stores[e]);
    for (Job& job : experiments[e]->jobs(stores[e])) jobs.push_back(std::move(job));
  }
  run_jobs(jobs, Threads(options.threads), watch);

  RunResult result;
  result.jobs_done = std::ssize(jobs);
  std::string verdicts;
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    result.sections.push_back(
        {experiments[e]->name(), experiments[e]->title(), experiments[e]->report(stores[e])});
    const Section& section = result.sections.back();
    write_section(stores[e].folder(), section, options.version);
    result.processor_s += seconds_of_trials(stores[e]);
    verdicts.append(verdicts.empty() ? "" : "\n").append(verdicts_markdown(section));
  }
  write_whole(options.out / "verdicts.md", verdicts);
  return result;
}

bool is_measured(const fs::path& file) {
  const std::string name = file.filename().string();
  return file.parent_path().filename() == "times" || name.starts_with("time_") || name == "timing.md" ||
         name == "figures.html" || name == "run.json";
}

std::string findings_markdown(const std::vector<Finding>& findings) {
  std::vector<std::vector<std::string>> rows;
  for (const Finding& each : findings) rows.push_back({each.claim, each.source, each.ours, word(each.holds)});
  return table_markdown({"claim", "of", "ours", "verdict"}, rows);
}

Json findings_json(const std::vector<Finding>& findings) {
  Json out = Json::array();
  for (const Finding& each : findings)
    out.push_back(
        {{"source", each.source}, {"claim", each.claim}, {"ours", each.ours}, {"holds", each.holds}});
  return out;
}

}  // namespace giga::experiments
