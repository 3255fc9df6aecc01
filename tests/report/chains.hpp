// Chains made up without a sampler.
#pragma once

#include <string>

#include "giga/base/random.hpp"
#include "giga/infer/chain.hpp"

namespace giga::test {

/// Independent standard normal draws, unless told otherwise.
inline Chain made_up_chain(Index draws, Index dim, std::uint64_t seed = 1, double centre = 0) {
  Stream random = stream(seed, "made up");
  Chain chain;
  chain.dim = dim;
  chain.step_size = 0.1 + 0.2;
  for (Index s = 0; s < draws; ++s) {
    DrawStats stats;
    for (Index d = 0; d < dim; ++d) chain.draws.push_back(centre + random.normal());
    stats.log_density = random.normal() / 3;
    stats.accept_stat = random.uniform();
    stats.step_size = chain.step_size;
    stats.tree_depth = 1 + s % 4;
    stats.num_leapfrog = 3 + s;
    stats.divergent = s % 7 == 3;
    stats.energy = random.normal() / 7;
    chain.stats.push_back(stats);
  }
  return chain;
}

}  // namespace giga::test
