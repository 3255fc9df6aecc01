// The options that speak of chains, which several verbs have.
#pragma once

#include <string>

#include "giga/infer/sample.hpp"
#include "giga/record/run_record.hpp"
#include "support/arguments.hpp"

namespace giga::tool {

/// How chains are made.
struct ChainOptions {
  Protocol protocol = Protocol::Stan;
  SampleOptions sample = {};
  Index chains = 4;
};

/// Sampler, protocol and what belongs to them: all but seed and threads. `usual.draws` = 0: those of a fit.
void add_sampling_options(Arguments& arguments, const std::string& group, const SampleOptions& usual = {});
/// The values of those, and set_chains. Throws UsageError for whatever cannot be.
void set_sampling(const Arguments& arguments, ChainOptions& request);
/// Chains, warm-up, draws and seed, where they are given.
void set_chains(const Arguments& arguments, ChainOptions& request);

}  // namespace giga::tool
