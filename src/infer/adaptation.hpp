// What a chain learns in warm-up: a step size by dual averaging, and variances or covariances in growing
// windows. Hoffman and Gelman (2014), section 3.2; the windows are those Stan's users know.
#pragma once

#include <vector>

#include "giga/base/types.hpp"

namespace giga {

/// Moves log(step) so that the mean of accept_stat comes to `target`.
class DualAveraging {
 public:
  DualAveraging(double step, double target);

  /// Starts over from a step size.
  void restart(double step);
  /// Takes what a transition was accepted with; returns the step size for the next one.
  double update(double accept_stat);
  /// The average to be used once adaptation ends.
  [[nodiscard]] double final_step() const;

 private:
  double target_;
  double shrink_towards_ = 0;  // mu, log of ten times the first step
  double error_ = 0;           // running mean of target - accept_stat
  double log_average_ = 0;
  double count_ = 0;
};

/// Running mean and covariance (or variances) of points.
class RunningMoments {
 public:
  RunningMoments(Index dim, bool full);

  void add(const double* point);
  void clear();
  [[nodiscard]] Index count() const { return count_; }
  /// Variances, or the covariance row-major, shrunk towards 1e-3 (times I) as if five draws had said so.
  [[nodiscard]] std::vector<double> shrunk() const;

 private:
  Index dim_;
  bool full_;
  Index count_ = 0;
  std::vector<double> mean_, squares_;
};

/// Which transitions of a warm-up the variances are learnt from, and after which they are taken over: a fast
/// start, windows that double, a fast end.
class Windows {
 public:
  explicit Windows(Index warmup);
  [[nodiscard]] bool learns(Index iteration) const { return iteration >= begin_ && iteration < end_; }
  [[nodiscard]] bool ends_window(Index iteration) const;

 private:
  Index begin_ = 0, end_ = 0;
  std::vector<Index> ends_;  // the last iteration of each window
};

}  // namespace giga
