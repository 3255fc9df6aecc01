// giga simulate logistic|poisson|gaussian: simulated regression data, the same for a seed on every machine
// and any number of threads. One verb per name that the families are simulated under.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <set>

#include "commands.hpp"
#include "giga/base/stopwatch.hpp"
#include "giga/base/text.hpp"
#include "giga/base/threads.hpp"
#include "giga/data/npy.hpp"
#include "giga/data/output_file.hpp"
#include "giga/model/simulate_data.hpp"
#include "options/model.hpp"
#include "simulate/output.hpp"
#include "support/console.hpp"
#include "support/exit_codes.hpp"
#include "support/lists.hpp"
#include "support/progress.hpp"
#include "support/signals.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

constexpr Index kLargest = 1'000'000'000;
constexpr Index kMostFeatures = 100'000;

enum class Format { Csv, Npy, Libsvm };

struct Request {
  SimulateDataOptions options;
  SimulateOutput output;
  Format format = Format::Csv;
};

Format format_of(const std::filesystem::path& out) {
  const std::string extension = out.extension().string();
  if (extension == ".csv") return Format::Csv;
  if (extension == ".npy") return Format::Npy;
  if (extension == ".svm" || extension == ".libsvm") return Format::Libsvm;
  throw UsageError("--out is '" + printable_path(out) + "'; must end in .csv, .npy, .svm or .libsvm");
}

// The families that are simulated under one name, that of the usual link first.
std::vector<Family> simulated_as(std::string_view name) {
  std::vector<Family> out;
  for (const Family family : all_families()) {
    const FamilySimulation& each = describe(family).simulation;
    if (each.name == name) out.insert(each.is_usual_link ? out.begin() : out.end(), family);
  }
  return out;
}

std::vector<std::string> links_of(const std::vector<Family>& families) {
  std::vector<std::string> links;
  links.reserve(families.size());
  for (const Family family : families) links.emplace_back(link_name(family));
  return links;
}

// "softplus (default, the paper's) or log".
std::string link_help(const std::vector<Family>& families) {
  std::string text;
  for (const Family family : families) {
    const FamilyDescription& each = describe(family);
    const std::string words = each.link_words.empty() ? "" : ", " + std::string(each.link_words);
    text.append(text.empty() ? "" : " or ").append(each.link);
    text.append(family == families.front() ? " (default" + words + ")" : words);
  }
  return text;
}

std::string usual_theta_text(Family family) {
  std::string text;
  for (const double each : usual_theta(family, usual_num_features(family)))
    text.append(text.empty() ? "" : ",").append(shortest(each));
  return text;
}

void add_options(Arguments& arguments, const std::vector<Family>& families) {
  const Family family = families.front();
  const std::string what = "Data";
  arguments.add_value("rows", "N", "Number of rows, 1 to 10^9 (default 10000)", what);
  arguments.add_value(
      "dim", "D",
      fmt::format("Features, standard normal, 1 to 10^5 (default {})", usual_num_features(family)), what);
  arguments.add_value("theta", "A,B,...",
                      fmt::format("D coefficients, then the intercept (default {}; for another D\n"
                                  "scaled so that the variance of the predictor stays the same)",
                                  usual_theta_text(family)),
                      what);
  if (families.size() > 1)
    arguments.add_one_of("link", "NAME", links_of(families), link_help(families), what);
  for (const FamilySetting& setting : describe(family).settings)
    arguments.add_value(option_name(setting.name), "S", setting_help(setting, "the"), what);
  arguments.add_value("seed", "S", "0 to 2^64-1 (default 1)", what);
  arguments.add_value("threads", "T", "0 to 1024, 0 for all cores (default 0); same numbers", what);
  const std::string output = "Output";
  arguments.add_value("out", "FILE", "Where the table goes: .csv, .npy, .svm or .libsvm (required)", output);
  arguments.add_flag("force", "Replace FILE if it exists", output);
  arguments.add_flag("quiet", "No progress, no summary", output);
}

Family linked(const Arguments& arguments, const std::vector<Family>& families) {
  if (families.size() == 1 || !arguments.given("link")) return families.front();
  const std::string link = *arguments.text("link");
  for (const Family family : families)
    if (link_name(family) == link) return family;
  std::string known;
  for (const std::string& each : links_of(families)) known.append(known.empty() ? "" : " or ").append(each);
  throw UsageError("--link is '" + printable(link) + "'; must be " + known);
}

std::vector<double> theta_of(const Arguments& arguments, Family family) {
  const auto list = arguments.text("theta");
  const Index usual = list ? 0 : usual_num_features(family);
  const Index dim = arguments.count("dim", usual, 1, kMostFeatures);
  if (!list) return usual_theta(family, dim);
  std::vector<double> theta = numbers_in_list("theta", *list);
  if (theta.size() < 2)
    throw UsageError("--theta has one number; must have a coefficient and the intercept at least");
  if (arguments.given("dim") && std::ssize(theta) != dim + 1) {
    throw UsageError(fmt::format("--theta has {} numbers; must have {}: {} coefficients and the intercept",
                                 theta.size(), dim + 1, dim));
  }
  return theta;
}

Request request_of(const Arguments& arguments, const std::vector<Family>& families) {
  Request request;
  SimulateDataOptions& options = request.options;
  options.family.family = linked(arguments, families);
  for (const FamilySetting& setting : describe(families.front()).settings)
    options.family.*setting.value =
        arguments.number(option_name(setting.name), options.family.*setting.value, 1e-6, 1e6);
  options.rows = arguments.count("rows", options.rows, 1, kLargest);
  options.theta = theta_of(arguments, families.front());
  options.seed = arguments.whole("seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  request.output = simulate_output(arguments, "FILE");
  request.format = format_of(request.output.out);
  return request;
}

std::string header(Index num_features) {
  std::string line;
  for (Index d = 1; d <= num_features; ++d) line += fmt::format("x{},", d);
  return line + "y\n";
}

// A row of D features and the response.
void append_line(const double* row, Index num_features, Format format, std::string& text) {
  const bool csv = format == Format::Csv;
  if (!csv) text += shortest(row[num_features]);
  for (Index d = 0; d < num_features; ++d) {
    if (!csv) text += fmt::format(" {}:", d + 1);
    text += shortest(row[d]);
    if (csv) text += ',';
  }
  if (csv) text += shortest(row[num_features]);
  text += '\n';
}

// The numbers of a group of blocks are made in parallel, then their lines, each thread a run of rows; the
// lines are written in order. 18 bytes are allowed for a number in text.
void write_text(const SimulatedData& data, const Request& request, const Executor& executor,
                Progress& progress) {
  OutputFile file(request.output.out, request.output.force);
  const Index width = data.num_features() + 1;
  check_disk(request.output.out,
             static_cast<std::uint64_t>(data.num_rows()) * static_cast<std::uint64_t>(width) * 18);
  if (request.format == Format::Csv) file.write(header(data.num_features()));
  for_each_block(
      data.num_rows(), width, executor,
      [&](Index first, Index count, double* out) { data.read(first, count, out); },
      [&](std::span<const double> rows, Index end) {
        const Index count = std::ssize(rows) / width;
        const Index parts = executor.num_threads();
        std::vector<std::string> lines(static_cast<std::size_t>(parts));
        executor.for_each(parts, [&](Index part) {
          for (Index i = part * count / parts; i < (part + 1) * count / parts; ++i)
            append_line(rows.data() + i * width, data.num_features(), request.format,
                        lines[static_cast<std::size_t>(part)]);
        });
        for (const std::string& some : lines) file.write(some);
        progress.update(end, 0, "");
      });
  progress.begin("saving " + printable_path(request.output.out));
  file.commit();
}

void write_npy(const SimulatedData& data, const Request& request, const Executor& executor,
               Progress& progress) {
  const Index width = data.num_features() + 1;
  NpyWriter writer(request.output.out, data.num_rows(), width, request.output.force);
  check_disk(request.output.out, static_cast<std::uint64_t>(data.num_rows()) *
                                     static_cast<std::uint64_t>(width) * sizeof(double));
  write_matrix(
      writer, request.output.out, data.num_rows(), width, executor,
      [&](Index first, Index count, double* out) { data.read(first, count, out); }, progress);
}

void run(const Arguments& arguments, const std::vector<Family>& families) {
  arguments.refuse_leftovers("; give the output with --out");
  const Request request = request_of(arguments, families);
  const SimulatedData data(request.options);
  const Stopwatch total;
  {
    const Threads executor(request.output.threads, stop_requested);
    Progress progress(request.output.quiet);
    progress.begin("simulating", data.num_rows(), "rows");
    (request.format == Format::Npy ? write_npy : write_text)(data, request, executor, progress);
  }
  if (request.output.quiet) return;
  const Family made = request.options.family.family;
  write_stdout(fmt::format("{}: {} of {}, {} with {} link, seed {}, in {:.1f} s\n",
                           printable_path(request.output.out), plural(data.num_rows(), "row"),
                           plural(data.num_features(), "feature"), family_name(made), link_name(made),
                           request.options.seed, total.seconds()));
}

constexpr const char* kLogisticExamples = R"(Examples:
  giga simulate logistic --out flights.csv
      the paper's synthetic set: 10000 rows, 2 features, labels -1 and 1
  giga simulate logistic --rows 1000000 --dim 20 --out large.csv)";

constexpr const char* kPoissonExamples = R"(Examples:
  giga simulate poisson --out counts.csv
      the paper's synthetic set: 10000 rows, 1 feature, softplus link
  giga simulate poisson --link log --theta 0.5,-0.5,1 --out counts.csv)";

constexpr const char* kGaussianExamples = R"(Examples:
  giga simulate gaussian --theta 1,-2,0.5 --noise-scale 0.3 --out lengths.csv)";

std::string examples_of(std::string_view name) {
  if (name == "logistic") return kLogisticExamples;
  if (name == "poisson") return kPoissonExamples;
  if (name == "gaussian") return kGaussianExamples;
  return fmt::format("Examples:\n  giga simulate {} --out data.csv", name);
}

}  // namespace

std::vector<Verb> declare_simulate_data(CLI::App& simulate) {
  std::vector<Verb> verbs;
  std::set<std::string_view> declared;
  for (const Family family : all_families()) {
    const FamilySimulation& simulation = describe(family).simulation;
    if (!declared.insert(simulation.name).second) continue;
    const std::vector<Family> families = simulated_as(simulation.name);
    Arguments arguments =
        Arguments::of_verb(simulate, std::string(simulation.name),
                           fmt::format("Write data of a {}", simulation.model), examples_of(simulation.name));
    add_options(arguments, families);
    verbs.push_back({arguments.app(), [arguments, families] { run(arguments, families); }});
  }
  return verbs;
}

}  // namespace giga::tool
