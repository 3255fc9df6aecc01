// What a selector is asked, and the one function that decides.
//
// With v = l(w) the unit vector of the current coreset and d the unit residual of l against v,
//     geodesic:  score_n = <l_n, d> / sqrt(1 - <l_n, v>^2)    (the paper's <d_t, d_tn>)
//     linear:    score_n = <l_n, d>
// Both d and v lie in the plane of l and one unit vector g orthogonal to it:
//     d = d_along l + d_across g,    v = v_along l + v_across g,
// so a selector that knows <l_n, l> needs a single product per row, <l_n, g>.
//
// Source: section 3.3 of the paper, where d = d_t and d_tn is the unit vector of l_n - <l_n, v> v; d is
// orthogonal to v, and |l_n - <l_n, v> v|^2 = 1 - <l_n, v>^2.
#pragma once

#include <limits>
#include <vector>

#include "construct/row_kernels.hpp"
#include "giga/base/row_source.hpp"
#include "giga/base/types.hpp"

namespace giga {

enum class Criterion { Linear, Geodesic };

struct Query {
  Criterion criterion = Criterion::Linear;
  std::vector<double> d;       // unit, padded
  std::vector<double> v;       // unit, padded; zero for the linear criterion
  std::vector<double> across;  // g: unit, padded; zero if d is l itself
  double d_along = 1, d_across = 0;
  double min_norm = 0;  // rows of a smaller norm are taken as zero: their weight would overflow
};

/// The norm below which a weight, at most about sigma / sigma_n, might overflow.
[[nodiscard]] inline double smallest_weighable_norm(double norm_sum) {
  return norm_sum * 1e-305;
}

/// argmax over rows of <l_n, r>, for any r that is not zero.
[[nodiscard]] Query linear_query(const ExtendedVector& l, const ExtendedVector& r, double norm_sum);

/// argmax over rows of <d_t, d_tn>, for v a unit vector that differs from l.
[[nodiscard]] Query geodesic_query(const ExtendedVector& l, const ExtendedVector& v, double norm_sum);

/// Never chosen: a zero row, or no row at all.
inline constexpr double kNeverChosen = -std::numeric_limits<double>::infinity();

struct Pick {
  Index row = -1;
  double score = kNeverChosen;

  /// Takes the row if it scores higher, or equally and comes first.
  void offer(Index other_row, double other_score) {
    if (other_score > score || (other_score == score && other_row < row && other_score != kNeverChosen)) {
      row = other_row;
      score = other_score;
    }
  }
};

/// Below this distance of |c| from 1, (1-c)(1+c) has lost two digits: exact scores form the norm explicitly,
/// and bounds from fewer digits say nothing.
inline constexpr double kNearPole = 1e-2;

/// The score in double of the row x, whose products with d, v and itself are `t`. Every selector decides by
/// the value of this function, which depends on nothing but the bits of x and of the query.
[[nodiscard]] double exact_score(const Query& query, const double* x, const kernels::Dots& t, Index dim);

/// exact_score of row n, read from the source into `scratch`.
[[nodiscard]] double score_row(const Query& query, const RowSource& rows, Index n,
                               std::vector<double>& scratch);

}  // namespace giga
