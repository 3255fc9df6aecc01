// Bins of rows of which a model expects nearly the same response.
#pragma once

#include <span>
#include <vector>

#include "giga/model/linear_model.hpp"

namespace giga {

/// Up to ten, from the smallest expected response to the largest, each with a tenth of all observations or
/// more: more where fewer than 5 of the rarer outcome, or counts, are expected in it, and since rows of which
/// the same is expected are in one bin. What is left at the end joins the last.
struct FittedBins {
  std::vector<Index> of_row;
  Index count = 0;
};

[[nodiscard]] FittedBins fitted_bins(const LinearModel& rows, std::span<const double> theta);

}  // namespace giga
