// What chains would have cost on all rows of the data.
#pragma once

#include <span>

#include "giga/base/executor.hpp"
#include "giga/infer/chain.hpp"
#include "giga/pipeline/problem.hpp"

namespace giga {

/// By the gradients that the coreset's chains needed.
struct FullDataCost {
  double gradients = 0;         ///< of all chains, warm-up included
  double gradient_seconds = 0;  ///< one of them on all rows, measured
  double parallel_chains = 1;   ///< side by side; >= 1

  [[nodiscard]] double seconds() const { return gradients * gradient_seconds / parallel_chains; }
};

/// The time of a gradient on so many rows of the likelihood, one thread: the fastest of three on at most
/// `max_rows` of them, or 2^20 numbers.
[[nodiscard]] double gradient_seconds(const Problem& problem, Index rows, const Executor& executor,
                                      Index max_rows = 200000);

/// For chains without thinning, which is done for the sake of the certificate. The time of a gradient is the
/// fastest of three on at most `max_rows` rows, one thread per chain and as many chains side by side as the
/// executor has threads.
[[nodiscard]] FullDataCost full_data_cost(const Problem& problem, std::span<const Chain> chains, Index thin,
                                          const Executor& executor, Index max_rows = 200000);

}  // namespace giga
