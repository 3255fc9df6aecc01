// Responses that a family would make at each of many draws: of new rows (predict), and of the rows that a
// model is checked by (replicates).
#pragma once

#include <limits>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/model/family.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

class ResponseSimulator {
 public:
  /// Draws of theta have `num_columns` coefficients and then the extra parameters of the family.
  ResponseSimulator(const FamilyParameters& family, const Points& draws, Index num_columns);

  /// The settings and extra parameters of each draw.
  [[nodiscard]] const std::vector<FamilyParameters>& parameters() const { return parameters_; }
  /// Counts are simulated exactly up to a mean of 1e15, where their noise is nothing: predictors beyond this
  /// one count as it.
  [[nodiscard]] double most_predictor() const { return most_; }

  /// One response for each draw, from their predictors s and expected responses: of labels 0 or 1, of
  /// `trials` the successes.
  void draw(const double* s, const double* mean, double trials, Stream& random, double* y) const;

 private:
  const FamilyDescription& family_;
  std::vector<FamilyParameters> parameters_;
  double most_ = std::numeric_limits<double>::infinity();
};

}  // namespace giga
