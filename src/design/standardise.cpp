// Mean and mean square about it of each block of kBlockRows distinct rows, in double, put together in block
// order in extended precision: the threads do not matter. With every multiplicity doubled every sum is
// doubled exactly, so the quotients keep their bits. Columns whose squares leave the range of a double take
// two passes in extended precision.
#include "giga/design/standardise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace giga {
namespace {

// sums[j] of body(sums, row, weight) over all distinct rows; `width` sums, in extended precision throughout.
template <typename Body>
ExtendedVector sum_rows(const DistinctRows& rows, Index width, const Executor& executor, const Body& body) {
  ExtendedVector total(at(width), 0);
  fold_blocks<Extended>(
      executor, rows.num_rows, width, std::span(total),
      [&](Index first, Index count, Index /*piece*/, Extended* part) {
        for (Index k = first; k < first + count; ++k) body(part, rows.row(k), rows.weight(k));
      },
      [width](const Extended* part, Extended* sum) {
        for (Index j = 0; j < width; ++j) sum[j] += part[j];
      });
  return total;
}

// Features that have the value of the first row throughout.
std::vector<char> find_constant(const Dataset& data, const DistinctRows& rows, const Executor& executor) {
  const Index dim = data.num_features();
  const double* first_row = data.features(rows.row(0));
  std::vector<char> constant(at(dim), 1);
  fold_blocks<char>(
      executor, rows.num_rows, dim, std::span(constant),
      [&](Index first, Index count, Index /*piece*/, char* varies) {
        Index left = dim;
        for (Index k = first; k < first + count && left > 0; ++k) {
          const double* x = data.features(rows.row(k));
          for (Index j = 0; j < dim; ++j) {
            if (varies[j] == 0 && x[j] != first_row[j]) {
              varies[j] = 1;
              --left;
            }
          }
        }
      },
      [dim](const char* varies, char* all) {
        for (Index j = 0; j < dim; ++j) all[j] = all[j] != 0 && varies[j] == 0 ? 1 : 0;
      });
  return constant;
}

// Of every feature over some rows: mean and the sum of w (x - mean)^2. In one array, after the weight of the
// rows.
class Moments {
 public:
  explicit Moments(Index dim) : numbers_(at(1 + 2 * dim), 0) {}

  [[nodiscard]] std::span<Extended> numbers() { return numbers_; }
  [[nodiscard]] Index dim() const { return (std::ssize(numbers_) - 1) / 2; }
  [[nodiscard]] Extended& weight() { return numbers_[0]; }
  [[nodiscard]] Extended& mean(Index j) { return numbers_[at(1 + j)]; }
  [[nodiscard]] Extended& squares(Index j) { return numbers_[at(1 + dim() + j)]; }

 private:
  ExtendedVector numbers_;
};

// Writes the numbers of Moments for the rows of a block.
void block_moments(const Dataset& data, const DistinctRows& rows, Index first, Index count, Extended* out) {
  const Index dim = data.num_features();
  const double* origin =
      data.features(rows.row(first));  // sums are of x - origin: no mean is large beside them
  double weight = 0;
  std::vector<double> sum(at(dim), 0.0), off(at(dim), 0.0), square(at(dim), 0.0);
  for (Index k = first; k < first + count; ++k) {
    const double* x = data.features(rows.row(k));
    const double w = rows.weight(k);
    for (Index j = 0; j < dim; ++j) sum[at(j)] += w * (x[j] - origin[j]);
    weight += w;
  }
  std::vector<double> shift(at(dim));
  for (std::size_t j = 0; j < at(dim); ++j) shift[j] = sum[j] / weight;
  for (Index k = first; k < first + count; ++k) {
    const double* x = data.features(rows.row(k));
    const double w = rows.weight(k);
    for (Index j = 0; j < dim; ++j) {
      const double away = (x[j] - origin[j]) - shift[at(j)];
      off[at(j)] += w * away;
      square[at(j)] += w * away * away;
    }
  }
  out[0] = weight;
  for (Index j = 0; j < dim; ++j) {
    const Extended rest = static_cast<Extended>(off[at(j)]) / weight;  // what rounding left in the mean
    out[1 + j] = static_cast<Extended>(origin[j]) + static_cast<Extended>(shift[at(j)]) + rest;
    out[1 + dim + j] = static_cast<Extended>(square[at(j)]) - rest * rest * weight;
  }
}

// The moments of two sets of rows together, where the second has any.
void join_moments(const Extended* other, Extended* moments, Index dim) {
  if (moments[0] == 0) {
    std::copy_n(other, 1 + 2 * dim, moments);
    return;
  }
  const Extended together = moments[0] + other[0];
  for (Index j = 1; j <= dim; ++j) {
    const Extended apart = other[j] - moments[j];
    moments[j] += apart * (other[0] / together);
    moments[dim + j] += other[dim + j] + apart * apart * (moments[0] * (other[0] / together));
  }
  moments[0] = together;
}

Moments moments_in_double(const Dataset& data, const DistinctRows& rows, const Executor& executor) {
  const Index dim = data.num_features();
  Moments total(dim);
  fold_blocks<Extended>(
      executor, rows.num_rows, std::ssize(total.numbers()), total.numbers(),
      [&](Index first, Index count, Index /*piece*/, Extended* part) {
        block_moments(data, rows, first, count, part);
      },
      [dim](const Extended* part, Extended* sum) { join_moments(part, sum, dim); });
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
  Moments out(dim);
  out.weight() = sums[at(dim)];
  for (Index j = 0; j < dim; ++j) out.mean(j) = sums[at(j)] / out.weight();
  // Both sum w (x - mean)^2 and sum w (x - mean), which is 0 but for rounding.
  const ExtendedVector squares =
      sum_rows(rows, 2 * dim, executor, [&](Extended* sum, Index n, double weight) {
        const double* x = data.features(n);
        for (Index j = 0; j < dim; ++j) {
          const Extended off = x[j] - out.mean(j);
          const Extended weighted = weight * off;
          sum[j] += weighted * off;
          sum[dim + j] += weighted;
        }
      });
  for (Index j = 0; j < dim; ++j) {
    const Extended correction = squares[at(dim + j)] / out.weight();
    out.mean(j) += correction;
    out.squares(j) = squares[at(j)] - correction * correction * out.weight();
  }
  return out;
}

// Whether no square of a column that varies was lost to the range of a double.
bool within_range(Moments& moments, const std::vector<char>& constant) {
  constexpr Extended kLeast = 1e-280L;
  for (Index j = 0; j < moments.dim(); ++j) {
    if (!std::isfinite(moments.mean(j)) || !std::isfinite(moments.squares(j))) return false;
    if (constant[at(j)] == 0 && !(moments.squares(j) / moments.weight() > kLeast)) return false;
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
  for (Index j = 0; j < dim; ++j) {
    if (constant[at(j)] != 0) {
      result.mean[at(j)] = data.features(rows.row(0))[j];
      result.constant.push_back(j);
      continue;
    }
    const Extended variance = std::max<Extended>(moments.squares(j) / moments.weight(), 0);
    result.mean[at(j)] = static_cast<double>(moments.mean(j));
    result.scale[at(j)] =
        std::max(static_cast<double>(std::sqrt(variance)), std::numeric_limits<double>::denorm_min());
  }
  return result;
}

}  // namespace giga
