// Splines as polynomials in pieces. Between two knots, with s = (x - left) / (right - left), column c is
//
//     a_0 + a_1 s + a_2 s^2 + ...,   a_p = (right - left)^p B^(p)(left) / p!,
//
// from the derivatives of the B-splines B at the left knot (de Boor). The natural splines of R's ns() are
// linear combinations of cubic B-splines whose second derivative is 0 at the boundary: with C the two rows of
// second derivatives, and Q of the QR decomposition of C' by Householder reflections, the columns are rows 3,
// 4, ... of Q' times the B-splines.
#include <algorithm>
#include <cmath>
#include <limits>

#include "design/basis.hpp"

namespace giga {
namespace {

class BSplines {
 public:
  explicit BSplines(const SplineShape& shape) : order_(shape.degree + 1) {
    knots_.assign(at(order_), shape.low);
    knots_.insert(knots_.end(), shape.knots.begin(), shape.knots.end());
    knots_.insert(knots_.end(), at(order_), shape.high);
    std::sort(knots_.begin(), knots_.end());
  }

  [[nodiscard]] Index order() const { return order_; }
  [[nodiscard]] Index size() const { return std::ssize(knots_) - order_; }
  [[nodiscard]] double knot(Index i) const { return knots_[at(i)]; }

  /// First knots of the pieces that are not empty.
  [[nodiscard]] std::vector<Index> pieces() const {
    std::vector<Index> found;
    for (Index m = 0; m + 1 < std::ssize(knots_); ++m)
      if (knot(m) < knot(m + 1)) found.push_back(m);
    return found;
  }

  /// The p-th derivative of B-spline i at u, taken from within the piece that begins with knot m.
  [[nodiscard]] Extended derivative(Index i, Index p, Extended u, Index m) const {
    return derivative(i, order_, p, u, m);
  }

 private:
  // With t the knots and B_{i,1} = 1 on piece i,
  //     B_{i,k}  = (u - t_i) / (t_{i+k-1} - t_i) B_{i,k-1} + (t_{i+k} - u) / (t_{i+k} - t_{i+1}) B_{i+1,k-1},
  //     B_{i,k}' = (k - 1) (B_{i,k-1} / (t_{i+k-1} - t_i) - B_{i+1,k-1} / (t_{i+k} - t_{i+1})),
  // where summands with a denominator of 0 are left out.
  [[nodiscard]] Extended derivative(Index i, Index k, Index p, Extended u, Index m) const {
    if (m < i || m >= i + k || p >= k) return 0;  // outside its support, or constant
    if (k == 1) return 1;
    const Extended left = static_cast<Extended>(knot(i + k - 1)) - knot(i);
    const Extended right = static_cast<Extended>(knot(i + k)) - knot(i + 1);
    Extended sum = 0;
    if (p > 0) {
      const auto factor = static_cast<Extended>(k - 1);
      if (left > 0) sum += factor / left * derivative(i, k - 1, p - 1, u, m);
      if (right > 0) sum -= factor / right * derivative(i + 1, k - 1, p - 1, u, m);
    } else {
      if (left > 0) sum += (u - knot(i)) / left * derivative(i, k - 1, 0, u, m);
      if (right > 0) sum += (knot(i + k) - u) / right * derivative(i + 1, k - 1, 0, u, m);
    }
    return sum;
  }

  std::vector<double> knots_;
  Index order_;
};

using Rows = std::vector<ExtendedVector>;  // one vector per column of the basis

// What makes columns of B-splines: all but the first, or combinations of them.
struct Combination {
  Index dropped;       // B-splines left out at the beginning
  Rows reflections;    // I - v v' / v_1 each, beginning with component 0, 1, ...
  Index left_out = 0;  // components left out at the beginning after the reflections

  [[nodiscard]] ExtendedVector apply(const ExtendedVector& all) const {
    ExtendedVector y(all.begin() + dropped, all.end());
    for (std::size_t j = 0; j < reflections.size(); ++j) reflect(reflections[j], j, y);
    return {y.begin() + left_out, y.end()};
  }

  static void reflect(const ExtendedVector& v, std::size_t begin, ExtendedVector& y) {
    Extended product = 0;
    for (std::size_t i = begin; i < y.size(); ++i) product += v[i] * y[i];
    for (std::size_t i = begin; i < y.size(); ++i) y[i] -= product / v[begin] * v[i];
  }
};

class PiecewiseBasis final : public Basis {
 public:
  PiecewiseBasis(const BSplines& splines, const Combination& combination, bool straight)
      : order_(splines.order()) {
    for (const Index m : splines.pieces()) {
      const double left = splines.knot(m), right = splines.knot(m + 1);
      Rows powers;
      Extended factor = 1;  // (right - left)^p / p!
      for (Index p = 0; p < order_; ++p) {
        if (p > 0) factor *= (static_cast<Extended>(right) - left) / static_cast<Extended>(p);
        ExtendedVector all(at(splines.size()), 0);
        for (Index i = std::max<Index>(0, m - order_ + 1); i <= std::min(m, splines.size() - 1); ++i)
          all[at(i)] = factor * splines.derivative(i, p, left, m);
        powers.push_back(combination.apply(all));
      }
      add_piece(left, right - left, powers);
      if (straight && starts_.size() == 1) straight_before(powers, left, right - left);
      beyond_ = right;
    }
    breaks_.assign(starts_.begin() + 1, starts_.end());
    if (straight)
      straight_after(beyond_);
    else
      beyond_ = std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] Index num_columns() const override { return columns_; }

  void evaluate(const double* x, Index count, double* out) const override {
    for (Index i = 0; i < count; ++i) {
      const Index piece = piece_of(x[i]);
      const double s = (x[i] - starts_[at(piece)]) * inverse_[at(piece)];
      const double* a = coefficients_.data() + (piece * order_ + order_ - 1) * columns_;
      double* row = out + i * columns_;
      for (Index c = 0; c < columns_; ++c) row[c] = a[c];
      for (Index p = order_ - 1; p > 0; --p) {
        a -= columns_;
        for (Index c = 0; c < columns_; ++c) row[c] = row[c] * s + a[c];
      }
    }
  }

 private:
  void add_piece(double left, double width, const Rows& powers) {
    columns_ = std::ssize(powers.front());
    starts_.push_back(left);
    inverse_.push_back(1 / width);
    for (const ExtendedVector& power : powers)
      for (const Extended value : power) coefficients_.push_back(static_cast<double>(value));
  }

  // Value and slope at the lower boundary, as a piece before the first.
  void straight_before(Rows powers, double left, double width) {
    for (std::size_t p = 2; p < powers.size(); ++p) std::fill(powers[p].begin(), powers[p].end(), 0);
    std::vector<double> first = std::move(coefficients_);
    coefficients_.clear();
    starts_.clear();
    inverse_.clear();
    add_piece(left, width, powers);
    starts_.push_back(left);
    inverse_.push_back(1 / width);
    coefficients_.insert(coefficients_.end(), first.begin(), first.end());
  }

  // Value and slope at the upper boundary (s = 1 of the last piece), as a piece after it.
  void straight_after(double boundary) {
    const auto last = coefficients_.end() - order_ * columns_;
    Rows powers(at(order_), ExtendedVector(at(columns_), 0));
    for (Index p = 0; p < order_; ++p) {
      for (Index c = 0; c < columns_; ++c) {
        const Extended a = last[p * columns_ + c];
        powers[0][at(c)] += a;
        powers[1][at(c)] += static_cast<Extended>(p) * a;
      }
    }
    const double width = 1 / inverse_.back();
    add_piece(boundary, width, powers);
  }

  // Pieces before which x does not lie are counted. Pieces of a natural spline have one more at either end,
  // for values beyond the boundary; the boundary itself belongs to the pieces inside. Of few breaks all are
  // compared: a bisection would wait for each answer.
  [[nodiscard]] Index piece_of(double x) const {
    constexpr std::size_t kFew = 16;
    Index piece = x > beyond_ ? 1 : 0;
    if (breaks_.size() > kFew)
      return piece + (std::upper_bound(breaks_.begin(), breaks_.end(), x) - breaks_.begin());
    for (const double point : breaks_) piece += x >= point ? 1 : 0;
    return piece;
  }

  Index order_, columns_ = 0;
  std::vector<double> starts_, inverse_;  // of each piece: where s = 0, and 1 / width
  std::vector<double> coefficients_;      // of piece, power, column
  std::vector<double> breaks_;            // between neighbouring pieces
  double beyond_ = 0;                     // the upper boundary of a natural spline, else infinite
};

// R's reflections (LINPACK): with x the column from component j on, v = x / (sign(x_1) |x|), v_1 increased
// by 1. The reflection I - v v' / v_1 then maps x to a multiple of the first unit vector.
Combination natural_combination(const BSplines& splines, bool intercept) {
  const std::vector<Index> pieces = splines.pieces();
  Combination combination{intercept ? 0 : 1, {}, 2};
  Rows constraints;
  for (const Index m : {pieces.front(), pieces.back()}) {
    const bool first = constraints.empty();
    const Extended u = first ? splines.knot(m) : splines.knot(m + 1);
    ExtendedVector row;
    for (Index i = combination.dropped; i < splines.size(); ++i)
      row.push_back(splines.derivative(i, 2, u, m));
    constraints.push_back(std::move(row));
  }
  for (std::size_t j = 0; j < constraints.size(); ++j) {
    ExtendedVector v = constraints[j];
    for (std::size_t earlier = 0; earlier < j; ++earlier)
      Combination::reflect(combination.reflections[earlier], earlier, v);
    Extended square = 0;
    for (std::size_t i = j; i < v.size(); ++i) square += v[i] * v[i];
    const Extended length = v[j] < 0 ? -std::sqrt(square) : std::sqrt(square);
    for (std::size_t i = j; i < v.size(); ++i) v[i] /= length;
    v[j] += 1;
    combination.reflections.push_back(std::move(v));
  }
  return combination;
}

}  // namespace

std::unique_ptr<const Basis> b_spline_basis(const SplineShape& shape) {
  return std::make_unique<PiecewiseBasis>(BSplines(shape), Combination{shape.intercept ? 0 : 1, {}}, false);
}

std::unique_ptr<const Basis> natural_spline_basis(const SplineShape& shape) {
  const BSplines splines(shape);
  return std::make_unique<PiecewiseBasis>(splines, natural_combination(splines, shape.intercept), true);
}

// The share of quantile j is j / (count + 1), written as R's seq() computes it. With N values in order, it
// lies at position h = (N - 1) share: between values floor(h) and floor(h) + 1, or at the first of them.
std::vector<double> inner_quantiles(std::vector<double>& x, Index count) {
  std::vector<double> quantiles;
  const double step = 1 / static_cast<double>(count + 1);
  auto sorted = x.begin();  // all before it are not above what follows
  for (Index j = 1; j <= count; ++j) {
    const double h =
        1 + static_cast<double>(std::max<Index>(std::ssize(x) - 1, 0)) * (static_cast<double>(j) * step);
    const double floor = std::floor(h), share = h - floor;
    const auto low = x.begin() + static_cast<Index>(floor) - 1;
    std::nth_element(sorted, low, x.end());
    sorted = low;
    double value = *low;
    if (share > 0 && low + 1 != x.end()) {
      const double next = *std::min_element(low + 1, x.end());
      if (next != value) value = (1 - share) * value + share * next;
    }
    quantiles.push_back(value);
  }
  return quantiles;
}

}  // namespace giga
