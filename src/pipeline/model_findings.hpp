// From the numbers of a model check to what is wrong, in words. docs/model_check.md has the limits.
#pragma once

#include <optional>
#include <vector>

#include "giga/pipeline/model_check.hpp"
#include "pipeline/robust_sds.hpp"

namespace giga {

/// Beyond chance: this many standard deviations of the replicates, and beyond all of them.
inline constexpr double kBeyondChance = 4;

/// What findings are made of besides the numbers of the check.
struct MisfitFacts {
  RobustSd robust;
  /// sum (r^2 - 1) / sqrt(sum (r^2 - 1)^2): at most the root of the number of rows that it comes from.
  double dispersion_evidence = 0;
  std::optional<Index> worst_bin;   ///< Where calibration misses by more than chance.
  double smallest_response = 0;     ///< Among those looked at.
  std::vector<Finding> about_mode;  ///< Separation and prior.
};

[[nodiscard]] std::vector<Finding> findings_of(const Problem& problem, const ModelCheck& check,
                                               const MisfitFacts& facts);

/// Separation and the effect of the prior, by the mode of the posterior of all rows.
[[nodiscard]] std::vector<Finding> mode_findings(const Problem& problem, const LaplaceResult& mode,
                                                 const Executor& executor);

}  // namespace giga
