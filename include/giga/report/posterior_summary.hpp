// What the chains of a run say of its parameters, on the scale of the user's columns and on that of the
// sampler: the one place where draws become a table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/design/both_scales.hpp"
#include "giga/infer/certificate.hpp"
#include "giga/infer/chain.hpp"
#include "giga/infer/sample.hpp"
#include "giga/model/normal.hpp"
#include "giga/report/draws_summary.hpp"

namespace giga {

struct PosteriorSummary {
  std::vector<std::string> names;    ///< As people know the parameters: both scales, the original first.
  Index num_original = 0;            ///< How many are on the original scale.
  std::vector<Chain> chains;         ///< With a column for each of names.
  std::vector<Quantity> quantities;  ///< lp__, then names.
  SamplerHealth health;
  std::vector<std::string> warnings;

  /// The quantities on the original scale.
  [[nodiscard]] std::span<const Quantity> original() const;
};

/// `chains` as they were sampled, under `options`.
[[nodiscard]] PosteriorSummary posterior_summary(const BothScales& scales, std::span<const Chain> chains,
                                                 const SampleOptions& options, const Executor& executor);

/// The chain with all values of the scales for every draw; what was adapted is still that of the sampled
/// parameters. Throws std::invalid_argument unless the chain has the parameters of the scales.
[[nodiscard]] Chain on_both_scales(const Chain& chain, const BothScales& scales);

/// Every parameter on both scales, of the posterior of all rows: by the draws as the certificate weighs them,
/// or as they are where the weights would add more noise than they take away bias (Correction::pays).
[[nodiscard]] std::vector<Quantity> best_quantities(const PosteriorSummary& summary,
                                                    const Correction& correction);

/// Mean and standard deviation of a parameter by the Laplace approximation of all rows.
struct LaplaceMarginal {
  double mean = 0, sd = 0;
};

/// What the Laplace approximation says of the parameters on the original scale.
[[nodiscard]] std::vector<LaplaceMarginal> laplace_marginals(const Normal& posterior,
                                                             const BothScales& scales);

}  // namespace giga
