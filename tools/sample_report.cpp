#include "sample_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "giga/base/text.hpp"
#include "giga/record/same_data.hpp"
#include "giga/record/draws_file.hpp"
#include "support/resources.hpp"
#include "support/spelling.hpp"

namespace giga::tool {
namespace {

Json options_json(const SampleRequest& request) {
  Json options;
  options["path"] = request.input.native();
  options["companion"] = request.companion ? Json(request.companion->path.native()) : Json(nullptr);
  options.update(read_json(request.read));
  options.update(model_json(request.model));
  options.update(sampling_json(request));
  options["seed"] = request.sample.seed;
  options["threads"] = request.threads;
  options["out"] = request.out ? Json(request.out->native()) : Json(nullptr);
  return options;
}

Index gradients_of(const SampleOutcome& outcome) {
  Index sum = 0;
  for (const Chain& chain : outcome.chains) sum += chain.num_gradients;
  return sum;
}

double gradients_per_second(const SampleOutcome& outcome) {
  return outcome.sample_s > 0 ? static_cast<double>(gradients_of(outcome)) / outcome.sample_s : 0.0;
}

}  // namespace

SampleOutcome sample_outcome(const SampleRequest& request, const Problem& problem, const BothScales& scales,
                             std::span<const Chain> chains, const Executor& executor) {
  SampleOutcome outcome;
  for (const Chain& chain : chains) outcome.chains.push_back(scales.apply(chain));
  outcome.num_used = problem.model().num_rows();
  outcome.num_parameters = problem.model().num_parameters();
  outcome.scale = problem.scale();
  outcome.names = scales.names();
  outcome.columns = safe_columns(outcome.names);
  outcome.num_original = scales.num_original();
  outcome.quantities = summarise_chains(outcome.chains, outcome.names, true, executor);
  const Index depth = request.sample.sampler == SamplerKind::Nuts ? request.sample.max_depth : 0;
  outcome.health = health_of(outcome.chains, request.sample.sampler, depth);
  // What is wrong with a coefficient is wrong with it on both scales: it is said once.
  outcome.warnings = spelled(
      warnings(std::span(outcome.quantities).first(1 + static_cast<std::size_t>(outcome.num_original)),
               outcome.health));
  return outcome;
}

Json sampling_json(const SampleRequest& request) {
  const SampleOptions& sample = request.sample;
  Json options;
  options["sampler"] = name(sample.sampler);
  options["protocol"] = name(request.protocol);
  options["metric"] = name(sample.metric);
  options["chains"] = request.chains;
  options["warmup"] = sample.warmup;
  options["draws"] = sample.draws;
  options["thin"] = sample.thin;
  options["target_accept"] = sample.sampler == SamplerKind::Rwmh ? Json(nullptr) : Json(sample.target_accept);
  options["max_depth"] = sample.sampler == SamplerKind::Nuts ? Json(sample.max_depth) : Json(nullptr);
  options["leapfrog_steps"] =
      sample.sampler == SamplerKind::Hmc ? Json(sample.leapfrog_steps) : Json(nullptr);
  options["step_jitter"] = sample.sampler == SamplerKind::Hmc ? Json(sample.step_jitter) : Json(nullptr);
  return options;
}

Json parameters_json(const SampleOutcome& outcome) {
  Json parameters = Json::array();
  for (std::size_t d = 0; d < outcome.names.size(); ++d) {
    parameters.push_back(
        {{"column", outcome.columns[d]},
         {"name", outcome.names[d]},
         {"scale", static_cast<Index>(d) < outcome.num_original ? "original" : "standardised"}});
  }
  return parameters;
}

Json chains_json(const SampleOutcome& outcome) {
  Json chains = Json::array();
  for (std::size_t c = 0; c < outcome.chains.size(); ++c) {
    const Chain& chain = outcome.chains[c];
    const ChainHealth& health = outcome.health.chains[c];
    chains.push_back({{"step_size", chain.step_size},
                      {"gradients", chain.num_gradients},
                      {"not_finite", chain.num_not_finite},
                      {"divergent", health.num_divergent},
                      {"at_max_depth", health.num_at_max_depth},
                      {"acceptance", health.acceptance},
                      {"e_bfmi", health.e_bfmi},
                      {"attempts", chain.attempts},
                      {"seconds", c < outcome.chain_s.size() ? Json(outcome.chain_s[c]) : Json(nullptr)}});
  }
  return chains;
}

std::string sample_table(const SampleOutcome& outcome) {
  return summary_text(
      std::span(outcome.quantities).subspan(1, static_cast<std::size_t>(outcome.num_original)));
}

std::string sample_facts(const SampleRequest& request, const SampleOutcome& outcome) {
  std::string text;
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("{:<16} {}\n", label, value);
  };
  std::string input = request.input == "-" ? "standard input" : printable_path(request.input);
  if (request.companion) {
    input += fmt::format(": {} points for N = {} rows", outcome.num_used, outcome.num_rows);
  } else {
    input += fmt::format(": N = {} row{}", outcome.num_rows, outcome.num_rows == 1 ? "" : "s");
  }
  line("input", fmt::format("{}, D = {} parameter{}, response {}", input, outcome.num_parameters,
                            outcome.num_parameters == 1 ? "" : "s", printable(outcome.response, 40)));
  line("model", model_text(request.model));
  std::string sampler(name(request.sample.sampler));
  if (request.sample.sampler != SamplerKind::Rwmh)
    sampler += fmt::format(" with a {} metric", name(request.sample.metric));
  line("sampler",
       fmt::format("{}, {} chain{} of {} warm-up + {} draws{}", sampler, request.chains,
                   request.chains == 1 ? "" : "s", request.sample.warmup, request.sample.draws,
                   request.sample.thin > 1 ? fmt::format(" thinned by {}", request.sample.thin) : ""));
  line("gradients", fmt::format("{}, {:.0f} a second", gradients_of(outcome), gradients_per_second(outcome)));
  line("seconds", fmt::format("{:.3f} load, {:.3f} laplace, {:.3f} sample", outcome.load_s, outcome.laplace_s,
                              outcome.sample_s));
  if (request.out) line("written", printable_path(*request.out));
  return text;
}

std::string sample_record(const SampleRequest& request, const SampleOutcome& outcome) {
  Json record;
  record["command"] = "sample";
  record["version"] = GIGA_VERSION;
  record["options"] = options_json(request);
  record["model"] = model_text(request.model);
  record["seed"] = request.sample.seed;
  record["N"] = outcome.num_rows;
  record["D"] = outcome.num_parameters;
  record["rows_used"] = outcome.num_used;
  record["coreset_digest"] = request.companion ? Json(posterior_digest(*request.companion)) : Json(nullptr);
  record["response"] = outcome.response;
  record["standardisation"] = scale_json(outcome.features, outcome.scale);
  record["parameters"] = parameters_json(outcome);
  record["laplace"] = {{"mode", outcome.laplace.posterior.mean()},
                       {"sd", outcome.laplace.posterior.standard_deviations()},
                       {"log_joint", outcome.laplace.log_joint},
                       {"iterations", outcome.laplace.iterations},
                       {"converged", outcome.laplace.end == LaplaceEnd::Converged}};
  record["chains"] = chains_json(outcome);
  record["diagnostics"] = parsed(summary_json(outcome.quantities));
  record["warnings"] = outcome.warnings;
  record["gradients"] = gradients_of(outcome);
  record["gradients_per_second"] = gradients_per_second(outcome);
  record["certificate"] = nullptr;
  record["seconds"] = {
      {"load", outcome.load_s}, {"laplace", outcome.laplace_s}, {"project", 0.0}, {"prepare", 0.0},
      {"construct", 0.0},       {"sample", outcome.sample_s},   {"certify", 0.0}, {"total", outcome.total_s}};
  record["peak_bytes"] = peak_bytes();
  return dumped(record);
}

std::vector<std::pair<std::string, std::string>> draws_files(const SampleRequest& request,
                                                             const SampleOutcome& outcome) {
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t c = 0; c < outcome.chains.size(); ++c) {
    const auto index = static_cast<Index>(c);
    files.emplace_back(fmt::format("draws_{}.csv", c + 1),
                       draws_csv(draws_file(outcome.columns, request.sample, index, outcome.chains[c])));
  }
  files.emplace_back("summary.csv", summary_csv(outcome.quantities));
  return files;
}

std::vector<std::pair<std::string, std::string>> sample_files(const SampleRequest& request,
                                                              const SampleOutcome& outcome) {
  auto files = draws_files(request, outcome);
  files.emplace_back("run.json", sample_record(request, outcome));
  return files;
}

}  // namespace giga::tool
