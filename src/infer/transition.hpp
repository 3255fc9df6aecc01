// One transition of a Markov chain, whichever sampler makes it.
#pragma once

#include <memory>

#include "giga/infer/chain.hpp"
#include "giga/infer/sample.hpp"
#include "infer/hamiltonian.hpp"

namespace giga {

class Transition {
 public:
  virtual ~Transition() = default;
  /// Moves `point`, whose log density and gradient are known.
  virtual DrawStats move(PhasePoint& point, Hamiltonian& hamiltonian, double step, Stream& random) = 0;
};

[[nodiscard]] std::unique_ptr<Transition> make_nuts(Index dim, Index max_depth);
[[nodiscard]] std::unique_ptr<Transition> make_hmc(Index leapfrog_steps);

/// An energy error above this is a divergence.
inline constexpr double kDivergence = 1000;

/// A chain of random-walk Metropolis-Hastings, adaptation included.
[[nodiscard]] Chain random_walk(const DensityView& density, const SampleOptions& options,
                                const std::vector<double>& start, Index chain, const Executor& executor,
                                const Observer& observer);

/// Whether a chain should end after a transition.
[[nodiscard]] inline bool told_to_stop(const Executor& executor, const Observer& observer,
                                       const StageProgress& progress) {
  return asks_to_stop(observer, progress) || executor.stop_requested();
}

}  // namespace giga
