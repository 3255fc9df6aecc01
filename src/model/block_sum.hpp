// Sums over all rows of log-likelihoods and their derivatives, by sum_blocks (base/executor.hpp). A part
// holds D numbers for the gradient, D x D for the Hessian and one for the value, as far as the order asks for
// them.
#pragma once

#include "giga/base/executor.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

/// Where a block adds its rows, all 0 at first: 1, D and D x D numbers. What the order does not ask for must
/// not be written to.
struct DerivativeSums {
  double* value;
  double* gradient;
  double* hessian;
};

/// add(first, count, sums) adds the rows of a block to its sums, which are added up in extended precision.
template <typename Add>
[[nodiscard]] Derivatives sum_of_blocks(Index num_rows, Index dim, Order order, const Executor& executor,
                                        const Add& add) {
  const Index slopes = order >= Order::Gradient ? dim : 0, bends = order >= Order::Hessian ? dim * dim : 0;
  const ExtendedVector total =
      sum_blocks(executor, num_rows, slopes + bends + 1, [&](Index first, Index count, double* part) {
        add(first, count, DerivativeSums{part + slopes + bends, part, part + slopes});
      });
  Derivatives out;
  for (Index j = 0; j < slopes; ++j) out.gradient.push_back(static_cast<double>(total[at(j)]));
  for (Index j = 0; j < bends; ++j) out.hessian.push_back(static_cast<double>(total[at(slopes + j)]));
  out.value = static_cast<double>(total.back());
  return out;
}

}  // namespace giga
