// Two passes in extended precision: the mean, then the mean square of x - mean, less what the mean is off by.
// Blocks of kBlockRows distinct rows are summed alone and added in block order, so the threads do not matter;
// with every multiplicity doubled every sum is doubled exactly, so the quotients keep their bits.
#include "giga/data/standardise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace giga {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

// sums[j] of body(sums, row, weight) over all distinct rows; `width` sums.
template <typename Body>
ExtendedVector sum_rows(const DistinctRows& rows, Index width, const ThreadPool& pool, const Body& body) {
  // A group of blocks at a time: block sums of all rows would take memory like the data if rows were wide.
  constexpr Index kGroup = 64;
  ExtendedVector total(at(width), 0);
  const Index blocks = num_blocks(rows.num_rows);
  std::vector<ExtendedVector> sums(at(std::min(kGroup, blocks)));
  for (Index first = 0; first < blocks; first += kGroup) {
    const Index count = std::min(kGroup, blocks - first);
    pool.for_each(count, [&](Index i) {
      ExtendedVector& sum = sums[at(i)];
      sum.assign(at(width), 0);
      const Index begin = (first + i) * kBlockRows;
      const Index end = std::min(rows.num_rows, begin + kBlockRows);
      for (Index k = begin; k < end; ++k) body(sum.data(), rows.row(k), rows.weight(k));
    });
    for (Index i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < at(width); ++j) total[j] += sums[at(i)][j];
    }
  }
  return total;
}

// Features that have the value of the first row throughout.
std::vector<char> find_constant(const Dataset& data, const DistinctRows& rows, const ThreadPool& pool) {
  const Index dim = data.num_features();
  const double* first = data.features(rows.row(0));
  const Index blocks = num_blocks(rows.num_rows);
  std::vector<std::vector<char>> varies(at(blocks));
  pool.for_each(blocks, [&](Index block) {
    std::vector<char> found(at(dim), 0);
    Index left = dim;
    const Index end = std::min(rows.num_rows, (block + 1) * kBlockRows);
    for (Index k = block * kBlockRows; k < end && left > 0; ++k) {
      const double* x = data.features(rows.row(k));
      for (Index j = 0; j < dim; ++j) {
        if (found[at(j)] == 0 && x[j] != first[j]) {
          found[at(j)] = 1;
          --left;
        }
      }
    }
    varies[at(block)] = std::move(found);
  });
  std::vector<char> constant(at(dim), 1);
  for (const auto& found : varies) {
    for (std::size_t j = 0; j < constant.size(); ++j) constant[j] = constant[j] != 0 && found[j] == 0;
  }
  return constant;
}

}  // namespace

Standardisation Standardisation::identity(Index num_features) {
  return {std::vector<double>(at(num_features), 0.0), std::vector<double>(at(num_features), 1.0), {}};
}

Standardisation standardise(const Dataset& data, const DistinctRows& rows, const ThreadPool& pool) {
  const Index dim = data.num_features();
  Standardisation result = Standardisation::identity(dim);
  if (rows.num_rows == 0) return result;
  // The last sum is that of the weights.
  const ExtendedVector sums = sum_rows(rows, dim + 1, pool, [&](Extended* sum, Index n, double weight) {
    const double* x = data.features(n);
    const Extended w = weight;
    for (Index j = 0; j < dim; ++j) sum[j] += w * x[j];
    sum[dim] += w;
  });
  const Extended total = sums[at(dim)];
  ExtendedVector mean(at(dim));
  for (std::size_t j = 0; j < at(dim); ++j) mean[j] = sums[j] / total;
  // Both sum w (x - mean)^2 and sum w (x - mean), which is 0 but for rounding.
  const ExtendedVector squares = sum_rows(rows, 2 * dim, pool, [&](Extended* sum, Index n, double weight) {
    const double* x = data.features(n);
    for (Index j = 0; j < dim; ++j) {
      const Extended off = x[j] - mean[at(j)];
      const Extended weighted = weight * off;
      sum[j] += weighted * off;
      sum[dim + j] += weighted;
    }
  });
  const std::vector<char> constant = find_constant(data, rows, pool);
  for (std::size_t j = 0; j < at(dim); ++j) {
    if (constant[j] != 0) {
      result.mean[j] = data.features(rows.row(0))[j];
      result.constant.push_back(static_cast<Index>(j));
      continue;
    }
    const Extended correction = squares[at(dim) + j] / total;
    const Extended variance = std::max<Extended>(squares[j] / total - correction * correction, 0);
    result.mean[j] = static_cast<double>(mean[j] + correction);
    result.scale[j] =
        std::max(static_cast<double>(std::sqrt(variance)), std::numeric_limits<double>::denorm_min());
  }
  return result;
}

}  // namespace giga
