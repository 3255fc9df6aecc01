// z_n.m + o_n and |C'z_n| of all rows, tile by tile.
#include "giga/model/predictor_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "model/scratch.hpp"
#include "model/tile_kernels.hpp"

namespace giga {
namespace {

// Component d in running sum d mod 8, so that the sums do not wait for each other.
double sum_of_squares(const double* u, Index dim) {
  constexpr Index kSums = 8;
  std::array<double, kSums> sums{};
  Index d = 0;
  for (; d + kSums <= dim; d += kSums) {
    for (Index k = 0; k < kSums; ++k) sums[at(k)] += u[d + k] * u[d + k];
  }
  for (Index k = 0; d + k < dim; ++k) sums[at(k)] += u[d + k] * u[d + k];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

}  // namespace

PredictorMoments predictor_moments(const LinearModel& model, const Normal& pihat, const Executor& executor) {
  using kernels::kTile;
  const Index dim = model.num_columns(), all = model.num_all(), num_extras = all - dim;
  if (pihat.dim() != all)
    throw std::invalid_argument("pihat has another dimension than the linear predictor");
  // The points are the columns of C, and m after them, so that one product gives all.
  Points columns(dim, all + 1);
  std::vector<double> column(at(dim));
  for (Index k = 0; k < all; ++k) {
    for (Index d = 0; d < dim; ++d) column[at(d)] = pihat.factor()[at(d * all + k)];
    columns.set(k, column);
  }
  columns.set(all, std::span(pihat.mean()).first(at(dim)));
  const Index num_rows = model.num_rows();
  PredictorMoments out{row_array<float>(executor, num_rows), row_array<float>(executor, num_rows),
                       row_array<float>(executor, num_rows, num_extras)};
  for_own_blocks(executor, num_rows, [&](Index first, Index count) {
    const Scratch z(kTile * dim), u(kTile * columns.stride());
    for (Index begin = first; begin < first + count; begin += kTile) {
      const Index some = std::min(kTile, first + count - begin);
      model.design(begin, some, z.data());
      kernels::predict_many(z.data(), some, dim, columns.component(0), columns.stride(), u.data());
      for (Index i = 0; i < some; ++i) {
        const double* un = u.data() + i * columns.stride();
        out.mean[at(begin + i)] = static_cast<float>(un[all] + model.offset(begin + i));
        out.sd[at(begin + i)] = static_cast<float>(std::sqrt(sum_of_squares(un, all)));
        for (Index e = 0; e < num_extras; ++e) {
          const double* row = pihat.factor().data() + (dim + e) * all;
          out.cross[at((begin + i) * num_extras + e)] =
              static_cast<float>(std::inner_product(un, un + all, row, 0.0));
        }
      }
    }
  });
  return out;
}

}  // namespace giga
