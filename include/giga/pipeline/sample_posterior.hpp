// Chains of the posterior of a likelihood, about an approximation of it.
#pragma once

#include <vector>

#include "giga/base/executor.hpp"
#include "giga/infer/sample.hpp"
#include "giga/model/likelihood.hpp"
#include "giga/model/normal.hpp"
#include "giga/model/prior.hpp"

namespace giga {

struct PosteriorSample {
  std::vector<Chain> chains;          ///< Of the parameters of the likelihood.
  std::vector<double> chain_seconds;  ///< Of each chain, from its first transition to its last.
  double seconds = 0;

  /// Whether an observer asked to stop; then chains are cut short.
  [[nodiscard]] bool stopped() const;
};

/// `chains` chains of the posterior of `likelihood` under `prior`. They run side by side; where there are
/// more threads than chains, and rows enough to share, they follow each other and the threads share the rows:
/// the draws are the same.
[[nodiscard]] PosteriorSample sample_posterior(const Likelihood& likelihood, const Prior& prior,
                                               const Normal& about, Index chains,
                                               const SampleOptions& options, const Executor& executor,
                                               const Observer& observer = {});

}  // namespace giga
