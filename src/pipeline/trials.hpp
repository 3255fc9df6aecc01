// Successes and their trials, as binomial families need them.
#pragma once

#include <vector>

#include "giga/data/dataset.hpp"
#include "giga/model/family.hpp"

namespace giga {

/// Throws DataError where the family has trials and they are not there.
void require_trials(const Dataset& data, const FamilyParameters& family, bool are_there);

/// Throws DataError unless a row of such a family has successes among trials.
void check_trial(const Dataset& data, const FamilyParameters& family, Index row, double successes,
                 double trials);

/// Throws DataError unless every row of a binomial family has successes among trials.
void check_trials(const Dataset& data, const FamilyParameters& family, const std::vector<double>& successes,
                  const std::vector<double>& trials);

}  // namespace giga
