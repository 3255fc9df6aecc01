// Norms of rows whose squares may leave the range of double. In extended precision, whose exponents reach
// 1e4932, neither the square of a double nor a sum of such squares can overflow or vanish.
#include "construct/row_pass.hpp"

#include <cmath>

#include "construct/row_kernels.hpp"

namespace giga {

void row_norms(const double* rows, Index count, Index dim, double* norms) {
  kernels::squares(rows, count, dim, norms);
  for (Index i = 0; i < count; ++i) {
    if (norms[i] >= 1e-280 && norms[i] <= 1e280) {
      norms[i] = std::sqrt(norms[i]);
      continue;
    }
    // Zero rows come here too, and stay zero.
    Extended square = 0;
    for (const double* x = rows + i * dim; x != rows + (i + 1) * dim; ++x) {
      square += static_cast<Extended>(*x) * static_cast<Extended>(*x);
    }
    norms[i] = static_cast<double>(std::sqrt(square));
  }
}

}  // namespace giga
