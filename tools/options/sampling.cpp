// Samplers, protocols, chains.
#include "options/sampling.hpp"

#include <fmt/format.h>

#include <limits>

#include "giga/base/text.hpp"
#include "support/exit_codes.hpp"

namespace giga::tool {
namespace {

constexpr Index kMostChains = 256;
constexpr Index kMostDraws = 10'000'000;
constexpr Index kMostThin = 10'000;
constexpr Index kMostDepth = 20;
constexpr Index kMostSteps = 1'000'000;

constexpr const char* kProtocolHelp =
    R"(stan (default): Stan's warm-up. paper: that of Campbell and Broderick,
1000 + 5000; rwmh 25000 + 25000 thinned by 5. What else is given wins)";

// Options of one sampler, which the others refuse.
void refuse_others(const Arguments& arguments, SamplerKind sampler) {
  const auto refuse = [&](const char* option) {
    if (arguments.given(option))
      throw UsageError(
          fmt::format("--{} has no effect with --sampler {}; leave it out", option, name(sampler)));
  };
  if (sampler == SamplerKind::Rwmh) {
    refuse("target-accept");
    refuse("metric");
  }
  if (sampler != SamplerKind::Nuts) refuse("max-depth");
  if (sampler != SamplerKind::Hmc) {
    refuse("leapfrog-steps");
    refuse("step-jitter");
  }
}

double target_accept(const Arguments& arguments, double fallback) {
  const double value = arguments.number("target-accept", fallback, 0, 1);
  if (value == 0 || value == 1)
    throw UsageError(
        fmt::format("--target-accept is {}; must be a number from 0 to 1, both excluded", shortest(value)));
  return value;
}

double step_jitter(const Arguments& arguments, double fallback) {
  const double value = arguments.number("step-jitter", fallback, 0, 1);
  if (value == 1) throw UsageError("--step-jitter is 1; must be a number from 0 to 1, 1 excluded");
  return value;
}

}  // namespace

void set_chains(const Arguments& arguments, ChainOptions& request) {
  SampleOptions& sample = request.sample;
  sample.warmup = arguments.count("warmup", sample.warmup, 0, kMostDraws);
  sample.draws = arguments.count("draws", sample.draws, 1, kMostDraws);
  sample.seed = arguments.whole("seed", 1, 0, std::numeric_limits<std::uint64_t>::max());
  request.chains = arguments.count("chains", request.chains, 1, kMostChains);
}

void set_sampling(const Arguments& arguments, ChainOptions& request) {
  const auto sampler = arguments.choice("sampler", SamplerKind::Nuts);
  refuse_others(arguments, sampler);
  request.protocol = arguments.choice("protocol", Protocol::Stan);
  SampleOptions& sample = request.sample;
  if (request.protocol == Protocol::Paper) sample = paper_protocol(sampler);
  sample.sampler = sampler;
  // In the coordinates of the dense metric all directions have one period, which 15 steps exceed.
  if (sampler == SamplerKind::Hmc && request.protocol == Protocol::Stan) sample.metric = MetricKind::Diagonal;
  if (arguments.given("metric")) {
    sample.metric = arguments.choice("metric", sample.metric);
    if (sample.metric != MetricKind::Unit) sample.step_jitter = SampleOptions{}.step_jitter;
  }
  sample.thin = arguments.count("thin", sample.thin, 1, kMostThin);
  sample.target_accept = target_accept(arguments, sample.target_accept);
  sample.max_depth = arguments.count("max-depth", sample.max_depth, 1, kMostDepth);
  sample.leapfrog_steps = arguments.count("leapfrog-steps", sample.leapfrog_steps, 1, kMostSteps);
  sample.step_jitter = step_jitter(arguments, sample.step_jitter);
  set_chains(arguments, request);
}

void add_sampling_options(Arguments& arguments, const std::string& group, const SampleOptions& usual) {
  arguments.add_choice<SamplerKind>(
      "sampler", "NAME", choices_help(SamplerKind::Nuts, {{SamplerKind::Nuts, " (default)"}}), group);
  arguments.add_choice<Protocol>("protocol", "NAME", kProtocolHelp, group);
  arguments.add_choice<MetricKind>(
      "metric", "NAME",
      "nuts, hmc: the covariance that steps are scaled by\n" +
          choices_help(MetricKind::Dense, {{MetricKind::Dense, " (default of\nnuts)"},
                                           {MetricKind::Diagonal, " (default of hmc)"},
                                           {MetricKind::Unit, " (default of --protocol paper)"}}),
      group);
  arguments.add_value("chains", "C", "1 to 256 (default 4)", group);
  arguments.add_value("warmup", "T", "Transitions that adapt and are not kept, 0 to 10^7 (default 1000)",
                      group);
  arguments.add_value("draws", "S",
                      fmt::format("Kept of each chain, 1 to 10^7 (default {})",
                                  usual.draws > 0 ? std::to_string(usual.draws)
                                                  : "4000; of large\ncoresets fewer, down to 1000"),
                      group);
  arguments.add_value("thin", "K",
                      fmt::format("Transitions per draw, 1 to 10^4 (default {})",
                                  usual.thin > 0 ? std::to_string(usual.thin) : "2; of large\ncoresets 1"),
                      group);
  arguments.add_value("target-accept", "A", "nuts, hmc: between 0 and 1 (default 0.8); more is smaller steps",
                      group);
  arguments.add_value("max-depth", "K", "nuts: at most 2^K - 1 steps per transition, 1 to 20 (default 10)",
                      group);
  arguments.add_value("leapfrog-steps", "L", "hmc: steps per transition, 1 to 10^6 (default 15)", group);
  arguments.add_value("step-jitter", "J",
                      "hmc: each transition has a step within this share of the adapted\n"
                      "one, from 0 up to 1 (default 0.3; 0 in --protocol paper)",
                      group);
}

}  // namespace giga::tool
