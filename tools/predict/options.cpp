// The options of giga predict, and what they ask for.
#include "predict/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "giga/base/text.hpp"
#include "giga/data/input_files.hpp"
#include "options/coreset.hpp"
#include "options/model.hpp"
#include "options/output.hpp"
#include "support/exit_codes.hpp"
#include "support/lists.hpp"

namespace giga::tool {
namespace {

void set_input(const Arguments& arguments, const std::vector<std::string>& words, PredictJob& job) {
  constexpr const char* kOrder = "give DIR, the folder of giga fit, and DATA";
  job.sql = arguments.text("sql");
  if (words.size() < (job.sql ? 1U : 2U)) throw UsageError(std::string("too few inputs; ") + kOrder);
  job.fit = words[0];
  if (words.size() > 1) job.input = joined_data({words.begin() + 1, words.end()});
}

void set_quantiles(const Arguments& arguments, PredictJob& job) {
  const auto list = arguments.text("quantiles");
  if (!list) return;
  job.predict.quantiles = numbers_in_list("quantiles", *list);
  for (const double p : job.predict.quantiles) {
    if (!(p > 0 && p < 1))
      throw UsageError(fmt::format("--quantiles has {}; each must be between 0 and 1", shortest(p)));
    if (std::ranges::count(job.predict.quantiles, p) > 1)
      throw UsageError(fmt::format("--quantiles has {} twice", shortest(p)));
  }
}

void set_output(const Arguments& arguments, PredictRequest& request) {
  PredictJob& job = request.job;
  job.force = arguments.flag("force");
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  const auto out = arguments.text("out");
  if (out == "-") throw UsageError("--out is -; without --out the predictions go to stdout");
  if (!out && request.json)
    throw UsageError("--json prints the record on stdout; --out must say where the predictions go");
  if (!out) return;
  job.out = *out;
  if (is_of_input(*job.out, job.input))
    throw UsageError("--out would replace the input " + printable_path(job.input) + "; give another name");
}

}  // namespace

void add_predict_options(Arguments& arguments) {
  const std::string what = "Prediction";
  arguments.add_value("quantiles", "P,Q,...", "Of every prediction, between 0 and 1 (default 0.05,0.5,0.95)",
                      what);
  arguments.add_flag("no-new", "The expected response alone, without new observations", what);
  arguments.add_flag("pointwise", "The log predictive density of every row; needs the response", what);
  arguments.add_value("draws", "S", "At most, evenly spaced, 1 to 10^7 (default 4000)", what);
  arguments.add_value("coreset", "FILE", "coreset.csv that was sampled (default: that of DIR)", what);
  arguments.add_value("seed", "S", "Of new observations, 0 to 2^64-1 (default 1)", what);
  add_resource_options(arguments, what);
  add_file_options(arguments, "Table (read as that of the fit was, unless these are given)");
  add_output_options(arguments, {.out_name = "FILE",
                                 .out = "Where the predictions go (default stdout)",
                                 .force = "Replace FILE if it exists",
                                 .quiet = "No notes, no progress"});
  add_config_option(arguments);
}

PredictRequest predict_request(const Arguments& arguments, const std::vector<std::string>& words) {
  constexpr Index kMostDraws = 10'000'000;
  PredictRequest request;
  PredictJob& job = request.job;
  set_input(arguments, words, job);
  set_quantiles(arguments, job);
  job.predict.new_observations = !arguments.flag("no-new");
  job.predict.pointwise = arguments.flag("pointwise");
  job.predict.seed = arguments.whole("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
  job.max_draws = arguments.count("draws", job.max_draws, 1, kMostDraws);
  if (const auto coreset = arguments.text("coreset")) job.coreset = *coreset;
  job.missing = arguments.choice("missing", Missing::Refuse);
  job.delimiter = delimiter_of(arguments);
  if (arguments.flag("no-header")) job.header = false;
  set_output(arguments, request);
  request.resources = resources_of(arguments);
  return request;
}

}  // namespace giga::tool
