// Several columns of one number: polynomials and splines, from values that were learnt.
#pragma once

#include <memory>
#include <vector>

#include "giga/base/executor.hpp"
#include "giga/base/types.hpp"

namespace giga {

class Basis {
 public:
  virtual ~Basis() = default;
  [[nodiscard]] virtual Index num_columns() const = 0;
  /// Column c of x[i] to out[i * num_columns() + c].
  virtual void evaluate(const double* x, Index count, double* out) const = 0;
};

/// x, x^2, ..., x^degree
[[nodiscard]] std::unique_ptr<const Basis> power_basis(Index degree);

/// Polynomials that are orthogonal over the values learnt from, as LearntCall of design_state.hpp has them.
struct OrthogonalPolynomials {
  double center = 0;
  std::vector<double> alpha, norm2;
};
[[nodiscard]] std::unique_ptr<const Basis> orthogonal_basis(const OrthogonalPolynomials& learnt);
[[nodiscard]] OrthogonalPolynomials learn_polynomials(const std::vector<double>& x, Index degree,
                                                      const Executor& executor);

struct SplineShape {
  std::vector<double> knots;  // within the boundary, ascending
  double low = 0, high = 0;   // the boundary, low < high
  Index degree = 3;
  bool intercept = false;
};

/// R's bs(): polynomials of the first and last piece go on outside the boundary.
[[nodiscard]] std::unique_ptr<const Basis> b_spline_basis(const SplineShape& shape);
/// R's ns(): cubic, straight outside the boundary.
[[nodiscard]] std::unique_ptr<const Basis> natural_spline_basis(const SplineShape& shape);

/// R's quantile() of type 7 at the `count` inner points that cut the values into count + 1 equal shares.
/// Puts x into another order.
[[nodiscard]] std::vector<double> inner_quantiles(std::vector<double>& x, Index count);

}  // namespace giga
