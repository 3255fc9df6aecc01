// Ranks of true values among posterior draws, and whether they are uniform: what simulation-based calibration
// looks at (calibration.hpp, family_calibration.hpp).
#pragma once

#include <string>
#include <vector>

#include "giga/base/types.hpp"
#include "infer/findings.hpp"

namespace giga::test {

inline constexpr Index kRankedDraws = 63;  // ranks are 0 .. 63

struct Ranks {
  std::vector<std::string> quantities;  // their names
  std::vector<Index> ranks;             // by simulation, one for each quantity
  std::vector<double> autocorrelation;  // of neighbouring draws, by quantity, over all simulations
};

// Of one simulation, by quantity.
struct RankedTruth {
  std::vector<Index> rank;
  std::vector<double> autocorrelation;  // less what the mean of the draws takes off
};

/// The ranks of the true quantities among those of kRankedDraws draws.
[[nodiscard]] RankedTruth rank_truth(const std::vector<double>& truth,
                                     const std::vector<std::vector<double>>& draws);
[[nodiscard]] Ranks gather_ranks(std::vector<std::string> quantities, const std::vector<RankedTruth>& all);

// That samplers without a fault fail, over all combinations of sampler and family that are checked together,
// for most seeds.
inline constexpr double kFalseAlarmOfAll = 1e-4;
// Draws further from independent would widen the ranks: 0.1 by 0.4 standard errors of 1,000 simulations.
inline constexpr double kMostAutocorrelation = 0.1;

/// Mean and variance of the ranks' normal scores, and the chi-square of their histogram in 16 bins, all as z.
/// `all_quantities` is how many are checked together, over the combinations.
[[nodiscard]] Findings check_ranks(const Ranks& ranks, Index all_quantities);

}  // namespace giga::test
