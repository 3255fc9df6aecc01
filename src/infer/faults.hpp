// Seeded faults. The tests switch one of them on and expect that the checks of the samplers find it
// (tests/infer/faults_test.cpp). Only a build with GIGA_FAULTS has them; in any other `fault` is the constant
// false, and nothing of this is compiled.
#pragma once

namespace giga {

enum class Fault {
  None,
  // Hamiltonian
  MomentumNotRenewed,     // the last momentum goes on
  MomentumOfTheInverse,   // drawn with variance v instead of 1 / v
  KineticEnergyMissing,   // the energy is minus the log density alone
  HalfStepReversed,       // the second half of a leapfrog step has the wrong sign
  HalfStepMissing,        // there is no second half
  AdaptationGoesOn,       // the step size still follows the acceptance after warm-up
  HmcAcceptsAll,          // everything is accepted except divergences
  HmcAcceptanceReversed,  // prefers the larger energy
  HmcKeepsRejectedValue,  // after a rejection: the log density of the proposal with the old point
  NutsUniformDraws,       // states of a trajectory drawn without their weights
  NutsNewerWithin,        // within subtrees the second half is preferred, as it should be between trees alone
  NutsTurnsAtGrowingEnd,  // a turn is sought only at the end that grows
  NutsIgnoresInnerTurns,  // a subtree that turns within is taken like any other
  NutsDrawsBeyondTurn,    // a subtree that turns ends the trajectory, but may be drawn from
  NutsStartUncounted,     // the first state has weight 0
  NutsForwardOnly,        // trajectories grow in one direction
  // Random walk
  RwmhDrifts,                // proposals are shifted, which the acceptance ignores
  RwmhAdaptationGoesOn,      // the scale of proposals follows the last acceptances after warm-up
  RwmhRejectionsNotCounted,  // a point that stays is not counted again
  RwmhKeepsOldValue,         // an accepted point has the log density of the one before it
  // Posterior
  PriorMissing,
  PriorScaleForVariance,  // the prior's precision is 1 / sd
  MultiplicitiesIgnored,  // every row counts once
  RowMissing,             // the last row does not count
  NoiseScaleIgnored,      // the noise of gaussian responses is 1
  // Estimates from some of the rows
  SampleCountedOnce,    // sampled rows count once instead of 1 / p times
  CertainRowsTwice,     // rows that are taken for certain count twice
  RemainderRowDropped,  // one of them is forgotten
};

#ifdef GIGA_FAULTS
inline Fault active_fault = Fault::None;
inline bool fault(Fault which) {
  return active_fault == which;
}
#else
constexpr bool fault(Fault /*which*/) {
  return false;
}
#endif

}  // namespace giga
