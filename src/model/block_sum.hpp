// Sums of derivatives over blocks of rows, reduced in block order.
#pragma once

#include <algorithm>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/model/likelihood.hpp"

namespace giga {

inline void resize_for(Derivatives& sum, Index dim, Order order) {
  const auto size = static_cast<std::size_t>(dim);
  if (order >= Order::Gradient) sum.gradient.assign(size, 0.0);
  if (order >= Order::Hessian) sum.hessian.assign(size * size, 0.0);
}

/// Block sums held at once: few enough that those of many parameters fit, enough to keep the threads busy.
[[nodiscard]] inline Index blocks_at_once(Index dim, Order order) {
  constexpr Index kNumbers = Index{1} << 23;
  const Index numbers = order >= Order::Hessian ? dim * dim : dim;
  return std::clamp<Index>(kNumbers / numbers, 16, 4096);
}

/// add(first, count, sum) adds the rows of a block to a sum that starts at zero.
template <typename Add>
[[nodiscard]] Derivatives sum_of_blocks(Index num_rows, Index dim, Order order, const Executor& executor,
                                        const Add& add) {
  Derivatives total;
  resize_for(total, dim, order);
  Extended value = 0;
  std::vector<Extended> gradient(total.gradient.size(), 0), hessian(total.hessian.size(), 0);
  const Index blocks = num_blocks(num_rows);
  const Index some = blocks_at_once(dim, order);
  for (Index begin = 0; begin < blocks; begin += some) {
    std::vector<Derivatives> sums(static_cast<std::size_t>(std::min(some, blocks - begin)));
    executor.for_each(static_cast<Index>(sums.size()), [&](Index k) {
      Derivatives& sum = sums[static_cast<std::size_t>(k)];
      resize_for(sum, dim, order);
      const Index first = (begin + k) * kBlockRows;
      add(first, std::min(kBlockRows, num_rows - first), sum);
    });
    for (const Derivatives& sum : sums) {
      value += static_cast<Extended>(sum.value);
      for (std::size_t d = 0; d < gradient.size(); ++d) gradient[d] += static_cast<Extended>(sum.gradient[d]);
      for (std::size_t k = 0; k < hessian.size(); ++k) hessian[k] += static_cast<Extended>(sum.hessian[k]);
    }
  }
  total.value = static_cast<double>(value);
  for (std::size_t d = 0; d < gradient.size(); ++d) total.gradient[d] = static_cast<double>(gradient[d]);
  for (std::size_t k = 0; k < hessian.size(); ++k) total.hessian[k] = static_cast<double>(hessian[k]);
  return total;
}

}  // namespace giga
