// Mean and population variance of each raw column x, weighted by the multiplicities w_n,
//
//     mean = sum w x / W,   variance = sum w (x - mean)^2 / W,   W = sum w.
//
// Each block of kBlockRows distinct rows yields its W, mean and sum of w (x - mean)^2 in double; blocks are
// put together in block order in extended precision, so the number of threads does not change the bits. With
// every multiplicity doubled every sum is doubled exactly, so the quotients keep their bits too. Where a
// square leaves the range of a double, all columns take two passes in extended precision instead.
//
// Raw columns are features as they are, or what terms make of them; block by block and column by column the
// arithmetic is the same, so a feature has the same bits either way.
#include "giga/design/standardise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "giga/design/design.hpp"

namespace giga {
namespace {

// Features as they are: the columns of a block are where the table has them.
class FeatureColumns {
 public:
  FeatureColumns(const Dataset& data, const DistinctRows& rows) : data_(data), rows_(rows) {}

  [[nodiscard]] const DistinctRows& rows() const { return rows_; }
  [[nodiscard]] Index dim() const { return data_.num_features(); }
  [[nodiscard]] std::vector<double> first_row() const {
    FeatureRows features(data_, 1);
    const double* x = features.row(rows_.row(0));
    return {x, x + dim()};
  }
  /// Calls body(begin, dim, x): columns begin .. begin + dim - 1 of row first + i are at x[i].
  template <typename Body>
  void for_columns(Index first, Index count, const Body& body) const {
    FeatureRows features(data_, count);
    body(Index{0}, dim(), features.of(count, [&](Index i) { return rows_.row(first + i); }));
  }

 private:
  const Dataset& data_;
  const DistinctRows& rows_;
};

// Columns of terms, made for a block at a time, one term after the other.
class TermColumns {
 public:
  TermColumns(std::span<const std::shared_ptr<const Term>> terms, const Dataset& data,
              const DistinctRows& rows)
      : terms_(terms), data_(data), rows_(rows) {
    for (const auto& term : terms_) {
      dim_ += term->num_columns();
      widest_ = std::max(widest_, term->num_columns());
    }
    mean_.assign(at(widest_), 0.0);
    inverse_.assign(at(widest_), 1.0);
  }

  [[nodiscard]] const DistinctRows& rows() const { return rows_; }
  [[nodiscard]] Index dim() const { return dim_; }
  [[nodiscard]] std::vector<double> first_row() const {
    std::vector<double> row;
    for_columns(0, 1, [&row](Index /*begin*/, Index dim, const double* const* x) {
      row.insert(row.end(), x[0], x[0] + dim);
    });
    return row;
  }
  template <typename Body>
  void for_columns(Index first, Index count, const Body& body) const {
    FeatureRows rows(data_, count);
    const double* const* features = rows.of(count, [&](Index i) { return rows_.row(first + i); });
    std::vector<const double*> x(at(count));
    const auto raw = std::make_unique_for_overwrite<double[]>(at(count * widest_));
    Index begin = 0;
    for (const auto& term : terms_) {
      const Index dim = term->num_columns();
      // (r - 0) * 1 has the bits of r.
      term->write(features, count, {raw.get(), dim, 1, mean_.data(), inverse_.data()});
      for (Index i = 0; i < count; ++i) x[at(i)] = raw.get() + i * dim;
      body(begin, dim, x.data());
      begin += dim;
    }
  }

 private:
  std::span<const std::shared_ptr<const Term>> terms_;
  const Dataset& data_;
  const DistinctRows& rows_;
  Index dim_ = 0, widest_ = 0;
  std::vector<double> mean_, inverse_;
};

// sums[j] of body(sums, begin, dim, x, weight) over all distinct rows; `width` sums, in extended precision
// throughout.
template <typename Columns, typename Body>
ExtendedVector sum_rows(const Columns& columns, Index width, const Executor& executor, const Body& body) {
  ExtendedVector total(at(width), 0);
  fold_blocks<Extended>(
      executor, columns.rows().num_rows, width, std::span(total),
      [&](Index first, Index count, Index /*piece*/, Extended* part) {
        columns.for_columns(first, count, [&](Index begin, Index dim, const double* const* x) {
          for (Index i = 0; i < count; ++i) body(part, begin, dim, x[i], columns.rows().weight(first + i));
        });
      },
      [width](const Extended* part, Extended* sum) {
        for (Index j = 0; j < width; ++j) sum[j] += part[j];
      });
  return total;
}

// Columns that have the value of the first row throughout: found by comparison, since the variance of such a
// column need not come out as 0. Sets varies[j] to 1 for the others; a block stops reading once all do.
void find_varying(const double* const* x, Index count, Index dim, const double* first_row, Extended* varies) {
  Index left = dim;
  for (Index i = 0; i < count && left > 0; ++i) {
    for (Index j = 0; j < dim; ++j) {
      if (varies[j] == 0 && x[i][j] != first_row[j]) {
        varies[j] = 1;
        --left;
      }
    }
  }
}

// W, then the mean of every column, then sum w (x - mean)^2 of every column, then whether it varies, over
// some set of rows: one array of plain numbers, as a fold needs it.
class Moments {
 public:
  explicit Moments(Index dim) : numbers_(at(1 + 3 * dim), 0) {}

  [[nodiscard]] std::span<Extended> numbers() { return numbers_; }
  [[nodiscard]] Index dim() const { return (std::ssize(numbers_) - 1) / 3; }
  [[nodiscard]] Extended& weight() { return numbers_[0]; }
  [[nodiscard]] Extended& mean(Index j) { return numbers_[at(1 + j)]; }
  [[nodiscard]] Extended& squares(Index j) { return numbers_[at(1 + dim() + j)]; }
  [[nodiscard]] Extended& varies(Index j) { return numbers_[at(1 + 2 * dim() + j)]; }

 private:
  ExtendedVector numbers_;
};

// W, and the mean and the sum of squares of some columns, for the rows of a block. Two passes over rows that
// are still in cache:
//
//     shift = sum w (x - origin) / W,
//     off = sum w (x - origin - shift),   square = sum w (x - origin - shift)^2.
//
// off is 0 up to rounding; it corrects both results: mean = origin + shift + off / W, and the sum of squares
// about that mean is square - W (off / W)^2 (the corrected two-pass algorithm, Chan, Golub, LeVeque 1983).
void block_moments(const double* const* x, Index count, Index dim, const DistinctRows& rows, Index first,
                   Extended* out_weight, Extended* out_mean, Extended* out_squares) {
  // origin: the first row of the block. Sums of x - origin are small where the mean is large beside the
  // spread.
  const double* origin = x[0];
  double weight = 0;
  std::vector<double> sum(at(dim), 0.0), off(at(dim), 0.0), square(at(dim), 0.0);
  for (Index i = 0; i < count; ++i) {
    const double w = rows.weight(first + i);
    for (Index j = 0; j < dim; ++j) sum[at(j)] += w * (x[i][j] - origin[j]);
    weight += w;
  }
  std::vector<double> shift(at(dim));
  for (std::size_t j = 0; j < at(dim); ++j) shift[j] = sum[j] / weight;
  for (Index i = 0; i < count; ++i) {
    const double w = rows.weight(first + i);
    for (Index j = 0; j < dim; ++j) {
      const double away = (x[i][j] - origin[j]) - shift[at(j)];
      off[at(j)] += w * away;
      square[at(j)] += w * away * away;
    }
  }
  *out_weight = weight;
  for (Index j = 0; j < dim; ++j) {
    const Extended rest = static_cast<Extended>(off[at(j)]) / weight;  // what rounding left in the mean
    out_mean[j] = static_cast<Extended>(origin[j]) + static_cast<Extended>(shift[at(j)]) + rest;
    out_squares[j] = static_cast<Extended>(square[at(j)]) - rest * rest * weight;
  }
}

// The moments of two sets of rows together, written over those of the first (Chan, Golub, LeVeque 1983).
void join_moments(const Extended* other, Extended* moments, Index dim) {
  // With W = W_a + W_b and delta = mean_b - mean_a:
  //     mean = mean_a + delta W_b / W,
  //     squares = squares_a + squares_b + delta^2 W_a W_b / W.
  if (moments[0] == 0) {
    std::copy_n(other, 1 + 3 * dim, moments);
    return;
  }
  for (Index j = 2 * dim + 1; j <= 3 * dim; ++j) moments[j] = std::max(moments[j], other[j]);
  const Extended together = moments[0] + other[0];
  for (Index j = 1; j <= dim; ++j) {
    const Extended apart = other[j] - moments[j];
    moments[j] += apart * (other[0] / together);
    moments[dim + j] += other[dim + j] + apart * apart * (moments[0] * (other[0] / together));
  }
  moments[0] = together;
}

template <typename Columns>
Moments moments_in_double(const Columns& columns, const std::vector<double>& first_row,
                          const Executor& executor) {
  const Index dim = columns.dim();
  Moments total(dim);
  fold_blocks<Extended>(
      executor, columns.rows().num_rows, std::ssize(total.numbers()), total.numbers(),
      [&](Index first, Index count, Index /*piece*/, Extended* part) {
        columns.for_columns(first, count, [&](Index begin, Index some, const double* const* x) {
          Extended* const mean = part + 1 + begin;
          block_moments(x, count, some, columns.rows(), first, part, mean, mean + dim);
          find_varying(x, count, some, first_row.data() + begin, mean + 2 * dim);
        });
      },
      [dim](const Extended* part, Extended* sum) { join_moments(part, sum, dim); });
  return total;
}

// The same means and squares by two passes over all rows, for values whose squares overflow or underflow a
// double. The exponent of Extended has 15 bits on x86-64, so squares of any finite double are in its range.
template <typename Columns>
void moments_in_extended(const Columns& columns, const Executor& executor, Moments& out) {
  const Index dim = columns.dim();
  // The last sum is that of the weights, counted with the first columns.
  const ExtendedVector sums =
      sum_rows(columns, dim + 1, executor,
               [dim](Extended* sum, Index begin, Index some, const double* x, double weight) {
                 const Extended w = weight;
                 for (Index j = 0; j < some; ++j) sum[begin + j] += w * x[j];
                 if (begin == 0) sum[dim] += w;
               });
  out.weight() = sums[at(dim)];
  for (Index j = 0; j < dim; ++j) out.mean(j) = sums[at(j)] / out.weight();
  // Both sum w (x - mean)^2 and sum w (x - mean), which is 0 up to rounding and corrects as above.
  const ExtendedVector squares =
      sum_rows(columns, 2 * dim, executor,
               [dim, &out](Extended* sum, Index begin, Index some, const double* x, double weight) {
                 for (Index j = begin; j < begin + some; ++j) {
                   const Extended off = x[j - begin] - out.mean(j);
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
}

// Whether no square of a column that varies was lost to the range of a double. A variance above kLeast is far
// enough from the smallest normal number, 2e-308, for its summands to be at full precision.
bool within_range(Moments& moments) {
  constexpr Extended kLeast = 1e-280L;
  for (Index j = 0; j < moments.dim(); ++j) {
    if (!std::isfinite(moments.mean(j)) || !std::isfinite(moments.squares(j))) return false;
    if (moments.varies(j) != 0 && !(moments.squares(j) / moments.weight() > kLeast)) return false;
  }
  return true;
}

template <typename Columns>
Standardisation standardise_columns(const Columns& columns, const Executor& executor) {
  const Index dim = columns.dim();
  Standardisation result = Standardisation::identity(dim);
  if (columns.rows().num_rows == 0 || dim == 0) return result;
  const std::vector<double> first_row = columns.first_row();
  Moments moments = moments_in_double(columns, first_row, executor);
  if (!within_range(moments)) moments_in_extended(columns, executor, moments);
  for (Index j = 0; j < dim; ++j) {
    if (moments.varies(j) == 0) {
      result.mean[at(j)] = first_row[at(j)];
      result.constant.push_back(j);
      continue;
    }
    // A scale is never 0, as z divides by it: a column that varies by less than the smallest double has a
    // variance that rounds to 0.
    const Extended variance = std::max<Extended>(moments.squares(j) / moments.weight(), 0);
    result.mean[at(j)] = static_cast<double>(moments.mean(j));
    result.scale[at(j)] =
        std::max(static_cast<double>(std::sqrt(variance)), std::numeric_limits<double>::denorm_min());
  }
  return result;
}

}  // namespace

Standardisation Standardisation::identity(Index num_features) {
  return {std::vector<double>(at(num_features), 0.0), std::vector<double>(at(num_features), 1.0), {}};
}

std::vector<GroupColumns> group_columns(const Standardisation& scale) {
  std::vector<GroupColumns> all;
  for (std::size_t k = 0; k < scale.group_sds.size(); ++k) {
    const Index sd = scale.group_sds[k];
    const Index end = k + 1 < scale.group_sds.size() ? scale.group_sds[k + 1] : std::ssize(scale.mean);
    all.push_back({sd, sd + 1, end - sd - 1});
  }
  return all;
}

Standardisation standardise(const Dataset& data, const DistinctRows& rows, const Executor& executor) {
  return standardise(Design::all_features(data), data, rows, executor);
}

Standardisation standardise(std::span<const std::shared_ptr<const Term>> terms, const Dataset& data,
                            const DistinctRows& rows, const Executor& executor) {
  // All features as they are need not be copied.
  if (rows.num_rows > 0) data.fetch(std::vector<Index>{rows.row(0)}, executor);
  const bool in_place = terms.size() == 1 && terms[0]->num_columns() == data.num_features() &&
                        dynamic_cast<const NumericTerm*>(terms[0].get()) != nullptr;
  return in_place ? standardise_columns(FeatureColumns(data, rows), executor)
                  : standardise_columns(TermColumns(terms, data, rows), executor);
}

Standardisation about_zero(Standardisation scale) {
  const auto is_constant = [&scale](Index j) { return std::ranges::binary_search(scale.constant, j); };
  for (Index j = 0; j < std::ssize(scale.mean); ++j) {
    const double mean = std::exchange(scale.mean[at(j)], 0.0);
    const double spread = is_constant(j) ? 0 : scale.scale[at(j)];
    const double root = std::min(std::hypot(spread, mean), std::numeric_limits<double>::max());
    if (root > 0) {
      scale.scale[at(j)] = root;
      std::erase(scale.constant, j);
    }
  }
  return scale;
}

}  // namespace giga
