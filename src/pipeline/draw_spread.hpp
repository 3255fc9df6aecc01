// Mean, standard deviation and quantiles of a quantity by S weighted draws, for many quantities with the same
// weights: without sorting.
//
//     mean = sum w_s x_s,  sd^2 = sum w_s (x_s - mean)^2 / (1 - sum w_s^2),  sum w_s = 1,
//     the quantile p is the smallest x_s for which the draws up to it have at least the weight p.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "giga/base/types.hpp"

namespace giga {

class DrawSpread {
 public:
  /// `weights` are not negative and not all 0; quantiles lie in (0, 1). std::invalid_argument otherwise.
  DrawSpread(std::span<const double> weights, std::span<const double> quantiles);

  /// What a call needs room for; one for each thread.
  struct Room {
    std::vector<double> squares = {};
    std::vector<std::uint16_t> cells = {};
    std::vector<std::pair<double, std::uint64_t>> found = {};
  };

  /// Mean, sd and the quantiles.
  [[nodiscard]] Index width() const { return 2 + std::ssize(wanted_); }
  /// To out[0 .. width() - 1], of the S values x. The same bits whatever was asked before.
  void write(const double* x, Room& room, double* out) const;
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }

 private:
  void write_quantiles(const double* x, Room& room, double* out) const;

  std::vector<double> weights_;        // w_s
  std::vector<std::uint64_t> units_;   // the same as whole numbers, whose sums do not depend on their order
  std::vector<std::uint64_t> wanted_;  // of each quantile, the units that must lie at or below it
  double correction_ = 1;              // 1 / (1 - sum w_s^2)
};

}  // namespace giga
