// giga simulate onehot: a simulated table of categories, each coded by all of its levels.
#include <fmt/format.h>

#include "commands.hpp"
#include "giga/base/text.hpp"
#include "giga/model/simulate_one_hot.hpp"
#include "simulate/table.hpp"

namespace giga::tool {
namespace {

constexpr double kMostPower = 10, kMostEffect = 100, kMostIntercept = 100;

constexpr const char* kExamples = R"(Examples:
  giga simulate onehot --out table.csv
      50000 rows, 123 columns of 0 and 1 for 12 factors of 2 to 35 levels,
      labels -1 and 1
  giga simulate onehot --rows 10000 --dim 59 --power 1.5 --out small.svm)";

void add_options(Arguments& arguments) {
  const std::string what = "Data";
  arguments.add_value("rows", "N", "Number of rows, 1 to 10^9 (default 50000)", what);
  arguments.add_value("dim", "D",
                      "Columns, one per level of each factor, 2 to 10^5 (default 123);\n"
                      "12 factors, fewer if D is below 36",
                      what);
  arguments.add_value("power", "P",
                      "Level l of a factor has probability proportional to l^-P,\n"
                      "0 to 10 (default 2.5)",
                      what);
  arguments.add_value("effect", "S", "Standard deviation of the effects of levels, 0 to 100 (default 1)",
                      what);
  arguments.add_value("intercept", "A", "-100 to 100 (default -1.5: about a quarter of the labels are 1)",
                      what);
  add_table_output_options(arguments, what);
}

SimulateOneHotOptions options_of(const Arguments& arguments) {
  SimulateOneHotOptions options;
  options.rows = arguments.count("rows", options.rows, 1, kMostRows);
  options.dim = arguments.count("dim", options.dim, 2, kMostColumns);
  options.power = arguments.number("power", options.power, 0, kMostPower);
  options.effect = arguments.number("effect", options.effect, 0, kMostEffect);
  options.intercept = arguments.number("intercept", options.intercept, -kMostIntercept, kMostIntercept);
  options.seed = table_seed(arguments);
  return options;
}

// "123 columns, 12 factors of 2 to 35 levels, seed 1".
std::string words_of(const SimulatedOneHot& table, std::uint64_t seed) {
  const auto& levels = table.levels();
  const std::string range = levels.front() == levels.back()
                                ? fmt::format("{}", levels.front())
                                : fmt::format("{} to {}", levels.front(), levels.back());
  return fmt::format("{}, {} of {} levels, seed {}", plural(table.num_features(), "column"),
                     plural(std::ssize(levels), "factor"), range, seed);
}

void run(const Arguments& arguments) {
  arguments.refuse_leftovers("; give the output with --out");
  const SimulateOneHotOptions options = options_of(arguments);
  const TableOutput output = table_output(arguments);
  const SimulatedOneHot table(options);
  write_table(table, output, words_of(table, options.seed));
}

}  // namespace

Verb declare_simulate_one_hot(CLI::App& simulate) {
  return declare_verb(simulate, "onehot", "Write categories coded as 0 and 1, and labels", kExamples,
                      add_options, run);
}

}  // namespace giga::tool
