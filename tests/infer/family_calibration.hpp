// Simulation-based calibration (calibration.hpp) of every family as it is fitted: priors of several kinds,
// the parameters that are not coefficients among them; an offset; trials; the chains that a fit runs by
// default.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "giga/model/family.hpp"
#include "infer/ranks.hpp"

namespace giga::test {

// A mistake in the posterior, of which the data know nothing.
enum class FamilyFault {
  None,
  NoOffset,      // the offset is left out
  OtherPrior,    // the last parameter has twice the scale
  OneMoreTrial,  // than there were
};

struct FamilyCalibration {
  Family family = Family::Gaussian;
  Index simulations = 1000;
  std::uint64_t seed = 41;
  int threads = 0;
  FamilyFault fault = FamilyFault::None;
};

/// The families that are checked together: those whose priors make no absurd data.
[[nodiscard]] std::vector<Family> calibrated_families();

/// Of every parameter and the log-likelihood; the same for any number of threads.
[[nodiscard]] Ranks simulate_family_ranks(const FamilyCalibration& options);
[[nodiscard]] Findings check_family(const FamilyCalibration& options);

/// "student_t identity, given"
[[nodiscard]] std::string words_for(Family family);

/// Expects check_family to pass.
void expect_family_calibrated(const FamilyCalibration& options);

}  // namespace giga::test
