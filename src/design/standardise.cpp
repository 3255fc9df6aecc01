// Mean and mean square about it of each block of kBlockRows distinct rows, in double, put together in block
// order in extended precision: the threads do not matter. With every multiplicity doubled every sum is
// doubled exactly, so the quotients keep their bits. Columns whose squares leave the range of a double take
// two passes in extended precision.
#include "giga/design/standardise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace giga {
namespace {

// sums[j] of body(sums, row, weight) over all distinct rows; `width` sums.
template <typename Body>
ExtendedVector sum_rows(const DistinctRows& rows, Index width, const Executor& executor, const Body& body) {
  // A group of blocks at a time: block sums of all rows would take memory like the data if rows were wide.
  constexpr Index kGroup = 64;
  ExtendedVector total(at(width), 0);
  const Index blocks = num_blocks(rows.num_rows);
  std::vector<ExtendedVector> sums(at(std::min(kGroup, blocks)));
  for (Index first = 0; first < blocks; first += kGroup) {
    const Index count = std::min(kGroup, blocks - first);
    executor.for_each(count, [&](Index i) {
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
std::vector<char> find_constant(const Dataset& data, const DistinctRows& rows, const Executor& executor) {
  const Index dim = data.num_features();
  const double* first = data.features(rows.row(0));
  const Index blocks = num_blocks(rows.num_rows);
  std::vector<std::vector<char>> varies(at(blocks));
  executor.for_each(blocks, [&](Index block) {
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

// Weight, mean and sum of w (x - mean)^2 of every feature over some rows.
struct Moments {
  Extended weight = 0;
  ExtendedVector mean, squares;
};

Moments moments_of_block(const Dataset& data, const DistinctRows& rows, Index block) {
  const Index dim = data.num_features();
  const Index begin = block * kBlockRows, end = std::min(rows.num_rows, begin + kBlockRows);
  const double* origin =
      data.features(rows.row(begin));  // sums are of x - origin: no mean is large beside them
  double weight = 0;
  std::vector<double> sum(at(dim), 0.0), off(at(dim), 0.0), square(at(dim), 0.0);
  for (Index k = begin; k < end; ++k) {
    const double* x = data.features(rows.row(k));
    const double w = rows.weight(k);
    for (Index j = 0; j < dim; ++j) sum[at(j)] += w * (x[j] - origin[j]);
    weight += w;
  }
  std::vector<double> shift(at(dim));
  for (std::size_t j = 0; j < at(dim); ++j) shift[j] = sum[j] / weight;
  for (Index k = begin; k < end; ++k) {
    const double* x = data.features(rows.row(k));
    const double w = rows.weight(k);
    for (Index j = 0; j < dim; ++j) {
      const double away = (x[j] - origin[j]) - shift[at(j)];
      off[at(j)] += w * away;
      square[at(j)] += w * away * away;
    }
  }
  Moments out{weight, ExtendedVector(at(dim)), ExtendedVector(at(dim))};
  for (std::size_t j = 0; j < at(dim); ++j) {
    const Extended rest = static_cast<Extended>(off[j]) / weight;  // what rounding left in the mean
    out.mean[j] = static_cast<Extended>(origin[j]) + static_cast<Extended>(shift[j]) + rest;
    out.squares[j] = static_cast<Extended>(square[j]) - rest * rest * weight;
  }
  return out;
}

// The moments of two sets of rows together.
void join(const Moments& other, Moments& moments) {
  const Extended together = moments.weight + other.weight;
  for (std::size_t j = 0; j < moments.mean.size(); ++j) {
    const Extended apart = other.mean[j] - moments.mean[j];
    moments.mean[j] += apart * (other.weight / together);
    moments.squares[j] += other.squares[j] + apart * apart * (moments.weight * (other.weight / together));
  }
  moments.weight = together;
}

Moments moments_in_double(const Dataset& data, const DistinctRows& rows, const Executor& executor) {
  constexpr Index kGroup = 64;
  const Index blocks = num_blocks(rows.num_rows);
  Moments total;
  std::vector<Moments> some(at(std::min(kGroup, blocks)));
  for (Index first = 0; first < blocks; first += kGroup) {
    const Index count = std::min(kGroup, blocks - first);
    executor.for_each(count, [&](Index i) { some[at(i)] = moments_of_block(data, rows, first + i); });
    for (Index i = 0; i < count; ++i) {
      if (first + i == 0) {
        total = some[0];
      } else {
        join(some[at(i)], total);
      }
    }
  }
  return total;
}

Moments moments_in_extended(const Dataset& data, const DistinctRows& rows, const Executor& executor) {
  const Index dim = data.num_features();
  // The last sum is that of the weights.
  const ExtendedVector sums = sum_rows(rows, dim + 1, executor, [&](Extended* sum, Index n, double weight) {
    const double* x = data.features(n);
    const Extended w = weight;
    for (Index j = 0; j < dim; ++j) sum[j] += w * x[j];
    sum[dim] += w;
  });
  const Extended total = sums[at(dim)];
  ExtendedVector mean(at(dim));
  for (std::size_t j = 0; j < at(dim); ++j) mean[j] = sums[j] / total;
  // Both sum w (x - mean)^2 and sum w (x - mean), which is 0 but for rounding.
  const ExtendedVector squares =
      sum_rows(rows, 2 * dim, executor, [&](Extended* sum, Index n, double weight) {
        const double* x = data.features(n);
        for (Index j = 0; j < dim; ++j) {
          const Extended off = x[j] - mean[at(j)];
          const Extended weighted = weight * off;
          sum[j] += weighted * off;
          sum[dim + j] += weighted;
        }
      });
  Moments out{total, mean, ExtendedVector(at(dim))};
  for (std::size_t j = 0; j < at(dim); ++j) {
    const Extended correction = squares[at(dim) + j] / total;
    out.mean[j] += correction;
    out.squares[j] = squares[j] - correction * correction * total;
  }
  return out;
}

// Whether no square of a column that varies was lost to the range of a double.
bool within_range(const Moments& moments, const std::vector<char>& constant) {
  constexpr Extended kLeast = 1e-280L;
  for (std::size_t j = 0; j < constant.size(); ++j) {
    if (!std::isfinite(moments.mean[j]) || !std::isfinite(moments.squares[j])) return false;
    if (constant[j] == 0 && !(moments.squares[j] / moments.weight > kLeast)) return false;
  }
  return true;
}

}  // namespace

Standardisation Standardisation::identity(Index num_features) {
  return {std::vector<double>(at(num_features), 0.0), std::vector<double>(at(num_features), 1.0), {}};
}

Standardisation standardise(const Dataset& data, const DistinctRows& rows, const Executor& executor) {
  const Index dim = data.num_features();
  Standardisation result = Standardisation::identity(dim);
  if (rows.num_rows == 0) return result;
  const std::vector<char> constant = find_constant(data, rows, executor);
  Moments moments = moments_in_double(data, rows, executor);
  if (!within_range(moments, constant)) moments = moments_in_extended(data, rows, executor);
  for (std::size_t j = 0; j < at(dim); ++j) {
    if (constant[j] != 0) {
      result.mean[j] = data.features(rows.row(0))[j];
      result.constant.push_back(static_cast<Index>(j));
      continue;
    }
    const Extended variance = std::max<Extended>(moments.squares[j] / moments.weight, 0);
    result.mean[j] = static_cast<double>(moments.mean[j]);
    result.scale[j] =
        std::max(static_cast<double>(std::sqrt(variance)), std::numeric_limits<double>::denorm_min());
  }
  return result;
}

}  // namespace giga
