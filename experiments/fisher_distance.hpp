// The Fisher information distance of a coreset's posterior from the posterior of all rows,
//
//   E |grad log pi - grad log pi_w|^2   under pi,
//
// estimated with draws of pi. It is the square of the norm |L - L(w)| of the paper's section 4.3, taken under
// the posterior itself instead of pihat; the prior is in both posteriors and cancels.
#pragma once

#include <vector>

#include "giga/infer/chain.hpp"
#include "giga/model/likelihood.hpp"

namespace giga::experiments {

class FisherDistance {
 public:
  /// Keeps the gradients of all rows at `count` draws of the chain, evenly spread.
  FisherDistance(const Likelihood& full, const Chain& chain, Index count);

  [[nodiscard]] double of(const Likelihood& coreset) const;

 private:
  Points points_;
  std::vector<double> full_;  // D x S, by component
};

}  // namespace giga::experiments
