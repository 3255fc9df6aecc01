// Simulated regression data for trials and benchmarks: x ~ N(0, I), y from the likelihood of a family at a
// given theta. Row n depends on the seed and n alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "giga/base/random.hpp"
#include "giga/base/types.hpp"
#include "giga/model/family.hpp"
#include "giga/model/simulated_table.hpp"

namespace giga {

struct SimulateDataOptions {
  FamilyParameters family;
  Index rows = 10000;
  std::vector<double> theta;  ///< A coefficient for every feature, then the intercept.
  std::uint64_t seed = 1;
};

/// The coefficients of the paper's synthetic sets, (3, 3, 0) for bernoulli and (1, 0) for poisson, and what
/// the description of any other family says; scaled for other numbers of features so that the predictor has
/// the same variance.
[[nodiscard]] std::vector<double> usual_theta(Family family, Index num_features);
/// The number of features of those sets: 2 and 1.
[[nodiscard]] Index usual_num_features(Family family);

class SimulatedData final : public SimulatedTable {
 public:
  /// Throws std::invalid_argument for rows < 1, no theta, or numbers that are not finite.
  explicit SimulatedData(SimulateDataOptions options);

  [[nodiscard]] Index num_rows() const override { return options_.rows; }
  [[nodiscard]] Index num_features() const override { return std::ssize(options_.theta) - 1; }
  /// x1, x2, ...
  [[nodiscard]] std::vector<std::string> feature_names() const override;
  /// Labels are -1 and 1.
  void read(Index first, Index count, double* out) const override;

 private:
  SimulateDataOptions options_;
};

/// A draw of the Poisson distribution with this mean, exact for means to 1e15; mean >= 0.
[[nodiscard]] double draw_poisson(double mean, Stream& random);

/// A draw of the gamma distribution with this shape and scale 1; shape > 0.
[[nodiscard]] double draw_gamma(double shape, Stream& random);

/// A draw of the binomial distribution, exact; trials a whole number >= 0 and chance in [0, 1].
[[nodiscard]] double draw_binomial(double trials, double chance, Stream& random);

/// The family with the numbers that responses are simulated with as the extra parameters phi of theta say.
[[nodiscard]] FamilyParameters simulated_with(FamilyParameters family, const double* extras);

}  // namespace giga
