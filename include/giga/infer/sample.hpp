// Markov chains of a log density. Every chain has its own stream of random numbers, so the draws are the same
// for any number of threads.
//
//   const RegressionPosterior posterior(model, prior);
//   const std::vector<Chain> chains = sample_about(posterior, laplace.posterior, 4, {}, executor);
#pragma once

#include <cstdint>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/observer.hpp"
#include "giga/base/types.hpp"
#include "giga/infer/chain.hpp"
#include "giga/infer/density.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/prior.hpp"

namespace giga {

struct SampleOptions {
  SamplerKind sampler = SamplerKind::Nuts;
  Index warmup = 1000;         ///< Adapts and is not kept; >= 0.
  Index draws = 1000;          ///< Kept of each chain; >= 1.
  Index thin = 1;              ///< Transitions per draw, after warm-up; >= 1.
  double target_accept = 0.8;  ///< In (0, 1); Rwmh always has 0.234.
  Index max_depth = 10;        ///< Nuts: at most 2^max_depth - 1 leapfrog steps; 1 .. 20.
  Index leapfrog_steps = 15;   ///< Hmc; >= 1.
  /// Hmc: the step of each transition is drawn within this share of the adapted one, in [0, 1). Without it a
  /// trajectory can be a whole number of periods of some direction, which then hardly moves.
  double step_jitter = 0.3;
  MetricKind metric = MetricKind::Dense;  ///< Rwmh learns its own; Dense is where it begins.
  std::uint64_t seed = 1;
};

/// The paper's protocols (its sections 4.3 and A.2): Hmc 15 steps of one size, 1000 + 5000; Nuts 1000 + 5000;
/// both to 0.8, of which the step size alone is adapted; Rwmh 25000 + 25000 thinned by 5.
[[nodiscard]] SampleOptions paper_protocol(SamplerKind sampler);

/// One chain from each start, as many side by side as the executor has threads. An observer is told of every
/// transition (Stage::Sample), from the thread of its chain. Where it or the executor asks to stop, the
/// chains have the draws made so far, and are marked. An Rwmh chain whose acceptance rate ends outside [0.15,
/// 0.7] is run again with what it has learnt, up to 5 times. Throws std::invalid_argument for options out of
/// range, or a start where the density is zero.
[[nodiscard]] std::vector<Chain> sample(const DensityView& density, const SampleOptions& options,
                                        const std::vector<std::vector<double>>& starts,
                                        const Executor& executor, const Observer& observer = {});

/// Chains of a density that `about` approximates: starts are dispersed about it, and with MetricKind::Dense
/// the chains run in its standard coordinates, where the density is nearly that of independent parameters of
/// variance 1. The draws are on the scale of the density all the same.
[[nodiscard]] std::vector<Chain> sample_about(const DensityView& density, const Normal& about, Index chains,
                                              const SampleOptions& options, const Executor& executor,
                                              const Observer& observer = {});

/// The same for a posterior whose prior has group effects: chains run in coordinates in which their scales
/// and coefficients hardly depend on each other (docs/groups.md), and the draws are those of the parameters.
[[nodiscard]] std::vector<Chain> sample_groups(const DensityView& density,
                                               const std::vector<GroupColumns>& groups, const Normal& about,
                                               Index chains, const SampleOptions& options,
                                               const Executor& executor, const Observer& observer = {});

/// Starts spread wider than the distribution, by a factor of 2, so that chains which agree have found each
/// other.
[[nodiscard]] std::vector<std::vector<double>> dispersed_starts(const Normal& about, Index chains,
                                                                std::uint64_t seed);

}  // namespace giga
