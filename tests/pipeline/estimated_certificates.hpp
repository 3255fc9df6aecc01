// Certificates by estimated sums against certificates by all rows: the same data, coreset and draws.
#pragma once

#include "infer/estimate_cases.hpp"

namespace giga::test {

enum class Quality { Good, Poor, Failing };
inline constexpr Quality kQualities[] = {Quality::Good, Quality::Poor, Quality::Failing};

struct Comparison {
  bool estimated = false;  ///< Whether rows were left out at all.
  bool safe = false;       ///< By all rows.
  double beyond = 0;       ///< Share of log ratios off by more than 3 stated standard errors.
  std::vector<std::string> failures = {};
};

/// Of coresets from the corrective method to a tolerance, of a uniform sample, and of a few rows.
[[nodiscard]] Comparison compare_certificates(const EstimateCase& which, Quality quality);

/// The share of log ratios that are off by more than 3 stated standard errors, on average over so many
/// samples of rows; NaN if no row is left out.
[[nodiscard]] double share_beyond_of_samples(const EstimateCase& which, Quality quality, Index samples);

}  // namespace giga::test
