// The Hamiltonian H(q, p) = -log density(q) + sum_d v_d p_d^2 / 2 and the leapfrog, its symplectic
// integrator: reversible and volume-preserving, so the Metropolis correction needs exp(-H) alone.
//
// Notation: q position, p momentum, v the inverse metric, eps the step.
#include "infer/hamiltonian.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "infer/faults.hpp"

namespace giga {

Hamiltonian::Hamiltonian(const DensityView& density)
    : inverse_metric(at(density.dim()), 1.0), density_(density) {}

void Hamiltonian::evaluate(PhasePoint& point) {
  point.gradient.resize(point.q.size());
  ++num_gradients;
  // A density that throws or is not finite is zero: the gradient there is set to 0 so that the momentum stays
  // finite, and the energy is infinite, so the point is never accepted.
  bool usable = true;
  try {
    point.log_density = density_.log_density(point.q.data(), point.gradient.data());
    usable =
        std::isfinite(point.log_density) && std::all_of(point.gradient.begin(), point.gradient.end(),
                                                        [](double value) { return std::isfinite(value); });
  } catch (const std::exception&) {  // a density may refuse parameters: it is zero there
    usable = false;
  }
  if (usable) return;
  ++num_not_finite;
  point.log_density = -std::numeric_limits<double>::infinity();
  std::fill(point.gradient.begin(), point.gradient.end(), 0.0);
}

// p_d ~ N(0, 1 / v_d).
void Hamiltonian::draw_momentum(PhasePoint& point, Stream& random) const {
  if (fault(Fault::MomentumNotRenewed) && !point.p.empty()) return;
  point.p.resize(point.q.size());
  for (std::size_t d = 0; d < point.p.size(); ++d) {
    point.p[d] = random.normal() / std::sqrt(inverse_metric[d]);
    if (fault(Fault::MomentumOfTheInverse)) point.p[d] *= inverse_metric[d];
  }
}

double Hamiltonian::energy(const PhasePoint& point) const {
  double kinetic = 0;
  for (std::size_t d = 0; d < point.p.size(); ++d) kinetic += point.p[d] * point.p[d] * inverse_metric[d];
  if (fault(Fault::KineticEnergyMissing)) kinetic = 0;
  const double energy = kinetic / 2 - point.log_density;
  return std::isnan(energy) ? std::numeric_limits<double>::infinity() : energy;
}

// p <- p + eps/2 grad(q),    q <- q + eps v p,    p <- p + eps/2 grad(q), grad the gradient
// of the log density.
void Hamiltonian::leapfrog(PhasePoint& point, double step) {
  for (std::size_t d = 0; d < point.q.size(); ++d) {
    point.p[d] += step / 2 * point.gradient[d];
    point.q[d] += step * inverse_metric[d] * point.p[d];
  }
  evaluate(point);
  if (fault(Fault::HalfStepMissing)) return;
  if (fault(Fault::HalfStepReversed)) step = -step;
  for (std::size_t d = 0; d < point.q.size(); ++d) point.p[d] += step / 2 * point.gradient[d];
}

double Hamiltonian::reasonable_step(const PhasePoint& from, double step, Stream& random) {
  constexpr double kAccepted = 0.8;
  constexpr int kMostChanges = 100;  // far beyond the range of steps that mean anything
  PhasePoint point = from;
  draw_momentum(point, random);
  const PhasePoint start = point;
  const double before = energy(start);
  // Invariant: all steps tried were on the same side of the boundary, exp(H(start) - H(point)) = 0.8; the
  // direction is set by the first. Algorithm 4 of Hoffman and Gelman has 1/2 in place of 0.8; Stan has 0.8
  // too.
  double factor = 0;
  for (int change = 0; change < kMostChanges; ++change) {
    point = start;
    leapfrog(point, step);
    const bool accepted = before - energy(point) > std::log(kAccepted);
    if (factor == 0) factor = accepted ? 2 : 0.5;
    if (accepted != (factor > 1)) return step;  // the first beyond the boundary
    step *= factor;
  }
  return step;
}

}  // namespace giga
