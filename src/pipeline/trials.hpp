// Successes and their trials, as binomial families need them.
#pragma once

#include <vector>

#include "giga/data/dataset.hpp"
#include "giga/model/family.hpp"

namespace giga {

/// Throws DataError unless every row of a binomial family has successes among trials.
void check_trials(const Dataset& data, const FamilyParameters& family, const std::vector<double>& successes,
                  const std::vector<double>& trials);

}  // namespace giga
