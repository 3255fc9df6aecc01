// What is known about a likelihood whose rows depend on the coefficients through a linear predictor alone:
//
//   L_n(theta) = l_n(s_n, phi),   s_n = <z_n, theta_1..P> + o_n,   P = num_columns(),
//
// with o_n an offset that is known and phi the extra parameters of the family, if there are any: the rest of
// theta.
//
// It is an optional capability (Likelihood::linear_model): curvature vectors and the packed posterior use it
// where it exists, and nothing else needs it.
#pragma once

#include <span>

#include "giga/base/executor.hpp"
#include "giga/base/types.hpp"
#include "giga/model/family.hpp"

namespace giga {

class LinearModel {
 public:
  virtual ~LinearModel() = default;

  [[nodiscard]] virtual Index num_rows() const = 0;
  /// P, the columns of z: the first parameters of theta.
  [[nodiscard]] virtual Index num_columns() const = 0;
  /// How often row n counts; > 0.
  [[nodiscard]] virtual double multiplicity(Index n) const = 0;
  /// Whether all rows count once, as far as that is known without asking for each.
  [[nodiscard]] virtual bool counts_once() const { return false; }
  [[nodiscard]] virtual const FamilyParameters& family() const = 0;
  /// The response as kernels take it: of a binomial family, with the trials in it (family.hpp).
  [[nodiscard]] virtual double response(Index n) const = 0;
  /// Whether a row has an offset, and o_n.
  [[nodiscard]] virtual bool has_offset() const { return false; }
  [[nodiscard]] virtual double offset(Index) const { return 0; }
  /// How many trials the response is of: 1 where the family has no trials.
  [[nodiscard]] double trials(Index n) const {
    return describe(family().family).has_trials ? trials_of(response(n)) : 1;
  }
  /// P and the extra parameters of the family.
  [[nodiscard]] Index num_all() const { return num_columns() + describe(family().family).num_extras(); }
  /// The rows z_n, n = first .. first + count - 1, row-major.
  virtual void design(Index first, Index count, double* z) const = 0;

  /// For labels: whether theta puts every row on the side of its label, so that the data are separable.
  [[nodiscard]] virtual bool separates(std::span<const double> theta, const Executor& executor) const = 0;
};

}  // namespace giga
