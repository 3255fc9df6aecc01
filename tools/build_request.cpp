#include "build_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "giga/base/text.hpp"
#include "model_request.hpp"
#include "support/exit_codes.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

constexpr Index kLargest = 1'000'000'000;
constexpr Index kMostFeatures = 1'000'000;
constexpr Index kMostThreads = 1024;

constexpr const char* kSizeHelp = R"(Most points in the coreset, 1 to 10^9, capped at N
(default: for DATA with D parameters D(D+3)/2, from 20 to 1000;
for vectors 100; 1000 if only --tolerance is given))";

constexpr const char* kStepsHelp = R"(Most steps, 1 to 10^9
(default M; 4 M for corrective and pursuit))";

constexpr const char* kToleranceHelp = R"(Stop at this error, 0 to 1 (default 0): the held-out error for
DATA, the relative error for vectors)";

constexpr const char* kDimHelp = R"(Random features, 2 to 10^6, or auto: doubled from 500 until
the held-out error is within 1.5 of the relative (default 500))";

constexpr const char* kExpansionHelp = R"(Of the curvature: taylor (default; meets the Laplace approximation)
or hermite (meets the mean gradient over pihat))";

constexpr const char* kPihatHelp = R"(Where the features are drawn: laplace (default, all rows),
subsample (Laplace of some rows, scaled up), prior)";

// The methods that draw their rows come last.
std::string method_help() {
  std::vector<Method> methods = all_choices<Method>();
  std::stable_partition(methods.begin(), methods.end(), is_greedy);
  return choices_help(Method::Corrective, {{Method::Corrective, " (default)"}}, methods);
}

// Options that speak of a table and not of vectors.
constexpr std::array kDataOptions = {
    "family",    "link",        "response",       "features",       "weights",    "missing",    "delimiter",
    "no-header", "prior-scale", "no-intercept",   "no-standardise", "pihat",      "pihat-rows", "projection",
    "norm",      "expansion",   "projection-dim", "remainder-dim",  "heldout-dim"};

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
  coreset.heldout_dim = arguments.count("heldout-dim", coreset.heldout_dim, 2, kMostFeatures);
  if (curvature && arguments.given("projection-dim"))
    throw UsageError("--projection curvature has D(D+3)/2 numbers a row; leave --projection-dim away");
  if (curvature && arguments.given("norm") && coreset.norm != Norm::Whitened)
    throw UsageError("--projection curvature is in the whitened norm; leave --norm away");
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

namespace {

void set_input(const Arguments& arguments, const std::optional<std::string>& data, BuildRequest& request) {
  const auto vectors = arguments.text("vectors");
  const auto loglik = arguments.text("loglik");
  const int given = (data ? 1 : 0) + (vectors ? 1 : 0) + (loglik ? 1 : 0);
  if (given == 0) throw UsageError("no input; give DATA, --vectors V.npy or --loglik LL.npy");
  if (given > 1) {
    throw UsageError(data ? "both DATA and vectors are given; give one of them"
                          : "--vectors and --loglik are both given; give one of them");
  }
  request.kind = data ? InputKind::Data : vectors ? InputKind::Vectors : InputKind::Loglik;
  request.input = data ? *data : vectors ? *vectors : *loglik;
}

void set_output(const Arguments& arguments, BuildRequest& request) {
  request.force = arguments.flag("force");
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  if (const auto config = arguments.text("config")) request.config = *config;
  const auto out = arguments.text("out");
  if (!out) return;
  if (*out == "-") throw UsageError("--out is -; leave --out away to get the coreset on stdout");
  for (const char* other : {".gz", ".tsv"}) {
    if (out->ends_with(other))
      throw UsageError(fmt::format(
          "--out ends in {}, but a coreset is written as plain CSV; give a name that ends in .csv", other));
  }
  request.out = *out;
  std::error_code ignored;
  if (std::filesystem::equivalent(*request.out, request.input, ignored))
    throw UsageError("--out is the input file; give another name");
}

}  // namespace

void set_construction(const Arguments& arguments, BuildRequest& request) {
  constexpr Index kDefaultSize = 100;
  constexpr Index kToleranceSize = 1000;  // the limit when only --tolerance is given
  CoresetOptions& coreset = request.coreset;
  coreset.method = arguments.choice("method", Method::Corrective);
  coreset.selector = arguments.choice("selector", SelectorKind::Auto);
  if (arguments.given("size")) request.asked_size = arguments.count("size", kDefaultSize, 1, kLargest);
  coreset.max_steps = arguments.count("max-steps", 0, 1, kLargest);
  coreset.tolerance = arguments.number("tolerance", 0, 0, 1);
  request.size = request.asked_size.value_or(arguments.given("tolerance") ? kToleranceSize : kDefaultSize);
  coreset.seed = arguments.whole("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
  request.threads = static_cast<int>(arguments.count("threads", 0, 0, kMostThreads));
  for (const char* option : {"max-steps", "tolerance"}) {
    if (arguments.given(option) && !is_greedy(coreset.method)) {
      throw UsageError(fmt::format("--{} means nothing to {}, which makes --size draws; leave it away",
                                   option, name(coreset.method)));
    }
  }
}

void add_projection_options(Arguments& arguments, const std::string& project, const BuildHelp& help) {
  const ProjectionKind usual = help.projection;
  const bool automatic = usual == ProjectionKind::Auto;
  arguments.add_choice<ProjectionKind>(
      "projection", "NAME",
      choices_help(usual,
                   {{usual, " (default)"}, {ProjectionKind::Auto, automatic ? "" : ", whitened, J auto"}}),
      project);
  arguments.add_choice<Norm>("norm", "NAME", wrapped("What the features measure: " + choices_list(help.norm)),
                             project);
  arguments.add_value("projection-dim", "J", help.projection_dim, project);
  arguments.add_choice<Expansion>("expansion", "NAME", kExpansionHelp, project);
  arguments.add_value("remainder-dim", "R", "Random features beside the curvature (default 0)", project);
  arguments.add_value("heldout-dim", "J", "Features of the held-out error, 2 to 10^6 (default 500)", project);
  arguments.add_choice<PihatKind>("pihat", "NAME", kPihatHelp, project);
  arguments.add_value("pihat-rows", "N", "Rows of the subsample (default 1000, or 20 D if more)", project);
}

void add_construction_options(Arguments& arguments, const BuildHelp& help) {
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
  arguments.add_value("threads", "T", "0 to 1024, 0 for all cores (default 0); same result", group);
}

void add_build_options(Arguments& arguments) {
  const std::string input = "Input (DATA, or exactly one of)";
  arguments.add_value("vectors", "V.npy", "N x J matrix; a row is the vector of an observation", input);
  arguments.add_value("loglik", "LL.npy", "S x N log-likelihoods; a column, centred, is the vector", input);
  add_table_options(arguments, "Table (with DATA)");
  add_model_options(arguments, "Model (with DATA)");
  const BuildHelp help{ProjectionKind::Random, Norm::Fisher, kDimHelp, kSizeHelp, kToleranceHelp};
  add_projection_options(arguments, "Projection (with DATA)", help);
  add_construction_options(arguments, help);
  add_run_options(arguments, "Construction");
  const std::string output = "Output";
  arguments.add_value("out", "FILE",
                      "Where the coreset goes (default stdout); for DATA its scale\n"
                      "and model go beside it, in FILE with the extension .json",
                      output);
  arguments.add_flag("force", "Replace FILE if it exists", output);
  arguments.add_flag("json", "Print the record of the run on stdout", output);
  arguments.add_flag("quiet", "No notes, no progress, no summary", output);
  arguments.add_value("config", "FILE", "Read options from an INI or TOML file", output);
}

BuildRequest build_request(const Arguments& arguments, const std::optional<std::string>& data) {
  BuildRequest request;
  set_input(arguments, data, request);
  if (request.kind == InputKind::Data) {
    request.read = read_options(arguments);
    request.model = model_options(arguments);
    set_projection(arguments, request.coreset);
  } else {
    std::vector<std::string> options(kDataOptions.begin(), kDataOptions.end());
    for (const FamilySetting& setting : family_settings()) options.push_back(option_name(setting.name));
    for (const std::string& option : options) {
      if (arguments.given(option))
        throw UsageError(
            fmt::format("--{} means nothing to --{}; leave it away", option, name(request.kind)));
    }
  }
  set_construction(arguments, request);
  set_output(arguments, request);
  return request;
}

}  // namespace giga::tool
