// Seeds of trials.
#include "experiments/settings.hpp"

#include "giga/base/random.hpp"

namespace giga::experiments {

std::uint64_t trial_seed(const Settings& settings, const std::string& purpose, Index trial) {
  return stream(settings.seed, purpose, trial).bits();
}

}  // namespace giga::experiments
