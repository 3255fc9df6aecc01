// The options of giga build, and what they ask for.
#include "build/options.hpp"

#include <fmt/format.h>

#include <array>

#include "giga/base/text.hpp"
#include "giga/data/input_files.hpp"
#include "giga/data/output_file.hpp"
#include "giga/pipeline/fit.hpp"
#include "options/coreset.hpp"
#include "options/model.hpp"
#include "options/output.hpp"
#include "support/exit_codes.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

constexpr CoresetHelp kHelp = {.size = R"(Most points in the coreset, 1 to 10^9, capped at N. Without it:
for DATA until the tolerance is met, at most D(D+3)/2, from 20 to
5000; for vectors 100, or 1000 with --tolerance)",
                               .tolerance = R"(Stop at this error, 0 to 1. For DATA: where the held-out error
leaves the gradient this many posterior standard deviations off
per parameter (default 0.05; 0 with --size). For vectors: the
relative error (default 0))"};

// Options that speak of a table and not of vectors.
constexpr std::array kDataOptions = {
    "formula",         "trials",        "family",      "link",         "response",
    "features",        "weights",       "missing",     "delimiter",    "categories",
    "max-levels",      "success",       "no-header",   "prior-scale",  "prior",
    "prior-intercept", "prior-group",   "autoscale",   "no-intercept", "no-standardise",
    "pihat",           "pihat-rows",    "projection",  "norm",         "expansion",
    "projection-dim",  "remainder-dim", "heldout-dim", "candidates",   "design-from"};

void set_input(const Arguments& arguments, const std::optional<std::string>& data, BuildRequest& request) {
  const auto vectors = arguments.text("vectors");
  const auto loglik = arguments.text("loglik");
  const bool query = arguments.given("sql") && !vectors && !loglik;
  const int given = (data || query ? 1 : 0) + (vectors ? 1 : 0) + (loglik ? 1 : 0);
  if (given == 0) throw UsageError("no input; give DATA, --sql QUERY, --vectors V.npy or --loglik LL.npy");
  if (given > 1) {
    throw UsageError(data ? "both DATA and vectors are given; give one of them"
                          : "--vectors and --loglik are both given; give one of them");
  }
  request.job.kind = data || query ? InputKind::Data : vectors ? InputKind::Vectors : InputKind::Loglik;
  request.job.input = data ? *data : query ? "" : vectors ? *vectors : *loglik;
}

void set_output(const Arguments& arguments, BuildRequest& request) {
  request.job.force = arguments.flag("force");
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  if (const auto config = arguments.text("config")) request.config = *config;
  request.job.out = coreset_output(arguments);
  if (!request.job.out) return;
  if (is_of_input(*request.job.out, request.job.input))
    throw UsageError("--out is the input file; give another name");
  if (request.job.kind != InputKind::Data || OutputFile::is_direct(*request.job.out)) return;
  for (const auto& input : {std::optional(request.job.input), request.config}) {
    if (input && is_of_input(companion_path(*request.job.out), *input))
      throw UsageError("what goes beside --out would replace " + printable_path(*input) +
                       "; give another name");
  }
}

}  // namespace

void add_build_options(Arguments& arguments) {
  const std::string input = "Input (DATA, or exactly one of)";
  arguments.add_value("vectors", "V.npy", "N x J matrix; a row is the vector of an observation", input);
  arguments.add_value("loglik", "LL.npy", "S x N log-likelihoods; a column, centred, is the vector", input);
  add_table_options(arguments, "Table (with DATA)");
  add_model_options(arguments, "Model (with DATA)");
  arguments.add_value("design-from", "FILE",
                      "A coreset whose columns, levels and knots are taken, so that\n"
                      "giga merge can put the two together",
                      "Model (with DATA)");
  add_projection_options(arguments, "Projection (with DATA)");
  add_construction_options(arguments, kHelp);
  add_run_options(arguments, "Construction");
  add_output_options(arguments, {.out_name = "FILE",
                                 .out = "Where the coreset goes (default stdout); for DATA its scale\n"
                                        "and model go beside it, in FILE with the extension .json",
                                 .force = "Replace FILE if it exists",
                                 .quiet = "No notes, no progress, no summary"});
  add_config_option(arguments);
  arguments.show_first({"vectors", "loglik", "response", "features", "missing", "formula", "family", "prior",
                        "method", "size", "seed", "out", "force", "json"});
}

BuildRequest build_request(const Arguments& arguments, const std::optional<std::string>& data) {
  BuildRequest request;
  set_input(arguments, data, request);
  BuildJob& job = request.job;
  if (job.kind == InputKind::Data) {
    job.read = read_options(arguments);
    job.model = model_options(arguments);
    if (const auto design = arguments.text("design-from")) job.design_from = *design;
    job.coreset = fit_coreset_options();
    set_projection(arguments, job.coreset);
  } else {
    std::vector<std::string> options(kDataOptions.begin(), kDataOptions.end());
    options.emplace_back("sql");
    for (const FamilySetting& setting : family_settings()) options.push_back(option_name(setting.name));
    for (const std::string& option : options) {
      if (arguments.given(option))
        throw UsageError(fmt::format("--{} has no effect with --{}; leave it out", option, name(job.kind)));
    }
  }
  set_construction(arguments, job.coreset);
  request.resources = resources_of(arguments);
  set_output(arguments, request);
  return request;
}

}  // namespace giga::tool
