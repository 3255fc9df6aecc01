// Mean and population variance of each raw column x, weighted by the multiplicities w_n,
//
//     mean = sum w x / W,   variance = sum w (x - mean)^2 / W,   W = sum w.
//
// Where every column is a feature as it is, the rows of the table are read in place; else the terms write the
// columns of a row at a time.
//
// Each block of kBlockRows distinct rows yields its W, mean and sum of w (x - mean)^2 in double; blocks are
// put together in block order in extended precision, so the number of threads does not change the bits. With
// every multiplicity doubled every sum is doubled exactly, so the quotients keep their bits too. Where a
// square leaves the range of a double, all columns take two passes in extended precision instead.
#include "giga/design/standardise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "giga/design/design.hpp"

namespace giga {
namespace {

// The raw columns of the distinct rows.
class RawRows {
 public:
  RawRows(const Dataset& data, const Terms& terms, const DistinctRows& rows)
      : data_(data), terms_(terms), rows_(rows) {
    // One term of all features, as they are: then a row of the table is the row asked for.
    in_place_ = terms.size() == 1 && terms[0]->num_columns() == data.num_features() &&
                dynamic_cast<const NumericTerm*>(terms[0].get()) != nullptr;
    for (const auto& term : terms) dim_ += term->num_columns();
    zeros_.resize(at(dim_), 0.0);
    ones_.resize(at(dim_), 1.0);
  }

  [[nodiscard]] Index dim() const { return dim_; }
  [[nodiscard]] const DistinctRows& distinct() const { return rows_; }

  // Reads rows for one thread; row(k) is valid until the next call. (r - 0) * 1 has the bits of r.
  class Reader {
   public:
    explicit Reader(const RawRows& raw) : raw_(raw), row_(raw.in_place_ ? 0 : at(raw.dim_)) {}

    [[nodiscard]] const double* row(Index k) {
      const double* x = raw_.data_.features(raw_.rows_.row(k));
      if (raw_.in_place_) return x;
      Index column = 0;
      for (const auto& term : raw_.terms_) {
        term->write(&x, 1,
                    {row_.data() + column, 0, 1, raw_.zeros_.data() + column, raw_.ones_.data() + column});
        column += term->num_columns();
      }
      return row_.data();
    }

   private:
    const RawRows& raw_;
    std::vector<double> row_;
  };

 private:
  const Dataset& data_;
  const Terms& terms_;
  const DistinctRows& rows_;
  bool in_place_ = false;
  Index dim_ = 0;
  std::vector<double> zeros_, ones_;
};

// A copy: another row may be read meanwhile.
std::vector<double> first_row_of(const RawRows& raw, Index k) {
  RawRows::Reader reader(raw);
  const double* row = reader.row(k);
  return {row, row + raw.dim()};
}

// sums[j] of body(sums, x, weight) over all distinct rows; `width` sums, in extended precision throughout.
template <typename Body>
ExtendedVector sum_rows(const RawRows& raw, Index width, const Executor& executor, const Body& body) {
  const DistinctRows& rows = raw.distinct();
  ExtendedVector total(at(width), 0);
  fold_blocks<Extended>(
      executor, rows.num_rows, width, std::span(total),
      [&](Index first, Index count, Index /*piece*/, Extended* part) {
        RawRows::Reader reader(raw);
        for (Index k = first; k < first + count; ++k) body(part, reader.row(k), rows.weight(k));
      },
      [width](const Extended* part, Extended* sum) {
        for (Index j = 0; j < width; ++j) sum[j] += part[j];
      });
  return total;
}

// Columns that have the value of the first row throughout: found by comparison, since the variance of such a
// column need not come out as 0. A block stops reading once all its columns vary.
std::vector<char> find_constant(const RawRows& raw, const Executor& executor) {
  const Index dim = raw.dim();
  const std::vector<double> first_row = first_row_of(raw, 0);
  std::vector<char> constant(at(dim), 1);
  fold_blocks<char>(
      executor, raw.distinct().num_rows, dim, std::span(constant),
      [&](Index first, Index count, Index /*piece*/, char* varies) {
        RawRows::Reader reader(raw);
        Index left = dim;
        for (Index k = first; k < first + count && left > 0; ++k) {
          const double* x = reader.row(k);
          for (Index j = 0; j < dim; ++j) {
            if (varies[j] == 0 && x[j] != first_row[at(j)]) {
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

// W, then the mean of every column, then sum w (x - mean)^2 of every column, over some set of rows: one
// array of plain numbers, as a fold needs it.
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

// Writes the numbers of Moments for the rows of a block. Two passes over rows that are still in cache:
//
//     shift = sum w (x - origin) / W,
//     off = sum w (x - origin - shift),   square = sum w (x - origin - shift)^2.
//
// off is 0 up to rounding; it corrects both results: mean = origin + shift + off / W, and the sum of squares
// about that mean is square - W (off / W)^2 (the corrected two-pass algorithm, Chan, Golub, LeVeque 1983).
void block_moments(const RawRows& raw, Index first, Index count, Extended* out) {
  const Index dim = raw.dim();
  const DistinctRows& rows = raw.distinct();
  RawRows::Reader reader(raw);
  // origin: the first row of the block. Sums of x - origin are small where the mean is large beside the
  // spread.
  const std::vector<double> origin_row = first_row_of(raw, first);
  const double* origin = origin_row.data();
  double weight = 0;
  std::vector<double> sum(at(dim), 0.0), off(at(dim), 0.0), square(at(dim), 0.0);
  for (Index k = first; k < first + count; ++k) {
    const double* x = reader.row(k);
    const double w = rows.weight(k);
    for (Index j = 0; j < dim; ++j) sum[at(j)] += w * (x[j] - origin[j]);
    weight += w;
  }
  std::vector<double> shift(at(dim));
  for (std::size_t j = 0; j < at(dim); ++j) shift[j] = sum[j] / weight;
  for (Index k = first; k < first + count; ++k) {
    const double* x = reader.row(k);
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

// The moments of two sets of rows together, written over those of the first (Chan, Golub, LeVeque 1983).
void join_moments(const Extended* other, Extended* moments, Index dim) {
  // With W = W_a + W_b and delta = mean_b - mean_a:
  //     mean = mean_a + delta W_b / W,
  //     squares = squares_a + squares_b + delta^2 W_a W_b / W.
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

Moments moments_in_double(const RawRows& raw, const Executor& executor) {
  const Index dim = raw.dim();
  Moments total(dim);
  fold_blocks<Extended>(
      executor, raw.distinct().num_rows, std::ssize(total.numbers()), total.numbers(),
      [&](Index first, Index count, Index /*piece*/, Extended* part) {
        block_moments(raw, first, count, part);
      },
      [dim](const Extended* part, Extended* sum) { join_moments(part, sum, dim); });
  return total;
}

// The same numbers by two passes over all rows, for values whose squares overflow or underflow a double. The
// exponent of Extended has 15 bits on x86-64, so squares of any finite double are in its range.
Moments moments_in_extended(const RawRows& raw, const Executor& executor) {
  const Index dim = raw.dim();
  // The last sum is that of the weights.
  const ExtendedVector sums =
      sum_rows(raw, dim + 1, executor, [&](Extended* sum, const double* x, double weight) {
        const Extended w = weight;
        for (Index j = 0; j < dim; ++j) sum[j] += w * x[j];
        sum[dim] += w;
      });
  Moments out(dim);
  out.weight() = sums[at(dim)];
  for (Index j = 0; j < dim; ++j) out.mean(j) = sums[at(j)] / out.weight();
  // Both sum w (x - mean)^2 and sum w (x - mean), which is 0 up to rounding and corrects as above.
  const ExtendedVector squares =
      sum_rows(raw, 2 * dim, executor, [&](Extended* sum, const double* x, double weight) {
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

// Whether no square of a column that varies was lost to the range of a double. A variance above kLeast is far
// enough from the smallest normal number, 2e-308, for its summands to be at full precision.
bool within_range(Moments& moments, const std::vector<char>& constant) {
  constexpr Extended kLeast = 1e-280L;
  for (Index j = 0; j < moments.dim(); ++j) {
    if (!std::isfinite(moments.mean(j)) || !std::isfinite(moments.squares(j))) return false;
    if (constant[at(j)] == 0 && !(moments.squares(j) / moments.weight() > kLeast)) return false;
  }
  return true;
}

}  // namespace

Standardisation Standardisation::identity(Index num_columns) {
  return {std::vector<double>(at(num_columns), 0.0), std::vector<double>(at(num_columns), 1.0), {}};
}

Standardisation standardise(const Dataset& data, const DistinctRows& rows, const Executor& executor) {
  return standardise(data, Design::all_features(data), rows, executor);
}

Standardisation standardise(const Dataset& data, const Terms& terms, const DistinctRows& rows,
                            const Executor& executor) {
  const RawRows raw(data, terms, rows);
  const Index dim = raw.dim();
  Standardisation result = Standardisation::identity(dim);
  if (rows.num_rows == 0 || dim == 0) return result;
  const std::vector<char> constant = find_constant(raw, executor);
  const std::vector<double> first = first_row_of(raw, 0);
  Moments moments = moments_in_double(raw, executor);
  if (!within_range(moments, constant)) moments = moments_in_extended(raw, executor);
  for (Index j = 0; j < dim; ++j) {
    if (constant[at(j)] != 0) {
      result.mean[at(j)] = first[at(j)];
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

}  // namespace giga
