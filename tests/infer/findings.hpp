// What a statistical check found: how many numbers it compared, and those that were out of bounds. The tests
// of the samplers want none, the tests with a seeded fault want some; both run the same checks.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "giga/base/types.hpp"
#include "infer/probability.hpp"

namespace giga::test {

struct Findings {
  Index comparisons = 0;
  Index beyond = 0;                                             // comparisons beyond the bound
  double bound = 0;                                             // of |z|
  double worst = 0;                                             // the largest |z|
  double least_size = std::numeric_limits<double>::infinity();  // of the effective sizes
  std::vector<std::string> failures;

  [[nodiscard]] bool passed() const { return failures.empty(); }

  void require(bool holds, const std::string& failure) {
    if (!holds) failures.push_back(failure);
  }
  /// |z| <= bound; not a number fails.
  void compare(double z, const std::string& what) {
    ++comparisons;
    worst = std::max(worst, std::abs(z));
    if (!(std::abs(z) <= bound)) ++beyond;
    require(std::abs(z) <= bound, what + ": z = " + std::to_string(z));
  }

  [[nodiscard]] std::string text() const {
    std::string out = std::to_string(comparisons) + " comparisons, largest |z| " + std::to_string(worst) +
                      ", bound " + std::to_string(bound) + ", least effective size " +
                      std::to_string(least_size) + "\n";
    for (const std::string& failure : failures) out += "  " + failure + "\n";
    return out;
  }
};

/// The bound that any of `comparisons` standard normal numbers exceeds with a probability of at most `total`
/// (Bonferroni).
inline double bonferroni_bound(Index comparisons, double total) {
  return -normal_quantile(total / (2 * static_cast<double>(comparisons)));
}

}  // namespace giga::test
