// The options of giga sample, and what they ask for.
#include "sample/options.hpp"

#include "options/coreset.hpp"
#include "options/model.hpp"
#include "options/output.hpp"
#include "options/sampling.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

void set_input(const Arguments& arguments, const std::optional<std::string>& data, SampleJob& job) {
  if (!data && !arguments.given("sql")) throw UsageError("no input; give DATA, --sql QUERY or a coreset.csv");
  job.input = data.value_or("");
  const bool coreset = has_coreset_columns(job.input);
  if (coreset) job.coreset = find_coreset(job.input);
  if (job.coreset) {
    require_agreement(arguments, *job.coreset);
    job.read.response = job.coreset->response;
    job.read.features = job.coreset->features;
    job.read.weights = "weight";
    return;
  }
  job.read = read_options(arguments);
  job.bare_coreset = coreset && job.read.header && job.read.delimiter == ',';
  if (job.bare_coreset) {
    if (!job.read.weights) job.read.weights = "weight";
    job.read.unused = {"row", "weight"};
    if (has_file_columns(job.input)) job.read.unused.insert(job.read.unused.end(), {"file", "file_row"});
  }
  job.model = model_options(arguments);
}

void set_output(const Arguments& arguments, SampleRequest& request) {
  request.job.force = arguments.flag("force");
  request.json = arguments.flag("json");
  request.quiet = arguments.flag("quiet");
  const auto out = arguments.text("out");
  if (!out) return;
  if (*out == "-") throw UsageError("--out is -; it is a folder, and without it the summary goes to stdout");
  request.job.out = *out;
}

}  // namespace

void add_sample_options(Arguments& arguments) {
  add_table_options(arguments, "Table (a coreset's companion has these)");
  add_model_options(arguments, "Model (a coreset's companion has these)");
  const std::string how = "Sampling";
  add_sampling_options(arguments, how);
  arguments.add_value("seed", "S", "For all that is random, 0 to 2^64-1 (default 1)", how);
  add_resource_options(arguments, how);
  add_output_options(arguments, {.out_name = "DIR",
                                 .out = "Folder for draws_1.csv, ..., summary.csv and run.json, made if\n"
                                        "it does not exist (default: only the table, on stdout)",
                                 .force = "Replace the files of an earlier run in DIR",
                                 .quiet = "No notes, no progress; with --out no table"});
  add_config_option(arguments);
  arguments.show_first({"response", "features", "missing", "formula", "family", "prior", "sampler", "chains",
                        "warmup", "draws", "seed", "out", "force", "json"});
}

SampleRequest sample_request(const Arguments& arguments, const std::optional<std::string>& data) {
  SampleRequest request;
  ChainOptions chains;
  set_sampling(arguments, chains);
  request.job.protocol = chains.protocol;
  request.job.sample = chains.sample;
  request.job.chains = chains.chains;
  request.resources = resources_of(arguments);
  set_output(arguments, request);
  set_input(arguments, data, request.job);
  return request;
}

}  // namespace giga::tool
