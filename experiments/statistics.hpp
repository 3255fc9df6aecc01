// Medians and quartiles over trials.
#pragma once

#include <vector>

namespace giga::experiments {

struct Quartiles {
  double low = 0, mid = 0, high = 0;
};

/// Between the two values nearest to it in rank, as R's default does. Throws std::invalid_argument for no
/// values or a share outside [0, 1].
[[nodiscard]] double quantile(std::vector<double> values, double share);
[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] Quartiles quartiles(const std::vector<double>& values);

/// The straight line through (x_i, y_i) by least squares, and the share of the variance of y it explains.
struct Line {
  double slope = 0, share = 0;
};
[[nodiscard]] Line fit_line(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace giga::experiments
