// Projection, construction, seed and threads.
#include "options/coreset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "giga/pipeline/fit.hpp"
#include "options/resources.hpp"
#include "support/exit_codes.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

constexpr Index kLargest = 1'000'000'000;
constexpr Index kMostFeatures = 1'000'000;

constexpr const char* kStepsHelp = R"(Most steps, 1 to 10^9
(default M; 4 M for corrective and pursuit))";

constexpr const char* kExpansionHelp = R"(Of the curvature: taylor (default; meets the Laplace approximation)
or hermite (meets the mean gradient over pihat))";

constexpr const char* kPihatHelp = R"(Where the features are drawn: laplace (default, all rows),
subsample (Laplace of some rows, scaled up), prior)";

constexpr const char* kCandidatesHelp = R"(Rows that points are chosen from, for the sum of all rows:
1 to 10^9, all, or auto: all where that costs little, else 20,000
to 50,000, and more where these do not do (default auto))";

// The methods that draw their rows come last.
std::string method_help() {
  std::vector<Method> methods = all_choices<Method>();
  std::stable_partition(methods.begin(), methods.end(), is_greedy);
  return choices_help(Method::Corrective, {{Method::Corrective, " (default)"}}, methods);
}

// The projection that options speak of which only one of them has.
ProjectionKind implied(const Arguments& arguments, ProjectionKind fallback) {
  if (fallback != ProjectionKind::Auto) return fallback;
  if (arguments.given("projection-dim") || arguments.given("norm")) return ProjectionKind::Random;
  if (arguments.given("expansion") || arguments.given("remainder-dim")) return ProjectionKind::Curvature;
  return fallback;
}

}  // namespace

void set_projection(const Arguments& arguments, CoresetOptions& coreset) {
  coreset.pihat = arguments.choice("pihat", coreset.pihat);
  coreset.subsample_rows = arguments.count("pihat-rows", 0, 1, kLargest);
  if (arguments.given("pihat-rows") && coreset.pihat != PihatKind::Subsample)
    throw UsageError("--pihat-rows goes with --pihat subsample");
  coreset.projection = arguments.choice("projection", implied(arguments, coreset.projection));
  coreset.norm = arguments.choice("norm", coreset.norm);
  const bool curvature = coreset.projection == ProjectionKind::Curvature;
  coreset.projection_dim =
      arguments.text("projection-dim") == "auto"
          ? 0
          : arguments.count("projection-dim", coreset.projection_dim, 2, kMostFeatures, "auto or ");
  coreset.remainder_dim = arguments.count("remainder-dim", 0, 0, kMostFeatures);
  coreset.add_remainder = !arguments.given("remainder-dim") && !arguments.given("expansion");
  coreset.candidates = row_count_of(arguments, "candidates");
  coreset.heldout_dim = arguments.count("heldout-dim", coreset.heldout_dim, 2, kMostFeatures);
  if (curvature && arguments.given("projection-dim"))
    throw UsageError("--projection curvature has D(D+3)/2 numbers per row; leave out --projection-dim");
  if (curvature && arguments.given("norm") && coreset.norm != Norm::Whitened)
    throw UsageError("--projection curvature is in the whitened norm; leave out --norm");
  if (curvature) coreset.norm = Norm::Whitened;
  for (const char* option : {"expansion", "remainder-dim"}) {
    if (!curvature && arguments.given(option))
      throw UsageError(fmt::format("--{} goes with --projection curvature", option));
  }
  coreset.expansion =
      arguments.choice("expansion", coreset.remainder_dim > 0 ? Expansion::Hermite : Expansion::Taylor);
  if (coreset.remainder_dim > 0 && coreset.expansion == Expansion::Taylor)
    throw UsageError("--remainder-dim goes with --expansion hermite");
}

void set_construction(const Arguments& arguments, CoresetOptions& coreset) {
  coreset.method = arguments.choice("method", coreset.method);
  coreset.selector = arguments.choice("selector", coreset.selector);
  coreset.size = arguments.given("size") ? arguments.count("size", 1, 1, kLargest) : 0;
  coreset.max_steps = arguments.count("max-steps", 0, 1, kLargest);
  const bool ends_by_error = coreset.size == 0 && is_greedy(coreset.method);
  coreset.tolerance = arguments.number("tolerance", ends_by_error ? coreset.tolerance : 0, 0, 1);
  coreset.seed = arguments.whole("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
  for (const char* option : {"max-steps", "tolerance"}) {
    if (arguments.given(option) && !is_greedy(coreset.method)) {
      throw UsageError(fmt::format("--{} has no effect with {}, which makes --size draws; leave it out",
                                   option, name(coreset.method)));
    }
  }
}

RowCount row_count_of(const Arguments& arguments, const std::string& name) {
  const auto text = arguments.text(name);
  if (!text || *text == "auto") return {};
  if (*text == "all") return RowCount::all();
  return RowCount::of(arguments.count(name, 1, 1, kLargest, "auto, all or "));
}

void add_check_rows_option(Arguments& arguments, const std::string& group) {
  arguments.add_value("check-rows", "M",
                      "Rows that the certificate sums beside the second-order expansion\n"
                      "of all: 1 to 10^9, all, or auto, 2,000; more are taken until log\n"
                      "ratios have a standard error of 0.01 (default auto)",
                      group);
}

void add_projection_options(Arguments& arguments, const std::string& group) {
  const CoresetOptions usual = fit_coreset_options();
  arguments.add_choice<ProjectionKind>(
      "projection", "NAME", choices_help(usual.projection, {{usual.projection, " (default)"}}), group);
  arguments.add_choice<Norm>("norm", "NAME",
                             wrapped("What the features measure: " + choices_list(usual.norm)), group);
  arguments.add_value("projection-dim", "J",
                      "Random features, 2 to 10^6, or auto: doubled from 500 until\n"
                      "the held-out error is within 1.5 of the relative (default auto)",
                      group);
  arguments.add_choice<Expansion>("expansion", "NAME", kExpansionHelp, group);
  arguments.add_value(
      "remainder-dim", "R",
      "Random features beside the curvature (default 0, or 500\nwhere the held-out error asks for them)",
      group);
  arguments.add_value("heldout-dim", "J", "Features of the held-out error, 2 to 10^6 (default 500)", group);
  arguments.add_value("candidates", "M", kCandidatesHelp, group);
  arguments.add_choice<PihatKind>("pihat", "NAME", kPihatHelp, group);
  arguments.add_value("pihat-rows", "N", "Rows of the subsample (default 1000, or 20 D if more)", group);
}

void add_construction_options(Arguments& arguments, const CoresetHelp& help) {
  const std::string how = "Construction";
  arguments.add_choice<Method>("method", "NAME", method_help(), how);
  arguments.add_choice<SelectorKind>("selector", "NAME",
                                     "How the best row is found: " + choices_list(SelectorKind::Auto, "") +
                                         "\n(default auto); the coreset is the same, the speed is not",
                                     how);
  arguments.add_value("size", "M", help.size, how);
  arguments.add_value("max-steps", "T", kStepsHelp, how);
  arguments.add_value("tolerance", "E", help.tolerance, how);
}

void add_run_options(Arguments& arguments, const std::string& group) {
  arguments.add_value("seed", "S", "For all that is random, 0 to 2^64-1 (default 1)", group);
  add_resource_options(arguments, group);
}

}  // namespace giga::tool
