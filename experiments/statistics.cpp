// Quantiles over trials, and a straight line by least squares.
#include "experiments/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace giga::experiments {

double quantile(std::vector<double> values, double share) {
  if (values.empty()) throw std::invalid_argument("there are no values to take a quantile of");
  if (!(share >= 0 && share <= 1)) throw std::invalid_argument("the share of a quantile must be from 0 to 1");
  std::sort(values.begin(), values.end());
  // Type 7 of R: linear between the order statistics at (n - 1) share.
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double above = values[std::min(below + 1, values.size() - 1)];
  return values[below] + (place - std::floor(place)) * (above - values[below]);
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

Quartiles quartiles(const std::vector<double>& values) {
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const auto count = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  // slope = S_xy / S_xx; the explained share of the variance is S_xy^2 / (S_xx S_yy).
  if (xx == 0 || yy == 0) return {};
  return {xy / xx, xy * xy / (xx * yy)};
}

}  // namespace giga::experiments
