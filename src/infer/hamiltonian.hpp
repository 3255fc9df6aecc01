// A point in phase space and the leapfrog that moves it.
//
// H(q, p) = -log density(q) + sum_d p_d^2 v_d / 2 with v the inverse metric, that is the variances of the
// parameters as far as they are known; momenta are drawn with variance 1 / v.
#pragma once

#include <vector>

#include "giga/base/random.hpp"
#include "giga/infer/density.hpp"

namespace giga {

struct PhasePoint {
  std::vector<double> q, p, gradient;
  double log_density = 0;
};

class Hamiltonian {
 public:
  explicit Hamiltonian(const DensityView& density);

  [[nodiscard]] Index dim() const { return density_.dim(); }

  /// Fills in log density and gradient at q: -inf and 0 where the density throws or is not finite.
  void evaluate(PhasePoint& point);

  void draw_momentum(PhasePoint& point, Stream& random) const;
  [[nodiscard]] double energy(const PhasePoint& point) const;
  void leapfrog(PhasePoint& point, double step);

  /// A step size at which one leapfrog step is accepted with a probability near 0.8, from `step` on by
  /// doubling or halving.
  [[nodiscard]] double reasonable_step(const PhasePoint& from, double step, Stream& random);

  std::vector<double> inverse_metric;  // v
  Index num_gradients = 0, num_not_finite = 0;

 private:
  DensityView density_;
};

}  // namespace giga
