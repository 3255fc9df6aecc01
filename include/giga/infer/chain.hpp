// Draws of a posterior, chain by chain.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "giga/base/names.hpp"
#include "giga/base/types.hpp"

namespace giga {

enum class SamplerKind {
  Nuts,  ///< The no-U-turn sampler with multinomial draws along a trajectory (Hoffman and Gelman 2014;
         ///< Betancourt 2017).
  Hmc,   ///< Hamiltonian Monte Carlo with a fixed number of leapfrog steps.
  Rwmh,  ///< Random-walk Metropolis-Hastings with normal proposals.
};
constexpr auto name_table(SamplerKind) {
  using enum SamplerKind;
  return names_are<SamplerKind>({{Nuts, "nuts", "the no-U-turn sampler"},
                                 {Hmc, "hmc", "Hamiltonian Monte Carlo with a fixed number of steps"},
                                 {Rwmh, "rwmh", "random-walk Metropolis-Hastings, adapted to accept 23%"}});
}

/// What Nuts and Hmc take for the covariance of the parameters, as a scale for their steps. Adapted: its
/// variances are estimated in the windows of the warm-up.
enum class MetricKind {
  Dense,     ///< sample_about: that of the approximation, adapted along its axes. sample() has none to begin
             ///< with, and takes Diagonal.
  Diagonal,  ///< Variances alone, adapted.
  Unit,      ///< 1 in every direction.
};
constexpr auto name_table(MetricKind) {
  using enum MetricKind;
  return names_are<MetricKind>({{Dense, "dense", "of the Laplace approximation, adapted along its axes"},
                                {Diagonal, "diagonal", "variances alone, adapted: as in Stan"},
                                {Unit, "unit", "1 in every direction"}});
}

/// What is known of a draw besides its parameters. Where chains are thinned, `divergent` and `tree_depth` are
/// the worst of the transitions since the draw before.
struct DrawStats {
  double log_density = 0;
  double accept_stat = 0;  ///< Mean Metropolis acceptance probability of the transition.
  double step_size = 0;    ///< Of the leapfrog, or the scale of proposals.
  Index tree_depth = 0;    ///< Doublings of the trajectory; 0 except for Nuts.
  Index num_leapfrog = 0;  ///< Gradients of the transition.
  bool divergent = false;  ///< The energy error exceeded 1000.
  double energy = 0;  ///< Of the Hamiltonian at the draw, with its momentum; minus the log density for Rwmh.
};

struct Chain {
  Index dim = 0;
  std::vector<double> draws;             ///< Row-major, one row per draw.
  std::vector<DrawStats> stats;          ///< One for each draw.
  double step_size = 0;                  ///< As adapted.
  MetricKind metric = MetricKind::Unit;  ///< That it ran with; Dense for Rwmh.
  /// D variances, or the D x D covariance of a dense metric or of Rwmh's proposals.
  std::vector<double> inverse_metric;
  Index num_gradients = 0;   ///< Evaluations of the density, warm-up included.
  Index num_not_finite = 0;  ///< Evaluations that threw or were not finite: rejected proposals.
  Index attempts = 1;        ///< How often the chain was run; more than 1 for Rwmh only.
  /// Of a thinned chain: the energy fraction of missing information over all its transitions, which its draws
  /// cannot tell. Otherwise NaN.
  double e_bfmi = std::numeric_limits<double>::quiet_NaN();
  bool stopped = false;  ///< It was asked to stop; the draws are those made so far.

  [[nodiscard]] Index num_draws() const { return static_cast<Index>(stats.size()); }
  [[nodiscard]] const double* draw(Index s) const { return draws.data() + s * dim; }
};

}  // namespace giga
