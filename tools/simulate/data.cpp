// giga simulate logistic|poisson|gaussian: simulated regression data, the same for a seed on every machine
// and any number of threads. One verb per name that the families are simulated under.
#include <fmt/format.h>

#include <set>

#include "commands.hpp"
#include "giga/base/text.hpp"
#include "giga/model/simulate_data.hpp"
#include "options/model.hpp"
#include "simulate/table.hpp"
#include "support/exit_codes.hpp"
#include "support/lists.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

struct Request {
  SimulateDataOptions options;
  TableOutput output;
};

// The families that are simulated under one name, that of the usual link first.
std::vector<Family> simulated_as(std::string_view name) {
  std::vector<Family> out;
  for (const Family family : all_families()) {
    const FamilySimulation& each = describe(family).simulation;
    if (each.name == name && !describe(family).is_given)
      out.insert(each.is_usual_link ? out.begin() : out.end(), family);
  }
  return out;
}

std::vector<std::string> links_of(const std::vector<Family>& families) {
  std::vector<std::string> links;
  links.reserve(families.size());
  for (const Family family : families) links.emplace_back(link_name(family));
  return links;
}

// The numbers that responses are simulated with, be they known to the model or learnt.
std::vector<FamilySetting> settings_of(Family family) {
  const FamilyDescription& each = describe(family);
  std::vector<FamilySetting> all(each.settings.begin(), each.settings.end());
  all.insert(all.end(), each.simulation.learnt.begin(), each.simulation.learnt.end());
  return all;
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
  for (const FamilySetting& setting : settings_of(family))
    arguments.add_value(option_name(setting.name), "S", setting_help(setting, "the"), what);
  add_table_output_options(arguments, what);
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
  const Index dim = arguments.count("dim", usual, 1, kMostColumns);
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
  for (const FamilySetting& setting : settings_of(families.front()))
    options.family.*setting.value =
        arguments.number(option_name(setting.name), options.family.*setting.value, 1e-6, 1e6);
  options.rows = arguments.count("rows", options.rows, 1, kMostRows);
  options.theta = theta_of(arguments, families.front());
  options.seed = table_seed(arguments);
  request.output = table_output(arguments);
  return request;
}

void run(const Arguments& arguments, const std::vector<Family>& families) {
  arguments.refuse_leftovers("; give the output with --out");
  const Request request = request_of(arguments, families);
  const SimulatedData data(request.options);
  const Family made = request.options.family.family;
  write_table(data, request.output,
              fmt::format("{}, {} with {} link, seed {}", plural(data.num_features(), "feature"),
                          family_name(made), link_name(made), request.options.seed));
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
    if (simulation.name.empty() || !declared.insert(simulation.name).second) continue;
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
